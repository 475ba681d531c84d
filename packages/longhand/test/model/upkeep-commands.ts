import { expect } from 'vitest';
import type { MemoryEntry, MemoryManager } from '../../src/index.ts';
import { expectAll, SessionCommand, type Systems, type Which } from './command.ts';
import { essenceOf, fadedKeys, type Model, type ModelSession } from './plain-model.ts';
import type { RealSystem } from './real-system.ts';

export class Stats extends SessionCommand {
  call(_: RealSystem, manager: MemoryManager): Promise<unknown> {
    return manager.getSessionStats(this.session);
  }
  async runOn(session: ModelSession, _: Model, systems: Systems): Promise<void> {
    const statistics = { conversations: 0, decisions: 0, findings: 0, preferences: 0 };
    for (const { type } of session.memories) statistics[`${type}s`]++;
    const sizes: unknown[] = [];
    const expected = {
      total_entries: session.memories.length,
      deleted: session.deleted.size,
      statistics,
      user_id: session.userId,
      corruption: { checksum: 0, torn: 0, sequence: 0, schema: 0 },
      unverified: 0,
      pending_writes: 0,
    };
    await expectAll(systems, { answer: expected }, async (system) => {
      const {
        total_entries,
        deleted,
        statistics: counted,
        user_id,
        corruption,
        unverified,
        pending_writes,
        size,
      } = await system.manager(this.which).getSessionStats(this.session);
      sizes.push(size);
      return { total_entries, deleted, statistics: counted, user_id, corruption, unverified, pending_writes };
    });
    expect(sizes[0]).toEqual(sizes[1]);
  }
}

export class Compact extends SessionCommand {
  readonly dropFaded: boolean;
  readonly dryRun: boolean;
  constructor(session: string, which: Which, dropFaded: boolean, dryRun: boolean) {
    super(session, which);
    this.dropFaded = dropFaded;
    this.dryRun = dryRun;
  }
  call(_: RealSystem, manager: MemoryManager): Promise<unknown> {
    return manager.compactSession(this.session, { dropFaded: this.dropFaded, dryRun: this.dryRun });
  }
  async runOn(session: ModelSession, model: Model, systems: Systems): Promise<void> {
    const faded = this.dropFaded ? fadedKeys(session, model.nowMs) : new Set<number>();
    const bytes: unknown[] = [];
    await expectAll(systems, { answer: [...faded].sort() }, async (system) => {
      const options = { dropFaded: this.dropFaded, dryRun: this.dryRun };
      const report = await system.manager(this.which).compactSession(this.session, options);
      bytes.push([report.bytes_before, report.bytes_after, report.entries_before, report.entries_after]);
      expect(report.entries_after).toBe(session.memories.length - faded.size);
      // Only those of this session: another one may hold the same ids.
      const own = [...session.deleted, ...session.memories.map(({ key }) => key)];
      const keys = new Map(own.map((key) => [system.idOfKey.get(key)!, key]));
      const gone = report.dropped.filter(({ reason }) => reason === 'deleted').map(({ id }) => keys.get(id)!);
      expect(gone.filter((key) => !session.deleted.has(key))).toEqual([]);
      return report.dropped
        .filter(({ reason }) => reason === 'faded')
        .map(({ id }) => keys.get(id)!)
        .sort();
    });
    expect(bytes[0]).toEqual(bytes[1]);
    if (this.dryRun) return;
    session.memories = session.memories
      .filter(({ key }) => !faded.has(key))
      .map((memory) => ({ ...memory, firstSaid: essenceOf(memory) }));
  }
}

export class Rebuild extends SessionCommand {
  call(_: RealSystem, manager: MemoryManager): Promise<unknown> {
    return manager.rebuildIndex(this.session);
  }
  async runOn(session: ModelSession, _: Model, systems: Systems): Promise<void> {
    const expected = {
      session_id: this.session,
      entries: session.memories.length,
      damaged_lines: 0,
      unverified_lines: 0,
    };
    await expectAll(systems, { answer: expected }, (system) => this.call(system, system.manager(this.which)));
  }
}

export class Export extends SessionCommand {
  readonly format: 'json' | 'jsonl';
  constructor(session: string, which: Which, format: 'json' | 'jsonl') {
    super(session, which);
    this.format = format;
  }
  call(_: RealSystem, manager: MemoryManager): Promise<unknown> {
    return manager.exportSession(this.session, this.format);
  }
  async runOn(session: ModelSession, _: Model, systems: Systems): Promise<void> {
    const texts: string[] = [];
    for (const system of systems)
      texts.push(system.anonymous((await this.call(system, system.manager(this.which))) as string));
    expect(texts[0]).toBe(texts[1]);
    const memories =
      this.format === 'json'
        ? (JSON.parse(texts[0]!) as { memories: MemoryEntry[] }).memories
        : texts[0]!
            .split('\n')
            .slice(0, -1)
            .map((line) => JSON.parse(line) as MemoryEntry);
    expect(memories.map(({ content }) => content.number)).toEqual(
      session.memories.map(({ number }) => number),
    );
  }
}
