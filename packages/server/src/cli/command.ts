import type { ServerConfig } from '../config/server-config.ts';
import type { CommandContext } from './command-context.ts';
import type { Output } from './output.ts';
import { UsageError } from './usage-error.ts';

export { UsageError } from './usage-error.ts';

/**
 * A command of the command line, as data: the parser, the help pages and the shells' completion are all made from
 * this. What it does is loaded when it is run, so that no command pays for another's code.
 */
export interface Command {
  readonly name: string;
  /** One line. */
  readonly summary: string;
  /** More, for its own help page. */
  readonly description?: string;
  readonly positionals?: readonly Positional[];
  readonly options?: readonly CommandOption[];
  /** Which settings its help page lists: the folder (when left out), or also those often set. Every command takes all. */
  readonly settings?: 'none' | 'store' | 'conversation' | 'server';
  /**
   * Whether it works on what is there, and so makes no store where there is none. `unless`: the actions, its first
   * words, that do make one.
   */
  readonly needsStore?: true | { readonly unless: readonly string[] };
  /**
   * Which of `--user`, `--agent`, `--session` and `--account` it takes: those that it applies, and no others. One that
   * was accepted and ignored would let a command do more than it was asked to. A command
   * for which one of them has a meaning of its own lists it among its options.
   */
  readonly identity: readonly IdentityOption[];
  /** Which sessions are meant without `--session`; the one of the day when this is left out. */
  readonly sessionDefault?: string;
  readonly examples: readonly string[];
  /** What it does. Where the server has an operation for it, the command runs that, and prints its answer with `--json`. */
  load(): Promise<CommandRun>;
}

/** What can be said to a command, and what the shells complete. */
export type CommandWords = Pick<
  Command,
  'name' | 'summary' | 'positionals' | 'options' | 'settings' | 'identity' | 'sessionDefault'
>;

export type IdentityOption = 'user' | 'agent' | 'session' | 'account';

interface Positional {
  readonly name: string;
  readonly description: string;
  readonly isOptional?: boolean;
  /** Takes all that follow. */
  readonly isRepeated?: boolean;
  readonly choices?: readonly string[];
}

export interface CommandOption {
  readonly name: string;
  readonly short?: string;
  /** What its value is called; without one it is a switch. */
  readonly value?: string;
  readonly description: string;
  readonly isRepeated?: boolean;
  readonly choices?: readonly string[];
  /** Whether other values than the choices are taken too. */
  readonly takesOthers?: boolean;
  /** A switch that may be on by default: `--no-…` turns it off. */
  readonly isNegatable?: boolean;
}

/** The code that the process ends with: one of `EXIT`, or that of the command that `run` ran; done when left out. */
export type CommandRun = (call: CommandCall) => Promise<number | undefined>;

export interface CommandCall {
  readonly command: Command;
  readonly values: CommandValues;
  readonly positionals: readonly string[];
  readonly output: Output;
  /** All that there are, `help` included. */
  readonly commands: readonly CommandWords[];
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly config: ServerConfig;
  /** Opens the store at its first use; closed when the command has ended. */
  readonly context: CommandContext;
}

/** The values of options, by their names. */
export class CommandValues {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  texts(name: string): readonly string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.map(String) : [];
  }

  isOn(name: string): boolean {
    return this.#values[name] === true;
  }

  /** @throws UsageError */
  number(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const number = Number(value);
    if (value.trim() === '' || !Number.isFinite(number)) {
      throw new UsageError(`--${name} must be a number, not ${JSON.stringify(value)}.`);
    }
    return number;
  }
}
