import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePrivateFolder } from './private-folder.ts';

describe('a private folder', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'longhand-private-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('is made with those above it, for its owner alone', () => {
    makePrivateFolder(join(root, 'a/b/c'));
    for (const path of ['a', 'a/b', 'a/b/c']) expect(statSync(join(root, path)).mode & 0o777).toBe(0o700);
  });

  it('may be there already', () => {
    makePrivateFolder(root);
    makePrivateFolder(join(root, 'a'));
    makePrivateFolder(join(root, 'a'));
    expect(existsSync(join(root, 'a'))).toBe(true);
  });

  it.runIf(process.platform !== 'win32')('is closed to those who could read it', () => {
    chmodSync(root, 0o755);
    expect(makePrivateFolder(root)).toBe(true);
    expect(statSync(root).mode & 0o777).toBe(0o700);
    makePrivateFolder(join(root, 'a'));
    chmodSync(join(root, 'a'), 0o550);
    makePrivateFolder(join(root, 'a'));
    expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o500);
  });

  it.runIf(process.platform !== 'win32')('is refused when others can write to it', () => {
    for (const mode of [0o770, 0o702, 0o1777]) {
      chmodSync(root, mode);
      expect(() => makePrivateFolder(root)).toThrow(/others can write to it/);
      expect(statSync(root).mode & 0o7777).toBe(mode);
    }
  });

  it('is not made of a file, nor under one', () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    expect(() => makePrivateFolder(file)).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
    expect(() => makePrivateFolder(join(file, 'a'))).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
  });

  it('is refused where the system makes none', () => {
    // There, a folder that is there says that it is not when something is made in it.
    const parent = existsSync('/proc/self') ? '/proc' : join(root, 'file/under');
    if (parent !== '/proc') writeFileSync(join(root, 'file'), '');
    expect(() => makePrivateFolder(join(parent, 'nothing/here'))).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^E[A-Z]+$/) }),
    );
  });
});
