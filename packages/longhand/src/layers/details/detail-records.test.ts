import { expect, test } from 'vitest';
import { LogLine } from '../../core/line.ts';
import { detailFold } from './detail-records.ts';

test('details stand in the order of the log, also those that a person wrote without a number', () => {
  const state = detailFold.start();
  let offset = 5_000;
  for (const [at, seq] of [1, 2, undefined, undefined, 3, undefined, 4].entries()) {
    const fields = {
      record: 'detail',
      timestamp: '2026-06-01T00:00:00.000Z',
      memory_key: `key_${at}`,
      blob: `detail_${at}`,
      size_bytes: 1,
      user_id: 'ada',
      summary: 'A value',
      ...(seq === undefined ? {} : { seq }),
    };
    const bytes = Buffer.from(JSON.stringify(fields));
    const line = new LogLine(bytes, 0, bytes.length, offset, at + 1);
    detailFold.apply(state, { fields, line, isLifted: false });
    offset += bytes.length + 1;
  }
  const kept = [...state.byKey.values()].toSorted((left, right) => left.order - right.order);
  expect(kept.map(({ memory_key }) => memory_key)).toEqual([0, 1, 2, 3, 4, 5, 6].map((at) => `key_${at}`));
  expect(new Set(kept.map(({ order }) => order)).size).toBe(7);
});
