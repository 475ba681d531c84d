import fc from 'fast-check';
import type { DecayConfig } from '../src/core/decay-config.ts';
import {
  type DecayOverride,
  type JsonObject,
  type JsonValue,
  MEMORY_TYPES,
  type MemoryType,
} from '../src/core/records.ts';
import { MemoryUses } from '../src/recall/index/memory-uses.ts';
import { resolveDecayPolicy } from '../src/recall/ranking/decay.ts';
import type { SessionSearchRequest } from '../src/recall/ranking/search-sessions.ts';
import { calendarOf, parseWithin } from '../src/time/index.ts';
import type { Document } from './naive/naive-document.ts';
import type { ModelRequest } from './search-model.ts';

/** Memories and questions of few words, so that they meet. */

export const NOW = Date.UTC(2026, 5, 1);
export const policy = resolveDecayPolicy();

export const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/**
 * Far east and far west of UTC, with half and quarter hours, with clocks that change at night, at midnight and by half an hour,
 * some of them within the days that memories are of.
 */
export const ZONES = [
  'UTC',
  'Pacific/Kiritimati',
  'Etc/GMT+12',
  'America/Los_Angeles',
  'America/St_Johns',
  'Europe/Berlin',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Auckland',
];
export const timeZone = fc.constantFrom(undefined, ...ZONES);

/** The moment of asking: mostly behind all memories, and now and then among them, around midnight or where clocks change. */
export const moment = fc.oneof(
  { weight: 5, arbitrary: fc.constant(NOW) },
  fc
    .constantFrom(
      ...['2026-06-01T09:59:59.999Z', '2026-05-31T18:15Z', '2026-03-28T22:30Z', '2026-03-29T01:00Z'],
      ...['2026-03-08T10:30:07.125Z', '2026-04-04T15:10Z', '2026-04-26T12:00Z', '2026-01-01T00:15Z'],
    )
    .map((text) => Date.parse(text)),
);

const VOCABULARY = [
  ...'garden gardens planted planting roses token tokens authentication authorize lake go Took camping'.split(
    ' ',
  ),
  ...'the and did you us built build user email woman colour color organised organize mri MRIs US'.split(' '),
  ...'May march Ingrid berg Will Müller Mueller muller Größe groesse café école 5 km 5km 1990s 2026'.split(
    ' ',
  ),
  ...'10,000 1.2k 1200 1.200 50% percent v1.2.3 1.2.3 2nd C++ c C# node.js nodejs Player2 Fußgänger'.split(
    ' ',
  ),
  ...'gardenToken gardentoken AUTHRoses2 garden-token getUserName user_id e-mail a/b me@example.com'.split(
    ' ',
  ),
  ...'コーヒー 清华大学 大学 東京 東京タワー 커피를 ไทยดี Москва 🎉'.split(' '),
  ..."l'école women's don't a'🎉 so much really not $5 -5 50% F# C++17".split(' '),
  ...['tomorrow', 'tonight', 'last night', 'next Monday', 'every Tuesday', 'Tuesday the 2nd', 'this weekend'],
  ...['next week', 'in two weeks', '2 June', 'June 9', '2026-06-02', '2026-01-10', '14. Mai', 'March 5'],
  ...['5 March 2026', '5.3.26', 'am 05.03.', 'Dezember', '9:00'],
  'x'.repeat(70),
];
const AUTHORS = ['Ingrid', 'Olaf Berg', 'Will', 'user', 'Player2', 'Jörg Müller', 'May'];
/** Of a turn: who speaks, where no name says it. */
const ROLES = ['user', 'assistant', 'Olaf Berg'];
const TAGS = ['security', 'security.tokens', 'Garden', 'deprecated', 'Straße.ΟΔΟΣ', 'café'];
/** The same in other letters, what lies above and under them, and what only begins like them. */
const ASKED_TAGS = [
  'SECURITY',
  'Security.Tokens',
  'secur',
  'garden',
  'garden.roses',
  'STRAßE',
  'strasse',
  'straße.οδος',
  'cafe\u0301',
  'cafe',
  '.',
];

const word = fc.constantFrom(...VOCABULARY);
const sentence = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 6 }), fc.constantFrom('.', '?', ''))
  .map(([words, end]) => words.join(' ') + end);
const message = fc.array(sentence, { minLength: 1, maxLength: 2 }).map((sentences) => sentences.join(' '));

/** What a content may hold beside its text: keys that say something, and such that do not. */
const value = fc.letrec<{ value: JsonValue; list: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<JsonValue>(
      '',
      null,
      true,
      false,
      5,
      1200,
      'on 2026-01-10 and 2026-03-02',
      'Why the lake?',
    ),
    message,
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 3 }),
  object: fc.dictionary(
    fc.constantFrom('favourite_colour', 'isGarden', 'title', 'Notes', 'rows'),
    tie('value'),
    {
      maxKeys: 3,
      noNullPrototype: true,
    },
  ),
}));
const fields = value.object;

/** Some of them again and again: a range that ends where a memory stands holds it. */
const daysOfAge = fc.oneof(fc.constantFrom(0, 1, 8, 40, 90), fc.nat(200));

export const draft = fc.record({
  session: fc.nat(3),
  type: fc.oneof(
    { weight: 3, arbitrary: fc.constant<MemoryType>('conversation') },
    fc.constantFrom(...MEMORY_TYPES),
  ),
  message,
  author: fc.option(fc.constantFrom(...AUTHORS), { nil: undefined }),
  role: fc.option(fc.constantFrom(...ROLES), { nil: undefined }),
  // Mostly of full days, so that some are equally old; others around midnight somewhere.
  ageMs: fc
    .tuple(daysOfAge, fc.constantFrom(0, 0, 0, 0, 1, 210, 345, 600, 660, 780, 1_095, 1_439))
    .map(([days, minutes]) => days * DAY_MS + minutes * MINUTE_MS),
  importance: fc.constantFrom(0, 0.1, 0.5, 0.7, 1),
  /** Says the same as an earlier one, now and then. */
  copyOf: fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, fc.nat(20)),
  // Longer than what counts as long, now and then.
  times: fc.constantFrom(...Array.from({ length: 30 }, () => 1), 150),
  tags: fc.uniqueArray(fc.constantFrom(...TAGS), { maxLength: 2 }),
  references: fc.uniqueArray(fc.nat(14), { maxLength: 2 }),
  agent: fc.option(fc.constantFrom('planner', 'writer'), { nil: undefined }),
  more: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, fields),
});

type Draft = typeof draft extends fc.Arbitrary<infer Value> ? Value : never;

export function documentsOf(
  drawn: fc.Arbitrary<Draft>,
  minLength: number,
  maxLength: number,
): fc.Arbitrary<Document[]> {
  // Without a size fast-check draws ten at most, whatever length is allowed.
  return fc.array(drawn, { minLength, maxLength, size: 'max' }).map((drafts) => {
    const inSession = new Map<number, number>();
    return drafts.map((drawn, number) => {
      const { session, ageMs, agent, references, importance, copyOf } = drawn;
      const said = drafts[copyOf === undefined ? number : copyOf % (number + 1)]!;
      const { message: text, times, author, role, more, type, tags } = said;
      // Ids are unique in their session only: every session has a mem_0.
      const count = inSession.get(session) ?? 0;
      inSession.set(session, count + 1);
      const message = Array.from({ length: times }, () => text).join(' ');
      return {
        order: number + 1,
        entry: {
          schema_version: 1,
          id: `mem_${count}`,
          session_id: `sess_${session}`,
          timestamp: new Date(NOW - ageMs).toISOString(),
          type,
          content: { message, ...(author ? { speaker: author } : {}), ...(role ? { role } : {}), ...more },
          importance,
          decay_factor: 1,
          tags,
          references: references.map((target) => `mem_${target}`),
          provenance: { author: 'user', trust: 'owner', ...(agent ? { agent_id: agent } : {}) },
        },
      };
    });
  });
}

export const documents = documentsOf(draft, 0, 25);
/** More of them match than are compared in full. */
export const manyDocuments = documentsOf(draft, 80, 120);

/** Near to several words, to one that is written in two ways, to a stopword, to none. */
const mistyped = fc.constantFrom(
  ...'gardne tokem toke plantign plantng camqing authentcation authentictoin authrise colur orgnised'.split(
    ' ',
  ),
  ...'rosse lakke rosxes rosses buildd emial thhe Ingird gradentoken rosestoken zzzz'.split(' '),
);

/** Queries of some pieces: mostly few, and now and then more than an ideal text holds. */
export function queriesOf(piece: fc.Arbitrary<string>, maxLength: number): fc.Arbitrary<string> {
  return fc.array(piece, { maxLength, size: 'small' }).map((pieces) => pieces.join(' '));
}

export const queryText = queriesOf(
  fc.oneof(
    { weight: 6, arbitrary: word },
    fc.constantFrom(
      ...[
        'garden*',
        'auth*',
        '*token',
        'pl*ing',
        "Ingrid's",
        "ingrid's",
        'ingrid@lake.example',
        'will',
        'berg',
      ],
      ...[
        'how old is',
        'which day',
        'last week',
        'unheard of last month',
        'war gestern',
        'tomorrow',
        'next week',
      ],
      ...[
        'on Friday',
        'on Fridays',
        'what is on Monday',
        'do I have on',
        'before Tuesday',
        'three months ago',
      ],
      ...[
        'last quarter',
        'on the first of May',
        'at Christmas',
        'last May',
        'in early January',
        '14 May',
        'on 5/6',
      ],
      ...['5/14/2026', '14.05.2026', '2026-05-14', 'am 14. Mai', 'recently', 'on 10 January', '2026-01-10'],
      ...[
        'may I',
        '10',
        'marching',
        'happened',
        'we built',
        'wann ist der',
        'when did',
        'what day',
        'die und das',
      ],
      ...[
        'did we mention',
        'What did Ingrid say',
        'tell me about Ingrid',
        'who is Ingrid',
        'was sagt Ingrid',
      ],
      ...['what did Will tell Ingrid', 'said so far', '**roses**'],
      '{"garden":"token"}',
    ),
    fc.tuple(word, word).map(([first, second]) => `"${first} ${second}"`),
    mistyped,
    mistyped.map((typed) => `"${typed}"`),
  ),
  9,
);

/** What may narrow a search. */
export const CONDITIONS = {
  sortBy: fc.constantFrom('relevance' as const, 'match' as const, 'time' as const, 'importance' as const),
  types: fc.uniqueArray(fc.constantFrom(...MEMORY_TYPES), { minLength: 1, maxLength: 2 }),
  tags: fc.record(
    {
      include: fc.uniqueArray(fc.constantFrom(...TAGS, ...ASKED_TAGS, 'unknown'), { maxLength: 2 }),
      exclude: fc.uniqueArray(fc.constantFrom(...TAGS, ...ASKED_TAGS), { maxLength: 2 }),
      mode: fc.constantFrom('all' as const, 'any' as const),
      exact: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
  startMs: daysOfAge.map((days) => NOW - days * DAY_MS),
  endMs: daysOfAge.map((days) => NOW - days * DAY_MS),
  minImportance: fc.constantFrom(0.5, 0.7),
  minMatch: fc.constantFrom(0.1, 0.4, 0.8, 1),
  collapse: fc.boolean(),
  references: fc.uniqueArray(
    fc.nat(14).map((target) => `mem_${target}`),
    { minLength: 1, maxLength: 2 },
  ),
  sessions: fc.uniqueArray(fc.constantFrom('sess_0', 'sess_1', 'sess_9'), { maxLength: 2 }),
  referencesFrom: fc.constantFrom('sess_0', 'sess_9'),
  authors: fc.uniqueArray(fc.constantFrom('ingrid', 'Olaf Berg', 'absent'), { minLength: 1, maxLength: 2 }),
  agents: fc.uniqueArray(fc.constantFrom('planner', 'writer', 'absent'), { minLength: 1, maxLength: 2 }),
  within: fc.constantFrom('last week', 'last 60 days', 'since 2026-03-01', 'last quarter', 'late April'),
  decay: fc.constantFrom<DecayConfig>(
    { reinforcement: { enabled: true } },
    { reinforcement: { enabled: true, max_half_life_multiplier: 10 } },
    { related: { enabled: true } },
    { min_decay_factor: 0, related: { enabled: true, share: 1 } },
    { reinforcement: { enabled: true }, related: { enabled: true, share: 0.25 } },
    { enabled: false },
    { min_decay_factor: 0.4, type_specific: { finding: { decay_enabled: false } } },
    { type_specific: { conversation: { half_life_hours: 1_000 }, preference: { half_life_hours: 48 } } },
    { type_specific: { preference: { decay_enabled: true } } },
  ),
  overrides: fc
    .constantFrom<DecayOverride>(
      { enabled: false },
      { enabled: true },
      { half_life_hours: 10 },
      { half_life_hours: 2_000, min_decay_factor: 0 },
    )
    .map((override) => new Map([['sess_0', override]])),
  usesOfSession: fc
    .array(
      fc.record({
        id: fc.nat(9),
        hours: fc.oneof(fc.nat(24), fc.nat(400)),
        accessCount: fc.integer({ min: 1, max: 40 }),
      }),
      {
        maxLength: 6,
      },
    )
    .map((uses) => {
      const used = uses.map(
        ({ id, hours, accessCount }) =>
          [`mem_${id}`, { lastAccessMs: NOW - hours * 3_600_000, accessCount }] as const,
      );
      return new Map([
        ['sess_0', new MemoryUses(used)],
        ['sess_1', new MemoryUses(used.slice(1))],
      ]);
    }),
};

type Conditions = {
  [Key in keyof typeof CONDITIONS]: (typeof CONDITIONS)[Key] extends fc.Arbitrary<infer Value>
    ? Value
    : never;
};

/** A search with some conditions, a moment and a place. */
function requestOf(
  { within, ...conditions }: Partial<Conditions>,
  text: string,
  nowMs: number,
  zone: string | undefined,
): ModelRequest {
  const { decay, overrides = new Map() } = conditions;
  const parsed = within === undefined ? undefined : parseWithin(within, nowMs, calendarOf(zone));
  return {
    nowMs,
    text,
    ...(zone === undefined ? {} : { timeZone: zone }),
    ...conditions,
    policy: decay === undefined ? policy : resolveDecayPolicy(decay),
    policyOfSession: new Map(
      [...overrides].map(([session, override]) => [session, resolveDecayPolicy(decay, override)]),
    ),
    ...(parsed?.ok ? parsed.range : {}),
  };
}

// A few conditions at a time: with all of them nothing is left to compare.
const FEW_CONDITIONS = fc.subarray(Object.keys(CONDITIONS), { maxLength: 3 });

export function requestsOf(texts: fc.Arbitrary<string>, keys = FEW_CONDITIONS): fc.Arbitrary<ModelRequest> {
  return fc
    .tuple(
      keys,
      fc.record(CONDITIONS),
      texts,
      fc.tuple(moment, timeZone),
      fc.nat(3),
      fc.constantFrom(1, 3, 10, 1_000),
    )
    .map(([kept, conditions, text, [nowMs, zone], maxDepth, limit]) => {
      const some = Object.fromEntries(Object.entries(conditions).filter(([key]) => kept.includes(key)));
      return { ...requestOf(some, text, nowMs, zone), maxDepth, limit };
    });
}

export const request = requestsOf(queryText);

/** Nothing but what narrows, and how memories were used: no word decides. */
export const listRequest = requestsOf(
  fc.constant(''),
  FEW_CONDITIONS.map((some) => [...some, 'usesOfSession']),
);

/** What memories are, how they fade and how they were used, all at once. */
export const combinedRequest = requestsOf(
  fc.oneof(fc.constant(''), queryText),
  fc.subarray(['types', 'tags']).map((some) => [...some, 'decay', 'overrides', 'usesOfSession']),
);

const PERSONS =
  "I I'm I've I'd I'll me my mine myself we our us you you're you've you'd you'll your yours".split(' ');

type SessionRequest = SessionSearchRequest & { readonly limit: number };

/** What may be asked of sessions: those who speak, and the times and sides that a question names, decide there. */
export const sessionRequestsOf = (requests: fc.Arbitrary<ModelRequest>): fc.Arbitrary<SessionRequest> =>
  fc
    .tuple(
      requests,
      fc.oneof(
        fc.constantFrom('', 'what have you told me of ', 'can you tell me ', 'Could you please find '),
        fc.constantFrom(...PERSONS).map((person) => `${person} `),
      ),
      fc.constantFrom(
        '',
        '',
        ' two months ago',
        ' last week',
        ' in March',
        ' on 10 January 2026 or last week',
      ),
    )
    .map(([{ sortBy: _, text = '', policy: __, limit = 1, ...asked }, start, end]) => ({
      ...asked,
      text: start + text + end,
      limit,
    }));

export const sessionRequest = sessionRequestsOf(request);
