import type fc from 'fast-check';
import { expect } from 'vitest';
import type { MemoryManager } from '../../src/index.ts';
import type { Model, ModelSession } from './plain-model.ts';
import { outcomeOf, type RealSystem } from './real-system.ts';

export const HOUR_MS = 3_600_000;

export type Systems = readonly RealSystem[];

export type Which = 0 | 1;

/** Runs the call on every store and compares what came of it with what the model says. */
export async function expectAll(
  systems: Systems,
  expected: unknown,
  call: (system: RealSystem) => Promise<unknown>,
): Promise<void> {
  for (const system of systems) {
    expect([system.name, await outcomeOf(() => call(system))]).toEqual([system.name, expected]);
  }
}

const notFound = { refused: 'SESSION_NOT_FOUND' };

export const iso = (ms: number): string => new Date(ms).toISOString();

/** A command on one session of the model, which may not be there. */
export abstract class SessionCommand implements fc.AsyncCommand<Model, Systems> {
  readonly session: string;
  readonly which: Which;
  constructor(session: string, which: Which) {
    this.session = session;
    this.which = which;
  }
  check(): boolean {
    return true;
  }
  async run(model: Model, systems: Systems): Promise<void> {
    const session = model.sessions.get(this.session);
    if (session === undefined)
      await expectAll(systems, notFound, (system) => this.call(system, system.manager(this.which), model));
    else await this.runOn(session, model, systems);
  }
  toString(): string {
    return `${this.constructor.name}(${JSON.stringify(this)})`;
  }
  /** Some call of the kind, for sessions that are not there. */
  abstract call(system: RealSystem, manager: MemoryManager, model: Model): Promise<unknown>;
  abstract runOn(session: ModelSession, model: Model, systems: Systems): Promise<void>;
}
