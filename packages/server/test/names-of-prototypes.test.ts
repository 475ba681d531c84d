import { expect, it } from 'vitest';
import { exampleRequest } from '../src/http/example-request.ts';
import { OPERATIONS, operationNamed } from '../src/operations/index.ts';
import { startTestServer } from './http-fixture.ts';
import { type Json, placesOf, withNewNames } from './places.ts';

const NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'];

it('takes the names that every object has in JavaScript as any other name, in every object of every operation', async () => {
  const server = await startTestServer({ flags: { 'limits-requests-per-minute': 0 } });
  const send = (name: string, input: Json) => {
    const { method, target, body } = exampleRequest(operationNamed(name), input);
    return server.call(method, target, body);
  };
  const failed: string[] = [];
  let made = 0;
  for (const operation of OPERATIONS) {
    for (const before of operation.example.after ?? [])
      await send(before, operationNamed(before).example.request);
    for (const { takes, put } of placesOf(operation)) {
      if (takes !== 'name') continue;
      for (const name of NAMES) {
        const input = withNewNames(put({ text: '', many: 0, name }), operation.http.path, ++made) as Json;
        const { status } = await send(operation.name, input);
        if (status >= 500) failed.push(`${operation.name} ${JSON.stringify(input)}`);
      }
    }
  }
  expect(failed).toEqual([]);
  expect(made).toBeGreaterThan(500);
  await server.stop();
});
