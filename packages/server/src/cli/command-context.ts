import type { MemoryManager, ScopedMemory } from 'longhand';
import type { LocalIdentity } from '../config/local-principal.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { dailySessionId, ensurePlace } from '../daily-session.ts';
import type { Caller } from '../operations/access.ts';
import type { AnswerOf, OperationContext, Runnable } from '../operations/operation.ts';
import type { Services } from '../services.ts';
import { UsageError } from './usage-error.ts';

/**
 * The store as a command sees it, for the person at the keyboard. Opened when something is first asked of it: a
 * command that prints its help opens nothing.
 */
export class CommandContext implements AsyncDisposable {
  readonly identity: LocalIdentity;
  readonly config: ServerConfig;
  #services: Promise<Services> | undefined;
  /** By their logs, as events name these. */
  readonly #damagedLines = new Map<string, number>();
  readonly #unreadable = new Set<string>();

  constructor(config: ServerConfig, identity: LocalIdentity) {
    this.config = config;
    this.identity = identity;
  }

  services(): Promise<Services> {
    this.#services ??= Promise.all([
      import('../services.ts'),
      import('../log/logger.ts'),
      import('../open-store.ts'),
    ]).then(
      // A command says itself what there is to say: the log is the server's.
      async ([{ openServices }, { Logger }, { OF_ONE_PERSON }]) => {
        const accountId = this.identity.account_id;
        const services = await openServices(this.config, new Logger('silent'), {
          ...OF_ONE_PERSON,
          accountId,
        });
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

  /** Lines that could not be read, were skipped, and are still there. */
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
    return (await this.#caller()).memory;
  }

  /** The session that new things go to, made when it is not there: when it cannot be read, the one that continues it. */
  async session(client: string): Promise<string> {
    const { agent_id } = this.identity;
    const memory = (await this.memory()).asAgent(agent_id);
    const isNamed = this.identity.session_id !== undefined;
    return (await ensurePlace(memory, this.sessionId(client), isNamed)).id;
  }

  /** Which one that is. */
  sessionId(client: string): string {
    return this.identity.session_id ?? dailySessionId(client, this.identity, Date.now());
  }

  /**
   * Does what the server would do for the same request. Fields that are `undefined` count as left out.
   * @throws UsageError when the input is not what the operation takes
   */
  async run<Operation extends Runnable>(
    operation: Operation,
    input: Given,
    hooks: Pick<OperationContext, 'signal' | 'onProgress'> = {},
  ): Promise<AnswerOf<Operation>> {
    const parsed = await parsedInput(operation, input);
    const answer = await operation.run(parsed, { ...(await this.#operationContext()), ...hooks });
    return operation.output.parse(answer) as AnswerOf<Operation>;
  }

  /** The same, as the answer comes. @param signal calls it off */
  async *stream<Event>(operation: Runnable, input: Given, signal: AbortSignal): AsyncGenerator<Event, void> {
    const parsed = await parsedInput(operation, input);
    const context = { ...(await this.#operationContext()), signal };
    for await (const event of operation.stream!.run(parsed, context)) yield event as Event;
  }

  /** Whether `run` would take it, before anything is made for it. @throws as `run` does */
  async check(operation: Pick<Runnable, 'input'>, input: Given): Promise<void> {
    await parsedInput(operation, input);
  }

  async #caller(): Promise<Caller> {
    const { callerOf, LOCAL_RIGHTS } = await import('../operations/access.ts');
    const { account_id, user_id } = this.identity;
    return callerOf(await this.manager(), LOCAL_RIGHTS, { account_id, user_id });
  }

  async #operationContext(): Promise<OperationContext> {
    return { ...(await this.#caller()), services: await this.services() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A store that cannot be opened has been reported to the command that asked for it.
    const services = await this.#services?.catch(() => undefined);
    await services?.close();
  }
}

/** Input as options give it. */
type Given = Readonly<Record<string, unknown>>;

async function parsedInput({ input }: Pick<Runnable, 'input'>, fields: Given) {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const parsed = input.safeParse(given);
  if (parsed.success) return parsed.data;
  const { issuesOf, sentenceOfIssue } = await import('longhand');
  const issue = issuesOf(parsed.error)[0]!;
  throw new UsageError(`${sentenceOfIssue(issue)}.`, { field: issue.path.join('.') });
}
