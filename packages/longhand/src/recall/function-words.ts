/**
 * Words without a subject in other languages than English.
 *
 * In "Wann ist der Termin mit Anna?" only the Termin and Anna are asked for. But "die", "war" and "come" are words of English
 * too, and "de la" is part of names. So the words of a language leave a query only where it is evidently in that language: two
 * of them at least, more of them than of English, and one that is neither English nor part of a name.
 */

import { isStopword } from './stopwords.ts';

interface Language {
  /** Without accents, as words are folded. */
  readonly words: ReadonlySet<string>;
  /** Those that prove it. */
  readonly proofs: ReadonlySet<string>;
}

const MIN_WORDS = 2;

/** @param doubtful words that are English as well, or part of names */
function language(proofs: string, doubtful: string): Language {
  const [proving = [], others = []] = [proofs, doubtful].map((list) => list.trim().split(/\s+/));
  const isProof = (word: string): boolean => !isStopword(word);
  return { words: new Set([...proving, ...others]), proofs: new Set(proving.filter(isProof)) };
}

const LANGUAGES: readonly Language[] = [
  // German
  language(
    `aber alle als am auch auf aus bei beim bin bis bist da damit dann das dass dein deine dem den der des dich dir doch
    dort du durch ein eine einem einen einer eines er es etwas euch euer fuer fur gab gegen gibt habe haben hast hatte hatten
    hier ich ihm ihn ihnen ihr ihre im ist ja kann kannst kein keine keinen mein meine meinem meinen meiner mich mir mit
    nach nicht noch nur oder ohne schon sehr sein seine seit sich sie sind ueber uber um und uns unser unsere unter vom von vor
    wann warum wegen welche welchen welcher welches wenn wer werden wie wieder wir wird wo wurde zu zum zur zwischen`,
    'an die hat in man so war was will',
  ),
  // French
  language(
    `alors au aux avec avait avez avons ce ces cette chez combien comment dans depuis des dont elle elles en et etait ete
    etre eu il ils je les leur leurs lui ma mais meme mes moi mon ne nos notre nous ont ou par pas pendant peut pourquoi
    quand que quel quelle quelles quels qui quoi sans ses sont sur ta tes toi tres tu un une vos votre vous`,
    'a ai an as car de du est la le me on or plus pour sa se si son te ton',
  ),
  // Spanish
  language(
    `al como con cual cuales cuando cuanto cuantos desde donde ella ellas ellos entre era es esa ese eso esta estaba estan
    estas este esto estos fue ha han hay hasta lo mas mi mis muy nos nosotros nuestra nuestro para pero por porque que quien
    quienes se sin sobre son soy su sus tambien te tengo tiene tu tus un una unas uno unos y ya yo`,
    'a de del el la las los me no o os si',
  ),
  // Italian
  language(
    `abbiamo agli al alla alle anche che chi ci con cosa cui dai dal dalla dei delle dello dove e ed era ero fra gli ha hai
    hanno ho il io lei lo loro ma mi mia mie miei mio ne negli nel nella noi non nostra nostro per perche piu quale quali
    quando quanto quella quello questa questo sei si sia siamo sono stato su sua sul sulla suo sui tra tu tua tuo un una uno
    vi voi`,
    'a come da del della di due i in la le me o se so',
  ),
  // Portuguese
  language(
    `ao aos com como ela elas ele eles em entre era essa esse esta estava este eu foi ha isso isto ja mais mas meu meus
    minha minhas muito na nao nas nem nos nossa nosso numa onde os ou para pela pelo por porque qual quais quando quanto que
    quem sao se sem ser seu seus sua suas tambem tem tenho um uma umas uns voce`,
    'a as da das de do dos e no o so',
  ),
  // Dutch
  language(
    `aan al alleen ben bij daar dat deze dit een en er geen ging haar heb hebben heeft het hij hoe hun ik ja jij jou jouw
    kan maar met mijn naar niet nog nu om omdat onder ons onze ook op tegen toch toen tot uit uw veel voor waar waarom
    wanneer wat we welk welke wel werd wie wij worden zal ze zich zij zijn zo zonder`,
    'are de den der die door had hem in is me of over so te ten van was were',
  ),
  // Swedish, Danish and Norwegian
  language(
    `ar att av blev deg dem deres det detta dette din du eller en er et ett fra fran har hans hon hun hur hva hvad hvem hvor
    hvorfor hvornar ikke inte jag jeg kan med meg mig min mitt nar og och oss pa sa sig ska skal som till til var varfor vem
    vi vil ville vad vilken vores`,
    'at de den for han i man men over under',
  ),
];

const ALL_PROOFS: ReadonlySet<string> = new Set(LANGUAGES.flatMap(({ proofs }) => [...proofs]));
const NONE: ReadonlySet<string> = new Set();

/** The words of a query that say nothing in its language; none where that is English, or in doubt. */
export function functionWordsOf(words: readonly string[]): ReadonlySet<string> {
  if (!words.some((word) => ALL_PROOFS.has(word))) return NONE;
  const distinct = [...new Set(words)];
  let most = Math.max(MIN_WORDS, distinct.filter(isStopword).length + 1);
  const found = new Set<string>();
  for (const { words: known, proofs } of LANGUAGES) {
    const held = distinct.filter((word) => known.has(word));
    if (held.length < most || !held.some((word) => proofs.has(word))) continue;
    if (held.length > most) found.clear();
    most = held.length;
    for (const word of held) found.add(word);
  }
  return found;
}
