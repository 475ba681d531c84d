import { expect } from 'vitest';
import type { MemoryChanges, MemoryEntry, MemoryManager, MemoryType, NewMemory } from '../../src/index.ts';
import { expectAll, HOUR_MS, iso, SessionCommand, type Systems, type Which } from './command.ts';
import { essenceOf, hasTopic, type Model, type ModelMemory, type ModelSession } from './plain-model.ts';
import type { RealSystem } from './real-system.ts';

export interface Draft {
  readonly type: MemoryType;
  readonly number: number;
  readonly tags: readonly string[];
  readonly references: readonly string[];
  readonly importance: number;
  readonly ageHours: number;
  readonly ownId: string | undefined;
}

function inputOf(draft: Draft, nowMs: number): NewMemory {
  return {
    type: draft.type,
    content: contentOf(draft.number),
    tags: draft.tags,
    references: draft.references,
    importance: draft.importance,
    timestamp: iso(nowMs - draft.ageHours * HOUR_MS),
    ...(draft.ownId === undefined ? {} : { id: draft.ownId }),
  };
}

function contentOf(number: number): { number: number; text: string } {
  return { number, text: 'words '.repeat(number % 9) };
}

export class Add extends SessionCommand {
  readonly drafts: readonly Draft[];
  constructor(session: string, which: Which, drafts: readonly Draft[]) {
    super(session, which);
    this.drafts = drafts;
  }
  call(_: RealSystem, manager: MemoryManager, model: Model): Promise<unknown> {
    const inputs = this.drafts.map((draft) => inputOf(draft, model.nowMs));
    return inputs.length === 1
      ? manager.addMemory(this.session, inputs[0]!).then((id) => [id])
      : manager.addMemories(this.session, inputs);
  }
  async runOn(session: ModelSession, model: Model, systems: Systems): Promise<void> {
    const added: ModelMemory[] = [];
    const keys: number[] = [];
    let refused: string | undefined;
    for (const draft of this.drafts) {
      const twin = [...session.memories, ...added].find(
        ({ ownId }) => ownId !== undefined && ownId === draft.ownId,
      );
      if (draft.ownId !== undefined && session.deletedOwnIds.has(draft.ownId)) refused ??= 'ID_DELETED';
      else if (twin === undefined) {
        const timestampMs = model.nowMs - draft.ageHours * HOUR_MS;
        added.push({ ...draft, key: model.nextKey++, timestampMs, firstSaid: essenceOf(draft) });
        keys.push(added.at(-1)!.key);
      } else {
        if (![essenceOf(twin), twin.firstSaid].includes(essenceOf(draft))) refused ??= 'ID_TAKEN';
        keys.push(twin.key);
      }
    }
    if (refused === undefined) session.memories.push(...added);
    await expectAll(
      systems,
      refused === undefined ? { answer: keys.length } : { refused },
      async (system) => {
        const ids = (await this.call(system, system.manager(this.which), model)) as string[];
        for (const [i, key] of keys.entries()) {
          if (system.idOfKey.has(key)) expect(ids[i]).toBe(system.idOfKey.get(key));
          else system.idOfKey.set(key, ids[i]!);
        }
        return ids.length;
      },
    );
  }
}

/** What is put right about a memory. */
export type Correction = Partial<Omit<Draft, 'ownId'>>;

export class Correct extends SessionCommand {
  readonly nth: number;
  readonly correction: Correction;
  constructor(session: string, which: Which, nth: number, correction: Correction) {
    super(session, which);
    this.nth = nth;
    this.correction = correction;
  }
  call(_: RealSystem, manager: MemoryManager, model: Model): Promise<unknown> {
    return manager.updateMemory(this.session, 'unknown', this.#changes(model.nowMs));
  }
  #changes(nowMs: number): MemoryChanges {
    const { number, ageHours, ...others } = this.correction;
    return {
      ...others,
      ...(number === undefined ? {} : { content: contentOf(number) }),
      ...(ageHours === undefined ? {} : { timestamp: iso(nowMs - ageHours * HOUR_MS) }),
    };
  }
  async runOn(session: ModelSession, model: Model, systems: Systems): Promise<void> {
    const at = this.nth % (session.memories.length + 1);
    const memory = session.memories[at];
    if (memory === undefined) {
      await expectAll(systems, { refused: 'MEMORY_NOT_FOUND' }, (system) =>
        this.call(system, system.manager(this.which), model),
      );
      return;
    }
    const { ageHours, ...others } = this.correction;
    const timestampMs = ageHours === undefined ? memory.timestampMs : model.nowMs - ageHours * HOUR_MS;
    const corrected = { ...memory, ...others, timestampMs };
    await expectAll(systems, { answer: shown(corrected) }, async (system) => {
      const id = system.idOfKey.get(memory.key)!;
      const changes = this.#changes(model.nowMs);
      const entry = await system.manager(this.which).updateMemory(this.session, id, changes);
      expect(entry.id).toBe(id);
      return shownOf(entry);
    });
    session.memories[at] = corrected;
  }
}

/** As much of a memory as model and stores can be compared by. */
function shown({ type, number, timestampMs, importance, tags, references }: ModelMemory): unknown {
  return { type, number, timestamp: iso(timestampMs), importance, tags, references };
}

function shownOf({ type, content, timestamp, importance, tags, references }: MemoryEntry): unknown {
  return { type, number: content.number, timestamp, importance, tags, references };
}

export class Get extends SessionCommand {
  readonly nth: number;
  constructor(session: string, which: Which, nth: number) {
    super(session, which);
    this.nth = nth;
  }
  call(_: RealSystem, manager: MemoryManager): Promise<unknown> {
    return manager.getMemory(this.session, 'unknown');
  }
  async runOn(session: ModelSession, _: Model, systems: Systems): Promise<void> {
    const gone = [...session.deleted];
    const memory = session.memories[this.nth % (session.memories.length + 1)];
    const key = memory?.key ?? gone[this.nth % (gone.length + 1)];
    await expectAll(systems, { answer: memory === undefined ? null : shown(memory) }, async (system) => {
      const id = key === undefined ? 'unknown' : system.idOfKey.get(key)!;
      const entry = await system.manager(this.which).getMemory(this.session, id);
      if (entry === null) return null;
      expect(entry.id).toBe(id);
      return shownOf(entry);
    });
  }
}

function remove(session: ModelSession, chosen: readonly ModelMemory[]): void {
  session.memories = session.memories.filter((memory) => !chosen.includes(memory));
  for (const { key, ownId } of chosen) {
    session.deleted.add(key);
    if (ownId !== undefined) session.deletedOwnIds.add(ownId);
  }
}

export class Delete extends SessionCommand {
  readonly nth: number;
  constructor(session: string, which: Which, nth: number) {
    super(session, which);
    this.nth = nth;
  }
  call(_: RealSystem, manager: MemoryManager): Promise<unknown> {
    return manager.deleteMemory(this.session, 'unknown');
  }
  async runOn(session: ModelSession, _: Model, systems: Systems): Promise<void> {
    const memory = session.memories[this.nth % (session.memories.length + 1)];
    await expectAll(systems, { answer: memory !== undefined }, async (system) => {
      const id = memory === undefined ? 'unknown' : system.idOfKey.get(memory.key)!;
      return system.manager(this.which).deleteMemory(this.session, id);
    });
    if (memory !== undefined) remove(session, [memory]);
  }
}

export class DeleteByTopic extends SessionCommand {
  readonly topic: string;
  readonly exact: boolean;
  readonly dryRun: boolean;
  constructor(session: string, which: Which, topic: string, exact: boolean, dryRun: boolean) {
    super(session, which);
    this.topic = topic;
    this.exact = exact;
    this.dryRun = dryRun;
  }
  call(_: RealSystem, manager: MemoryManager): Promise<unknown> {
    return manager.deleteMemoriesByTopic(this.session, this.topic, {
      exact: this.exact,
      dryRun: this.dryRun,
    });
  }
  async runOn(session: ModelSession, model: Model, systems: Systems): Promise<void> {
    const chosen = session.memories.filter((memory) => hasTopic(memory, this.topic, this.exact));
    await expectAll(systems, { answer: chosen.length }, (system) =>
      this.call(system, system.manager(this.which)),
    );
    if (!this.dryRun) remove(session, chosen);
    expect(model.sessions.get(this.session)).toBe(session);
  }
}

export class DeleteByTime extends SessionCommand {
  readonly fromHours: number;
  readonly hours: number;
  constructor(session: string, which: Which, fromHours: number, hours: number) {
    super(session, which);
    this.fromHours = fromHours;
    this.hours = hours;
  }
  call(_: RealSystem, manager: MemoryManager, model: Model): Promise<unknown> {
    const start = model.nowMs - this.fromHours * HOUR_MS;
    return manager.deleteMemoriesByTimeRange(
      this.session,
      new Date(start),
      iso(start + this.hours * HOUR_MS),
    );
  }
  async runOn(session: ModelSession, model: Model, systems: Systems): Promise<void> {
    const start = model.nowMs - this.fromHours * HOUR_MS;
    const end = start + this.hours * HOUR_MS;
    const chosen = session.memories.filter(({ timestampMs }) => timestampMs >= start && timestampMs <= end);
    await expectAll(systems, { answer: chosen.length }, (system) =>
      this.call(system, system.manager(this.which), model),
    );
    remove(session, chosen);
  }
}
