import { ADJECTIVES, NOUNS, VERBS } from './base-words.ts';

/**
 * Some ten thousand English words, made from a list of common ones and the regular endings. Common forms come first,
 * rarer ones (`mistranslate`, `reopening`) after them; some of these stand in no dictionary, as in every real text.
 */

const VERB_FORMS = [(verb: string) => verb, withS, withEd, withIng];
const RARE_VERB_FORMS = [withEr, (verb: string) => withS(withEr(verb)), withAble];
const PREFIXES = ['re', 'un', 'over', 'mis', 'pre', 'out'];

export function makeCommonWords(): string[] {
  return [
    ...VERBS.flatMap((verb) => VERB_FORMS.map((form) => form(verb))),
    ...NOUNS.flatMap((noun) => [noun, withS(noun)]),
    ...ADJECTIVES.flatMap((adjective) => [adjective, withLy(adjective)]),
  ];
}

export function makeRareWords(): string[] {
  const rareForms = VERBS.flatMap((verb) => RARE_VERB_FORMS.map((form) => form(verb)));
  const forms = VERBS.flatMap((verb) => VERB_FORMS.map((form) => form(verb)));
  return [
    ...rareForms,
    ...ADJECTIVES.flatMap((adjective) => [withNess(adjective), `un${adjective}`]),
    ...PREFIXES.flatMap((prefix) => forms.map((form) => prefix + form)),
  ];
}

function withS(word: string): string {
  if (/(?:s|x|z|ch|sh)$/.test(word)) return `${word}es`;
  return endsInConsonantAndY(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
}

function withEd(verb: string): string {
  if (verb.endsWith('e')) return `${verb}d`;
  return endsInConsonantAndY(verb) ? `${verb.slice(0, -1)}ied` : `${verb}ed`;
}

function withIng(verb: string): string {
  return /[^eo]e$/.test(verb) ? `${verb.slice(0, -1)}ing` : `${verb}ing`;
}

function withEr(verb: string): string {
  return withEd(verb).replace(/d$/, 'r');
}

function withAble(verb: string): string {
  if (endsInConsonantAndY(verb)) return `${verb.slice(0, -1)}iable`;
  return /[^cge]e$/.test(verb) ? `${verb.slice(0, -1)}able` : `${verb}able`;
}

function withLy(adjective: string): string {
  if (/[^aeiou]le$/.test(adjective)) return `${adjective.slice(0, -1)}y`;
  if (adjective.endsWith('ic')) return `${adjective}ally`;
  return endsInConsonantAndY(adjective) ? `${adjective.slice(0, -1)}ily` : `${adjective}ly`;
}

function withNess(adjective: string): string {
  return endsInConsonantAndY(adjective) ? `${adjective.slice(0, -1)}iness` : `${adjective}ness`;
}

function endsInConsonantAndY(word: string): boolean {
  return /[^aeiou]y$/.test(word);
}
