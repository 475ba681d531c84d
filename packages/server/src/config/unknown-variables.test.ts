import { expect, it } from 'vitest';
import { SETTINGS } from './settings.ts';
import { unknownVariables } from './unknown-variables.ts';

it('knows every variable of ours, and leaves those of others alone', () => {
  const env = Object.fromEntries(SETTINGS.map(({ environment }) => [environment, 'x']));
  const ours = { LONGHAND_CONFIG: 'x', LONGHAND_USER: 'x', LONGHAND_AGENT: 'x', LONGHAND_SESSION: 'x' };
  expect(unknownVariables({ ...env, ...ours, PATH: '/bin', LONGHANDS: 'x' })).toEqual([]);
});

it('names what was probably meant', () => {
  expect(unknownVariables({ LONGHAND_STORGE_ROOT: '/x' })).toEqual([
    'LONGHAND_STORGE_ROOT is no setting, and is ignored. Did you mean LONGHAND_STORAGE_ROOT?',
  ]);
  expect(unknownVariables({ LONGHAND_XYZZY_PLUGH_QUUX: '1' })).toEqual([
    'LONGHAND_XYZZY_PLUGH_QUUX is no setting, and is ignored.',
  ]);
});
