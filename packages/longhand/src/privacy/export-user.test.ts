import { describe, expect, test } from 'vitest';
import { STORES } from '../../test/open-stores.ts';
import { MemoryManager } from '../index.ts';

const SECRET = 'said by Bob alone';

interface Line {
  readonly kind: string;
  readonly id?: string;
  readonly session_id?: string;
  readonly memory_key?: string;
}

describe.each(STORES)('the export of a user on %s', (_, newStore) => {
  async function filled(): Promise<MemoryManager> {
    const manager = new MemoryManager({ store: newStore()() });
    for (const session_id of ['one', 'two', 'three']) {
      await manager.createSession('ada', { session_id });
      await manager.addMemory(session_id, { type: 'finding', content: { text: `of ${session_id}` } });
      await (await manager.layers()).details.store(session_id, {
        key: `${session_id}_detail`,
        content: `large, of ${session_id}`,
      });
    }
    return manager;
  }

  /** All lines, and what happens when the first session has begun. */
  async function exported(manager: MemoryManager, meanwhile: () => Promise<unknown>): Promise<Line[]> {
    const { privacy } = await manager.layers();
    const lines: Line[] = [];
    for await (const text of privacy.exportUser('ada')) {
      lines.push(JSON.parse(text) as Line);
      if (lines.filter(({ kind }) => kind === 'session').length === 1 && lines.at(-1)!.kind === 'session')
        await meanwhile();
    }
    return lines;
  }

  const named = (lines: readonly Line[], kind: string): (string | undefined)[] =>
    lines.filter((line) => line.kind === kind).map(({ id, memory_key }) => memory_key ?? id);

  test('passes over a session that is deleted meanwhile, and gives all others', async () => {
    await using manager = await filled();
    const lines = await exported(manager, () => manager.deleteSession('three'));
    expect(named(lines, 'session')).toEqual(['one', 'two']);
    expect(named(lines, 'detail')).toEqual(['one_detail', 'two_detail']);
    expect(named(lines, 'damage')).toEqual([]);
  });

  test('passes over a detail that is deleted meanwhile', async () => {
    await using manager = await filled();
    const { details } = await manager.layers();
    const lines = await exported(manager, () => details.remove('ada', 'one_detail'));
    expect(named(lines, 'detail')).toEqual(['three_detail', 'two_detail']);
    expect(named(lines, 'detail_content')).toEqual(['three_detail', 'two_detail']);
    expect(named(lines, 'damage')).toEqual([]);
  });

  test('gives nothing of another user whose session has the name by now', async () => {
    await using manager = await filled();
    const { details } = await manager.layers();
    const lines = await exported(manager, async () => {
      await manager.deleteSession('one');
      await manager.createSession('bob', { session_id: 'one' });
      await details.store('one', { key: 'bob_detail', content: SECRET });
    });
    expect(named(lines, 'detail')).toEqual(['three_detail', 'two_detail']);
    expect(JSON.stringify(lines)).not.toContain(Buffer.from(SECRET).toString('base64'));
  });
});
