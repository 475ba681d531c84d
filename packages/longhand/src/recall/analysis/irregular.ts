/**
 * English forms that no stemming rule handles: "built" is "build", "mice" is "mouse".
 *
 * A form is listed only when it rarely means anything else. So "left", "lay", "led", "bit", "rose", "ground", "wound", "bore",
 * "bound", "dove", "shot", "sat", "stuck", "sprung", "lives", "leaves", "bases", "axes", "media" and "data" are left out.
 * "made" is left out because listing it cost recall. Auxiliary verbs are stopwords in all their forms.
 */

/** Form → word, read from `word form form, word form, …`. */
function byForm(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(',').map((family) => family.trim().split(/\s+/));
  return new Map(pairs.flatMap(([word, ...forms]) => forms.map((form) => [form, word!])));
}

/** The word is stemmed further. */
export const WORD_OF_FORM = byForm(`
  arise arose arisen, awake awoke, beat beaten, become became, begin began begun, bend bent, bite bitten, bleed bled,
  blow blew blown, break broke broken, breed bred, bring brought, build built, burn burnt, buy bought, catch caught,
  choose chose chosen, cling clung, come came, creep crept, deal dealt, dig dug, draw drew drawn, dream dreamt, drink drank drunk,
  drive drove driven, eat ate eaten, fall fell fallen, feed fed, feel felt, fight fought, find found, flee fled,
  fly flew flown, forbid forbidden, foresee foresaw foreseen, forget forgot forgotten, forgive forgave forgiven,
  freeze froze frozen, get got gotten, give gave given, go went gone, grow grew grown, hang hung, hear heard,
  hide hid hidden, hold held, keep kept, kneel knelt, know knew known, lay laid, leap leapt, learn learnt, lend lent,
  light lit, lose lost, mean meant, meet met, mistake mistook mistaken, misunderstand misunderstood,
  outgrow outgrew outgrown, overcome overcame, oversee oversaw overseen, pay paid, prove proven, rebuild rebuilt,
  repay repaid, resell resold, rewrite rewrote rewritten, ride rode ridden, ring rang, rise risen, run ran, say said,
  see saw seen, seek sought, sell sold, send sent, sew sewn, shake shook shaken, shine shone, show shown,
  shrink shrank shrunk, sing sang sung, sink sank sunk, sleep slept, speak spoke spoken, spell spelt, spend spent,
  spill spilt, spin spun, spoil spoilt, stand stood, steal stole stolen, sting stung, strike struck, swear swore sworn,
  sweep swept, swell swollen, swim swam swum, swing swung, take took taken, teach taught, tear tore torn, tell told,
  think thought, throw threw thrown, undergo underwent undergone, understand understood, undertake undertook undertaken,
  undo undid undone, wake woke woken, wear wore worn, weave wove woven, weep wept, win won, withdraw withdrew withdrawn,
  write wrote written,
  alumnus alumni, analyse analysis, appendix appendices, bacterium bacteria, cactus cacti, calf calves, child children,
  crisis crises, criterion criteria, curriculum curricula, diagnose diagnosis, elf elves, foot feet, formula formulae,
  fungus fungi, goose geese, grandchild grandchildren, guru gurus, half halves, hoof hooves, housewife housewives,
  hypothesis hypotheses, index indices, knife knives, loaf loaves, man men, matrix matrices, menu menus, mouse mice,
  nucleus nuclei, oasis oases, parenthesis parentheses, person people, phenomenon phenomena, radius radii, scarf scarves,
  shelf shelves, stimulus stimuli, syllabus syllabi, synthesis syntheses, thesis theses, thief thieves, tooth teeth,
  vertex vertices, wife wives, wolf wolves, woman women,
  cpu cpus, cto ctos, gpu gpus, kpi kpis, nda ndas, sku skus, sla slas
`);

/** Final stems, for words that the rules would get wrong. "Personal" must not meet "person", the stem of "people". */
export const STEM_OF_WORD = byForm(`
  ski skis, sky skies sky, die dying, lie lying, tie tying, idl idly, gentl gently, ugli ugly, earli early, onli only,
  singl singly, news news, howe howe, atlas atlas, cosmos cosmos, bias bias, andes andes,
  personal personal personally, personality personality personalities
`);
