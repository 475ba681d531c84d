import type fc from 'fast-check';
import type { MemoryManager } from '../../src/index.ts';
import { expectAll, HOUR_MS, iso, SessionCommand, type Systems, type Which } from './command.ts';
import type { Model, ModelSession } from './plain-model.ts';
import type { RealSystem } from './real-system.ts';

export class Create implements fc.AsyncCommand<Model, Systems> {
  readonly session: string;
  readonly which: Which;
  readonly user: string;
  constructor(session: string, which: Which, user: string) {
    this.session = session;
    this.which = which;
    this.user = user;
  }
  check(): boolean {
    return true;
  }
  async run(model: Model, systems: Systems): Promise<void> {
    const isThere = model.sessions.has(this.session);
    const expected = isThere ? { refused: 'SESSION_EXISTS' } : { answer: this.session };
    await expectAll(systems, expected, async (system) => {
      const created = await system
        .manager(this.which)
        .createSession(this.user, { session_id: this.session, agents: ['a'] });
      return created.id;
    });
    if (isThere) return;
    model.sessions.set(this.session, {
      userId: this.user,
      createdMs: model.nowMs,
      agents: ['a'],
      language: undefined,
      memories: [],
      deleted: new Set(),
      deletedOwnIds: new Set(),
    });
  }
  toString(): string {
    return `Create(${JSON.stringify(this)})`;
  }
}

export class Update extends SessionCommand {
  readonly language: string;
  readonly agents: readonly string[] | undefined;
  constructor(session: string, which: Which, language: string, agents: readonly string[] | undefined) {
    super(session, which);
    this.language = language;
    this.agents = agents;
  }
  call(_: RealSystem, manager: MemoryManager): Promise<unknown> {
    const preferences = { language: this.language };
    return manager.updateSession(this.session, {
      preferences,
      ...(this.agents === undefined ? {} : { agents: this.agents }),
    });
  }
  async runOn(session: ModelSession, _: Model, systems: Systems): Promise<void> {
    session.language = this.language;
    session.agents = this.agents ?? session.agents;
    const expected = describe(this.session, session);
    await expectAll(systems, { answer: expected }, (system) => this.call(system, system.manager(this.which)));
  }
}

function describe(id: string, session: ModelSession): unknown {
  return {
    id,
    user_id: session.userId,
    account_id: 'local',
    created_at: iso(session.createdMs),
    agents: session.agents,
    preferences: session.language === undefined ? {} : { language: session.language },
    decay_config: {},
    compaction_config: {},
  };
}

export class List implements fc.AsyncCommand<Model, Systems> {
  readonly which: Which;
  readonly user: string | undefined;
  constructor(which: Which, user: string | undefined) {
    this.which = which;
    this.user = user;
  }
  check(): boolean {
    return true;
  }
  async run(model: Model, systems: Systems): Promise<void> {
    const chosen = [...model.sessions].filter(
      ([, { userId }]) => this.user === undefined || userId === this.user,
    );
    const expected = chosen
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, session]) => describe(id, session));
    await expectAll(systems, { answer: expected }, (system) =>
      system.manager(this.which).listSessions(this.user),
    );
  }
  toString(): string {
    return `List(${JSON.stringify(this)})`;
  }
}

export class DeleteSession extends SessionCommand {
  call(_: RealSystem, manager: MemoryManager): Promise<unknown> {
    return manager.deleteSession(this.session);
  }
  override async run(model: Model, systems: Systems): Promise<void> {
    await expectAll(systems, { answer: model.sessions.delete(this.session) }, (system) =>
      this.call(system, system.manager(this.which)),
    );
  }
  async runOn(): Promise<void> {
    throw new Error('Does not depend on the session being there.');
  }
}

export class Reopen implements fc.AsyncCommand<Model, Systems> {
  readonly which: Which;
  constructor(which: Which) {
    this.which = which;
  }
  check(): boolean {
    return true;
  }
  async run(_: Model, systems: Systems): Promise<void> {
    for (const system of systems) await system.reopen(this.which);
  }
  toString(): string {
    return `Reopen(${this.which})`;
  }
}

export class PassTime implements fc.AsyncCommand<Model, Systems> {
  readonly hours: number;
  constructor(hours: number) {
    this.hours = hours;
  }
  check(): boolean {
    return true;
  }
  async run(model: Model, systems: Systems): Promise<void> {
    model.nowMs += this.hours * HOUR_MS;
    for (const { clock } of systems) clock.advance(this.hours * HOUR_MS);
  }
  toString(): string {
    return `PassTime(${this.hours})`;
  }
}
