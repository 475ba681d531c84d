import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readRootConfig } from './root-config.ts';

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

describe('readRootConfig', () => {
  it('says so when config.json cannot be read', () => {
    const root = mkdtempSync(join(tmpdir(), 'longhand-'));
    roots.push(root);
    mkdirSync(join(root, 'config.json'));
    expect(() => readRootConfig(root)).toThrow(expect.objectContaining({ code: 'STORAGE_ROOT_UNUSABLE' }));
  });

  it('follows no link', () => {
    const root = mkdtempSync(join(tmpdir(), 'longhand-'));
    roots.push(root);
    writeFileSync(join(root, 'elsewhere.json'), '{}');
    symlinkSync(join(root, 'elsewhere.json'), join(root, 'config.json'));
    expect(() => readRootConfig(root)).toThrow(expect.objectContaining({ code: 'STORAGE_ROOT_UNUSABLE' }));
  });

  it('reads what an editor of Windows has saved', () => {
    const root = mkdtempSync(join(tmpdir(), 'longhand-'));
    roots.push(root);
    writeFileSync(join(root, 'config.json'), '\uFEFF{\r\n  "storage": {}\r\n}\r\n');
    expect(readRootConfig(root)).toEqual({ storage: {} });
  });

  it('says where a file is no JSON', () => {
    const root = mkdtempSync(join(tmpdir(), 'longhand-'));
    roots.push(root);
    writeFileSync(join(root, 'config.json'), '{\n  "storage": {},\n}\n');
    expect(() => readRootConfig(root)).toThrow(/config\.json is not valid JSON: .*line 3 column 1/);
  });

  it('takes a missing file for no settings', () => {
    expect(readRootConfig(join(tmpdir(), 'longhand-that-is-not-there'))).toBeUndefined();
  });
});
