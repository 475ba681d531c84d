import { expect, it } from 'vitest';
import { changeBy } from './tool-events.ts';

it.each([null, undefined, 'text', []])(
  'takes no tool of an application for one of the memory: %j',
  (value) => {
    const event = { type: 'tool', message_id: 'm', agent_id: 'a', name: 'weather', input: value } as const;
    for (const output of ['null', '"text"', '7', 'no JSON', '{"memory_key":"mem_1"}'])
      expect(changeBy({ ...event, output })).toBeUndefined();
  },
);
