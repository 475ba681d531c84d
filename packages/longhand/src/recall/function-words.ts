/**
 * Words without a subject in other languages than English.
 *
 * In "Wann ist der Termin mit Anna?" only the Termin and Anna are asked for. But "die", "war" and "come" are words of English
 * too, and "de la" is part of names. So the words of a language leave a query only where it is evidently in that language: two
 * of them at least, more of them than of English, and one that is neither English nor part of a name.
 */

import { isStopword } from './stopwords.ts';
import { behindElision } from './words.ts';

/** Without accents, as words are folded. */
interface Language {
  /** Those that prove it, unless they are English, too. */
  readonly proofs: string;
  /** Words that are English as well, or part of names. */
  readonly doubtful: string;
  /** What other words prove it: they say something, and stay. */
  readonly signs?: RegExp;
}

const MIN_FUNCTION_WORDS = 2;
/** Of at least one of them, where there are no more. */
const MIN_PROOF_LETTERS = 3;

export const LANGUAGES: readonly Language[] = [
  // German
  {
    proofs: `aber alle als auch auf aus bei beim bis bist da damit dann das dass dein deine dem der dich doch dort durch ein eine
    einem einen einer eines etwas euch euer fuer gegen gibt habe haben hatte hatten ich ihm ihn ihnen ihr ihre im ist
    kann kannst kein keine keinen mein meine meinem meinen meiner mich mir mit nach nicht noch nur oder ohne schon sehr
    sein seine seit sich sie sind ueber uber und uns unser unsere unter vom von vor wann warum wegen welche welchen
    welcher welches wenn wer werden wie wieder wir wird wo wurde zu zum zur zwischen`,
    doubtful: 'am an bin den des die dir du er es fur gab hast hat hier in ja man so um war was will',
    // "Was hat Anna gesagt?", "Was war eingekauft?" have no other.
    signs: /^(?:ab|an|auf|aus|ein|mit|vor|zu)?ge[a-z]{2,}(?:t|en)$/,
  },
  // French
  {
    proofs: `alors au aux avec avait avez avons ce ces cette chez combien comment dans depuis elles estce etait ete etre ils je leur
    leurs lui mais meme mes moi ne nos notre nous ont ou pendant peut pourquoi quand que quel quelle quelles quels qui
    quoi sans ses sont ta tes toi tres tu un une vos votre vous`,
    doubtful:
      'a ai an as car de des dont du elle en est et eu il la le les ma me mon on or par pas plus pour sa se si son sur te ton',
  },
  // Spanish
  {
    proofs: `al como cual cuales cuando cuanto cuantos desde donde ella ellas ellos entre esa ese eso esta estaba estan estas este
    esto estos fue hasta lo mis muy nos nosotros nuestra nuestro pero por porque que quien quienes se sobre sus tambien
    tengo tiene tus una unas uno unos y ya yo`,
    doubtful:
      'a con de del el era es ha han hay la las los mas me mi no o os para si sin son soy su te tu un',
  },
  // Italian
  {
    proofs: `abbiamo agli alla alle anche che ci cosa cui dai dal dalla dei delle dello e ed ero fra gli hai hanno il lo loro mie
    miei mio ne negli nel nella noi non nostra nostro perche piu quale quali quando quanto quella quello questa questo si
    siamo sono stato su sua sul sulla suo sui tra tua tuo una uno voi`,
    doubtful:
      'a al chi come con da del della di dove due era ha ho i in io la le lei ma me mi mia o per se sei sia so tu un vi',
  },
  // Portuguese
  {
    proofs: `ao aos como ela elas ele eles entre essa esse esta estava este eu foi isso isto ja mais meu meus minha minhas muito
    nao nas nem nos nossa nosso numa onde ou para pela pelo porque qual quais quando quanto que quem sao sem seu seus sua
    suas tambem tem tenho uma umas uns voce`,
    doubtful: 'a as com da das de do dos e em era ha mas na no o os por se ser so um',
  },
  // Dutch
  {
    proofs: `aan alleen bij daar dat deze een geen ging heb hebben heeft het hij ik ja jij jou jouw kan maar mijn naar niet nog nu
    om omdat onder onze ook op tegen toch toen tot uit uw veel voor waar waarom wanneer wat we welk welke wel werd wij
    worden zal zich zij zijn zo zonder`,
    doubtful:
      'al are ben de den der die dit door en er haar had hem hoe hun in is me met of ons over so te ten van was were wie ze',
  },
  // Swedish, Danish and Norwegian
  {
    proofs: `att av blev deg dem deres det detta dette eller ett fra fran hon hur hva hvad hvem hvor hvorfor hvornar ikke inte jag
    jeg meg mig mitt nar og och oss ska skal til varfor vem vil ville vad vilken vores`,
    doubtful:
      'ar at de den din du en er et for han hans har hun i kan man med men min over pa sa sig som till under var vi',
  },
];

const ALL_PROOFS: ReadonlySet<string> = new Set(LANGUAGES.flatMap(({ proofs }) => wordsIn(proofs)));
const NONE: ReadonlySet<string> = new Set();

function wordsIn(list: string): readonly string[] {
  return list.trim().split(/\s+/);
}

const isProof = (word: string): boolean => ALL_PROOFS.has(word) && !isStopword(word);
const isSign = (word: string): boolean => LANGUAGES.some(({ signs }) => signs?.test(word) === true);

interface KnownLanguage {
  readonly proofs: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
  readonly signs: RegExp | undefined;
}

let known: readonly KnownLanguage[] | undefined;

/** Made for the first query that is not evidently English. */
function languages(): readonly KnownLanguage[] {
  known ??= LANGUAGES.map(({ proofs, doubtful, signs }) => ({
    proofs: new Set(wordsIn(proofs)),
    all: new Set([...wordsIn(proofs), ...wordsIn(doubtful)]),
    signs,
  }));
  return known;
}

/** Whether a word says nothing in German or French, for those who know that it is of one of them. */
export function isGermanOrFrench(word: string): boolean {
  return languages()
    .slice(0, 2)
    .some(({ all }) => all.has(word));
}

/** The words of a query that say nothing in its language; none where that is English, or in doubt. */
export function functionWordsOf(words: readonly string[]): ReadonlySet<string> {
  if (!words.some((word) => isProof(behindElision(word)) || isSign(word))) return NONE;
  const distinct = [...new Set(words)];
  let most = Math.max(MIN_FUNCTION_WORDS, distinct.filter(isStopword).length + 1);
  const found = new Set<string>();
  for (const { proofs, all, signs } of languages()) {
    // "Qu'est-ce que j'ai": what follows an elision says as little as it does alone.
    const held = distinct.filter((word) => all.has(behindElision(word)));
    const proving = held.map(behindElision).filter((word) => proofs.has(word) && isProof(word));
    if (signs !== undefined) proving.push(...distinct.filter((word) => signs.test(word)));
    if (held.length < most || proving.length === 0) continue;
    // "CI per branch", "y axis o ring": what is so short may be anything.
    const isShort = proving.every(({ length }) => length < MIN_PROOF_LETTERS);
    if (isShort && held.length <= MIN_FUNCTION_WORDS) continue;
    if (held.length > most) found.clear();
    most = held.length;
    for (const word of held) found.add(word);
  }
  return found;
}
