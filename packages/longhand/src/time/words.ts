/**
 * The words for time, with what they mean.
 *
 * English, German and French words share their meanings, so that there is one grammar (`grammar.ts`). Words are folded: small
 * letters, no accents. `_` stands between the words of a phrase. `*` stands after a word that often means something else ("may",
 * "sun"): it is a time only after a word that places it, or beside a number.
 */

import { DAY, HOUR, MINUTE, SECOND, type Unit, WEEK } from './calendar.ts';

const inMs = (ms: number): Unit => ({ months: 0, ms });
const inMonths = (months: number): Unit => ({ months, ms: 0 });

export const UNITS = {
  second: inMs(SECOND),
  minute: inMs(MINUTE),
  hour: inMs(HOUR),
  day: inMs(DAY),
  week: inMs(WEEK),
  month: inMonths(1),
  quarter: inMonths(3),
  year: inMonths(12),
} satisfies Readonly<Record<string, Unit>>;
export type UnitName = keyof typeof UNITS;

export type Step = 'last' | 'this' | 'coming' | 'next';
export const STEPS: Readonly<Record<Step, number>> = { last: -1, this: 0, coming: 1, next: 1 };
/** On which side of what it names a time lies; `from` and `through` take that in. */
export type Edge = 'from' | 'after' | 'before' | 'through';

/**
 * What a word or phrase can mean. Some mean several things: a "second" is an ordinal and a unit. Weekdays count from Monday and
 * months from January, both from 0.
 */
export interface Meaning {
  /** Days from today. */
  readonly day?: number;
  readonly weekday?: number;
  /** "Mondays"; and as a word of its own, "every". */
  readonly isEvery?: true;
  /** The weekdays of "weekdays", from and to. */
  readonly weekly?: readonly [first: number, last: number];
  readonly month?: number;
  /** The month in which a season of three begins. */
  readonly season?: number;
  readonly holiday?: readonly [month: number, day: number];
  /** Months of the parts of a year that have a letter and a number: "Q1", "H2". */
  readonly yearPart?: number;
  readonly isWeekend?: true;
  /** Hours of a day, from and to; a night belongs to the day on which it begins. Of "tonight" also the day, as above. */
  readonly part?: readonly [from: number, to: number];
  readonly partOf?: number;
  readonly unit?: UnitName;
  /** A unit that must touch its number: "24h". */
  readonly short?: UnitName;
  readonly number?: number;
  readonly isVague?: true;
  readonly ordinal?: number;
  readonly step?: Step;
  /** A step that stands behind its noun: "la semaine dernière". */
  readonly isBehind?: true;
  /** Makes a distance from now of a length, behind it ("ago") or before it ("vor", "in"). */
  readonly distance?: 'ago' | 'ahead' | 'agoBefore' | 'aheadBefore' | 'withinBefore';
  readonly edge?: Edge;
  readonly age?: 'beyond' | 'inside';
  readonly join?: 'to' | 'and';
  readonly isBetween?: true;
  /** Says that a time follows: a day, something longer, or either. */
  readonly place?: 'day' | 'month' | 'any';
  readonly isThe?: true;
  readonly isOf?: true;
  readonly isRecent?: true;
  /** Means a part of what follows: "late". */
  readonly isPartly?: true;
  /** No noun: behind "on the 18th" it leaves that a day. */
  readonly isFollower?: true;
  /** The letters of "18th". */
  readonly isSuffix?: true;
  /** Mostly means something else. */
  readonly isDoubtful?: true;
}

const rows: [words: string, meaning: Meaning][] = [
  ["today heute aujourd'hui", { day: 0 }],
  ['yesterday gestern', { day: -1 }],
  ['hier', { day: -1, isDoubtful: true }],
  ['tomorrow tmrw demain', { day: 1 }],
  ['morgen', { day: 1, part: [4, 12], isDoubtful: true }],
  ['day_before_yesterday vorgestern avant-hier', { day: -2 }],
  ['day_after_tomorrow ubermorgen uebermorgen apres-demain', { day: 2 }],
  ['tonight', { part: [18, 30], partOf: 0 }],
  ['last_night', { part: [18, 30], partOf: -1 }],
  ['morning matin vormittag', { part: [4, 12] }],
  ['afternoon nachmittag apres-midi', { part: [12, 18] }],
  ['evening abend soir', { part: [17, 24] }],
  ['night nacht nuit', { part: [18, 30] }],

  ['weekend wochenende week-end', { isWeekend: true }],
  ['weekdays werktags', { weekly: [0, 4], isEvery: true }],
  ['weekday werktag', { weekly: [0, 4] }],
  ['weekends', { weekly: [5, 6], isEvery: true }],
  ['every each jeden jeder jedes chaque tous_les toutes_les', { isEvery: true, place: 'any' }],

  ['spring*', { season: 2 }],
  ['summer*', { season: 5 }],
  ['autumn* fall*', { season: 8 }],
  ['winter*', { season: 11 }],
  ['christmas_eve xmas_eve heiligabend', { holiday: [11, 24] }],
  ['christmas christmas_day xmas weihnachten noel', { holiday: [11, 25] }],
  ['boxing_day', { holiday: [11, 26] }],
  ["new_year's_eve new_years_eve silvester", { holiday: [11, 31] }],
  ["new_year's_day new_years_day neujahr", { holiday: [0, 1] }],
  ["valentine's_day valentines_day valentinstag", { holiday: [1, 14] }],
  ['halloween', { holiday: [9, 31] }],

  ['second seconds sec secs', { unit: 'second' }],
  ['minute minutes min mins minuten', { unit: 'minute' }],
  ['hour hours hr hrs stunde stunden heure heures', { unit: 'hour' }],
  ['day days tag tage tagen jour jours', { unit: 'day' }],
  ['week weeks wk wks woche wochen semaine semaines', { unit: 'week' }],
  ['month months monat monate monaten monats mois', { unit: 'month' }],
  ['quarter quarters quartal trimestre', { unit: 'quarter' }],
  ['year years yr yrs jahr jahre jahren annee annees ans', { unit: 'year' }],
  ['s', { short: 'second' }],
  // As in ISO 8601 times: a month is `mo`.
  ['m', { short: 'minute' }],
  ['h', { short: 'hour', yearPart: 6, isDoubtful: true }],
  ['q', { yearPart: 3 }],
  ['d', { short: 'day' }],
  ['w', { short: 'week' }],
  ['mo', { short: 'month' }],
  ['y', { short: 'year' }],

  ['half', { number: 0.5 }],
  ['couple', { number: 2, isVague: true }],
  ['few einigen quelques', { number: 3, isVague: true }],
  ['several mehreren plusieurs', { number: 4, isVague: true }],

  [
    'last past previous letzte letzten letzter letztes letztem vorige vorigen vergangene vergangenen',
    { step: 'last' },
  ],
  ['dernier derniere derniers dernieres passe passee', { step: 'last', isBehind: true }],
  ['this current diese diesen dieser dieses diesem cette ce cet', { step: 'this' }],
  ['coming upcoming kommende kommenden kommender kommendes', { step: 'coming' }],
  ['next nachste nachsten nachster nachstes naechste naechsten naechster naechstes', { step: 'next' }],
  ['prochain prochaine prochains prochaines', { step: 'next', isBehind: true }],
  ['recently lately', { isRecent: true }],

  ['ago back', { distance: 'ago' }],
  ['from_now', { distance: 'ahead' }],
  ['vor il_y_a', { distance: 'agoBefore' }],
  ['in dans', { distance: 'aheadBefore', place: 'month' }],
  ['within innerhalb_von innerhalb', { distance: 'withinBefore', place: 'any' }],
  ['since seit depuis starting', { edge: 'from', place: 'any' }],
  ['after nach apres later_than', { edge: 'after', place: 'any' }],
  ['before until till prior_to avant', { edge: 'before', place: 'any' }],
  ['up_to up_until through by', { edge: 'through', place: 'any' }],
  ['older_than more_than over longer_than at_least', { age: 'beyond' }],
  ['newer_than less_than at_most no_older_than', { age: 'inside' }],
  ["to bis au - jusqu'au", { join: 'to' }],
  ['and und et', { join: 'and', isFollower: true }],
  ['between zwischen entre', { isBetween: true, place: 'any' }],
  ['from vom', { isBetween: true, place: 'any' }],
  ['on for at am zum', { place: 'day', isFollower: true }],
  ['le', { place: 'day' }],
  ['early mid late beginning_of start_of middle_of end_of', { isPartly: true, place: 'month' }],
  ['during throughout im en', { place: 'month' }],
  ['around about circa roughly', { place: 'month' }],
  ['of de du', { place: 'month', isOf: true }],
  ["the den dem die der les la l'", { isThe: true }],
  [
    'with we i he she they it you there is was will because but so or um pour avec nous je il elle kommt ist',
    { isFollower: true },
  ],
  ['st nd rd th er', { isSuffix: true }],
];

/** Names in their order; `/` stands between names of the same. */
const inOrder = (names: string, first: number, meaningOf: (place: number) => Meaning): void => {
  for (const [at, same] of names.split(/\s+/).entries())
    rows.push([same.replaceAll('/', ' '), meaningOf(at + first)]);
};

const WEEKDAYS = `monday/mon*/montag/lundi tuesday/tue/tues/dienstag/mardi wednesday/wed*/mittwoch/mercredi
  thursday/thu/thurs/donnerstag/jeudi friday/fri/freitag/vendredi saturday/sat*/samstag/sonnabend/samedi
  sunday/sun*/sonntag/dimanche`;
inOrder(WEEKDAYS, 0, (weekday) => ({ weekday }));
inOrder(
  `january/jan*/januar/janner/jaenner/janvier february/feb/februar/fevrier march*/mar*/marz/maerz/mars*
  april*/apr*/avril may*/mai* june*/jun*/juni/juin july/jul*/juli/juillet august*/aug*/aout september/sep*/sept/septembre
  october/oct/oktober/octobre november/nov/novembre december/dec*/dezember/decembre`,
  0,
  (month) => ({ month }),
);
inOrder(
  `a/an/one/ein/eine/einem/einer/einen/un/une two/zwei/deux three/drei/trois four/vier/quatre five/funf/fuenf/cinq six/sechs
  seven/sieben eight/acht/huit nine/neun/neuf ten/zehn/dix eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
  nineteen twenty`,
  1,
  (number) => ({ number }),
);
for (const [at, name] of ['thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'].entries())
  rows.push([name, { number: 10 * (at + 3) }]);
inOrder(
  `first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
  sixteenth seventeenth eighteenth nineteenth twentieth`,
  1,
  (ordinal) => ({ ordinal }),
);
rows.push(['thirtieth', { ordinal: 30 }]);

/** Word or phrase → what it means. */
export const WORDS = new Map<string, Meaning>();

for (const [names, meaning] of rows) {
  for (const name of names.split(' ')) {
    const word = name.replaceAll('_', ' ').replace('*', '');
    const doubt = name.endsWith('*') ? { isDoubtful: true as const } : {};
    WORDS.set(word, { ...WORDS.get(word), ...meaning, ...doubt });
    // "Mondays", "montags", "lundis".
    if (meaning.weekday !== undefined && word.length > 4)
      WORDS.set(`${word}s`, { ...meaning, isEvery: true });
  }
}
