/**
 * Which known statement a new one takes the place of.
 *
 * What is replaced gets deleted, so it has to be certain: both are plain sentences about the same attribute (“my favourite
 * colour”, “our deploy day”, “I live in”), with short values and nothing else in them. Some attributes have one value at
 * a time. For all others the user has to say that they correct (“No, …”, “Actually, …”), and the values must be of a
 * kind: “my dog is brown” and “my dog is old” may both be true.
 */
interface Told {
  readonly attribute: string;
  readonly value: string;
  /** Whether there is only one value at a time. */
  readonly isSingle: boolean;
  readonly isName: boolean;
}

interface Pattern {
  readonly pattern: RegExp;
  readonly isSingle: boolean;
  /** What something is called: whoever has a brother may have two. */
  readonly isName?: boolean;
  /** The attribute, when its words are not the first group. */
  readonly attribute?: (words: string) => string;
}

/** The first group is what is spoken of, the second one the value. */
const PATTERNS: readonly Pattern[] = [
  {
    pattern: /^((?:my|our)\s.+?)(?:['’]s name is|\s+(?:is|are) (?:called|named))\s+(.+)$/i,
    isSingle: false,
    isName: true,
    attribute: (words) => `${words} name`,
  },
  { pattern: /^(i am|i['’]m) (?:called|named)\s+(.+)$/i, isSingle: true, attribute: () => 'my name' },
  {
    pattern:
      /^(my (?:name|age|birthday|address|job|e-?mail|phone number|favou?rite .+?))\s+(?:is|are)\s+(.+)$/i,
    isSingle: true,
  },
  { pattern: /^([Ii] live) in (\p{Lu}.*)$/u, isSingle: true },
  { pattern: /^([Ii] work) (?:at|for) (\p{Lu}.*)$/u, isSingle: true, attribute: () => 'i work for' },
  {
    pattern:
      /^((?:[Mm]y|[Oo]ur)(?: [\w'’-]+){0,3} (?:day|date|deadline|time)) (?:is|are) (?:on |at )?((?:\d|\p{Lu}).*)$/u,
    isSingle: true,
  },
  { pattern: /^((?:my|our)(?: [\w'’-]+){1,4}?) (?:is|are) (.+)$/i, isSingle: false },
  { pattern: /^((?:i|we) [\p{L}]+ (?:on|at|in|for|with))\s+(.+)$/iu, isSingle: false },
];

/** Longer ones are no plain sentences. */
const MAX_CHARACTERS = 200;
const MAX_VALUE_WORDS = 6;
const COMPOUND =
  /[,;:]|[.!?…]\s*\S|…|\b(?:and|but|or|because|since|which|who|where|when|while|with|except)\b/i;

function toldBy(statement: string): Told | undefined {
  if (statement.length > MAX_CHARACTERS) return undefined;
  const text = asState(statement);
  for (const { pattern, isSingle, isName = false, attribute = (words: string) => words } of PATTERNS) {
    const [, words, value] = pattern.exec(text) ?? [];
    if (words === undefined || value === undefined) continue;
    if (COMPOUND.test(value) || value.split(/\s+/).length > MAX_VALUE_WORDS) return undefined;
    return { attribute: spelled(attribute(words)), value: spelled(value), isSingle, isName };
  }
  return undefined;
}

/** What a statement tells the only possible value of; `undefined` when it tells something else. */
export function singleOf(statement: string): string | undefined {
  const told = toldBy(statement);
  return told?.isSingle === true ? told.attribute : undefined;
}

/** What a statement is about, for whoever wants all that is known of it gone. */
export function topicOf(statement: string): string | undefined {
  const told = toldBy(statement);
  return told !== undefined && (told.isSingle || told.isName) ? told.attribute : undefined;
}

/** Whether two statements say the same but for case, marks, and that one corrects. */
export function isSame(a: string, b: string): boolean {
  if (spelled(asState(a)) === spelled(asState(b))) return true;
  const [first, second] = [toldBy(a), toldBy(b)];
  return first !== undefined && first.attribute === second?.attribute && first.value === second.value;
}

/** Whether a fact makes untrue what is known. */
export function takesPlaceOf(fact: string, known: string, isCorrection: boolean): boolean {
  const [now, before] = [toldBy(fact), toldBy(known)];
  if (now === undefined || before === undefined) return false;
  if (now.attribute !== before.attribute || now.value === before.value) return false;
  if (now.isSingle && before.isSingle) return true;
  const kind = kindOfValue(valueIn(fact, now));
  return isCorrection && kind !== undefined && kind === kindOfValue(valueIn(known, before));
}

/** As it was written, with its capitals. */
function valueIn(statement: string, { value }: Told): string {
  const words = asState(statement).split(/\s+/);
  return words.slice(-value.split(' ').length).join(' ');
}

const COLOUR =
  /^(?:black|white|grey|gray|red|green|blue|yellow|orange|purple|violet|pink|brown|silver|gold|beige|turquoise)$/i;

function kindOfValue(value: string): string | undefined {
  if (COLOUR.test(value)) return 'colour';
  if (/\d/.test(value)) return 'number';
  return /^\p{Lu}/u.test(value) ? 'name' : undefined;
}

/** In one spelling, without marks. */
function spelled(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words
    .join(' ')
    .replaceAll('favorite', 'favourite')
    .replace(/\bcolor/g, 'colour');
}

const CORRECTS = /^(?:(?:well|oh)\W+)?(?:actually|no|sorry|wait|correction)\b/i;
const IN_FRONT =
  /^(?:(?:actually|no(?=\s+(?:my|our|i|we)\b)|(?:no|sorry|wait|well|oh|correction)(?=\s*[,:;.!]))[,:;.!]*\s+)+/i;

/** Whether a request begins as corrections do. */
export function corrects(request: string): boolean {
  return CORRECTS.test(request.trim());
}

/** “Actually, my dog is …” → “my dog is …” */
export function withoutCorrection(text: string): string {
  return text.replace(IN_FRONT, '');
}

/** What is the case after what is told: who moved to Porto lives there. Without words of change. */
export function asState(text: string): string {
  return withoutCorrection(text.trim())
    .replace(/[\s.!]+$/, '')
    .replace(/,?\s+(?:now|these days|instead|from now on)$/i, '')
    .replace(/\b(is|are|[Ii]|[Ww]e) (?:now|actually) /, '$1 ')
    .replace(/^([Ii])(?: have|['’]ve)? (?:(?:just|recently) )?moved to (?=\p{Lu})/u, '$1 live in ');
}
