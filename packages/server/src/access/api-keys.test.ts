import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccountFiles, problemOfKeyLine } from './account-files.ts';
import { isWithin } from './api-key.ts';
import { ApiKeys } from './api-keys.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-keys-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const keysIn = (path: string) => new ApiKeys(new AccountFiles(path));
const TORN = '{"record":"key","id":"torn';
const tear = (): void => appendFileSync(join(folder, 'api-keys.jsonl'), TORN);

describe('the file of API keys, with an end that a crash has cut short', () => {
  it('keeps a revocation', async () => {
    const { key, token } = await keysIn(folder).create({ label: '', access: 'read' });
    tear();
    expect(await keysIn(folder).revoke(key.id)).toBe(true);
    expect(await keysIn(folder).verify(token)).toBeUndefined();
  });

  it('keeps a new key, and the ones before', async () => {
    const first = await keysIn(folder).create({ label: 'first', access: 'read' });
    tear();
    const second = await keysIn(folder).create({ label: 'second', access: 'read' });
    const keys = keysIn(folder);
    expect((await keys.verify(first.token))?.label).toBe('first');
    expect((await keys.verify(second.token))?.label).toBe('second');
    expect(await keys.list()).toHaveLength(2);
  });
});

it('the id of a key is nothing that a command line takes for an option', async () => {
  const keys = keysIn(folder);
  // One in 64 began with a dash.
  for (let i = 0; i < 500; i++) {
    const { key, token } = await keys.create({ label: '', access: 'read' });
    expect(key.id).toMatch(/^[A-Za-z0-9][A-Za-z0-9-]{11}$/);
    expect((await keys.verify(token))?.id).toBe(key.id);
  }
});

it('a line that is not a key grants no access and leaves the other keys in use', async () => {
  const { key, token } = await keysIn(folder).create({ label: 'first', access: 'read' });
  const file = join(folder, 'api-keys.jsonl');
  const [line] = readFileSync(file, 'utf8').split('\n');
  const wrong = [{ access: 'all' }, { sha256: '' }, { user_id: 7 }, { label: undefined }, { id: null }];
  const lines = wrong.map((change) => JSON.stringify({ ...JSON.parse(line!), id: 'other', ...change }));
  appendFileSync(file, [...lines, 'null', '[]', '7', ''].join('\n'));
  expect(lines.map(problemOfKeyLine)).toEqual(wrong.map(() => 'schema'));
  const keys = keysIn(folder);
  expect((await keys.list()).map(({ id }) => id)).toEqual([key.id]);
  expect((await keys.verify(token))?.id).toBe(key.id);
  // A revocation counts, whatever else is missing in its line.
  appendFileSync(file, `{"record":"revoked","id":"${key.id}"}\n`);
  expect(await keysIn(folder).verify(token)).toBeUndefined();
});

describe('a binding', () => {
  it('is within those that name less, or the same', async () => {
    const ada = { user_id: 'ada', agent_id: null };
    const scout = { user_id: 'ada', agent_id: 'scout' };
    const unbound = { user_id: null, agent_id: null };
    expect([isWithin(ada, unbound), isWithin(scout, ada), isWithin(ada, ada)]).toEqual([true, true, true]);
    expect([isWithin(unbound, ada), isWithin(ada, scout)]).toEqual([false, false]);
    expect(isWithin({ user_id: 'bob', agent_id: null }, ada)).toBe(false);
  });
});
