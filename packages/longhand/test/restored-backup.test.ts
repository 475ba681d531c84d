import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ForgetRequest, MemoryManager } from '../src/index.ts';
import { FakeClock } from '../src/testing/index.ts';
import { temporaryFolder } from './campaign.ts';

/** A backup of the folder comes back after something was forgotten; the ledger, which was kept, makes it gone again. */
const CANARY = 'xylophonecanary';
const STEM = 'xylophonecanar';
const NOW = Date.parse('2026-03-02T10:00:00Z');

const REQUESTS: readonly (readonly [string, (journalId: string) => ForgetRequest])[] = [
  ['a user', () => ({ user: 'ada' })],
  ['a session', () => ({ session: 'chat' })],
  ['an agent', () => ({ agent: 'scout' })],
  ['memories of a journal', (id) => ({ agent: 'scout', ids: [id] })],
  ['a message', () => ({ user: 'ada', ids: ['m1'] })],
];

function placesWithCanary(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).toString('latin1').includes(STEM));
}

test.each(REQUESTS)('what a restored backup brings back is forgotten again: %s', async (title, requestOf) => {
  const clock = new FakeClock(NOW);
  const [root, backup] = [join(temporaryFolder(false), 'store'), join(temporaryFolder(false), 'backup')];
  const manager = new MemoryManager({ storageRoot: root, clock });
  const { agents, journal, notes, transcripts, privacy } = await manager.layers();
  const isOfAgent = title.startsWith('an agent') || title.startsWith('memories');
  await agents.create({ name: 'scout' });
  const { id } = await journal.save('scout', 'core', isOfAgent ? CANARY : 'harmless');
  const kept = await journal.save('scout', 'core', 'harmless');
  if (title === 'an agent')
    await notes.apply('ada', 'scout', { operation: 'overwrite', content: `${CANARY}\n` });
  await manager.createSession('ada', { session_id: 'chat', agents: ['scout'] });
  if (!isOfAgent) {
    await transcripts.archive('chat', [{ id: 'm1', role: 'user', content: CANARY }]);
    const provenance = { author: 'assistant', message_id: 'm1' } as const;
    await manager.addMemory('chat', { type: 'finding', content: { text: CANARY }, provenance });
  }
  await manager.createSession('bob', { session_id: 'other' });
  await manager.addMemory('other', { type: 'finding', id: 'mem_bob', content: { text: 'harmless' } });
  cpSync(root, backup, { recursive: true });

  clock.advance(1_000);
  const receipt = await privacy.forget(requestOf(id));
  expect(placesWithCanary(root)).toEqual([]);
  await manager.close();

  // All but the ledger comes from the backup.
  const ledger = join(temporaryFolder(false), 'privacy');
  cpSync(join(root, 'privacy'), ledger, { recursive: true });
  rmSync(root, { recursive: true });
  cpSync(backup, root, { recursive: true });
  cpSync(ledger, join(root, 'privacy'), { recursive: true });
  expect(placesWithCanary(root)).not.toEqual([]);

  clock.advance(1_000);
  const restored = new MemoryManager({ storageRoot: root, clock });
  const layers = await restored.layers();
  expect((await layers.privacy.replay()).map(({ pieces }) => pieces)).toEqual([receipt.pieces]);
  expect(placesWithCanary(root)).toEqual([]);
  expect((await layers.privacy.verifyErased([STEM])).isErased).toBe(true);
  expect(await restored.getMemory('other', 'mem_bob')).not.toBeNull();
  if (title !== 'an agent') expect(await layers.journal.find('scout', kept.id)).toBeDefined();
  expect(await layers.privacy.replay()).toEqual([]);
  await restored.close();
  expect(placesWithCanary(root)).toEqual([]);
});
