/** Words of time in German and French, with and without their accents, and what they are in English. */

const rows: Readonly<Record<string, string>> = {
  today: 'heute',
  yesterday: 'gestern hier',
  'day before yesterday': 'vorgestern',
  'day before': 'avant',
  tomorrow: 'demain',
  'day after tomorrow': '\u00fcbermorgen ubermorgen uebermorgen',
  morning: 'morgen matin',
  afternoon: 'nachmittag',
  evening: 'abend soir',
  night: 'nacht nuit',
  last: 'letzte letzten letzter letztes letztem vorige vorigen vergangene vergangenen dernier derni\u00e8re derniere derniers derni\u00e8res dernieres pass\u00e9 pass\u00e9e passe passee',
  next: 'n\u00e4chste n\u00e4chsten n\u00e4chster n\u00e4chstes naechste naechsten naechster naechstes nachste nachsten nachster nachstes prochain prochaine prochains prochaines',
  coming: 'kommende kommenden kommender kommendes',
  this: 'diese diesen dieser dieses diesem cette ce cet',
  hour: 'stunde stunden heure heures',
  day: 'tag tage tagen jour jours',
  week: 'woche wochen semaine semaines',
  weekend: 'wochenende',
  month: 'monat monate monaten mois',
  quarter: 'quartal trimestre',
  year: 'jahr jahre jahren ann\u00e9e ann\u00e9es annee annees ans',
  a: 'ein eine einem einer einen un une',
  two: 'zwei deux',
  three: 'drei trois',
  four: 'vier quatre',
  five: 'f\u00fcnf funf fuenf cinq',
  six: 'sechs',
  seven: 'sieben sept',
  eight: 'acht huit',
  nine: 'neun neuf',
  ten: 'zehn dix',
  monday: 'montag lundi',
  tuesday: 'dienstag mardi',
  wednesday: 'mittwoch mercredi',
  thursday: 'donnerstag jeudi',
  friday: 'freitag vendredi',
  saturday: 'samstag sonnabend samedi',
  sunday: 'sonntag dimanche',
  january: 'januar j\u00e4nner jaenner janner janvier',
  february: 'februar f\u00e9vrier fevrier',
  march: 'm\u00e4rz marz maerz mars',
  april: 'avril',
  may: 'mai',
  june: 'juni juin',
  july: 'juli juillet',
  august: 'ao\u00fbt aout',
  october: 'oktober octobre',
  september: 'septembre',
  november: 'novembre',
  december: 'dezember d\u00e9cembre decembre',
};

export const GLOSSARY: ReadonlyMap<string, string> = new Map(
  Object.entries(rows).flatMap(([english, words]) =>
    words.split(' ').map((word) => [word, english] as const),
  ),
);

const FOLLOWERS = new Set(
  'morning afternoon evening night last a two three four five six seven eight nine ten hour'.split(' '),
);

/** Those that a time can begin with, and the words before distances. */
export const FOREIGN_FIRST_WORDS: readonly string[] = [
  ...[...GLOSSARY]
    .filter(([word, english]) => !FOLLOWERS.has(english) || /^(?:letzt|vorig|vergang)/.test(word))
    .map(([word]) => word),
  'aujourd',
  'vor',
  'il',
  'morgen',
];
