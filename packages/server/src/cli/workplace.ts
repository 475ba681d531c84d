import type { MemoryManager, ScopedMemory } from 'longhand';
import type { LocalIdentity } from '../config/local-principal.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { dailySessionId, ensureSession } from '../daily-session.ts';
import type { Services } from '../services.ts';
import { UsageError } from './command.ts';

/**
 * The store as a command sees it, for the person at the keyboard. Opened when something is first asked of it: a
 * command that prints its help opens nothing.
 */
export class Workplace implements AsyncDisposable {
  readonly identity: LocalIdentity;
  readonly config: ServerConfig;
  #services: Promise<Services> | undefined;
  #damagedLines = 0;

  constructor(config: ServerConfig, identity: LocalIdentity) {
    this.config = config;
    this.identity = identity;
  }

  services(): Promise<Services> {
    this.#services ??= Promise.all([import('../services.ts'), import('../log/logger.ts')]).then(
      // A command says itself what there is to say: the log is the server's.
      async ([{ openServices }, { Logger }]) => {
        const services = await openServices(this.config, new Logger('silent'));
        services.manager.subscribe((event) => {
          if (event.kind === 'corruption-found') this.#damagedLines += event.lines;
        });
        return services;
      },
    );
    return this.#services;
  }

  /** Lines that could not be read, and were passed over. */
  get damagedLines(): number {
    return this.#damagedLines;
  }

  async manager(): Promise<MemoryManager> {
    return (await this.services()).manager;
  }

  /** Everything of this user: a person may look after all their agents. */
  async memory(): Promise<ScopedMemory> {
    const { account_id, user_id } = this.identity;
    return (await this.manager()).as({ account_id, user_id });
  }

  /** The session that new things go to, made when it is not there. */
  async session(client: string): Promise<string> {
    const { session_id, agent_id } = this.identity;
    const memory = (await this.manager()).as({ ...(await this.memory()).principal, agent_id });
    return (await ensureSession(memory, session_id ?? dailySessionId(client, this.identity, Date.now()))).id;
  }

  /**
   * Does what the server would do for the same request. Fields that are `undefined` count as left out.
   * @throws UsageError when the input is not what the operation takes
   */
  async run<Result>(name: string, input: Readonly<Record<string, unknown>>): Promise<Result> {
    const { operationNamed } = await import('../operations/index.ts');
    const operation = operationNamed(name);
    const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
    const parsed = operation.input.safeParse(given);
    if (!parsed.success) {
      const { sentenceOfIssue } = await import('../operations/issue-words.ts');
      throw new UsageError(`${sentenceOfIssue(parsed.error.issues[0]!)}.`);
    }
    const { UNBOUND } = await import('../access/api-keys.ts');
    const services = await this.services();
    const context = {
      memory: await this.memory(),
      services,
      binding: UNBOUND,
      requestId: crypto.randomUUID(),
    };
    // What the table knows of a result is its schema: the caller names the type that goes with it.
    return operation.output.parse(await operation.run(parsed.data, context)) as Result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Whoever asked for a store that cannot be opened has been told so.
    const services = await this.#services?.catch(() => undefined);
    await services?.close();
  }
}
