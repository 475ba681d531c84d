import fc from 'fast-check';

/** Texts and queries of everything that is read in a way of its own. */

const digits = (min: number, max: number): fc.Arbitrary<string> =>
  fc.array(fc.nat(9), { minLength: min, maxLength: max }).map((all) => all.join(''));

/** Numbers in all their notations. */
export const number = fc.oneof(
  digits(1, 13),
  fc.nat(99_999_999).map((value) => value.toLocaleString('en')),
  fc.nat(99_999_999).map((value) => value.toLocaleString('en').replaceAll(',', "'")),
  fc.tuple(fc.nat(9_999), digits(1, 4)).map(([whole, decimals]) => `${whole}.${decimals}`),
  fc
    .tuple(digits(1, 7), fc.constantFrom('', '.2', '.25', '.255', '.2555'))
    .map(([whole, more]) => `${whole}${more}k`),
  fc.nat(40).map((value) => `${value}${['th', 'st', 'nd', 'rd'][value % 10] ?? 'th'}`),
  fc.tuple(fc.nat(25), fc.nat(61)).map(([hours, minutes]) => `${hours}:${String(minutes).padStart(2, '0')}`),
  fc.tuple(fc.nat(25), fc.nat(61)).map(([hours, minutes]) => `${String(hours).padStart(2, '0')}.${minutes}`),
  fc
    .tuple(
      fc.array(digits(1, 6), { minLength: 2, maxLength: 6 }),
      fc.constantFrom(' ', '-', '.', ' - ', '..', '/', ':'),
    )
    .map(([groups, sign]) => groups.join(sign)),
  fc
    .tuple(digits(3, 3), digits(3, 3), digits(4, 4))
    .map(([area, first, last]) => `(${area}) ${first}-${last}`),
  fc.constantFrom(
    '2026-05-14',
    '14.5.2026',
    '5/14/2026',
    '05-14-2026',
    'v1.2.3',
    'v2',
    'V1.0',
    '1.2.3',
    '1990s',
    "1980's",
  ),
  fc.constantFrom(
    '5km',
    '2.5KM',
    "5'km",
    '10км',
    'iPhone15',
    'sha256',
    'B2B',
    '3f2a9bc',
    'x1',
    'h264',
    '10.30am',
    '5５',
  ),
);

const ENGLISH = [
  ...'garden Gardens planted token TOKENS authentication the The did We you talked I said mentioned can could please'.split(
    ' ',
  ),
  ...'tell suggest May march will Will log in data base set up back end over view is land as under take'.split(
    ' ',
  ),
  ...'login databases backends setup homework nodejs vuejs weekend timestamps colour colors organised built mice'.split(
    ' ',
  ),
  ...'US us IT WHO CAN NET .NET MRIs PDFs APIs OKs NASA per cent percent'.split(' '),
  ...'gardne tokem authentcation thier tommorow'.split(' '),
];
const CODE =
  'getUserName HTTPServer parseURLs userName2 oauth2Token isPublic LinkedIn PhD McDonald tShirtSize user_id __init__ größeWählen ЦветФона node.js @scope/name a/b/c e.g. and/or src/**/*.ts --dry-run snake_case_name https://example.com/a?b=c me@example.com C++ c# F# NotePad++ a#b C### 5++'.split(
    ' ',
  );
const OTHER_LANGUAGES =
  'Müller Mueller Straße größe Größe süßes Fußgänger Bjørn Århus Käse crème brûlée Åsé über wann ist der die das und mit war de la où est le la qui et il che non el que y los Łódź İstanbul naïve fiancée ΑΘΗΝΑ Москва Ёж ёлка שָׁלוֹם مُحَمَّد إجتماع'.split(
    ' ',
  );
const UNSPACED =
  '清华大学 清华大学读书 東京タワー 東京 コーヒー ｺｰﾋｰ 登った お寿司 커피를 대학교에서 ไทยดี 大 学 我喜欢咖啡 〇 ー'.split(
    ' ',
  );
const JOINED =
  "e-mail Wi-Fi take-home-test state-of-the-art well-known don't it's Mel’s O'Brien l'école dell'arte rock'n'roll qu'est-ce d'aujourd'hui L'Oréal's e-mail’s women's 'quoted' l'東京 a'🎉".split(
    ' ',
  );
const SIGNS = [
  ...'. , ; : ! ? … - -- _ / \\ @ # + ++ % & ( ) [ ] { } = ~ ’ \' $ © 🎉 ❤️ 👍🏽 * ** *** " “ ”'.split(' '),
  ' ',
  '\n',
  '\u00ad',
  '\u0301',
  '\u064e',
];

const long = fc.constantFrom(
  'x'.repeat(70),
  `getUser${'Name'.repeat(20)}`,
  `5${'x'.repeat(70)}`,
  '𐐀'.repeat(40),
  `ü${'y'.repeat(63)}`,
);

export const anyWord = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...ENGLISH) },
  { weight: 3, arbitrary: number },
  { weight: 2, arbitrary: fc.constantFrom(...CODE) },
  { weight: 2, arbitrary: fc.constantFrom(...OTHER_LANGUAGES) },
  fc.constantFrom(...UNSPACED),
  { weight: 2, arbitrary: fc.constantFrom(...JOINED) },
);

/** Pieces without anything between them, so that each meets each. */
export const joinedText = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: anyWord },
      { weight: 4, arbitrary: fc.constantFrom(...SIGNS) },
      { weight: 2, arbitrary: fc.constantFrom(' ', '"', '*', '-', '.', "'") },
      fc.string({ maxLength: 4 }),
      long,
    ),
    { maxLength: 14, size: 'max' },
  )
  .map((pieces) => pieces.join(''));

/** What is typed for one thing to look for. */
const queryPiece = fc.oneof(
  { weight: 8, arbitrary: anyWord },
  fc.array(anyWord, { minLength: 1, maxLength: 3 }).map((words) => `"${words.join(' ')}"`),
  fc.array(anyWord, { minLength: 1, maxLength: 3 }).map((words) => `“${words.join(' ')}”`),
  fc.tuple(anyWord, fc.constantFrom('*', '**', '*x', '')).map(([word, end]) => `${word}${end}`),
  anyWord.map((word) => `*${word}`),
  anyWord.map((word) => `**${word}**`),
  anyWord.map((word) => `*${word}*`),
  fc.tuple(anyWord, anyWord).map(([key, value]) => `{"${key}":"${value}"}`),
  fc.tuple(anyWord, anyWord).map(([key, value]) => `${key}="${value}"`),
  fc.tuple(anyWord, anyWord).map(([one, other]) => `["${one}","${other}"]`),
  fc.tuple(anyWord, anyWord).map(([one, other]) => `\\"${one}\\", ("${other}")`),
  fc.constantFrom(
    'can you please tell',
    'Did we talk about',
    'wann ist der',
    'où est la',
    '5"',
    "l'été",
    '3. 4',
    '50 %',
  ),
);

export const queryOfPieces = fc
  .tuple(
    fc.array(queryPiece, { maxLength: 10, size: 'max' }),
    fc.constantFrom(' ', ' ', ' ', ', ', '\n'),
    fc.constantFrom('', '?', '.', ' "'),
    fc.nat(19),
  )
  .map(([pieces, between, end, shout]) => {
    const text = pieces.join(between) + end;
    return shout === 0 ? text.toUpperCase() : shout === 1 ? text.toLowerCase() : text;
  });

const SYLLABLES = 'ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu'.split(' ');

/** Thousands of words that nobody takes for anything but words. @param number of one of 8,000 */
export function plainWord(number: number): string {
  const places = [number % 20, Math.floor(number / 20) % 20, Math.floor(number / 400) % 20];
  return `${places.map((place) => SYLLABLES[place]).join('')}m`;
}

/** One kind of thing, many times over. */
const manyOfAKind = fc.oneof(
  fc.constant(plainWord),
  fc.constant((number: number) => `${plainWord(number)}*`),
  fc.constant((number: number) => `*${plainWord(number)}`),
  fc.constant((number: number) => `"${plainWord(number)} ${plainWord(number + 1)}"`),
  fc.constant((number: number) => `"${plainWord(number)}" 555 ${1_000 + number}`),
  fc.constant((number: number) => `555-${1_000 + number}`),
  fc.constant((number: number) => `${10_000_000 + number}`),
  fc.constant((number: number) => `${plainWord(number)}.js`),
  fc.constant((number: number) => `**${plainWord(number)}**`),
  fc.constant((number: number) => `{"${plainWord(number)}":"${plainWord(number + 1)}"}`),
  fc.constant((number: number) => `${number % 24}:${10 + (number % 50)}`),
);

/** Queries as they are pasted: far more of everything than one may have. */
export const longQuery = fc
  .array(fc.tuple(manyOfAKind, fc.constantFrom(1, 20, 31, 32, 33, 40, 400), fc.nat(500)), {
    minLength: 1,
    maxLength: 3,
  })
  .map((kinds) =>
    kinds
      .flatMap(([write, count, from]) => Array.from({ length: count }, (_, number) => write(from + number)))
      .join(' '),
  );

const month = fc.constantFrom(
  ...'May may March mar Mar. November Nov nov. Dec Januar janvier mai Mai juin M\u00e4rz f\u00e9vrier decembre Mayor'.split(
    ' ',
  ),
);
const dayOfMonth = fc.oneof(
  { weight: 8, arbitrary: fc.nat(33).map(String) },
  fc.tuple(fc.nat(33), fc.constantFrom('st', 'th', 'er', '.', 'x')).map((parts) => parts.join('')),
  fc
    .tuple(fc.nat(33), fc.nat(13), fc.constantFrom('', '.', '.26', '.2026'))
    .map(([day, of, year]) => `${day}.${of}${year}`),
  fc
    .tuple(fc.integer({ min: 10, max: 33 }), fc.integer({ min: 10, max: 12 }))
    .map(([day, of]) => `2026-${of}-${day}`),
);
const betweenDays = fc.constantFrom(
  ...[
    '-',
    ' - ',
    '\u2013',
    ' \u2013',
    '- ',
    ' to ',
    ' TO the ',
    ' bis ',
    ' bis zum ',
    ' au ',
    ' until ',
    ' and ',
    ' und dem ',
    ' et le ',
    '/',
    '..',
    '\u00a0to\u00a0',
  ],
);

const plainDay = fc.integer({ min: 1, max: 31 }).map(String);
const joinedDays = fc.oneof(
  fc.tuple(plainDay, betweenDays, plainDay, fc.constantFrom(' ', '. '), month).map((parts) => parts.join('')),
  fc
    .tuple(plainDay, month, betweenDays, plainDay, month)
    .map(([one, first, join, two, last]) => `${one} ${first}${join}${two} ${last}`),
  fc.tuple(month, plainDay, betweenDays, plainDay).map(([of, one, join, two]) => `${of} ${one}${join}${two}`),
  fc
    .tuple(month, plainDay, betweenDays, month, plainDay)
    .map(([first, one, join, last, two]) => `${first} ${one}${join}${last} ${two}`),
  fc.tuple(dayOfMonth, betweenDays, dayOfMonth).map((parts) => parts.join('')),
);

/** Ranges of days, and what is like them. */
export const textOfRanges = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: joinedDays },
      dayOfMonth,
      month,
      betweenDays,
      fc.constantFrom(' ', ', ', '\u00a0', ' of ', ' de ', ' the '),
      fc.constantFrom(' 2026', ', 2027', ' 20261', ' 10:30', '%', '.', '-2026'),
      fc.constantFrom(
        ...[
          'moved from ',
          ' postponed. From ',
          ' verschoben vom ',
          ' km',
          ' people',
          ' pm',
          ' in',
          ' trip',
          'vom ',
          'between ',
          'zwischen dem ',
          'entre le ',
          'from ',
          'page ',
          'Sprint ',
          'am, ',
          'no. ',
          'A',
        ],
      ),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((pieces) => pieces.join(''));

/** Numbers of days without their months, and what is like them. */
export const textOfNumbers = fc
  .array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          'on the 18th',
          'by the 1ST',
          'Am 18.',
          'bis zum 2.',
          'le 18',
          'du 31',
          'I am 18.',
        ),
      },
      fc.constantFrom(...'on by until On the am Am bis zum vom ab dem i I le Au du bist spoon'.split(' ')),
      fc.constantFrom('on the', 'by the', 'bis zum', 'am', 'le', 'du', 'I am', 'bist du', '10 am'),
      fc.constantFrom(
        '1',
        '18',
        '31',
        '32',
        '0',
        '08',
        '1st',
        '18TH',
        '22nd',
        '18.',
        '2.',
        '18,',
        '2.5.',
        '18h',
        '185',
      ),
      fc.constantFrom(
        ...'floor Tag kommt of and und et we I i\u2019m it \u00e0 pour November november mai - ( at, in'.split(
          ' ',
        ),
      ),
    ),
    { minLength: 2, maxLength: 8 },
  )
  .map((pieces) => pieces.join(' '));
