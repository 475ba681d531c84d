import { describe, expect, it } from 'vitest';
import { WORD_OF_FORM } from './irregular.ts';
import { stem } from './stem.ts';

/** Reads `one other, one other, …`. */
function pairsOf(text: string): [string, string][] {
  return text.split(',').map((pair) => pair.trim().split(/\s+/) as [string, string]);
}

describe('stem', () => {
  it.each(
    pairsOf(`
      consigned consign, consistency consist, consolations consol, conspiracy conspiraci, constables
      constabl, knackeries knackeri, knaves knave, knitting knit, knightly knight, authentication authent,
      agencies agenc, adoption adopt, relational relat, hopping hop, hoping hope, happily happili,
      generously generous, communication communic, flying fli, says say, youth youth, dying die, skies
      sky, succeeded succeed, agreed agre, ties tie, gas gas, kiwis kiwi, caroline's carolin
    `),
  )('takes the endings off %s', (word, expected) => {
    expect(stem(word)).toBe(expected);
  });

  it.each([
    ['allergy', 'allergies', 'allergic'],
    ['economy', 'economies', 'economic', 'economical'],
    ['anatomy', 'anatomical'],
    ['melody', 'melodies', 'melodic'],
    ['irony', 'ironic'],
    ['geography', 'geographic', 'geographical'],
    ['philosophy', 'philosophies', 'philosophical'],
  ])('%s has one stem with its adjective', (...family) => {
    expect(new Set(family.map(stem)).size).toBe(1);
  });

  it.each([
    ['build', 'built', 'building'],
    ['run', 'ran', 'running'],
    ['write', 'wrote', 'written'],
    ['woman', 'women', "women's"],
    ['index', 'indices', 'indexes'],
    ['analysis', 'analyses', 'analyse', 'analyzed'],
    ['diagnosis', 'diagnoses', 'diagnosed'],
    ['knife', 'knives'],
    ['menu', 'menus'],
    ['pdf', 'pdfs'],
    ['tv', 'tvs'],
    ['cpu', 'cpus'],
    ['kpi', 'kpis'],
  ])('%s has one stem with its irregular forms', (...family) => {
    expect(new Set(family.map(stem)).size).toBe(1);
  });

  it('gives every irregular form the stem of its word', () => {
    for (const [form, word] of WORD_OF_FORM) expect(stem(form), form).toBe(stem(word));
  });

  it('keeps apart what only looks alike', () => {
    const pairs = pairsOf(`
      left leave, lives life, led lead, rose rise, gps gp, https http, mrs mr, css cs, policy police,
      party part, study stud, candy cand, army arm, company comp, personal people, personality person
    `);
    for (const [one, other] of pairs) {
      expect(stem(one)).not.toBe(stem(other));
    }
  });

  it('leaves short words and other letters alone', () => {
    const words = ['at', 'is', 'naïve', 'größe', 'v1.2', 'сказали'];
    expect(words.map(stem)).toEqual(words);
  });
});
