/**
 * One spelling for words that British and American English write differently, so that either finds the other.
 *
 * The result is only compared with other results. It is usually the American spelling, whose endings (-ize) the stemmer knows,
 * and the British one where that changes fewer words (-lyse). Most doubled letters ("travelled") are left to the stemmer.
 */

/** How words begin that have two spellings. */
const BEGINNINGS = new Map(
  `
  acknowledgement acknowledgment, aeroplane airplane, aesthet esthet, ageing aging, aluminium aluminum, anaem anem,
  anaesthe anesthe, archaeolog archeolog, artefact artifact, cosy cozy, counsellor counselor, defenc defens,
  dialled dialed, dialling dialing, diarrhoea diarrhea, doughnut donut, duelled dueled, duelling dueling,
  encyclopaed encycloped, enquir inquir, foetal fetal, foetus fetus, fuelled fueled, fuelling fueling, grey gray,
  gynaecolog gynecolog, haemo hemo, jewellery jewelry, judgement judgment, leukaem leukem, licenc licens,
  manoeuv maneuv, mediaeval medieval, mould mold, moustache mustache, oestrogen estrogen, offenc offens,
  omelette omelet, orthopaed orthoped, paediatr pediatr, plough plow, practis practic, pretenc pretens,
  programm program, pyjama pajama, sceptic skeptic, skilful skillful, smoulder smolder, sulph sulf, whiskey whisky,
  wilful willful, woollen woolen, yoghurt yogurt
`
    .split(',')
    .map((pair) => pair.trim().split(' ') as [string, string]),
);
const BEGINNING = new RegExp(`^(?:${[...BEGINNINGS.keys()].join('|')})`);

/** Most words have none of these and skip the rules below. */
const MAY_VARY = new RegExp(`${BEGINNING.source}|our|is(?:e|a|ing)|r(?:e[ds]?|ing)$|logu|lyz`);

/** "colour", "dishonoured", "watercolours"; not "hour", "tour" or "course". Only the first "our" of a word counts. */
const OUR = new RegExp(
  `(?<!our.*)(?<=${anyOf(`
  arb ard arm behavi cand clam col demean enam endeav fav ferv flav glam hon hum lab neighb od parl ranc rig rum sav
  savi splend succ tum val vap vig
`)})our`,
);

/** "organise", "organisation"; not "noise" or "otherwise", nor the words of this list, nor shorter ones ("rise", "irises"). */
const ISE = new RegExp(
  `(?<=..[^aeiouw])(?<!${anyOf(`
  adv advert chast circumc conc dem desp dev exc exerc expert franch improv inc mant merchand metropol moonr parad pelv pen
  pr prec prem prom rev sunr superv surm telev trell upr
`)})is(?=(?:e[ds]?|ers?|ing|able|ation(?:s|al)?)$)`,
);

/** "centre", "kilometres", "centred"; not "acre" or "hundred". */
const RE = new RegExp(
  `(?<=${anyOf('calib cent fib lit lust maneuv meag met och sab sepulch somb spect theat')})r(?:e(s?)|(ed|ing))$`,
);

function anyOf(words: string): string {
  return words.trim().replaceAll(/\s+/g, '|');
}

/** A word of lower-case English letters, in the spelling that it shares with its variants. */
export function oneSpelling(word: string): string {
  if (!MAY_VARY.test(word)) return word;
  return (
    word
      .replace(BEGINNING, (beginning) => BEGINNINGS.get(beginning)!)
      .replace(OUR, 'or')
      .replace(ISE, 'iz')
      .replace(RE, 'er$1$2')
      // The stemmer removes the e that is left of "catalogue".
      .replace(/logu(?=e|ing)/, 'log')
      .replace(/lyz(?=e|ing)/, 'lys')
  );
}
