import { MemoryManager } from '../../src/index.ts';
import { createChance } from './chance.ts';
import { payloadOf } from './payload.ts';
import { readTask, report } from './report.ts';

/** Adds, puts right, deletes, reads and compacts at random until it is killed, and says what it begins and what is done. */
export interface RandomTask {
  readonly root: string;
  readonly sessions: readonly string[];
  readonly name: string;
  readonly seed: number;
}

const { root, sessions, name, seed } = readTask<RandomTask>();
const chance = createChance(seed);
const manager = new MemoryManager({ storageRoot: root });
const own: { session: string; id: string; revision: number }[] = [];
let made = 0;

for (;;) {
  const session = chance.pick(sessions);
  const dice = chance.next();
  if (dice < 0.02) {
    await manager.compactSession(session);
  } else if (dice < 0.12 && own.length > 0) {
    const { session: home, id } = own.splice(chance.below(own.length), 1)[0]!;
    report('deleting', home, id);
    await manager.deleteMemory(home, id);
    report('deleted', home, id);
  } else if (dice < 0.2 && own.length > 0) {
    const { session: home, id, revision } = chance.pick(own);
    const found = await manager.getMemory(home, id);
    if (found === null) report('missing', home, id);
    else if (found.content.revision !== revision) report('outdated', home, id);
  } else if (dice < 0.3 && own.length > 0) {
    const memory = chance.pick(own);
    const { session: home, id } = memory;
    const revision = memory.revision + 1;
    report('correcting', home, `${id}@${revision}`);
    await manager.updateMemory(home, id, { content: payloadOf(id, revision) });
    report('corrected', home, `${id}@${revision}`);
    memory.revision = revision;
  } else if (dice < 0.4) {
    const ids = Array.from({ length: 2 + chance.below(8) }, () => `${name}_${++made}`);
    report('adding', session, ...ids);
    await manager.addMemories(
      session,
      ids.map((id) => ({ type: 'finding', id, content: payloadOf(id) })),
    );
    report('added', session, ...ids);
    for (const id of ids) own.push({ session, id, revision: 0 });
  } else {
    const label = `${name}_${++made}`;
    // Half of them without an id of their own: the label in the content tells them apart.
    const hasOwnId = chance.next() < 0.5;
    report('adding', session, label);
    const id = await manager.addMemory(session, {
      type: 'conversation',
      content: payloadOf(label),
      ...(hasOwnId ? { id: label } : {}),
    });
    report('added', session, label);
    if (hasOwnId) own.push({ session, id, revision: 0 });
  }
}
