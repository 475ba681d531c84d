import { address, allows, list, type Rule, text } from './rules.ts';

/** An MCP server whose tools the agents of this server may use. */
export type McpServerSettings = {
  /** Which agents; all when left out. */
  readonly agents?: readonly string[];
} & (
  | {
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      readonly cwd?: string;
      readonly url?: undefined;
    }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }
);

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;
const texts: Rule = list({
  ...text,
  problem: (value) => (typeof value === 'string' ? undefined : 'must be texts'),
});
const pairs = {
  problem: (value: unknown) =>
    isObject(value) && Object.values(value).every((one) => typeof one === 'string')
      ? undefined
      : 'must be names with texts',
};
const FIELDS: Readonly<Record<string, Readonly<Record<string, Pick<Rule, 'problem'>>>>> = {
  command: { command: text, args: texts, env: pairs, cwd: text, agents: texts },
  url: { url: address, headers: pairs, agents: texts },
};

/** Servers by their names, in the form that MCP clients take. */
export const mcpServers: Rule = {
  takes: 'JSON',
  problem: (value) => {
    if (!isObject(value)) return 'must be servers by their names';
    for (const [name, server] of Object.entries(value)) {
      if (!NAME.test(name))
        return `must have names of letters, digits, - and _: ${JSON.stringify(name.slice(0, 40))}`;
      const problem = problemOf(server);
      if (problem !== undefined) return `.${name} ${problem}`;
    }
    return undefined;
  },
};

function problemOf(server: unknown): string | undefined {
  if (!isObject(server) || 'command' in server === 'url' in server)
    return 'must have either a command, which is started, or a url, which is called';
  const fields = FIELDS['url' in server ? 'url' : 'command']!;
  for (const [field, value] of Object.entries(server)) {
    const rule = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (rule === undefined) return `has no ${field}: it takes ${Object.keys(fields).join(', ')}`;
    const problem = rule.problem(value);
    if (problem !== undefined) return `${field} ${problem}`;
  }
  return undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Flags and variables hold JSON. */
export function fromJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

export function takesJson(type: Rule): boolean {
  return allows(type, {});
}
