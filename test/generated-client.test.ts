import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { GENERATED, generatedClient } from '../scripts/generate-client.ts';

it('the client knows the operations as the table has them', () => {
  const advice = 'run npm run generate:client';
  expect(readFileSync(GENERATED, 'utf8') === generatedClient(), advice).toBe(true);
});
