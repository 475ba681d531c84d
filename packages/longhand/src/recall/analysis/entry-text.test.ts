import { describe, expect, it } from 'vitest';
import type { JsonObject, MemoryEntry } from '../../core/records.ts';
import {
  KIND_ASKS,
  KIND_BY_ASSISTANT,
  KIND_BY_USER,
  KIND_HOLDS_QUESTION,
  KIND_TYPE_MASK,
  questionShare,
  readEntry,
} from './entry-text.ts';

function entry(fields: Partial<MemoryEntry>): MemoryEntry {
  return {
    schema_version: 1,
    id: 'mem_1',
    session_id: 'sess_1',
    timestamp: '2026-05-08T10:00:00Z',
    type: 'conversation',
    content: {},
    importance: 0.5,
    decay_factor: 1,
    tags: [],
    references: [],
    provenance: { author: 'user', trust: 'owner' },
    ...fields,
  };
}

describe('readEntry', () => {
  it('finds texts and numbers wherever they stand', () => {
    const content = {
      message: 'Look at this',
      images: [{ caption: 'a red barn' }, { caption: 'a dog', width: 640 }],
      isPublic: true,
      note: null,
    };
    const found = readEntry(entry({ content })).texts.filter((text) => !/images|width|Public/.test(text));
    expect(found).toEqual(['Look at this', 'a red barn', 'a dog', '640']);
  });

  it('takes the keys that say what a value is about for texts, each once', () => {
    const textsOf = (content: JsonObject) => readEntry(entry({ content })).texts;
    expect(textsOf({ vegetarian: true, favourite_colour: 'teal' })).toEqual([
      'vegetarian',
      'favourite_colour',
      'teal',
    ]);
    expect(textsOf({ isPublic: false })).toEqual(['isPublic']);
    expect(textsOf({ Message: 'hi', text: 'you', name: 'Ada' })).toEqual(['hi', 'you', 'Ada']);
    expect(textsOf({ allergies: null, pets: [], plans: {}, motto: '' })).toEqual([]);
    expect(textsOf({ rows: [{ height: 1 }, { height: 2 }] })).toEqual(['rows', 'height', '1', '2']);
  });

  it('takes tags and the type of a decision as texts', () => {
    const said = readEntry(entry({ type: 'decision', content: { decision: 'Use JWT' }, tags: ['auth.jwt'] }));
    expect(said.texts).toEqual(['Use JWT', 'auth.jwt', 'auth.jwt', 'decision decided']);
    expect(said.kind & KIND_TYPE_MASK).toBe(1);
  });

  it('keeps the speaker apart, and takes a role for a side and not for a name', () => {
    expect(readEntry(entry({ content: { speaker: 'Mary Ann', text: 'hi' } })).author).toBe('Mary Ann');
    const user = readEntry(entry({ content: { role: 'user', message: 'hi' } }));
    expect([user.author, user.kind & KIND_BY_USER]).toEqual(['', KIND_BY_USER]);
    const assistant = readEntry(entry({ content: { speaker: 'Assistant', message: 'hi' } }));
    expect([assistant.author, assistant.kind & KIND_BY_ASSISTANT]).toEqual(['', KIND_BY_ASSISTANT]);
  });

  it('takes the role of a turn for its speaker when it is a name', () => {
    const said = readEntry(entry({ content: { role: 'Alice', text: 'hi' } }));
    expect([said.author, said.texts]).toEqual(['Alice', ['hi']]);
    const sided = readEntry(entry({ content: { speaker: 'user', role: 'Alice', text: 'hi' } }));
    expect([sided.author, sided.kind & KIND_BY_USER, sided.texts]).toEqual(['Alice', KIND_BY_USER, ['hi']]);
    const both = readEntry(entry({ content: { speaker: 'Ada', role: 'designer', text: 'hi' } }));
    expect([both.author, both.texts]).toEqual(['Ada', ['designer', 'hi']]);
    const nested = readEntry(entry({ content: { speaker: { name: 'Ada' }, text: 'hi' } }));
    expect([nested.author, nested.texts]).toEqual(['', ['Ada', 'hi']]);
  });

  it('takes role and speaker of what is no turn for texts as well', () => {
    const finding = readEntry(entry({ type: 'finding', content: { role: 'designer', name: 'Bob Miller' } }));
    expect([finding.author, finding.texts]).toEqual(['', ['designer', 'Bob Miller', 'finding']]);
    const spoken = readEntry(entry({ type: 'decision', content: { speaker: 'Ada', text: 'Use JWT' } }));
    expect([spoken.author, spoken.texts]).toEqual(['Ada', ['Ada', 'Use JWT', 'decision decided']]);
    expect(readEntry(entry({ type: 'finding', content: { role: 'agent' } })).texts).toContain('agent');
  });

  it('knows turns that ask from turns that tell', () => {
    const kindOf = (message: string) => readEntry(entry({ content: { message } })).kind;
    expect(kindOf('How have you been lately?') & KIND_ASKS).toBe(KIND_ASKS);
    expect(kindOf('We went camping by the lake for three days. You?') & KIND_ASKS).toBe(0);
    expect(kindOf('We went camping by the lake. You?') & KIND_HOLDS_QUESTION).toBe(KIND_HOLDS_QUESTION);
    expect(kindOf('We went camping.')).toBe(0);
  });
});

describe('the days that a memory refers to', () => {
  const daysOf = (content: JsonObject): string[] => [...readEntry(entry({ content })).days];

  it('are those of all its texts, marked as no words', () => {
    expect(daysOf({ text: 'Off on 28 November 2026', notes: ['Back tomorrow'] })).toEqual([
      '^2026-11-28',
      '^*',
      '^d1',
    ]);
    expect(daysOf({ text: 'No day in it, 16-20 pages' })).toEqual([]);
  });

  it('are a bounded number of a table', () => {
    const days = Array.from(
      { length: 500 },
      (_, day) => `2026-01-01 ${new Date(day * 86_400_000).toISOString()}`,
    );
    expect(daysOf({ days }).length).toBeLessThan(200);
  });
});

describe('questionShare', () => {
  it.each([
    ['', 0],
    ['?', 0],
    ['Really?', 1],
    ['One two. Three four?', 0.5],
    ['One two three! Four?', 0.25],
  ])('of %j is %d', (text, share) => {
    expect(questionShare(text)).toBe(share);
  });
});
