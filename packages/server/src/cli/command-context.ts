import type { MemoryManager, ScopedMemory } from 'longhand';
import type { LocalIdentity } from '../config/local-principal.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { dailySessionId, ensurePlace } from '../daily-session.ts';
import type { Services } from '../services.ts';
import { UsageError } from './command.ts';

/**
 * The store as a command sees it, for the person at the keyboard. Opened when something is first asked of it: a
 * command that prints its help opens nothing.
 */
export class CommandContext implements AsyncDisposable {
  readonly identity: LocalIdentity;
  readonly config: ServerConfig;
  readonly #operations: ReadonlySet<string>;
  #services: Promise<Services> | undefined;
  /** By their logs, as events name these. */
  readonly #damagedLines = new Map<string, number>();
  readonly #unreadable = new Set<string>();

  /** @param operations those that the command says it offers: it can run no others */
  constructor(config: ServerConfig, identity: LocalIdentity, operations: readonly string[] = []) {
    this.config = config;
    this.identity = identity;
    this.#operations = new Set(operations);
  }

  services(): Promise<Services> {
    this.#services ??= Promise.all([
      import('../services.ts'),
      import('../log/logger.ts'),
      import('../open-store.ts'),
    ]).then(
      // A command says itself what there is to say: the log is the server's.
      async ([{ openServices }, { Logger }, { OF_ONE_PERSON }]) => {
        const services = await openServices(this.config, new Logger('silent'), OF_ONE_PERSON);
        services.manager.subscribe((event) => {
          if (event.kind === 'corruption-found')
            this.#damagedLines.set(event.log, (this.#damagedLines.get(event.log) ?? 0) + event.lines);
          if (event.kind === 'session-unreadable') this.#unreadable.add(event.session_id);
          // It leaves no damaged line in the log.
          if (event.kind === 'compaction-finished') this.#damagedLines.delete(`session ${event.session_id}`);
        });
        return services;
      },
    );
    return this.#services;
  }

  /** Lines that could not be read, were passed over, and are still there. */
  get damagedLines(): number {
    return [...this.#damagedLines.values()].reduce((sum, lines) => sum + lines, 0);
  }

  /** Sessions that were met and left out, because they cannot be read or their log is lost. */
  get unreadableSessions(): readonly string[] {
    return [...this.#unreadable].sort();
  }

  async manager(): Promise<MemoryManager> {
    return (await this.services()).manager;
  }

  /** Everything of this user: a person may look after all their agents. */
  async memory(): Promise<ScopedMemory> {
    const { account_id, user_id } = this.identity;
    // Who can read the folder may look after all of it.
    return (await this.manager()).as({ account_id, user_id, role: 'admin' });
  }

  /** The session that new things go to, made when it is not there: when it cannot be read, the one that continues it. */
  async session(client: string): Promise<string> {
    const { agent_id } = this.identity;
    const memory = (await this.manager()).as({ ...(await this.memory()).principal, agent_id });
    const isNamed = this.identity.session_id !== undefined;
    return (await ensurePlace(memory, this.sessionId(client), isNamed)).id;
  }

  /** Which one that is. */
  sessionId(client: string): string {
    return this.identity.session_id ?? dailySessionId(client, this.identity, Date.now());
  }

  /**
   * Does what the server would do for the same request. Fields that are `undefined` count as left out.
   * @throws UsageError when the input is not what the operation takes, Error when the command does not declare it
   */
  async run<Result>(name: string, input: Readonly<Record<string, unknown>>): Promise<Result> {
    const { operation, parsed, context } = await this.#prepare(name, input);
    // What the table knows of a result is its schema: the caller names the type that goes with it.
    return operation.output.parse(await operation.run(parsed, context)) as Result;
  }

  /** The same, as the answer comes. @param signal calls it off */
  async *stream<Event>(
    name: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): AsyncGenerator<Event, void> {
    const { operation, parsed, context } = await this.#prepare(name, input);
    for await (const event of operation.stream!.run(parsed, { ...context, signal })) yield event as Event;
  }

  /** Whether `run` would take it, before anything is made for it. @throws as `run` does */
  async check(name: string, input: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#parse(name, input);
  }

  async #prepare(name: string, input: Readonly<Record<string, unknown>>) {
    const { operation, parsed } = await this.#parse(name, input);
    const { UNBOUND } = await import('../access/api-keys.ts');
    const services = await this.services();
    const memory = await this.memory();
    return { operation, parsed, context: { memory, services, binding: UNBOUND } };
  }

  async #parse(name: string, input: Readonly<Record<string, unknown>>) {
    const { loadOperation } = await import('../operations/load-operation.ts');
    // What a command does not declare, no test would compare with the other skins.
    if (!this.#operations.has(name)) throw new Error(`The command does not declare the operation ${name}.`);
    const operation = await loadOperation(name);
    const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
    const parsed = operation.input.safeParse(given);
    if (!parsed.success) {
      const { issuesOf, sentenceOfIssue } = await import('longhand');
      const issue = issuesOf(parsed.error)[0]!;
      throw new UsageError(`${sentenceOfIssue(issue)}.`, { field: issue.path.join('.') });
    }
    return { operation, parsed: parsed.data };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Whoever asked for a store that cannot be opened has been told so.
    const services = await this.#services?.catch(() => undefined);
    await services?.close();
  }
}
