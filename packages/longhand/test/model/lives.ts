import fc from 'fast-check';
import type { MemoryType } from '../../src/index.ts';
import type { Systems, Which } from './command.ts';
import {
  Add,
  Correct,
  type Correction,
  Delete,
  DeleteByTime,
  DeleteByTopic,
  type Draft,
  Get,
} from './memory-commands.ts';
import type { Model } from './plain-model.ts';
import { Create, DeleteSession, List, PassTime, Reopen, Update } from './session-commands.ts';
import { Compact, Export, Rebuild, Stats } from './upkeep-commands.ts';

export const START_MS = Date.UTC(2026, 0, 1);

const session = fc.constantFrom('one', 'two');
const which = fc.constantFrom<Which>(0, 1);
const tag = fc.constantFrom('security', 'Security.auth', 'security.auth.tokens', 'securityx', 'misc');
const ownId = fc.constantFrom('own_1', 'own_2', 'own_3', '__proto__');
const said = {
  type: fc.constantFrom<MemoryType>('conversation', 'decision', 'finding', 'preference'),
  number: fc.nat(2),
  tags: fc.uniqueArray(tag, { maxLength: 2 }),
  references: fc.uniqueArray(ownId, { maxLength: 2 }),
  importance: fc.constantFrom(0, 0.2, 0.5, 1),
  ageHours: fc.nat(2_000),
};
const draft = (id: fc.Arbitrary<string | undefined>): fc.Arbitrary<Draft> =>
  fc.record({ ...said, ownId: id });
const correction: fc.Arbitrary<Correction> = fc
  .record(said, { requiredKeys: [] })
  .filter((changes) => Object.keys(changes).length > 0);
const anyDraft = draft(fc.option(ownId, { nil: undefined, freq: 1 }));
const nth = fc.nat(20);

/** @param most commands of a life */
export const livesOf = (most: number) =>
  fc.commands(
    [
      fc.tuple(session, which, fc.constantFrom('ada', 'bob')).map(([s, w, user]) => new Create(s, w, user)),
      fc.tuple(session, which, draft(fc.constant(undefined))).map(([s, w, d]) => new Add(s, w, [d])),
      fc.tuple(session, which, draft(ownId)).map(([s, w, d]) => new Add(s, w, [d])),
      fc
        .tuple(session, which, fc.array(anyDraft, { minLength: 2, maxLength: 5 }))
        .map(([s, w, d]) => new Add(s, w, d)),
      fc.tuple(session, which, nth).map(([s, w, n]) => new Get(s, w, n)),
      fc.tuple(session, which, nth, correction).map(([s, w, n, c]) => new Correct(s, w, n, c)),
      fc.tuple(session, which, nth).map(([s, w, n]) => new Delete(s, w, n)),
      fc
        .tuple(session, which, tag, fc.boolean(), fc.boolean())
        .map(([s, w, t, exact, dry]) => new DeleteByTopic(s, w, t, exact, dry)),
      fc
        .tuple(session, which, fc.nat(2_500), fc.nat(300))
        .map(([s, w, from, hours]) => new DeleteByTime(s, w, from, hours)),
      fc
        .tuple(
          session,
          which,
          fc.constantFrom('en', 'de'),
          fc.option(fc.constant(['b', 'c']), { nil: undefined }),
        )
        .map(([s, w, l, a]) => new Update(s, w, l, a)),
      fc.tuple(which, fc.constantFrom(undefined, 'ada', 'bob')).map(([w, user]) => new List(w, user)),
      fc.tuple(session, which).map(([s, w]) => new Stats(s, w)),
      fc
        .tuple(session, which, fc.boolean(), fc.boolean())
        .map(([s, w, faded, dry]) => new Compact(s, w, faded, dry)),
      fc.tuple(session, which).map(([s, w]) => new Rebuild(s, w)),
      fc
        .tuple(session, which, fc.constantFrom('json' as const, 'jsonl' as const))
        .map(([s, w, f]) => new Export(s, w, f)),
      fc.tuple(session, which).map(([s, w]) => new DeleteSession(s, w)),
      which.map((w) => new Reopen(w)),
      fc.nat(1_500).map((hours) => new PassTime(hours)),
    ],
    { maxCommands: most, size: 'max' },
  );

/** Gives every command of a life to all systems, and closes them. */
export async function live(life: Iterable<fc.AsyncCommand<Model, Systems>>, systems: Systems): Promise<void> {
  const created: Model = { sessions: new Map(), nowMs: START_MS, nextKey: 1 };
  const first = [new Create('one', 0, 'ada'), new Create('two', 1, 'bob')];
  for (const command of first) await command.run(created, systems);
  try {
    await fc.asyncModelRun(() => ({ model: created, real: systems }), life);
    for (const id of created.sessions.keys()) {
      await new Stats(id, 0).run(created, systems);
      await new Export(id, 1, 'json').run(created, systems);
    }
  } finally {
    for (const system of systems) await system.close();
  }
}
