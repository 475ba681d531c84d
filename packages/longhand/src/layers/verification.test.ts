import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DamagedPlace, FileStore, MemoryManager } from '../index.ts';

let root: string;
beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), 'longhand-verify-')), 'store');
});
afterEach(() => rmSync(join(root, '..'), { recursive: true }));

const PLACE = 'sessions/s/memory.jsonl';
const inSession = (name: string): string => join(root, 'sessions/s', name);
const log = (): string => inSession('memory.jsonl');
const lines = (): string[] => readFileSync(log(), 'utf8').split('\n').slice(0, -1);
const write = (texts: readonly string[]): void =>
  writeFileSync(log(), texts.map((text) => `${text}\n`).join(''));

/** A session of Ada's with three memories: `mem_1`, `mem_2`, `mem_3`. */
async function withSession(work: (manager: MemoryManager) => Promise<unknown> = async () => undefined) {
  await using manager = new MemoryManager({ storageRoot: root });
  await manager.createSession('ada', { session_id: 's' });
  for (const i of [1, 2, 3])
    await manager.addMemory('s', { id: `mem_${i}`, type: 'finding', content: { text: `harbour ${i}` } });
  await work(manager);
}

async function damage(): Promise<readonly DamagedPlace[]> {
  await using manager = new MemoryManager({ storageRoot: root });
  return (await manager.verify()).damage;
}

describe('a session whose owner cannot be determined', () => {
  it('is damage, with a line that mends it', async () => {
    await withSession();
    write(lines().slice(1));
    const [found, ...others] = await damage();
    expect(others).toEqual([]);
    expect(found).toMatchObject({ place: PLACE, offset: 0, kind: 'owner' });
    const line = /(\{"schema_version".*\})$/.exec(found!.reason!)![1]!;
    expect(JSON.parse(line)).toMatchObject({ user_id: 'ada', account_id: 'local' });
    write([line, ...lines()]);
    expect(await damage()).toEqual([]);
    await using manager = new MemoryManager({ storageRoot: root });
    expect((await manager.listSessions('ada')).map(({ id }) => id)).toEqual(['s']);
    expect(await manager.queryMemories('s', { text: 'harbour' })).toHaveLength(3);
  });

  it('names no user in that line when several may be meant', async () => {
    await withSession();
    write(lines().slice(1));
    mkdirSync(join(root, 'users/bob'));
    writeFileSync(join(root, 'users/bob/changes'), 's\n');
    expect((await damage())[0]!.reason).toContain('"user_id":"USER"');
  });

  it('is none as long as metadata.json tells', async () => {
    await withSession((manager) => manager.closeSession('s'));
    write(lines().slice(1));
    expect(await damage()).toEqual([]);
  });
});

describe('memories that are lost', () => {
  it.each([
    ['some lines', () => write([...lines().slice(0, 2), lines()[3]!]), '1 memory', 'mem_2'],
    ['the end', () => write(lines().slice(0, 2)), '2 memories', 'mem_2, mem_3'],
  ])('are known from index.json: %s', async (_, spoil, count, ids) => {
    await withSession((manager) => manager.rebuildIndex('s'));
    spoil();
    const reason = `index.json names ${count} that the log does not hold: ${ids}.`;
    expect(await damage()).toEqual([{ place: PLACE, offset: 0, kind: 'lost', reason }]);
    await using manager = new MemoryManager({ storageRoot: root });
    await manager.rebuildIndex('s');
    expect((await manager.verify()).damage).toEqual([]);
  });

  it('are reported when the whole log is empty', async () => {
    await withSession((manager) => manager.rebuildIndex('s'));
    truncateSync(log());
    expect((await damage()).map(({ kind }) => kind)).toEqual(['lost']);
    rmSync(inSession('metadata.json'));
    expect((await damage()).map(({ kind }) => kind)).toEqual(['owner', 'lost']);
  });

  it('are named up to a number of them', async () => {
    await withSession(async (manager) => {
      for (let i = 4; i < 10; i++)
        await manager.addMemory('s', { id: `mem_${i}`, type: 'finding', content: 'x' });
      await manager.rebuildIndex('s');
    });
    write(lines().slice(0, 1));
    expect((await damage())[0]!.reason).toContain(
      '9 memories that the log does not hold: mem_1, mem_2, mem_3, mem_4, mem_5 and 4 more.',
    );
  });

  it('are none that were deleted since, forgotten, or dropped by a compaction that was cut off', async () => {
    await withSession(async (manager) => {
      await manager.rebuildIndex('s');
      const index = readFileSync(inSession('index.json'), 'utf8');
      await manager.deleteMemory('s', 'mem_1');
      await manager.compactSession('s');
      const { privacy } = await manager.layers();
      await privacy.forget({ session: 's', ids: ['mem_2'] });
      writeFileSync(inSession('index.json'), index);
    });
    expect(await damage()).toEqual([]);
    // As after a compaction that dropped what had faded, and was killed before it could write the index.
    write(lines().filter((line) => !line.includes('"id":"mem_3"')));
    expect(await damage()).toEqual([]);
  });

  it('are none in the list of deletions, though the log has lost that', async () => {
    await withSession(async (manager) => {
      await manager.rebuildIndex('s');
      await manager.deleteMemory('s', 'mem_3');
    });
    write(lines().slice(0, 3));
    expect(await damage()).toEqual([]);
  });

  it('are none whose damaged line is there, in the log or set aside, with its name or without', async () => {
    await withSession((manager) => manager.rebuildIndex('s'));
    const [first, one, two, three] = lines();
    write([first!, one!.replace('harbour', 'harbor'), two!, three!.replace('mem_3', 'mem-3')]);
    expect((await damage()).map(({ kind, line }) => [kind, line])).toEqual([
      ['checksum', 2],
      ['checksum', 4],
    ]);
    const index = readFileSync(inSession('index.json'), 'utf8');
    await using manager = new MemoryManager({ storageRoot: root });
    await manager.compactSession('s');
    writeFileSync(inSession('index.json'), index.replace(/"last_updated": "\d{4}/, '"last_updated": "9999'));
    expect((await manager.verify()).damage).toEqual([]);
  });

  it('are none of a line by hand that was edited since, or when index.json tells nothing', async () => {
    await withSession(async (manager) => {
      appendFileSync(log(), '{"type":"finding","content":{"text":"by hand"}}\n');
      await manager.rebuildIndex('s');
    });
    writeFileSync(log(), readFileSync(log(), 'utf8').replace('by hand', 'by my hand'));
    expect(await damage()).toEqual([]);
    write(lines().slice(0, 2));
    for (const text of ['', '{}', 'null', '{"entries":7}']) {
      writeFileSync(inSession('index.json'), text);
      expect(await damage()).toEqual([]);
    }
    rmSync(inSession('index.json'));
    mkdirSync(inSession('index.json'));
    expect(await damage()).toEqual([]);
  });
});

describe('damaged lines', () => {
  it('come in the order of the log, and say what is wrong with each', async () => {
    await withSession();
    const [first, one, two, three] = lines();
    write([
      first!,
      one!.replace('harbour', 'harbor'),
      '{"type":"finding","content":{"text":"x",}}',
      '{"type":"finding","content":"no object"}',
      'a note',
      '[1]',
      three!,
      two!,
      '{"checksum":"sha256:moved","type":"finding","content":{"text":"x"}}',
    ]);
    expect((await damage()).map(({ line, kind, reason }) => [line, kind, reason])).toEqual([
      [2, 'checksum', undefined],
      [3, 'torn', 'It is not valid JSON.'],
      [4, 'schema', "The content must be an object, such as { text: '…' }."],
      [5, 'torn', 'It is not valid JSON.'],
      [6, 'torn', 'It is no JSON object.'],
      [8, 'sequence', undefined],
      [9, 'checksum', undefined],
    ]);
  });

  it('of a later version leave out the whole session, and are told apart', async () => {
    await withSession((manager) => manager.rebuildIndex('s'));
    write([...lines().slice(0, 2), '{"schema_version":9,"text":"x"}']);
    expect(await damage()).toEqual([
      {
        place: PLACE,
        offset: expect.any(Number) as number,
        line: 3,
        kind: 'version',
        reason: expect.stringContaining('schema version 9') as string,
      },
    ]);
  });
});

describe('a search index', () => {
  it.each(['index', 'vectors'])('with a folder in the place of its manifest is damaged: %s', async (name) => {
    await withSession();
    mkdirSync(join(root, 'users/ada', name, 'manifest.json'), { recursive: true });
    const kind = name === 'index' ? 'index' : 'vectors';
    expect(await damage()).toMatchObject([{ kind, place: expect.stringContaining('manifest') as string }]);
  });

  it('with a folder in the place of a segment is damaged', async () => {
    await withSession(async (manager) => {
      const many = Array.from(
        { length: 500 },
        (_, i) => ({ type: 'finding', content: `thing ${i}` }) as const,
      );
      await manager.addMemories('s', many);
      await manager.queryMemories('s', { text: 'harbour' });
    });
    const folder = join(root, 'users/ada/index');
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8').split('\n')[0]!) as {
      segments: { name: string }[];
    };
    const { name } = manifest.segments[0]!;
    rmSync(join(folder, name));
    mkdirSync(join(folder, name));
    expect(await damage()).toMatchObject([{ kind: 'index', place: `search index of ada: ${name}` }]);
  });
});

describe('what another process removes while the store is checked', () => {
  /** Checks the store, and removes something in the moment before the store is asked so. */
  async function damageWhile(
    asked: 'openBlob' | 'aside',
    remove: (manager: MemoryManager) => Promise<unknown>,
  ): Promise<readonly DamagedPlace[]> {
    const store = new FileStore({ root });
    await using checking = new MemoryManager({ store });
    await using other = new MemoryManager({ storageRoot: root });
    const [read, openBlob] = [store.read.bind(store), store.openBlob.bind(store)];
    let isRemoved = false;
    const removeOnce = async (isAsked: boolean): Promise<void> => {
      if (isAsked && !isRemoved) await remove(other);
      isRemoved ||= isAsked;
    };
    store.read = async (wanted) => {
      await removeOnce(asked === 'aside' && wanted.some(({ aside }) => aside));
      return read(wanted);
    };
    store.openBlob = async (...given) => {
      await removeOnce(asked === 'openBlob');
      return openBlob(...given);
    };
    const { damage: found } = await checking.verify();
    expect(isRemoved).toBe(true);
    return found;
  }

  it('is no damage when it is a session', async () => {
    await withSession((manager) => manager.rebuildIndex('s'));
    // The look beside the log is taken only where `index.json` names what the log does not hold.
    write(lines().slice(0, -1));
    expect(await damageWhile('aside', (other) => other.deleteSession('s'))).toEqual([]);
  });

  it('is no damage when it is a large value, and one that is lost is', async () => {
    const store = (manager: MemoryManager, key: string) =>
      manager.layers().then(({ details }) => details.store('s', { key, content: `large ${key}` }));
    await withSession(async (manager) => {
      await store(manager, 'first');
      await store(manager, 'second');
    });
    const remove = async (other: MemoryManager) => (await other.layers()).details.remove('ada', 'first');
    expect(await damageWhile('openBlob', remove)).toEqual([]);
    rmSync(inSession('details'), { recursive: true });
    expect(await damage()).toMatchObject([{ kind: 'missing' }]);
  });
});
