import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { synonymTable } from '../../../test/synonym-table.ts';
import type { JsonObject, MemoryEntry } from '../../core/records.ts';
import { QueryError, readQueryText } from '../analysis/query-text.ts';
import { MemoryUses } from '../index/memory-uses.ts';
import { RecallIndex } from '../index/recall-index.ts';
import { WordVectors } from '../vectors/word-vectors.ts';
import { resolveDecayPolicy } from './decay.ts';
import { search } from './search.ts';
import type { SearchRequest } from './search-request.ts';
import { searchSessions } from './search-sessions.ts';
import { wordMeaning } from './similarity.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
const DAY = 86_400_000;
const policy = resolveDecayPolicy();
/** Two words that mean the same, twice. */
const vectors = new WordVectors(
  synonymTable([
    ['ship', 'release'],
    ['cat', 'feline'],
  ]),
);
let count = 0;

function add(index: RecallIndex, text: string | JsonObject, fields: Partial<MemoryEntry> = {}): string {
  const order = ++count;
  const id = fields.id ?? `mem_${order}`;
  index.add(
    {
      schema_version: 1,
      id,
      session_id: 'sess_1',
      timestamp: new Date(NOW - DAY).toISOString(),
      type: 'conversation',
      content: typeof text === 'string' ? { message: text } : text,
      importance: 0.5,
      decay_factor: 1,
      tags: [],
      references: [],
      provenance: { author: 'user', trust: 'owner' },
      ...fields,
    },
    order,
    { log: 0, offset: order, length: 1 },
  );
  return id;
}

function daysAgo(days: number): Partial<MemoryEntry> {
  return { timestamp: new Date(NOW - days * DAY).toISOString() };
}

function idsOf(index: RecallIndex, request: Partial<SearchRequest>): string[] {
  return search(index, { nowMs: NOW, policy, ...request }).hits.map(({ id }) => id);
}

describe('words', () => {
  it('are found in any form, and the more of them the better', () => {
    const index = new RecallIndex();
    const both = add(index, 'I researched adoption agencies', { session_id: 'a' });
    const one = add(index, 'An agency called', { session_id: 'b' });
    add(index, 'Nothing of the kind', { session_id: 'c' });
    expect(idsOf(index, { text: 'adoption agency' })).toEqual([both, one]);
  });

  it.each([
    ['What do we write in C?', 'firmware'],
    ['What do we write in C++?', 'simulator'],
    ['what is in c#', 'client'],
    ['Who knows F#?', 'rules'],
    ['Which .NET version do we use?', 'dotnet'],
    ['which C++ standard', 'standard'],
  ])('may be a letter with signs: %s', (text, expected) => {
    const index = new RecallIndex();
    add(index, 'The firmware is written in C', { id: 'firmware', session_id: 'a' });
    add(index, 'The simulator is written in C++', { id: 'simulator', session_id: 'b' });
    add(index, 'The desktop client is C#.', { id: 'client', session_id: 'c' });
    add(index, 'Mira writes the rules in F#, nobody else does', { id: 'rules', session_id: 'd' });
    add(index, 'We moved to .NET 9, the newest version', { id: 'dotnet', session_id: 'e' });
    add(index, 'The net weight is 9 kg', { id: 'net', session_id: 'f' });
    add(index, 'Compilers are set to the standard C++20', { id: 'standard', session_id: 'g' });
    expect(idsOf(index, { text })[0]).toBe(expected);
  });

  it('may be nothing but stopwords', () => {
    const index = new RecallIndex();
    const said = add(index, 'To be or not to be');
    expect(idsOf(index, { text: 'to be' })).toEqual([said]);
    expect(idsOf(index, { text: '"not to be"' })).toEqual([said]);
  });

  it('of tags, dates and captions count', () => {
    const index = new RecallIndex();
    const tagged = add(index, 'one', { session_id: 'a', tags: ['security.oauth2'] });
    const dated = add(index, 'two', { session_id: 'b', timestamp: '2025-12-24T08:00:00Z' });
    const seen = add(index, { message: 'three', images: [{ caption: 'a red barn' }] }, { session_id: 'c' });
    expect(idsOf(index, { text: 'oauth2' })).toEqual([tagged]);
    expect(idsOf(index, { text: 'december' })).toEqual([dated]);
    expect(idsOf(index, { text: 'barn' })).toEqual([seen]);
  });

  it('of several scripts are found by their parts', () => {
    const index = new RecallIndex();
    const tower = add(index, '東京タワーに行きました', { session_id: 'a' });
    const climb = add(index, '富士山に登った', { session_id: 'b' });
    expect(idsOf(index, { text: '東京' })).toEqual([tower]);
    expect(idsOf(index, { text: 'タワー' })).toEqual([tower]);
    expect(idsOf(index, { text: '登る' })).toEqual([climb]);
  });

  it('of the type count, as people say them', () => {
    const index = new RecallIndex();
    const decision = add(index, { decision: 'Blue green' }, { type: 'decision', session_id: 'a' });
    const preference = add(index, { text: 'Tea' }, { type: 'preference', session_id: 'b' });
    for (const text of ['What did we decide?', 'decided', 'decisions'])
      expect(idsOf(index, { text }), text).toEqual([decision]);
    for (const text of ['What do I prefer?', 'preferences'])
      expect(idsOf(index, { text }), text).toEqual([preference]);
  });

  it('are found with and without the vowel signs of Arabic and Hebrew', () => {
    const index = new RecallIndex();
    const name = add(index, 'مُحَمَّد', { session_id: 'a' });
    const greeting = add(index, 'שלום', { session_id: 'b' });
    expect(idsOf(index, { text: 'محمد' })).toEqual([name]);
    expect(idsOf(index, { text: 'مُحَ*' })).toEqual([name]);
    expect(idsOf(index, { text: 'שָׁלוֹם' })).toEqual([greeting]);
  });

  it('are a number and its unit, together or apart', () => {
    const index = new RecallIndex();
    const ran = add(index, 'I ran 5km in the park', { session_id: 'a' });
    const apart = add(index, 'I walked 7 km along the river', { session_id: 'b' });
    const phone = add(index, 'Bought an iPhone15', { session_id: 'c' });
    const music = add(index, 'She likes the music of the 1990s', { session_id: 'd' });
    const release = add(index, 'We shipped v1.2.3', { session_id: 'e' });
    expect(idsOf(index, { text: '5 km' })[0]).toBe(ran);
    expect(idsOf(index, { text: '7km' })).toEqual([apart]);
    expect(idsOf(index, { text: '5km' })).toEqual([ran]);
    expect(idsOf(index, { text: 'km' })).toEqual(expect.arrayContaining([ran, apart]));
    expect(idsOf(index, { text: 'iphone 15' })).toEqual([phone]);
    expect(idsOf(index, { text: 'iPhone15' })).toEqual([phone]);
    expect(idsOf(index, { text: '1990' })).toEqual([music]);
    expect(idsOf(index, { text: 'v1.2.3' })).toEqual([release]);
    expect(idsOf(index, { text: '"ran 5 km in"' })).toEqual([ran]);
    expect(idsOf(index, { text: '"ran 5km in"' })).toEqual([ran]);
    expect(idsOf(index, { text: '"walked 7km along"' })).toEqual([apart]);
    expect(idsOf(index, { text: '"the 1990s"' })).toEqual([music]);
    expect(idsOf(index, { text: 'iphone1*' })).toEqual([phone]);
  });

  it('of a name with a number are the name', () => {
    const index = new RecallIndex();
    const hers = add(index, { speaker: 'Player2', text: 'The gate is open' }, { session_id: 'a' });
    add(index, { speaker: 'Player1', text: 'The gate is open' }, { session_id: 'b' });
    const gate = add(index, 'Gate 2 is closed', { session_id: 'c' });
    expect(idsOf(index, { text: 'What did Player2 say of the gate?' })[0]).toBe(hers);
    expect(idsOf(index, { text: 'Gate 2' })[0]).toBe(gate);
  });

  it('are found in names of code', () => {
    const index = new RecallIndex();
    const getter = add(index, 'Call getUserName before the page is drawn', { session_id: 'a' });
    const server = add(index, 'HTTPServer restarts at night', { session_id: 'b' });
    const parser = add(index, 'We use parseConfigV2 now', { session_id: 'c' });
    const column = add(index, 'The column user_id is a number', { session_id: 'd' });
    expect(idsOf(index, { text: 'getUserName' })).toEqual([getter]);
    expect(idsOf(index, { text: 'getusername' })).toEqual([getter]);
    expect(idsOf(index, { text: 'user name' })).toEqual([getter, column]);
    expect(idsOf(index, { text: 'servers' })).toEqual([server]);
    expect(idsOf(index, { text: 'httpserver' })).toEqual([server]);
    expect(idsOf(index, { text: 'config' })).toEqual([parser]);
    expect(idsOf(index, { text: 'parseConfigV2' })).toEqual([parser]);
    expect(idsOf(index, { text: 'conf*' })).toEqual([parser]);
    expect(idsOf(index, { text: '"call getUserName before"' })).toEqual([getter]);
    expect(idsOf(index, { text: '"use parseConfigV2 now"' })).toEqual([parser]);
  });

  it('that are a whole name count before the words of it', () => {
    const index = new RecallIndex();
    add(index, 'The user has a name and the code gets it', { session_id: 'a' });
    const named = add(index, 'See getUserName', { session_id: 'b' });
    add(index, 'See setUserName', { session_id: 'c' });
    expect(idsOf(index, { text: 'Where is getUserName for the user?' })[0]).toBe(named);
  });

  it('of keys count', () => {
    const index = new RecallIndex();
    const fields = { type: 'preference', session_id: 'a' } as const;
    const likes = add(index, { vegetarian: true, favourite_colour: 'teal' }, fields);
    const has = add(index, { pets: { houseCat: 'Minka' }, vegan: false }, { ...fields, session_id: 'b' });
    add(index, { text: 'Nothing of the kind' }, { ...fields, session_id: 'c' });
    expect(idsOf(index, { text: 'Is Ada vegetarian?' })).toEqual([likes]);
    expect(idsOf(index, { text: 'favourite colour' })).toEqual([likes]);
    expect(idsOf(index, { text: 'favourite_colour' })).toEqual([likes]);
    expect(idsOf(index, { text: 'cat' })).toEqual([has]);
    expect(idsOf(index, { text: 'houseCat' })).toEqual([has]);
    expect(idsOf(index, { text: 'vegan' })).toEqual([has]);
  });
});

describe('words that are written in two ways', () => {
  const WAYS = [
    ['favourite', 'favorite'],
    ['colour', 'color'],
    ['organised', 'organized'],
    ['theatre', 'theater'],
    ['grey', 'gray'],
    ['catalogue', 'catalog'],
    ['analyse', 'analyze'],
  ] as const;

  it('are found by each other, also in a phrase', () => {
    const index = new RecallIndex();
    const british = add(index, 'Her favourite colour is grey', { session_id: 'a' });
    const american = add(index, 'Her favorite color is gray', { session_id: 'b' });
    add(index, 'Four hours of your tour were wise', { session_id: 'c' });
    for (const text of ['favourite', 'color', 'grey', '"favorite colour"', '"is gray"'])
      expect(idsOf(index, { text }).toSorted(), text).toEqual([british, american].toSorted());
    expect(idsOf(index, { text: 'colou*' })).toEqual([british]);
  });

  it('give the same answer whichever way memories and questions are written', () => {
    const word = fc.tuple(fc.constantFrom(...WAYS), fc.nat(1), fc.nat(1));
    const text = fc.array(word, { minLength: 1, maxLength: 5 });
    const written = (words: readonly (readonly [readonly [string, string], number, number])[], way: 1 | 2) =>
      words.map(([ways, ...choice]) => ways[choice[way - 1]!]).join(' ');
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), text, (texts, asked) => {
        const [one, other] = ([1, 2] as const).map((way) => {
          const index = new RecallIndex();
          for (const [number, words] of texts.entries())
            add(index, written(words, way), { id: `mem_${number}`, session_id: `s${number % 3}` });
          const request = { text: written(asked, way), nowMs: NOW, policy, explain: true };
          return search(index, request).hits.map(({ place: _, matchedWords: __, ...hit }) => hit);
        });
        expect(one).toEqual(other);
      }),
    );
  });
});

describe('phrases of words without spaces', () => {
  it('begin and end with parts of a longer word, in the tail and in a segment', () => {
    const index = new RecallIndex();
    const study = add(index, '我在清华大学读书', { session_id: 'a' });
    const coffee = add(index, '오늘 커피를 마셨어요', { session_id: 'b' });
    const check = () => {
      for (const text of ['"清华大学读书"', '"清华大学"', '"大学读书"']) {
        expect(idsOf(index, { text }), text).toEqual([study]);
      }
      expect(idsOf(index, { text: '"커피를 마셨어요"' })).toEqual([coffee]);
      expect(idsOf(index, { text: '"오늘 커피"' })).toEqual([coffee]);
      expect(idsOf(index, { text: '"读书上学"' })).toEqual([]);
    };
    check();
    const bytes = index.sealTail();
    const read = (from: number, length: number) => bytes.subarray(from, from + length);
    index.replaceTail({ size: bytes.length, read });
    check();
  });
});

describe('a conversation', () => {
  it('finds the answer that does not repeat the words of the question', () => {
    const index = new RecallIndex();
    const asked = add(index, 'Where did you spend the holidays?');
    const answer = add(index, 'In Lisbon, with my sister.');
    add(index, 'Sounds lovely.');
    add(index, 'It was.');
    add(index, 'Unrelated', { session_id: 'other' });
    expect(idsOf(index, { text: 'holidays' }).slice(0, 2)).toEqual([asked, answer]);
  });

  it('that only ask are looked for where there are no others', () => {
    const index = new RecallIndex();
    const said = add(index, 'The rollback happens tonight', { session_id: 'b' });
    add(index, 'What is it?', { session_id: 'c' });
    expect(idsOf(index, { text: 'What happened?' })).toEqual([said]);
    const hers = add(index, { speaker: 'Ingrid', message: 'Lakes' });
    expect(idsOf(index, { text: 'What happened to Ingrid?' })).toEqual([hers]);
  });

  describe('of a person who is named', () => {
    const spoken = (): { index: RecallIndex; his: string[]; others: string[] } => {
      const index = new RecallIndex();
      const say = (speaker: string, message: string, session_id: string): string =>
        add(index, { speaker, message }, { session_id });
      const his = [
        say('Marcus', 'The budget is too small', 'a'),
        say('Marcus', 'Two more desks by Friday', 'b'),
      ];
      const others = [
        say('Ingrid', "I'd say we need to talk now, and said so", 'c'),
        say('Ingrid', 'They think nothing of it, she told me, so far', 'c'),
      ];
      return { index, his, others };
    };

    it.each([
      'What did Marcus say?',
      'what did marcus say',
      'What has Marcus said so far?',
      'everything Marcus said',
      'What does Marcus think?',
      'Tell me what Marcus mentioned',
      'What did Marcus tell you yesterday?',
    ])('%s: finds what they said, and nothing else', (text) => {
      const { index, his } = spoken();
      expect(idsOf(index, { text }).toSorted()).toEqual(his.toSorted());
    });

    it('goes by when they said it, and not by how much they said that day', () => {
      const index = new RecallIndex();
      const say = (speaker: string, message: string, days: number): string =>
        add(index, { speaker, message }, { session_id: `of ${days}`, ...daysAgo(days) });
      const yesterday = say('Marcus', 'I am sick', 1);
      for (const other of ['Fine', 'Sure', 'Well', 'Good']) say('Ingrid', other, 1);
      for (const more of ['One desk', 'Two desks', 'Three desks']) say('Marcus', more, 2);
      expect(idsOf(index, { text: 'What did Marcus say yesterday?' })[0]).toBe(yesterday);
    });

    it.each(['What does Marcus need?', 'Where is Marcus now?', 'Where did Marcus need you now?'])(
      '%s: finds what holds the other words, and then what they said',
      (text) => {
        const { index, his, others } = spoken();
        const [first, ...rest] = idsOf(index, { text });
        expect(first).toBe(others[0]);
        expect(rest).toEqual(expect.arrayContaining(his));
      },
    );

    it('finds what is noted about them, too', () => {
      const { index, others } = spoken();
      const noted = add(index, 'Marcus joined Bluefin in spring', { type: 'finding', session_id: 'd' });
      const found = idsOf(index, { text: 'Where does Marcus work now?' });
      expect(found).toContain(noted);
      expect(found[0]).toBe(others[0]);
    });
  });

  describe('what a person said, and what is noted about them', () => {
    const HERS = 'I have the tickets';
    const ASKED = 'Which train do you take?';
    const OF_OTHERS = 'Hello Priya, the trains are late';
    const NOTED = 'Priya, as Priya says, likes window seats';
    const filled = (): { index: RecallIndex; textsOf: (text: string) => string[] } => {
      const index = new RecallIndex();
      const texts = new Map<string, string>();
      const note = (text: string, fields: Partial<MemoryEntry>, speaker?: string): void => {
        const content = speaker === undefined ? { text } : { speaker, text };
        texts.set(add(index, content, fields), text);
      };
      note(HERS, { session_id: 'a', ...daysAgo(90) }, 'Priya');
      note(ASKED, { session_id: 'a', ...daysAgo(90) }, 'Priya');
      note(OF_OTHERS, { session_id: 'b' }, 'Tom');
      note(NOTED, { session_id: 'c', type: 'preference', tags: ['priya'], importance: 0.9 });
      note('The office closes at six', { session_id: 'c', type: 'finding' });
      return { index, textsOf: (text) => idsOf(index, { text }).map((id) => texts.get(id)!) };
    };

    it.each([
      'What did Priya say?',
      'what has priya said so far',
      'Did Priya mention anything?',
      'Tell me what Priya thinks',
      'Was hat Priya gesagt?',
      'Was sagt Priya?',
      "Qu'est-ce que Priya a dit ?",
    ])('%s: what they said comes first, their questions among it', (text) => {
      const [first, second, ...rest] = filled().textsOf(text);
      expect([first, second].toSorted()).toEqual([HERS, ASKED].toSorted());
      expect(rest).toContain(NOTED);
    });

    it.each([
      'Tell me about Priya',
      'What do you know about Priya?',
      'What did we say about Priya?',
      'Who is Priya?',
      'Wer ist Priya?',
      // No memory holds "live".
      'Where does Priya live?',
      'Priya address',
    ])('%s: what is noted comes first, and then what they said', (text) => {
      const [first, second, third] = filled().textsOf(text);
      expect(first).toBe(NOTED);
      expect([second, third]).toContain(HERS);
    });

    it('the turns before and behind add nothing where only a name is looked for', () => {
      const index = new RecallIndex();
      const say = (speaker: string, text: string, days: number): string =>
        add(index, { speaker, text }, { session_id: `of ${days}`, ...daysAgo(days) });
      say('Tom', 'Priya, did Priya book it?', 60);
      say('Priya', 'Yes', 60);
      const newest = say('Priya', 'No', 1);
      expect(idsOf(index, { text: 'How is Priya?' })[0]).toBe(newest);
    });
  });

  it('prefers who is named, and does not look for the name', () => {
    const index = new RecallIndex();
    add(index, { speaker: 'Olaf', message: 'I paint lakes, Ingrid' }, { session_id: 'a' });
    const hers = add(index, { speaker: 'Ingrid', message: 'I paint lakes' }, { session_id: 'b' });
    expect(idsOf(index, { text: "What are Ingrid's lakes like?" })[0]).toBe(hers);
    expect(idsOf(index, { text: 'Ingrid' })).toContain(hers);
  });

  it('tells facts about people apart who speak themselves', () => {
    const index = new RecallIndex();
    const asked = { session_id: 'talk' };
    for (const speaker of ['Dana', 'Tom']) add(index, { speaker, message: 'Good morning, all' }, asked);
    const toTom = add(index, { speaker: 'Dana', message: 'Tom, whose birthday is it?' }, asked);
    const noted = { type: 'finding', session_id: 'notes' } as const;
    const tom = add(index, 'Tom has his birthday on March 3', { ...noted, ...daysAgo(60) });
    const dana = add(index, 'Dana has her birthday on May 9', noted);
    const [first, ...others] = idsOf(index, { text: "When is Tom's birthday?" });
    expect(first).toBe(tom);
    expect(others).toContain(dana);
    expect(idsOf(index, { text: "When is Dana's birthday?" })[0]).toBe(dana);
    const hits = search(index, { nowMs: NOW, policy, text: "When is Tom's birthday?", explain: true }).hits;
    const authorOf = new Map(hits.map(({ id, matchParts }) => [id, matchParts!.author]));
    expect(authorOf.get(tom)).toBeGreaterThan(0);
    expect([authorOf.get(dana), authorOf.get(toTom)]).toEqual([0, 0]);
  });

  it('does not take what was written in a month to be about a person of that name', () => {
    const index = new RecallIndex();
    const june = { timestamp: '2026-06-01T09:00:00Z' };
    const said = add(index, { speaker: 'June', message: 'The van is late' }, june);
    add(index, 'The gate was oiled', { ...june, type: 'finding', session_id: 'b' });
    const about = add(index, 'June prefers the blue van', { ...june, type: 'preference', session_id: 'c' });
    expect(idsOf(index, { text: 'What did June say?' }).toSorted()).toEqual([said, about].toSorted());
    expect(idsOf(index, { text: 'What has June said about the van?' }).toSorted()).toEqual(
      [said, about].toSorted(),
    );
  });

  it('takes no word of an address for a name', () => {
    const index = new RecallIndex();
    add(index, { speaker: 'Tom', message: 'The domain example.org is ours' }, { session_id: 'talk' });
    const noted = { type: 'finding', session_id: 'notes', ...daysAgo(90) } as const;
    const address = add(index, 'Write to tom.reyes@example.org', noted);
    const path = add(index, 'Backups of /home/tom/orders are kept', noted);
    expect(idsOf(index, { text: 'tom.reyes@example.org' })[0]).toBe(address);
    expect(idsOf(index, { text: '/home/tom/orders' })[0]).toBe(path);
  });

  it('knows a speaker by the role, and the role of a person it is about', () => {
    const index = new RecallIndex();
    const hers = add(index, { role: 'Alice', text: 'I painted the fence' }, { session_id: 'a' });
    const his = add(index, { role: 'Bob', text: 'I painted the fence' }, { session_id: 'b' });
    expect(idsOf(index, { text: 'What did Alice paint?' })[0]).toBe(hers);
    expect(idsOf(index, { text: 'What did Bob paint?' })[0]).toBe(his);
    expect(idsOf(index, { text: 'Alice' })).toEqual([hers]);
    const about = add(index, { role: 'designer', name: 'Cleo Miller' }, { type: 'finding', session_id: 'c' });
    const page = add(index, 'The designer page is slow', { session_id: 'd' });
    expect(idsOf(index, { text: 'designer' })).toEqual(expect.arrayContaining([about, page]));
    expect(idsOf(index, { text: 'Which designer page was slow?' })[0]).toBe(page);
  });

  it('does not lend between decisions: what does not match is not found', () => {
    const index = new RecallIndex();
    const found = add(index, { decision: 'Use OAuth' }, { type: 'decision' });
    add(index, { decision: 'Use Postgres' }, { type: 'decision' });
    expect(idsOf(index, { text: 'oauth' })).toEqual([found]);
  });

  it('knows the time that a question refers to', () => {
    const index = new RecallIndex();
    const then = add(index, 'lunch with Sam', { session_id: 'a', ...daysAgo(10) });
    const other = add(index, 'lunch with Sam', { session_id: 'b', ...daysAgo(3) });
    expect(idsOf(index, { text: 'lunch', sortBy: 'match' })).toEqual([other, then]);
    expect(idsOf(index, { text: 'whom did I have lunch with ten days ago', sortBy: 'match' })).toEqual([
      then,
      other,
    ]);
  });
});

describe('among hundreds that hold the words', () => {
  const index = new RecallIndex();
  for (let number = 0; number < 300; number++) {
    const content = { speaker: 'Ann', message: `Garden note number ${number}` };
    add(index, content, { type: 'finding', ...daysAgo((number % 5) + number / 1e5) });
  }
  const bobs = add(
    index,
    { speaker: 'Bob', message: 'The garden is blooming' },
    { type: 'finding', ...daysAgo(10) },
  );

  it('the one of the author who is named comes first', () => {
    expect(idsOf(index, { text: 'What did Bob say about the garden?', limit: 1 })).toEqual([bobs]);
  });

  it('the one of the time that is named comes first', () => {
    expect(idsOf(index, { text: 'What about the garden ten days ago?', limit: 1 })).toEqual([bobs]);
  });

  it('the one whose session does not let it fade is not taken for faded', () => {
    const many = new RecallIndex();
    for (let number = 0; number < 300; number++) add(many, 'a garden', { session_id: `s_${number}` });
    const lasting = add(many, 'a garden', { session_id: 'lasting', ...daysAgo(200) });
    const quick = resolveDecayPolicy({ type_specific: { conversation: { half_life_hours: 1 } } });
    const policyOfSession = new Map([['lasting', resolveDecayPolicy({}, { enabled: false })]]);
    expect(idsOf(many, { text: 'garden', policy: quick, policyOfSession, limit: 1 })).toEqual([lasting]);
  });

  it('pages are the whole ranking cut into pieces', () => {
    for (const text of [
      'What did Bob say about the garden?',
      'garden note 7',
      'blooming garden ten days ago',
    ]) {
      for (const sortBy of ['relevance', 'match', 'time', 'importance'] as const) {
        const whole = search(index, { text, sortBy, nowMs: NOW, policy, limit: 1e9, explain: true }).hits;
        expect(whole.length).toBeGreaterThan(200);
        for (const limit of [10, 48, 130]) {
          const paged: unknown[] = [];
          for (let cursor: string | undefined, isFirst = true; isFirst || cursor; isFirst = false) {
            const next = cursor === undefined ? {} : { cursor };
            const page = search(index, { text, sortBy, nowMs: NOW, policy, limit, explain: true, ...next });
            paged.push(...page.hits);
            cursor = page.nextCursor;
          }
          expect(paged).toEqual(whole);
        }
        if (sortBy !== 'relevance') continue;
        for (const [rank, { relevance }] of whole.entries()) {
          expect(relevance).toBeLessThanOrEqual((whole[rank - 1]?.relevance ?? 2) * (1 + 1e-12));
        }
      }
    }
  });
});

describe('relevance', () => {
  it('does not take the age that a question asks for against a memory', () => {
    for (const [words, days] of [
      ['a month ago', 30],
      ['four months ago', 122],
      ['twelve months ago', 365],
    ] as const) {
      const index = new RecallIndex();
      const then = add(index, 'I planted roses in the garden', { session_id: 'a', ...daysAgo(days) });
      add(index, 'I planted roses in the garden', { session_id: 'b', ...daysAgo(0) });
      add(index, 'I planted roses in the garden', { session_id: 'c', ...daysAgo(60) });
      expect(idsOf(index, { text: `What did I plant in the garden ${words}?` })[0]).toBe(then);
      expect(idsOf(index, { text: 'What did I plant in the garden?' })[0]).not.toBe(then);
    }
  });

  it('puts an old answer before a new miss', () => {
    const index = new RecallIndex();
    const old = add(index, 'The staging password rotates every Monday', { session_id: 'a', ...daysAgo(300) });
    add(index, 'The staging server was slow', { session_id: 'b', ...daysAgo(0) });
    expect(idsOf(index, { text: 'when does the staging password rotate' })[0]).toBe(old);
  });

  it('goes by the words of a long question, and not by age or author', () => {
    const index = new RecallIndex();
    const old = { type: 'finding', session_id: 'notes', ...daysAgo(200) } as const;
    const answer = add(index, 'The checkout fails when the currency of the cart is undefined', old);
    add(index, { speaker: 'Olaf', message: 'Lunch was good' }, { session_id: 'today', ...daysAgo(0) });
    const recent = { type: 'finding', session_id: 'today', ...daysAgo(0) } as const;
    for (const text of ['The staging server restarted', 'Customers like the totals page', 'Olaf is away'])
      add(index, text, recent);
    const others = ['deploy', 'staging', 'totals', 'rounding', 'invoice', 'server', 'customers', 'format'];
    for (const word of others) add(index, `About the ${word}`, { ...old, session_id: word });
    const text =
      'Hi, Olaf told me that since the last deploy on staging the totals look wrong, with rounding on each invoice, ' +
      'and the server logs that customers see: checkout fails, currency of cart undefined, whatever the format';
    expect(idsOf(index, { text })[0]).toBe(answer);
  });

  it('puts the newer of two equal matches first', () => {
    for (const [newer, older] of [
      [0, 60],
      [1, 61],
      [30, 90],
      [200, 260],
    ]) {
      const index = new RecallIndex();
      add(index, 'We meet on Tuesdays', { session_id: 'a', id: 'older', ...daysAgo(older!) });
      add(index, 'We meet on Tuesdays', { session_id: 'b', id: 'newer', ...daysAgo(newer!) });
      expect(idsOf(index, { text: 'when do we meet' })).toEqual(['newer', 'older']);
    }
  });

  it.each(['finding', 'decision', 'preference'] as const)(
    'puts the newer of two contradicting facts first, whatever else their sessions hold: %s',
    (type) => {
      for (const [newerDays, olderDays] of [
        [1, 31],
        [150, 400],
      ] as const) {
        const index = new RecallIndex();
        const older = { type, session_id: 'about_plans', ...daysAgo(olderDays) };
        for (const text of ['The starter plan costs 29', 'Our plans and what they cost'])
          add(index, text, older);
        const newer = { type, session_id: 'about_much_else', ...daysAgo(newerDays) };
        for (const text of ['Lunch is at noon', 'The lift is broken', 'Deploys happen on Tuesdays'])
          add(index, text, newer);
        const holds = add(index, 'The starter plan costs 39', newer);
        const text = 'What does the starter plan cost?';
        expect(idsOf(index, { text })[0]).toBe(holds);
        expect(idsOf(index, { text, sortBy: 'match' })[0]).toBe(holds);
      }
    },
  );

  it('orders facts alike in whatever sessions they stand', () => {
    const words = fc.array(fc.constantFrom('garden', 'roses', 'lake', 'token'), {
      minLength: 1,
      maxLength: 4,
    });
    const facts = fc.array(fc.record({ words, session: fc.nat(4) }), { minLength: 2, maxLength: 20 });
    fc.assert(
      fc.property(facts, words, (all, asked) => {
        const indexOf = (sessionOf: (fact: (typeof all)[number]) => number): RecallIndex => {
          const index = new RecallIndex();
          for (const [number, fact] of all.entries()) {
            const session_id = `sess_${sessionOf(fact)}`;
            add(index, fact.words.join(' '), {
              id: `fact_${number}`,
              type: 'finding',
              session_id,
              ...daysAgo(number),
            });
          }
          return index;
        };
        const query = { text: asked.join(' '), sortBy: 'match', limit: 20 } as const;
        const apart = idsOf(
          indexOf(({ session }) => session),
          query,
        );
        expect(apart).toEqual(
          idsOf(
            indexOf(() => 0),
            query,
          ),
        );
      }),
    );
  });

  it('compares what is noted with the turns of the session that matches best, of those that are searched', () => {
    const index = new RecallIndex();
    for (const message of ['The garden has roses', 'Roses again, in the garden'])
      add(index, { speaker: 'Ann', message }, { session_id: 'talk' });
    add(index, 'A garden', { session_id: 'notes', type: 'finding' });
    const sessionOf = (sessions?: string[]): Map<string, number> => {
      const asked = {
        nowMs: NOW,
        policy,
        text: 'garden roses',
        explain: true,
        ...(sessions && { sessions }),
      };
      const { hits } = search(index, asked);
      return new Map(hits.map(({ sessionId, matchParts }) => [sessionId, matchParts!.session]));
    };
    const all = sessionOf();
    expect(all.get('notes')).toBe(all.get('talk'));
    expect(sessionOf(['notes']).get('notes')).toBeLessThan(all.get('talk')!);
  });

  it('has a match of 1 for what holds all that is asked for, however much that is', () => {
    const index = new RecallIndex();
    const words = Array.from({ length: 60 }, (_, number) => `w${number}x`);
    const whole = add(index, words.join(' '));
    for (let number = 0; number < 20; number++) add(index, words.slice(3 * number).join(' '));
    for (const text of [
      words.join(' '),
      words.slice(0, 40).join(' '),
      `${words.join(' ')} on 3 March 2019`,
    ]) {
      const { hits } = search(index, { text, nowMs: NOW, policy, limit: 50 });
      expect(hits.find(({ id }) => id === whole)?.match, text).toBeCloseTo(1, 12);
      const least = Math.min(...hits.map(({ match }) => match));
      expect(least).toBeLessThan(0.5);
    }
  });

  it('is the product of its parts, and the parts of the match add up', () => {
    const index = new RecallIndex();
    add(index, 'roses in the garden', { importance: 0.8, ...daysAgo(7) });
    add(index, 'a garden', daysAgo(2));
    for (const hit of search(index, { text: 'garden roses', nowMs: NOW, policy, explain: true }).hits) {
      expect(hit.relevance).toBeCloseTo(hit.importance * hit.decay * hit.recency * hit.quality, 12);
      expect(hit.match).toBeGreaterThan(0);
      expect(hit.match).toBeLessThanOrEqual(1);
      expect(hit.matchParts?.words).toBeGreaterThan(0);
    }
    const [best] = search(index, { text: 'garden roses', nowMs: NOW, policy }).hits;
    expect(best?.decay).toBeCloseTo(0.5, 12);
  });

  it('follows the policy of a session that has one', () => {
    const index = new RecallIndex();
    add(index, 'garden', { session_id: 'a', ...daysAgo(20) });
    const policyOfSession = new Map([['a', resolveDecayPolicy({}, { enabled: false })]]);
    const [hit] = search(index, { text: 'garden', nowMs: NOW, policy, policyOfSession }).hits;
    expect(hit?.decay).toBe(1);
  });

  it('follows the policy that is asked for now, whatever was asked for before', () => {
    const index = new RecallIndex();
    const old = add(index, 'garden', { ...daysAgo(300), type: 'finding', importance: 1 });
    const fresh = add(index, 'garden', { type: 'finding' });
    const lasting = resolveDecayPolicy({ enabled: false });
    for (const text of ['', 'garden']) {
      expect(idsOf(index, { text, limit: 1 })).toEqual([fresh]);
      expect(idsOf(index, { text, limit: 1, policy: lasting })).toEqual([old]);
    }
  });

  it('counts the last use of each of many that have faded', () => {
    const index = new RecallIndex();
    const ids = Array.from({ length: 60 }, (_, number) =>
      add(index, 'garden', { ...daysAgo(400 - number), type: 'finding', importance: 1 }),
    );
    const both = add(index, 'garden roses', { ...daysAgo(500), type: 'finding', importance: 1 });
    const use = { lastAccessMs: NOW, accessCount: 1 };
    const uses = new MemoryUses([...ids, both].map((id) => [id, use]));
    const asked = { text: 'garden roses', limit: 3, usesOfSession: new Map([['sess_1', uses]]) };
    expect(idsOf(index, asked)).toEqual([both, ids.at(-1), ids.at(-2)]);
  });

  it('counts the last use as recent', () => {
    const index = new RecallIndex();
    const id = add(index, 'garden', daysAgo(20));
    const recencyAfter = (sessionId: string, used: string): number | undefined => {
      const usesOfSession = new Map([
        [sessionId, new MemoryUses([[used, { lastAccessMs: NOW, accessCount: 1 }]])],
      ]);
      return search(index, { text: 'garden', nowMs: NOW, policy, usesOfSession }).hits[0]?.recency;
    };
    expect(recencyAfter('sess_1', id)).toBe(1.5);
    expect(recencyAfter('sess_1', 'mem_unknown')).toBeLessThan(1.01);
    expect(recencyAfter('sess_2', id)).toBeLessThan(1.01);
  });
});

describe('a question that names a time and nothing else', () => {
  const DAYS = [1, 1.2, 8, 60, 400];
  function filled(): RecallIndex {
    const index = new RecallIndex();
    for (const days of DAYS) {
      const timestamp = new Date(NOW - days * DAY).toISOString();
      add(index, 'Deploys happen on Tuesdays', { id: `mem_${days}`, type: 'finding', timestamp });
    }
    add(index, 'The kiln broke down last week, before Christmas and Q3', {
      id: 'mem_kiln',
      type: 'finding',
      timestamp: new Date(NOW - 100 * DAY).toISOString(),
    });
    return index;
  }

  it.each([
    ['What happened yesterday?', ['mem_1', 'mem_1.2']],
    ['yesterday', ['mem_1', 'mem_1.2']],
    ['What did we talk about yesterday?', ['mem_1', 'mem_1.2']],
    ['What did I tell you eight days ago?', ['mem_8']],
    ['anything new since yesterday?', ['mem_1', 'mem_1.2']],
    ['two months ago', ['mem_60']],
    ['What have we discussed in the last two days?', ['mem_1', 'mem_1.2']],
    ['What was said in the past 1 day and 12 hours?', ['mem_1', 'mem_1.2']],
    ['What did we ship yesterday?', ['mem_1', 'mem_1.2']],
    ['What did we work on yesterday?', ['mem_1', 'mem_1.2']],
    ['anything important yesterday?', ['mem_1', 'mem_1.2']],
    ['What did the architect propose eight days ago?', ['mem_8']],
    ['Was war gestern?', ['mem_1', 'mem_1.2']],
    ['Was war gestern los?', ['mem_1', 'mem_1.2']],
    ['Was haben wir gestern beschlossen?', ['mem_1', 'mem_1.2']],
    ['Was haben wir gestern gebaut?', ['mem_1', 'mem_1.2']],
    ["Que s'est-il pass\u00e9 hier\u00a0?", ['mem_1', 'mem_1.2']],
    ["Qu'est-ce qui s'est pass\u00e9 hier ?", ['mem_1', 'mem_1.2']],
  ])('finds what is of that time: %s', (text, ids) => {
    expect(idsOf(filled(), { text }).sort()).toEqual(ids);
  });

  it('asks for nothing else in German and French, though a memory holds such words', () => {
    const index = filled();
    add(index, 'The war was lost, il a pass\u00e9 le bac, beschlossen ist es, wir haben was los', {
      id: 'mem_war',
      timestamp: new Date(NOW - 50 * DAY).toISOString(),
    });
    for (const text of [
      'Was war gestern?',
      'Was war gestern los?',
      'Was haben wir gestern beschlossen?',
      "Que s'est-il pass\u00e9 hier ?",
      "Qu'est-ce qui s'est pass\u00e9 hier ?",
    ])
      expect(idsOf(index, { text }), text).not.toContain('mem_war');
  });

  it('prefers the person who is named', () => {
    const index = filled();
    const hers = add(index, { speaker: 'Ingrid', message: 'Lakes' }, { id: 'mem_hers' });
    add(index, { speaker: 'Olaf', message: 'I saw it yesterday' }, { id: 'mem_his' });
    expect(idsOf(index, { text: 'What did Ingrid ship yesterday?' })[0]).toBe(hers);
  });

  it('finds nothing of another time, whatever words it holds', () => {
    expect(idsOf(filled(), { text: 'What happened 200 days ago?' })).toEqual([]);
  });

  const ABOUT_WORDS = ['"last week"', 'last week kiln', 'What broke last week?', 'week*', 'Christmas'];
  it.each(ABOUT_WORDS)('is none: %s', (text) => {
    expect(idsOf(filled(), { text })).toContain('mem_kiln');
  });

  it('gives the nearer first, and explains it by the time alone', () => {
    const { hits } = search(filled(), { text: 'nine days ago', nowMs: NOW, policy, explain: true });
    expect(hits.map(({ id }) => id)).toEqual(['mem_8']);
    const [{ matchParts, quality, match, strength, ...hit }] = hits as [Required<(typeof hits)[0]>];
    expect(matchParts).toEqual({
      words: 0,
      neighbours: 0,
      session: 0,
      author: 0,
      time: strength,
      question: 0,
    });
    expect(strength).toBeGreaterThanOrEqual(0.5);
    expect([quality, match]).toEqual([1, 1]);
    expect(hit.relevance).toBeCloseTo(hit.importance * hit.decay * hit.recency * quality, 12);
  });

  it('finds nothing in what was written today, in whatever words it asks', () => {
    const index = new RecallIndex(vectors);
    add(index, 'The release went out, we talked about it', daysAgo(0.01));
    for (const text of [
      'What did we talk about last week?',
      'What happened yesterday?',
      'What happened last month?',
      'What did we ship yesterday?',
      'What did we ship in May?',
    ]) {
      expect(idsOf(index, { text }), text).toEqual([]);
      expect(idsOf(index, { text, meaning: wordMeaning(text) }), text).toEqual([]);
      expect(searchSessions(index, { text, nowMs: NOW, meaning: wordMeaning(text) }), text).toEqual([]);
    }
  });

  it('keeps to what else is asked for', () => {
    expect(idsOf(filled(), { text: 'yesterday', types: ['decision'] })).toEqual([]);
    expect(idsOf(filled(), { text: 'yesterday', endMs: NOW - 1.1 * DAY })).toEqual(['mem_1.2']);
  });
});

describe('a question for a time, whose other words no memory holds', () => {
  function filled(): RecallIndex {
    const index = new RecallIndex(vectors);
    add(index, 'The release notes', { id: 'mem_meant', session_id: 'a', ...daysAgo(30) });
    add(index, 'The cat slept', { id: 'mem_cat', session_id: 'b', ...daysAgo(1) });
    add(index, 'A release at last', { id: 'mem_both', session_id: 'c', ...daysAgo(1.2) });
    add(index, 'The feline slept', { id: 'mem_feline', session_id: 'd', ...daysAgo(60) });
    return index;
  }

  it.each(['What did we ship yesterday?', 'What did we ship on 31 May?'])(
    'is answered by what is of that time, the nearest in meaning first: %s',
    (text) => {
      expect(idsOf(filled(), { text }).toSorted()).toEqual(['mem_both', 'mem_cat']);
      expect(idsOf(filled(), { text, meaning: wordMeaning(text) })).toEqual(['mem_both', 'mem_cat']);
      const sessions = searchSessions(filled(), { text, nowMs: NOW, meaning: wordMeaning(text) });
      expect(sessions.map(({ sessionId }) => sessionId).toSorted()).toEqual(['b', 'c']);
    },
  );

  it('is not fully matched by it: what it asks for is not there', () => {
    const asked = { text: 'What did we ship yesterday?', nowMs: NOW, policy, explain: true };
    expect(search(filled(), asked).hits.map(({ match }) => match)).toEqual([0, 0]);
    const { hits } = search(filled(), { ...asked, meaning: wordMeaning(asked.text) });
    const [both, cat] = hits;
    expect(both!.match).toBeGreaterThan(0);
    expect(both!.match).toBeLessThanOrEqual(0.3);
    expect(cat!.match).toBe(0);
    const { time, similarity } = both!.matchParts!;
    expect(time + similarity!).toBe(both!.strength);
    expect(idsOf(filled(), { ...asked, minMatch: 0.1 })).toEqual([]);
    const happened = { ...asked, text: 'What happened yesterday?', minMatch: 1 };
    expect(idsOf(filled(), happened)).toHaveLength(2);
  });
});

describe('the words of a time', () => {
  it.each([
    ['in May', '2026-05-10'],
    ['in Jan', '2026-01-12'],
    ['in Mar', '2026-03-03'],
    ['on 14 May', '2026-05-14'],
  ])('find what is from then, and what refers to it: %s', (time, day) => {
    const index = new RecallIndex();
    const says = add(index, `The invoice came ${time}`, {
      timestamp: '2026-04-02T09:00:00Z',
      session_id: 'a',
    });
    const mown = add(index, 'The lawn was mown', { timestamp: `${day}T09:00:00Z`, session_id: 'b' });
    add(index, 'The hedge was cut', { timestamp: '2026-04-18T09:00:00Z', session_id: 'c' });
    expect(idsOf(index, { text: `What happened ${time}?` }).toSorted()).toEqual([says, mown].toSorted());
    expect(idsOf(index, { text: `What was mown ${time}?` })[0]).toBe(mown);
  });

  it('are not looked for', () => {
    const index = new RecallIndex();
    const at = (session_id: string): Partial<MemoryEntry> => ({ session_id, ...daysAgo(60) });
    add(index, 'We sat with the last customer for a week', at('a'));
    const decided = add(index, 'They decide in spring', at('b'));
    expect(idsOf(index, { text: 'what did we decide last week?' })).toEqual([decided]);
    expect(idsOf(index, { text: 'what did we talk about last week?' })).toEqual([]);
  });

  it.each(['last May', 'in early May', 'at the end of May', 'im letzten Mai'])(
    'say which month is meant: %s',
    (time) => {
      const index = new RecallIndex();
      const at = (session_id: string, timestamp: string): Partial<MemoryEntry> => ({ session_id, timestamp });
      for (const month of ['01', '02', '03'])
        add(index, 'The budget was cut', at(`m${month}`, `2026-${month}-12T09:00:00Z`));
      const approved = add(index, 'The budget was approved', at('a', '2026-05-12T09:00:00Z'));
      add(index, 'The last one, early or late, at the end, den letzten Zug', at('b', '2026-05-13T09:00:00Z'));
      expect(idsOf(index, { text: `the budget ${time}` })[0]).toBe(approved);
    },
  );

  it('are a term where they have a name', () => {
    const index = new RecallIndex();
    const dated = add(index, 'one', { session_id: 'b', timestamp: '2025-12-24T08:00:00Z' });
    add(index, 'ships', { session_id: 'c' });
    expect(idsOf(index, { text: 'ships in December 2025' })[0]).toBe(dated);
  });
});

describe('a weekday of which a question speaks as several', () => {
  it.each(['Is the doctor open on Tuesdays?', 'tuesdays'])(
    'is no day on which something was written: %s',
    (text) => {
      const index = new RecallIndex();
      const closed = add(index, 'The doctor is closed on Tuesdays', { session_id: 'a', ...daysAgo(80) });
      add(index, 'The leak is fixed', { session_id: 'c', timestamp: '2026-05-26T09:00:00Z' });
      expect(idsOf(index, { text })).toEqual([closed]);
    },
  );
});

describe('a time to come', () => {
  function planned(): RecallIndex {
    const index = new RecallIndex();
    const at = (days: number, session_id: string): Partial<MemoryEntry> => ({ ...daysAgo(days), session_id });
    add(index, 'The printer is broken', { id: 'mem_printer', ...at(0, 'a') });
    add(index, "Doctor's appointment tomorrow at 8am", { id: 'mem_doctor', ...at(0, 'b') });
    add(index, 'Board meeting on 2 June 2026', { id: 'mem_board', ...at(20, 'c') });
    add(index, 'Rent is due (2026-06-02)', { id: 'mem_rent', ...at(20, 'd') });
    add(index, 'Another year', { id: 'mem_year', timestamp: '2025-06-02T12:00:00Z', session_id: 'e' });
    add(index, 'Two flights: June 9, next week', { id: 'mem_flights', ...at(3, 'f') });
    add(index, 'Abgabe am 2. Juni', { id: 'mem_german', ...at(20, 'g') });
    add(index, 'Release: 6/2/2026', { id: 'mem_release', ...at(20, 'h') });
    add(index, 'On 2 June 2024 we moved', { id: 'mem_moved', ...at(20, 'i') });
    return index;
  }

  it.each(['What is tomorrow?', 'what do I have tomorrow?', 'What happens tomorrow?', 'tomorrow'])(
    'is found by what refers to it: %s',
    (text) => {
      const due = ['mem_board', 'mem_doctor', 'mem_german', 'mem_release', 'mem_rent'];
      expect(idsOf(planned(), { text }).toSorted()).toEqual(due);
    },
  );

  it('may have several days', () => {
    expect(idsOf(planned(), { text: 'What is next week?' })).toEqual(['mem_flights']);
  });

  it('leaves the other words their say', () => {
    expect(idsOf(planned(), { text: 'Is the printer repaired tomorrow?' })).toContain('mem_printer');
  });

  it('favours what refers to it, and nothing that was written shortly before', () => {
    const { hits } = search(planned(), { text: 'printer tomorrow', nowMs: NOW, policy, explain: true });
    const timeOf = (id: string): number | undefined => hits.find((hit) => hit.id === id)?.matchParts?.time;
    expect(timeOf('mem_printer')).toBe(0);
    expect(timeOf('mem_doctor')).toBe(0.25);
    expect(timeOf('mem_board')).toBe(0.25);
  });
});

describe('phrases and wildcards', () => {
  it('a phrase alone is required', () => {
    const index = new RecallIndex();
    const right = add(index, 'the state of the art', { session_id: 'a' });
    add(index, 'art of the state', { session_id: 'b' });
    expect(idsOf(index, { text: '"state of the art"' })).toEqual([right]);
    expect(idsOf(index, { text: '"no such phrase"' })).toEqual([]);
  });

  it('a phrase in a question counts as one more word', () => {
    const index = new RecallIndex();
    const title = add(index, 'I finished The Lean Startup', { session_id: 'a' });
    const other = add(index, 'A lean week at the startup', { session_id: 'b' });
    expect(idsOf(index, { text: 'reading "The Lean Startup"' })).toEqual([title, other]);
  });

  it('a phrase that says words again is found where a naive reader finds it', () => {
    const words = fc.constantFrom('rose', 'tulip', 'barn');
    const property = fc.property(
      fc.array(words, { minLength: 1, maxLength: 80 }),
      fc.array(words, { minLength: 2, maxLength: 70 }),
      fc.integer({ min: 0, max: 79 }),
      fc.boolean(),
      (said, unlikely, from, isSaid) => {
        // Half of the phrases are cut out of the text.
        const phrase = isSaid ? said.slice(from % said.length) : unlikely;
        const index = new RecallIndex();
        const id = add(index, said.join(' '));
        const isThere = ` ${said.join(' ')} `.includes(` ${phrase.join(' ')} `);
        expect(idsOf(index, { text: `"${phrase.join(' ')}"` })).toEqual(isThere ? [id] : []);
      },
    );
    fc.assert(property, { numRuns: 300 });
  });

  it('a word that is said thousands of times is a phrase like any other', () => {
    const index = new RecallIndex();
    const often = add(index, 'rose '.repeat(10_000), { session_id: 'a' });
    const broken = add(index, `${'rose '.repeat(600)}tulip `.repeat(16), { session_id: 'b' });
    expect(idsOf(index, { text: `"${'rose '.repeat(5_000)}"` })).toEqual([often]);
    expect(idsOf(index, { text: `"${'rose '.repeat(600)}"` })).toEqual(
      expect.arrayContaining([often, broken]),
    );
    expect(idsOf(index, { text: `"${'rose '.repeat(600)}tulip"` })).toEqual([broken]);
    expect(idsOf(index, { text: `"${'rose '.repeat(601)}tulip"` })).toEqual([]);
  });

  it('a phrase does not reach from one text into the next', () => {
    const index = new RecallIndex();
    add(index, { title: 'red', text: 'barn' });
    expect(idsOf(index, { text: '"red barn"' })).toEqual([]);
  });

  it('a wildcard matches words as they were written', () => {
    const index = new RecallIndex();
    const written = add(index, 'authentication first', { session_id: 'a' });
    const author = add(index, 'the author', { session_id: 'b' });
    const refresh = add(index, 'a subtoken', { session_id: 'c' });
    expect(idsOf(index, { text: 'authentica*' })).toEqual([written]);
    expect(idsOf(index, { text: 'auth*', sortBy: 'match' }).toSorted()).toEqual([written, author].toSorted());
    expect(idsOf(index, { text: '*token' })).toEqual([refresh]);
    expect(idsOf(index, { text: 'auth* NOT*' })).toHaveLength(2);
  });

  it('a wildcard matches no name under which a day is kept', () => {
    const index = new RecallIndex();
    add(index, 'rent due on 14 May');
    for (const text of ['an*', 'un*', '*5*1*']) expect(idsOf(index, { text }), text).toEqual([]);
  });
});

describe('families of words', () => {
  it('are found by each other', () => {
    const index = new RecallIndex();
    const allergy = add(index, 'She has a peanut allergy', { session_id: 'a' });
    const allergic = add(index, 'He is allergic to cats', { session_id: 'b' });
    const allergies = add(index, 'Allergies run in the family', { session_id: 'c' });
    for (const text of ['allergic', 'allergy', 'allergies']) {
      expect(idsOf(index, { text }).toSorted()).toEqual([allergy, allergic, allergies].toSorted());
    }
  });
});

describe('irregular forms', () => {
  it('are found by their word, and the other way round', () => {
    const index = new RecallIndex();
    const built = add(index, 'We built the tool in Rust', { session_id: 'a' });
    const mice = add(index, 'The mice ate the cheese', { session_id: 'b' });
    for (const [text, id] of Object.entries({
      build: built,
      mouse: mice,
      eat: mice,
    })) {
      expect(idsOf(index, { text }), text).toEqual([id]);
    }
    expect(idsOf(index, { text: 'buil*' })).toEqual([built]);
  });
});

describe('words that hyphens join', () => {
  const index = new RecallIndex();
  const texts = {
    mail: 'her e-mail address',
    wifi: 'The WiFi password',
    test: 'a take-home test, not a home to take',
    up: 'Pop-ups are blocked',
  };
  for (const [id, text] of Object.entries(texts)) add(index, text, { id, session_id: id });

  it.each([
    ['email', 'mail'],
    ['Wi-Fi', 'wifi'],
    ['takehome', 'test'],
    ['popup', 'up'],
    ['"e-mail address"', 'mail'],
    ['"home test"', 'test'],
  ])('%s finds %s', (text, id) => {
    expect(idsOf(index, { text })).toEqual([id]);
  });
});

describe('wildcards are folded like words', () => {
  const index = new RecallIndex();
  const texts = {
    cafe: 'the café opened',
    id: 'user_id column, e-mail address, follow-up call',
    street: 'Straße in Zürich',
    number: 'version 10,000 of v1.2.3',
    tokyo: '東京都に住んでいます',
  };
  for (const [id, text] of Object.entries(texts)) add(index, text, { id, session_id: id });

  it.each([
    ['café*', 'cafe'],
    ['CAF*', 'cafe'],
    ['straß*', 'street'],
    ['zür*', 'street'],
    ['10,0*', 'number'],
    ['v1.*', 'number'],
    ['user_i*', 'id'],
    ['e-mai*', 'id'],
    ['*-up', 'id'],
    ['東*', 'tokyo'],
    ['"caf*"', 'cafe'],
  ])('%s finds %s', (text, id) => {
    expect(idsOf(index, { text })[0]).toBe(id);
  });
});

describe('what is found', () => {
  it('a picture, a long token by its beginning, and words of scripts without spaces', () => {
    const index = new RecallIndex();
    const token = `eyJ${'x'.repeat(100)}`;
    const texts = {
      party: 'party 🎉 tonight',
      token: `token ${token}`,
      coffee: 'コーヒーが好きです',
      beer: 'ﾋﾞｰﾙが好きです',
      university: '我女儿在清华大学读书',
      phone: '스마트폰을 샀어요',
    };
    for (const [id, text] of Object.entries(texts)) add(index, text, { id, session_id: id });
    expect(idsOf(index, { text: '🎉' })).toEqual(['party']);
    expect(idsOf(index, { text: token })).toEqual(['token']);
    expect(idsOf(index, { text: 'コーヒー' })).toEqual(['coffee']);
    expect(idsOf(index, { text: 'ビール' })).toEqual(['beer']);
    expect(idsOf(index, { text: '清华' })).toEqual(['university']);
    expect(idsOf(index, { text: '스마트폰' })).toEqual(['phone']);
  });

  it('the month and the day of a date in a text', () => {
    const index = new RecallIndex();
    const dated = add(index, 'released on 2026-01-09, not 2026-13-40', { session_id: 'a' });
    add(index, 'released', { session_id: 'b' });
    for (const text of ['January', '9 January', '9.1.2026', 'Was the 9th of January a Friday?'])
      expect(idsOf(index, { text }), text).toEqual([dated]);
  });

  it('what a person said whose name is a stopword', () => {
    const index = new RecallIndex();
    add(index, { speaker: 'Ann', message: 'hello' }, { session_id: 'a' });
    const his = add(index, { speaker: 'Will', message: 'hello' }, { session_id: 'b' });
    expect(idsOf(index, { text: 'Will' })).toEqual([his]);
    expect(idsOf(index, { text: 'Why did Will say hello?' })[0]).toBe(his);
    const named = search(index, { text: 'will hello', nowMs: NOW, policy, explain: true }).hits;
    expect(named.map(({ matchParts }) => matchParts?.author)).toEqual([0, 0]);
  });

  it('a short memory before a long one that repeats the words, and a tag before a mention', () => {
    const index = new RecallIndex();
    const words = Array.from({ length: 20_000 }, (_, i) => `${['wifi', 'password', 'office'][i % 3]} w${i}`);
    add(index, words.join(' '), { type: 'finding' });
    const short = add(index, 'The office wifi password is hunter2', { type: 'finding' });
    expect(idsOf(index, { text: 'office wifi password', sortBy: 'match' })[0]).toBe(short);
    const tagged = add(index, 'one', { session_id: 'c', tags: ['deploy'] });
    add(index, 'a deploy', { session_id: 'd', ...daysAgo(0) });
    expect(idsOf(index, { text: 'deploy', sortBy: 'match' })[0]).toBe(tagged);
  });
});

describe('references', () => {
  it('mean the memory of their own session, and of another only when it has none', () => {
    const index = new RecallIndex();
    for (const session_id of ['a', 'b']) {
      add(index, 'one', { id: 'one', session_id, references: session_id === 'b' ? ['two'] : [] });
      add(index, 'two', { id: 'two', session_id, ...daysAgo(session_id === 'a' ? 0 : 300) });
    }
    add(index, 'three', { id: 'three', session_id: 'c', references: ['one'] });
    const found = (request: Partial<SearchRequest>): string[] =>
      search(index, { nowMs: NOW, policy, ...request })
        .hits.map(({ sessionId, id }) => `${sessionId}/${id}`)
        .toSorted();
    expect(found({ references: ['one'], referencesFrom: 'a' })).toEqual(['c/three']);
    expect(found({ references: ['one'], referencesFrom: 'b' })).toEqual(['b/two', 'c/three']);
    expect(found({ references: ['three'], referencesFrom: 'a' })).toEqual(['a/one', 'b/one']);
    const related = resolveDecayPolicy({ related: { enabled: true, share: 1 } });
    const [old] = search(index, { nowMs: NOW, policy: related, sessions: ['b'], text: 'two' }).hits;
    expect(old?.decay).toBeLessThan(1);
  });
});

describe('pages', () => {
  it('go on where they stopped when memories were added in between', () => {
    const index = new RecallIndex();
    const ids = Array.from({ length: 30 }, (_, number) => add(index, 'garden', daysAgo(number)));
    const first = search(index, { text: 'garden', sortBy: 'time', nowMs: NOW, policy, limit: 10 });
    add(index, 'garden again', daysAgo(0.5));
    const request = { text: 'garden', sortBy: 'time' as const, nowMs: NOW + 1000, policy, limit: 10 };
    const second = search(index, { ...request, cursor: first.nextCursor! });
    const third = search(index, { ...request, cursor: second.nextCursor! });
    const seen = [first, second, third].flatMap(({ hits }) => hits.map(({ id }) => id));
    expect(seen).toEqual(ids);
  });

  it.each([
    ['relevance', 'rose garden'],
    ['match', 'rose garden'],
    ['time', 'rose garden'],
    ['importance', 'rose garden'],
    ['relevance', ''],
    ['time', ''],
    ['importance', ''],
  ] as const)(
    'by %s to %j give every memory once, whatever is added and removed in between',
    (sortBy, text) => {
      fc.assert(
        fc.property(fc.array(fc.nat(5), { minLength: 12, maxLength: 40 }), fc.nat(), (kinds, seed) => {
          const index = new RecallIndex();
          const texts = [
            'garden',
            'garden rose',
            'the rose in the garden',
            'rose',
            'a rose garden?',
            'garden garden',
          ];
          const there = new Set(kinds.map((kind, at) => add(index, texts[kind]!, daysAgo(at % 9))));
          const request = { text, sortBy, nowMs: NOW, policy, limit: 4 };
          const given: string[] = [];
          let cursor: string | undefined;
          for (let page = 0; ; page++) {
            const { hits, nextCursor } = search(index, { ...request, ...(cursor && { cursor }) });
            given.push(...hits.map(({ id }) => id));
            if (nextCursor === undefined) break;
            cursor = nextCursor;
            // Common words, rare words, new neighbours: all of it moves the scores of the others.
            if (page < 5) for (let n = 0; n < 5; n++) add(index, texts[(seed + n) % 6]!, daysAgo(n));
            const gone = [...there][(seed + page) % there.size]!;
            index.remove('sess_1', gone);
            there.delete(gone);
          }
          expect(new Set(given).size).toBe(given.length);
          expect([...there].filter((id) => !given.includes(id))).toEqual([]);
        }),
        { numRuns: 50 },
      );
    },
  );

  it.each(['time', 'importance', 'relevance'] as const)('of one moment give each once, by %s', (sortBy) => {
    const index = new RecallIndex();
    const ids = Array.from({ length: 5 }, () => add(index, 'garden'));
    const given: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const request = { sortBy, nowMs: NOW, policy, limit: 2, ...(cursor && { cursor }) };
      const { hits, nextCursor } = search(index, request);
      given.push(...hits.map(({ id }) => id));
      if (nextCursor === undefined) break;
      cursor = nextCursor;
    }
    expect(given).toEqual(ids.toReversed());
  });

  /** How many memories are given for such texts. */
  function distinct(texts: readonly string[]): number {
    const index = new RecallIndex();
    for (const text of texts) add(index, text);
    return idsOf(index, { text: texts.join(' ').replaceAll('"', ''), collapse: true, limit: 100 }).length;
  }

  it.each([
    [
      'I love green tea.',
      'I really love green tea!',
      'I love green tea so much',
      'i LOVE the green tea very much',
    ],
    ['The wifi is very slow', 'Wifi is so slow', 'the wifi is actually slow.'],
    ['So much!', 'so much'],
  ])('of texts that say the same give one: %s', (...texts) => {
    expect(distinct(texts)).toBe(1);
  });

  it.each([
    ['The choir rehearses on Mondays', 'The choir rehearses on Fridays', 'The choir rehearses on Monday'],
    ['I love green tea', 'I do not love green tea', "I don't love green tea", 'I never love green tea'],
    [
      'I love no green tea',
      'I love green tea',
      'I loved green tea',
      'You love green tea',
      'I love green tea?',
    ],
    ['I did not sleep', 'I did not sleep so much', 'I did not really sleep', 'I did not sleep very much'],
    ['The rent is 900', 'The rent is 980', 'The rent is $900', 'The rent is -900', 'The rent is 9.00'],
    ['It took 50% of the day', 'It took 50 of the day', 'It took 5 0 of the day'],
    ['Ada told Bob', 'Bob told Ada', 'Ada told Rob', 'Ada tells Bob'],
    ['From London to Paris', 'From Paris to London', 'London to Paris'],
    ['All tests pass', 'Some tests pass', 'Only tests pass', 'Tests pass'],
    ['Dentist on 5 May', 'Dentist on 6 May', 'Dentist on 5 June', 'Dentist on 2026-05-05'],
    ['We use C++', 'We use C', 'We use C#'],
    ['I have a cat', 'I have cats', 'I had a cat'],
    ['Das ist gut', 'Das ist nicht gut', 'Das ist nicht so gut'],
    ['So much', 'very much', 'really', 'So'],
    ['Great \u{1f44d}', 'Great \u{1f44e}', 'Great'],
  ])('of texts that may say different things give each: %s', (...texts) => {
    expect(distinct(texts)).toBe(texts.length);
  });

  it('of a time alone give one for all that say the same, and leave nothing out', () => {
    const index = new RecallIndex();
    const ids: string[] = [];
    for (const text of ['garden', 'roses', 'lake'])
      for (let copy = 0; copy < 5; copy++) ids.push(add(index, text, daysAgo(1.1 + ids.length / 100)));
    const asked = { text: 'What happened yesterday?', nowMs: NOW, policy, collapse: true, limit: 2 };
    const first = search(index, asked);
    const second = search(index, { ...asked, cursor: first.nextCursor! });
    const hits = [...first.hits, ...second.hits];
    expect(hits.map(({ id }) => id)).toEqual([ids[0], ids[5], ids[10]]);
    expect(hits.map(({ duplicates }) => duplicates)).toEqual([4, 4, 4]);
    expect(second.nextCursor).toBeUndefined();
  });

  it('go on behind a memory that is gone', () => {
    const index = new RecallIndex();
    const ids = Array.from({ length: 6 }, (_, number) => add(index, 'garden', daysAgo(number)));
    const first = search(index, { text: 'garden', sortBy: 'time', nowMs: NOW, policy, limit: 3 });
    index.remove('sess_1', ids[2]!);
    const second = search(index, {
      text: 'garden',
      sortBy: 'time',
      nowMs: NOW,
      policy,
      cursor: first.nextCursor!,
    });
    expect(second.hits.map(({ id }) => id)).toEqual(ids.slice(3));
  });

  it.each(['', 'garden', 'garden yesterday', 'What happened last week?'])(
    'are of the moment of the first, whenever the next is asked for: %j',
    (text) => {
      const index = new RecallIndex();
      for (let number = 0; number < 6; number++) {
        add(index, 'garden', { ...daysAgo(number), type: number % 2 === 0 ? 'decision' : 'conversation' });
      }
      const asked = { text, policy, explain: true };
      const whole = search(index, { ...asked, nowMs: NOW, limit: 4 });
      const first = search(index, { ...asked, nowMs: NOW, limit: 2 });
      const later = { nowMs: NOW + 40 * DAY, limit: 2, cursor: first.nextCursor! };
      expect([...first.hits, ...search(index, { ...asked, ...later }).hits]).toEqual(whole.hits);
    },
  );

  const asked: Partial<SearchRequest> = { text: 'garden', sessions: ['sess_1'], limit: 1 };
  it.each<Partial<SearchRequest>>([
    { text: 'gardens' },
    { sortBy: 'match' },
    { types: ['conversation'] },
    { tags: { exclude: ['x'] } },
    { startMs: 0 },
    { endMs: NOW },
    { minImportance: 0 },
    { references: ['mem_0'] },
    { referencesFrom: 'sess_1' },
    { maxDepth: 2 },
    { sessions: ['sess_1', 'sess_2'] },
    { authors: ['Ada'] },
    { agents: ['scout'] },
    { asOfMs: NOW },
    { timeZone: 'Asia/Tokyo' },
  ])('refuse the cursor of a query without %j', (other) => {
    const index = new RecallIndex();
    for (let number = 0; number < 3; number++) add(index, 'garden');
    const { nextCursor: cursor } = search(index, { nowMs: NOW, policy, ...asked });
    expect(idsOf(index, { ...asked, cursor: cursor! })).toHaveLength(1);
    expect(() => idsOf(index, { ...asked, ...other, cursor: cursor! })).toThrow(/another query/);
  });

  it('refuse a cursor of another query, and an invalid one', () => {
    const index = new RecallIndex();
    for (let number = 0; number < 3; number++) add(index, 'garden');
    const { nextCursor } = search(index, { text: 'garden', nowMs: NOW, policy, limit: 1 });
    expect(() => idsOf(index, { text: 'rose', cursor: nextCursor! })).toThrow(/another query/);
    for (const cursor of ['', 'x', '%', btoa('[]'), btoa('{"a":1}')]) {
      expect(() => idsOf(index, { text: 'garden', cursor })).toThrow(QueryError);
    }
  });
});

describe('bad input', () => {
  const index = new RecallIndex();
  const first = add(index, 'garden', { session_id: 'a' });
  const second = add(index, 'token', { session_id: 'b' });

  it('an empty query finds everything that passes the filter', () => {
    expect(idsOf(index, {}).toSorted()).toEqual([first, second].toSorted());
    expect(idsOf(index, { text: '  \n ' })).toHaveLength(2);
  });

  it('a text without a word finds nothing', () => {
    for (const text of ['…', '???', '-', '""', '*', '🎉', '"🎉"']) expect(idsOf(index, { text })).toEqual([]);
  });

  it('a limit of 0 gives nothing, a huge one everything, a wrong one an error', () => {
    expect(idsOf(index, { limit: 0 })).toEqual([]);
    expect(idsOf(index, { limit: 1e9 })).toHaveLength(2);
    for (const limit of [-1, 1.5, Number.NaN]) expect(() => idsOf(index, { limit })).toThrow(QueryError);
  });

  it('a query of ten thousand words is answered', () => {
    const text = Array.from({ length: 10_000 }, (_, number) => `word${number}`).join(' ');
    expect(idsOf(index, { text: `${text} token` })).toEqual([second]);
  });

  it('a text that is far too long is refused', () => {
    expect(() => idsOf(index, { text: 'word '.repeat(30_000) })).toThrow(/131072 are allowed/);
  });

  it('a phrase counts once however often it is said, and more than 32 are refused', () => {
    expect(readQueryText('"garden roses" '.repeat(5000)).phrases).toEqual([['garden', 'rose']]);
    const many = Array.from({ length: 33 }, (_, number) => `"garden ${number}"`).join(' ');
    expect(() => idsOf(index, { text: many })).toThrow(/33 phrases; 32 are allowed/);
  });

  it('a thousand wildcards are refused', () => {
    const many = Array.from({ length: 1000 }, (_, number) => `w${number}*`).join(' ');
    expect(() => idsOf(index, { text: many })).toThrow(QueryError);
  });

  it('unknown tags, sessions and ids, and reversed ranges, hold nothing', () => {
    expect(idsOf(index, { tags: { include: ['nothing'] } })).toEqual([]);
    expect(idsOf(index, { sessions: ['nowhere'] })).toEqual([]);
    expect(idsOf(index, { references: ['mem_nowhere'] })).toEqual([]);
    expect(idsOf(index, { startMs: NOW, endMs: NOW - DAY * 9 })).toEqual([]);
    expect(idsOf(index, { types: [] })).toEqual([]);
  });

  it('circles of references end', () => {
    const circle = new RecallIndex();
    add(circle, 'one', { id: 'one', references: ['two'] });
    add(circle, 'two', { id: 'two', references: ['three'] });
    add(circle, 'three', { id: 'three', references: ['one'] });
    expect(idsOf(circle, { references: ['one'], maxDepth: 9 }).toSorted()).toEqual(['three', 'two']);
    expect(idsOf(circle, { references: ['one', 'one'], maxDepth: 0 })).toEqual([]);
  });

  it('a memory that is gone still connects those that refer to it', () => {
    const around = new RecallIndex();
    add(around, 'left', { id: 'left', references: ['gone'] });
    add(around, 'right', { id: 'right', references: ['gone', 'right'] });
    expect(idsOf(around, { references: ['gone'] }).toSorted()).toEqual(['left', 'right']);
    expect(idsOf(around, { references: ['left'] })).toEqual([]);
    expect(idsOf(around, { references: ['left'], maxDepth: 2 })).toEqual(['right']);
  });
});

describe('passages', () => {
  /** Two texts of many passages, each with its title, and one of a single passage. */
  function build(sealAt: number): RecallIndex {
    const index = new RecallIndex();
    const texts: Record<string, readonly string[]> = {
      log: [...Array.from({ length: 30 }, (_, i) => `build log compiled file${i}`), 'build log walrus seen'],
      report: Array.from({ length: 9 }, (_, i) => `report of the build page${i}`),
      note: ['walrus and seal'],
    };
    let number = 0;
    for (const [session_id, passages] of Object.entries(texts)) {
      for (const passage of passages) {
        add(index, passage, { session_id, type: 'finding', ...{ passage: 'later' } });
        if (++number !== sealAt) continue;
        const bytes = index.sealTail();
        index.replaceTail({ size: bytes.length, read: (at, length) => bytes.subarray(at, at + length) });
      }
    }
    return index;
  }
  const textsOf = (index: RecallIndex, text: string): (readonly [string, number])[] =>
    search(index, { nowMs: NOW, policy, text, passages: true, limit: 5 }).hits.map(({ sessionId, match }) => [
      sessionId,
      Number(match.toFixed(2)),
    ]);

  it('of one text are found once, by the best, and a word is as rare as the texts that hold it', () => {
    for (const sealAt of [0, 1, 17, 31, 35, 41]) {
      const index = build(sealAt);
      expect(textsOf(index, 'walrus build')[0]).toEqual(['log', 1]);
      // One of three texts holds it, though most passages do.
      expect(textsOf(index, 'log')).toEqual([['log', 1]]);
      expect(textsOf(index, 'log zebra')[0]?.[1]).toBeGreaterThan(0.2);
      expect(textsOf(index, 'build').map(([text]) => text)).toEqual(['log', 'report']);
      expect(textsOf(index, 'finding')).toEqual([]);
    }
  });
});
