import type { LogLevel } from '../config/server-config.ts';

export interface LogFields {
  /** Which part speaks: `MemoryManager`, `HttpServer`. */
  readonly component: string;
  readonly session_id?: string | undefined;
  /** Facts: counts, codes, durations. Never the text of a memory or a message. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export type Level = Exclude<LogLevel, 'silent'>;

const ORDER = ['debug', 'info', 'warn', 'error', 'silent'] as const satisfies readonly LogLevel[];

/** Writes one JSON object a line, for machines to read. */
export class Logger {
  readonly #threshold: number;
  readonly #write: (line: string) => void;

  constructor(level: LogLevel, write: (line: string) => void = (line) => process.stderr.write(line)) {
    this.#threshold = ORDER.indexOf(level);
    this.#write = write;
  }

  /** Whether a line of this level would be written: what it costs to make can be saved. */
  isOn(level: Level): boolean {
    return ORDER.indexOf(level) >= this.#threshold;
  }

  log(level: Level, message: string, { component, session_id, metadata }: LogFields): void {
    if (!this.isOn(level)) return;
    const line = {
      timestamp: new Date().toISOString(),
      level: level.toUpperCase(),
      component,
      ...(session_id === undefined ? {} : { session_id }),
      message,
      ...(metadata === undefined ? {} : { metadata }),
    };
    this.#write(`${JSON.stringify(line)}\n`);
  }
}
