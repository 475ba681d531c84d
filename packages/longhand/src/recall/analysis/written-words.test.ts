import { expect, it } from 'vitest';
import type { MemoryEntry } from '../../core/records.ts';
import { writtenWords } from './written-words.ts';

function entry(text: string): MemoryEntry {
  return {
    schema_version: 1,
    id: 'mem_a',
    session_id: 'a',
    timestamp: '2026-01-10T00:00:00.000Z',
    type: 'finding',
    content: { text },
    importance: 0.5,
    decay_factor: 1,
    tags: ['kitchen.stores'],
    references: [],
    provenance: { author: 'user', trust: 'owner' },
  };
}

it.each([
  [['coffe'], 'We buy Coffee. Coffee!', ['Coffee']],
  [['plant'], 'Planted in May', ['Planted']],
  [['plants'], 'Planted with other plants', ['plants']],
  [['store'], 'Flour', ['stores']],
  [['cafe'], 'The café', ['café']],
  [['nowhere'], 'Flour', ['nowhere']],
])('shows %j as it stands in %j', (words, text, written) => {
  expect(writtenWords(words, entry(text))).toEqual(written);
});
