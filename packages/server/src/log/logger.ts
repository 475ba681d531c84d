import type { LogLevel, ServerConfig } from '../config/server-config.ts';

interface LogFields {
  /** Which part speaks: `MemoryManager`, `HttpServer`. */
  readonly component: string;
  readonly session_id?: string | undefined;
  /** Facts: counts, codes, durations. Never the text of a memory or a message. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export type Level = Exclude<LogLevel, 'silent'>;

const ORDER = ['debug', 'info', 'warn', 'error', 'silent'] as const satisfies readonly LogLevel[];

const LONGEST_LEVEL = 5;

/** One line of the log: what happened, and when. */
interface LogLine extends LogFields {
  readonly timestamp: string;
  readonly level: string;
  readonly message: string;
}

interface LoggerOptions {
  /** Lines for people to read instead of JSON; false when left out. */
  readonly isForPeople?: boolean;
  /** Standard error when left out. */
  readonly write?: (line: string) => void;
}

/** Writes one JSON object a line, for machines to read, or short lines for a person at a terminal. */
export class Logger {
  readonly isForPeople: boolean;
  readonly #threshold: number;
  readonly #render: (line: LogLine) => string;
  readonly #write: (line: string) => void;

  constructor(level: LogLevel, { isForPeople = false, write = writeToStandardError }: LoggerOptions = {}) {
    this.isForPeople = isForPeople;
    this.#threshold = ORDER.indexOf(level);
    this.#render = isForPeople ? renderForPeople : JSON.stringify;
    this.#write = write;
  }

  /** Whether a line of this level would be written: what it costs to make can be saved. */
  isOn(level: Level): boolean {
    return ORDER.indexOf(level) >= this.#threshold;
  }

  log(level: Level, message: string, { component, session_id, metadata }: LogFields): void {
    if (!this.isOn(level)) return;
    const line: LogLine = {
      timestamp: new Date().toISOString(),
      level: level.toUpperCase(),
      component,
      ...(session_id === undefined ? {} : { session_id }),
      message,
      ...(metadata === undefined ? {} : { metadata }),
    };
    this.#write(`${this.#render(line)}\n`);
  }
}

/** The log that the configuration asks for. Left to itself, it is for people where one watches. */
export function loggerOf(
  { level, format }: ServerConfig['log'],
  stream: { readonly isTTY?: boolean } = process.stderr,
): Logger {
  return new Logger(level, {
    isForPeople: format === 'text' || (format === 'auto' && stream.isTTY === true),
  });
}

function writeToStandardError(line: string): void {
  process.stderr.write(line);
}

/** `08:15:02 WARN  Lock timeout (session chat-1, log "session chat-1")`: the time of day where the person is. */
function renderForPeople({ timestamp, level, message, session_id, metadata = {} }: LogLine): string {
  const time = new Date(timestamp).toTimeString().slice(0, 8);
  const facts = Object.entries(metadata)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${shown(value)}`);
  const all = session_id === undefined ? facts : [`session ${session_id}`, ...facts];
  const start = `${time} ${level.padEnd(LONGEST_LEVEL)} ${message}`;
  return all.length === 0 ? start : `${start} (${all.join(', ')})`;
}

/** Nothing in it may move the cursor or change colours. */
function shown(value: unknown): string {
  return (JSON.stringify(value) ?? '').replaceAll(/[\u007f-\u009f]/g, '�');
}
