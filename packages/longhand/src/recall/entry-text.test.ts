import { describe, expect, it } from 'vitest';
import type { JsonObject, MemoryEntry } from '../core/records.ts';
import {
  dateText,
  KIND_ASKS,
  KIND_BY_ASSISTANT,
  KIND_BY_USER,
  KIND_HOLDS_QUESTION,
  KIND_LENGTH_SHIFT,
  KIND_TYPE_MASK,
  kindOfLength,
  questionShare,
  readEntry,
} from './entry-text.ts';
import { dayTerm, numberedDayTerm } from './term-names.ts';

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

describe('the days that a memory states', () => {
  const daysOf = (text: string): string[] => [...readEntry(entry({ content: { text } })).days];
  const any = (day: string): string => dayTerm('any', 10, Number(day));

  it('are all those of a range, with its year at both ends', () => {
    const days = ['28', '29', '30'].flatMap((day) => [dayTerm(2026, 10, Number(day)), any(day)]);
    expect(daysOf('Off November 28-30, 2026')).toEqual(days);
    expect(daysOf('No day in it, 16-20 pages')).toEqual([]);
  });

  it('are the ends alone of what is no range', () => {
    expect(daysOf('20 November - 16 November')).toEqual(
      ['20', '16'].flatMap((day) => [dayTerm('unsaid', 10, Number(day)), any(day)]),
    );
  });

  it('are those of the first sixteen ranges', () => {
    const ranges = Array.from({ length: 17 }, (_, at) => `${at + 1}-${at + 2} November`);
    expect(daysOf(ranges.join(', '))).toContain(any('17'));
    expect(daysOf(ranges.join(', '))).not.toContain(any('18'));
  });

  it('may be numbers without a month, which are no part of a date', () => {
    expect(daysOf('Back on the 18th, or am 19. november, or vom 20. bis 21. november')).toEqual(
      expect.arrayContaining([numberedDayTerm(18), any('19'), any('20'), any('21')]),
    );
    expect(daysOf('am 19. november, vom 20. bis 21. november')).not.toContain(numberedDayTerm(19));
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

describe('kindOfLength', () => {
  it.each([
    [255, 0],
    [256, 1],
    [2_047, 1],
    [2_048, 2],
    [16_383, 2],
    [16_384, 3],
    [1_000_000, 3],
  ])('of %d words is %d times long', (words, times) => {
    expect(kindOfLength(0, words) >> KIND_LENGTH_SHIFT).toBe(times);
  });
});

describe('dateText', () => {
  it('says the date as people write it', () => {
    expect(dateText(Date.UTC(2023, 4, 8))).toBe('monday 8 may 2023');
    expect(dateText(Number.NaN)).toBe('');
  });
});
