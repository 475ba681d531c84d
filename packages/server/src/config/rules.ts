import { isIP } from 'node:net';
import { DEFAULT_SHARES, isTimeZone, overDefaults, TIME_ZONE_FORMS } from 'longhand';

/**
 * What a setting may hold. Every command reads the settings, so their rules are plain functions: a library of
 * schemas would be the largest part of the start of most commands.
 */
export interface Rule {
  /** What is wrong with a value, to be put behind the name of the setting: `must be …`; `undefined` when nothing is. */
  problem(value: unknown): string | undefined;
  /** What it takes, for a help page: `0…65535`, `json|text`. */
  readonly takes: string;
  /** All that it takes, when that can be listed. */
  readonly choices?: readonly string[];
}

export const flag: Rule = rule('must be true or false', 'true|false', (value) => typeof value === 'boolean');

export const text: Rule = {
  takes: 'text',
  problem: (value) => {
    if (typeof value !== 'string') return 'must be a text';
    return value === '' ? 'must not be empty' : undefined;
  },
};

/** The same rule, with another word for what it takes. */
export function calling(takes: string, rule: Rule): Rule {
  return { ...rule, takes };
}

export function whole(min: number, max: number): Rule {
  return rule(
    `must be a whole number from ${min} to ${max}`,
    `${min}…${max}`,
    (value) => Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max,
  );
}

export function number(min: number, max: number): Rule {
  return rule(
    `must be a number from ${min} to ${max}`,
    `${min}…${max}`,
    (value) => typeof value === 'number' && value >= min && value <= max,
  );
}

export function oneOf(...values: readonly string[]): Rule {
  const isOne = (value: unknown): boolean => values.includes(value as string);
  return { ...rule(`must be one of ${values.join(', ')}`, values.join('|'), isOne), choices: values };
}

export const address = addressOf(/^https?:$/, 'an http or https address');
export const databaseAddress = addressOf(
  /^postgres(ql)?:$/,
  'an address like postgres://user:password@host:5432/database',
);
export const redisAddress = addressOf(/^rediss?:$/, 'an address like redis://host:6379');
export const timeZone: Rule = rule(`must be ${TIME_ZONE_FORMS}`, 'zone', isTimeZone);

export const origin: Rule = rule(
  'must be an origin like https://example.org:8080',
  'origin',
  (value) => typeof value === 'string' && URL.parse(value)?.origin === value,
);

const PREFIX_BITS: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

export const network: Rule = rule(
  'must be IP addresses or networks like 10.0.0.1 or 10.0.0.0/8',
  'network',
  (value) => {
    if (typeof value !== 'string') return false;
    const [, host = '', prefix] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(value) ?? [];
    const bits = PREFIX_BITS[isIP(host)];
    return bits !== undefined && Number(prefix ?? 0) <= bits;
  },
);

export const shares: Rule = rule(
  `must give some of ${Object.keys(DEFAULT_SHARES).join(', ')} a floor and a ceiling from 0 to 1, the floor not above the ceiling`,
  'json',
  (value) => overDefaults(value) !== undefined,
);

/** A list whose every item keeps to a rule. */
export function list(item: Rule): Rule {
  return {
    takes: `${item.takes},…`,
    problem: (value) => {
      if (!Array.isArray(value)) return 'must be a list';
      return value.map((one) => item.problem(one)).find((problem) => problem !== undefined);
    },
  };
}

export function allows(type: Rule, value: unknown): boolean {
  return type.problem(value) === undefined;
}

function rule(problem: string, takes: string, isMet: (value: unknown) => boolean): Rule {
  return { takes, problem: (value) => (isMet(value) ? undefined : problem) };
}

function addressOf(protocol: RegExp, words: string): Rule {
  const isOne = (value: unknown): boolean => protocol.test(URL.parse(String(value))?.protocol ?? '');
  return rule(`must be ${words}`, 'address', (value) => typeof value === 'string' && isOne(value));
}
