import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileStore } from './file-store.ts';
import { isOthersFolder, refuseOthersFolder } from './others-folder.ts';

let root: string;
beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), 'longhand-others-')), 'docs');
  mkdirSync(root);
  chmodSync(root, 0o755);
});
afterEach(() => rmSync(join(root, '..'), { recursive: true }));

const put = (name: string, mode = 0o644): void => {
  writeFileSync(join(root, name), 'of a person');
  chmodSync(join(root, name), mode);
};
const modeOf = (path: string): number => statSync(path).mode & 0o777;
describe.skipIf(process.platform === 'win32')('a folder that was there before', () => {
  it('is refused and stays as it is when it holds other files', () => {
    put('README.md');
    const open = () => new FileStore({ root });
    expect(open).toThrow('there are other files in it, and no store. Name a new or an empty folder.');
    expect(open).toThrow(expect.objectContaining({ code: 'STORAGE_ROOT_UNUSABLE' }) as Error);
    expect(() => refuseOthersFolder(root)).toThrow(
      `${root} cannot be a storage root: there are other files in it`,
    );
    expect(readdirSync(root)).toEqual(['README.md']);
    expect(modeOf(root)).toBe(0o755);
  });

  it('is refused when it holds other folders', () => {
    mkdirSync(join(root, 'chapters'));
    chmodSync(join(root, 'chapters'), 0o755);
    expect(() => new FileStore({ root })).toThrow('other files');
  });

  it.each([
    ['is empty', () => undefined],
    ['holds hidden files', () => ['.DS_Store', '.gitignore'].map((name) => put(name))],
    ['holds what only its owner can read', () => put('api-keys.jsonl', 0o600)],
    ['holds settings for the store', () => writeFileSync(join(root, 'config.json'), '{}')],
    [
      'holds a part of a store, and other files',
      () => {
        put('README.md');
        mkdirSync(join(root, 'sessions'));
      },
    ],
  ])('becomes a store that others cannot read when it %s', async (_, fill) => {
    fill();
    refuseOthersFolder(root);
    await new FileStore({ root }).close();
    expect(existsSync(join(root, 'users'))).toBe(true);
    expect(modeOf(root)).toBe(0o700);
  });

  it('is not taken for another person’s because of a file that goes while it is looked at', () => {
    expect(isOthersFolder({ list: () => ['gone'], stat: () => undefined }, root)).toBe(false);
  });

  it('is not missed by who looks whether it is fit', () => {
    expect(() => refuseOthersFolder(join(root, 'none'))).not.toThrow();
  });
});
