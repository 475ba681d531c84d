/**
 * One spelling for words that British and American English write differently, so that either finds the other.
 *
 * What comes out is only ever compared with others of its kind. It is the American spelling as a rule, because the stemmer
 * knows its endings (-ize), and the British one where fewer words are touched by it (-lyse). What holds for every word that
 * looks so is a rule; all else goes by a list, because "hour", "wise" and "promise" are written in one way. Most doubled
 * letters ("travelled") are the stemmer's business; those that it misses are in the list.
 */

const LETTER_A = 97;

type Spelling = readonly [from: string, to: string];

/** How words begin that are written in two ways. */
const BEGINNINGS = byFirstLetter(`
  acknowledgement acknowledgment, aeroplane airplane, aesthet esthet, ageing aging, aluminium aluminum, anaem anem,
  anaesthe anesthe, archaeolog archeolog, artefact artifact, cosy cozy, counsellor counselor, defenc defens,
  dialled dialed, dialling dialing, diarrhoea diarrhea, doughnut donut, duelled dueled, duelling dueling,
  encyclopaed encycloped, enquir inquir, foetal fetal, foetus fetus, fuelled fueled, fuelling fueling, grey gray,
  gynaecolog gynecolog, haemo hemo, jewellery jewelry, judgement judgment, leukaem leukem, licenc licens,
  manoeuv maneuv, mediaeval medieval, mould mold, moustache mustache, oestrogen estrogen, offenc offens,
  omelette omelet, orthopaed orthoped, paediatr pediatr, plough plow, practis practic, pretenc pretens,
  programm program, pyjama pajama, sceptic skeptic, skilful skillful, smoulder smolder, sulph sulf, whiskey whisky,
  wilful willful, woollen woolen, yoghurt yogurt
`);

/** What stands before -our in words that are written with -or too; "dis" or "water" may come before it. */
const BEFORE_OUR = listOf(`
  arb ard arm behavi cand clam col demean enam endeav fav ferv flav glam hon hum lab neighb od parl ranc rig rum sav
  savi splend succ tum val vap vig
`);

/** What stands before -re in words that are written with -er too; "kilo" or "amphi" may come before it. */
const BEFORE_RE = listOf('calib cent fib lit lust maneuv meag met och sab sepulch somb spect theat');
/** What follows the r, and what follows the -er that it becomes. */
const RE_ENDINGS = new Map([
  ['e', ''],
  ['es', 's'],
  ['ed', 'ed'],
  ['ing', 'ing'],
]);

/** What follows the s of -ise, which may be a z. */
const ISE_ENDINGS = new Set(listOf('e es ed er ers ing able ation ations ational'));
/** What stands before it in words that nobody writes with a z, plurals of nouns in -is among them. */
const BEFORE_ISE_ALONE = listOf(`
  adv advert chast circumc conc dem desp dev exc exerc expert franch improv inc mant merchand metropol moonr parad pelv pen
  pr prec prem prom rev sunr superv surm telev trell upr
`);
/** Of what is shorter ("rise", "irises"), nothing is a verb in -ize. */
const MIN_BEFORE_ISE = 3;

function listOf(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

function byFirstLetter(text: string): readonly (readonly Spelling[] | undefined)[] {
  const letters: Spelling[][] = [];
  for (const pair of text.split(',')) {
    const [from, to] = listOf(pair);
    const letter = from!.charCodeAt(0) - LETTER_A;
    letters[letter] ??= [];
    letters[letter].push([from!, to!]);
  }
  return Array.from({ length: 26 }, (_, letter) => letters[letter]);
}

/** A word of lower-case English letters, in the spelling that it shares with its variants. */
export function oneSpelling(word: string): string {
  let spelt = withBeginning(word);
  // Most words have not even the letters, which is known sooner than that they do not stand together.
  const letters = lettersOf(spelt);
  const mayHold = (needed: number): boolean => (letters & needed) === needed;
  if (mayHold(OUR) && spelt.includes('our')) spelt = withoutU(spelt);
  if (mayHold(IS) && spelt.includes('is')) spelt = withZ(spelt);
  if ((mayHold(RE) && spelt.includes('re')) || (mayHold(RING) && spelt.endsWith('ring')))
    spelt = withEr(spelt);
  // The stemmer takes off the e that is left of "catalogue".
  if (mayHold(LOGU)) spelt = spelt.replace('logue', 'loge').replace('loguing', 'loging');
  return mayHold(LYZ) ? spelt.replace('lyze', 'lyse').replace('lyzing', 'lysing') : spelt;
}

const OUR = lettersOf('our');
const IS = lettersOf('is');
const RE = lettersOf('re');
const RING = lettersOf('ring');
const LOGU = lettersOf('logu');
const LYZ = lettersOf('lyz');

/** One bit for each letter that is in a word. */
function lettersOf(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) - LETTER_A);
  return letters;
}

function withBeginning(word: string): string {
  const spellings = BEGINNINGS[word.charCodeAt(0) - LETTER_A];
  if (spellings === undefined) return word;
  for (const [from, to] of spellings) if (word.startsWith(from)) return to + word.slice(from.length);
  return word;
}

/** "colour", "favourites", "neighbourhood"; not "hour", "tour" or "course". */
function withoutU(word: string): string {
  const at = word.indexOf('our');
  if (!BEFORE_OUR.some((root) => word.endsWith(root, at))) return word;
  return `${word.slice(0, at)}or${word.slice(at + 3)}`;
}

/** "organise", "organisation". Behind a vowel ("noise") and behind a w ("otherwise") it is no such ending. */
function withZ(word: string): string {
  const at = word.lastIndexOf('is');
  const root = word.slice(0, at);
  const ending = word.slice(at + 2);
  if (at < MIN_BEFORE_ISE || !ISE_ENDINGS.has(ending)) return word;
  if ('aeiouw'.includes(root.at(-1)!) || BEFORE_ISE_ALONE.some((alone) => root.endsWith(alone))) return word;
  return `${root}iz${ending}`;
}

/** "centre", "kilometres", "centred"; not "acre" or "hundred". */
function withEr(word: string): string {
  const at = word.lastIndexOf('r');
  const ending = RE_ENDINGS.get(word.slice(at + 1));
  if (ending === undefined || !BEFORE_RE.some((root) => word.endsWith(root, at))) return word;
  return `${word.slice(0, at)}er${ending}`;
}
