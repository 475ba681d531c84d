import { describe, expect, test } from 'vitest';
import { parseSessionSettings } from './session-options.ts';

describe('the settings of a session', () => {
  test.each([
    [{}],
    [{ agents: [] }],
    [{ agents: ['a', 'Ärger'] }],
    [{ preferences: { language: 'en', verbosity: 'high', custom: { tone: { formal: true }, list: [1] } } }],
    [{ decay_config: { enabled: false, half_life_hours: 336, min_decay_factor: 0.2 } }],
    [{ decay_config: {} }],
    [{ agents: null, preferences: null, decay_config: null, compaction_config: null }],
    [{ preferences: { language: null, verbosity: null, custom: null } }],
    [{ decay_config: { enabled: null, half_life_hours: null }, compaction_config: { threshold: null } }],
    [{ compaction_config: { auto_compact: false, threshold: 0.95 } }],
  ])('takes %j', (settings) => {
    expect(parseSessionSettings(settings)).toEqual(settings);
  });

  test('names an agent once', () => {
    expect(parseSessionSettings({ agents: ['a', 'b', 'a'] })).toEqual({ agents: ['a', 'b'] });
  });

  test.each([
    [null],
    [[]],
    ['x'],
    [{ other: 1 }],
    [{ user_id: 'eve' }],
    [{ agents: 'a' }],
    [{ agents: Array.from({ length: 65 }, (_, i) => `a${i}`) }],
    [{ preferences: 'en' }],
    [{ preferences: { tone: 'x' } }],
    [{ preferences: { language: 7 } }],
    [{ preferences: { language: 'x'.repeat(65) } }],
    [{ preferences: { verbosity: 'a\0b' } }],
    [{ preferences: { custom: 'x' } }],
    [{ preferences: { custom: [] } }],
    [{ decay_config: [] }],
    [{ decay_config: { enabled: 'yes' } }],
    [{ decay_config: { half_life_hours: 0 } }],
    [{ decay_config: { half_life_hours: Number.NaN } }],
    [{ decay_config: { half_life_hours: Number.POSITIVE_INFINITY } }],
    [{ decay_config: { min_decay_factor: 1.1 } }],
    [{ decay_config: { type_specific: {} } }],
    [{ compaction_config: { auto_compact: 1 } }],
    [{ compaction_config: { threshold: 0.05 } }],
    [{ compaction_config: { threshold: 1.5 } }],
    [{ compaction_config: { max_size: 1 } }],
  ])('refuses %j', (settings) => {
    expect(() => parseSessionSettings(settings)).toThrow(
      expect.objectContaining({ name: 'ValidationError', code: 'INVALID_OPTION' }),
    );
  });

  test.each([
    [{ agents: [''] }, 'INVALID_NAME'],
    [{ agents: [7] }, 'INVALID_NAME'],
    [{ preferences: { custom: { a: 'x\0' } } }, 'INVALID_TEXT'],
    [{ preferences: { custom: { a: () => 1 } } }, 'INVALID_CONTENT'],
  ])('refuses %j with %s', (settings, code) => {
    expect(() => parseSessionSettings(settings)).toThrow(expect.objectContaining({ code }));
  });
});

describe('the size of preferences', () => {
  test('keeps custom preferences small enough to be read with the session', () => {
    const custom = { text: 'x'.repeat(20_000) };
    expect(() => parseSessionSettings({ preferences: { custom } })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });
});
