import { describe, expect, it } from 'vitest';
import { QueryError, readQueryText, termsOf } from './query-text.ts';

describe('a phrase', () => {
  it.each([
    ['"state of the art"', ['state of the art']],
    ['who wrote "The Lean Startup"?', ['the lean startup']],
    ['("red barn") and “blue door”', ['red barn', 'blue door']],
    ['他说"清华"吗', ['清华']],
    ['"대학교"에서', ['대학 학교']],
    ['{"error":"ECONNREFUSED"}', []],
    ['{"code":"ECONNREFUSED","syscall":"connect","hosts":["a b","c d"]}', []],
    ['"error":"connection refused"', []],
    ['{\\"error\\":\\"connection refused\\"}', []],
    ['level="info" msg="connection refused"', []],
    ['a 5" screen and a 7" one', []],
    ['an open "quotation', []],
  ])('of %j is %j', (text, expected) => {
    expect(readQueryText(text).phrases.map((phrase) => phrase.join(' '))).toEqual(expected);
  });

  it('is required only where there is nothing else', () => {
    expect(readQueryText('"red barn" "blue door"').isOnlyPhrases).toBe(true);
    expect(readQueryText('{"error":"ECONNREFUSED"}').isOnlyPhrases).toBe(false);
    expect(readQueryText('{\n  "error": "ECONNREFUSED"\n}').isOnlyPhrases).toBe(false);
  });
});

it.each([
  ['Müller', ['muller'], 'mueller'],
  ['Größe', ['grosse'], 'groesse'],
  ['Fußgänger', ['fussganger'], 'fussgaenger'],
  ['Ålén', ['alen'], 'aalen'],
])('asks for %j once, with its umlauts spelt out', (text, words, spelt) => {
  const read = readQueryText(text);
  expect(read.words).toEqual(words);
  expect([...read.spellings.values()]).toEqual([spelt]);
});

it.each([
  ['Where did we talk about Lisbon?', ['lisbon']],
  ['What have I told you about the lease?', ['leas']],
  ['What do you think of the lease?', ['leas']],
  ['Who talked about Lisbon?', ['talk', 'lisbon']],
  ['What did we say?', ['what', 'did', 'we', 'say']],
])('of %j asks for %j', (text, terms) => {
  expect([...termsOf(readQueryText(text).words).keys()]).toEqual(terms);
});

describe('stars', () => {
  it.each([
    ['*token*', ['*token*'], []],
    ['auth* *fresh', ['auth*', '*fresh'], []],
    ["o'* 1.* *.5 1.*.3 *,000", ["o'*", '1.*', '*.5', '1.*.3', '*000'], []],
    ["'quoted' *.* 'it*'", ['it*'], ['quoted']],
    ['**bold** and **two words**, __init__(**kwargs)', ['**kwargs'], ['bold', 'and', 'two', 'words', 'init']],
    ['***all*** of **Note:** it', [], ['all', 'of', 'note', 'it']],
    ['* one\n* two', [], ['one', 'two']],
    ['src/**/*.ts', [], ['src', 'ts']],
  ])('in %j ask for %j', (text, wildcards, words) => {
    const read = readQueryText(text);
    expect(read.wildcards).toEqual(wildcards);
    expect(read.words).toEqual(words);
  });
});

describe('a pasted text', () => {
  const forty = Array.from({ length: 40 }, (_, number) => number);

  it('has its words looked for, however much of it looks like a query', () => {
    const object = Object.fromEntries(forty.map((number) => [`key${number}`, `value ${number}`]));
    const json = readQueryText(JSON.stringify(object, undefined, 2));
    expect(json.words).toEqual(expect.arrayContaining(['key39', 'value', '39']));
    expect(json.phrases).toHaveLength(32);
    const markdown = readQueryText(forty.map((number) => `**bold${number}** is *it${number}*`).join('\n'));
    expect(markdown.words).toEqual(expect.arrayContaining(['bold39', 'it39']));
    expect(markdown.wildcards).toEqual([]);
  });

  it('is refused where it is nothing else', () => {
    expect(() => readQueryText(forty.map((number) => `"of ${number}"`).join(' '))).toThrow(QueryError);
    expect(() => readQueryText(`find ${forty.map((number) => `w${number}*`).join(' ')}`)).toThrow(QueryError);
  });

  it.each(['"', '**', '** a', '"a" ', '"a":', '**a', 'a', 'a ./x ', '12 34 56 ', '12:30', "a'", 'a-', 'a.'])(
    'of %j without end is read at once',
    (piece) => {
      expect(() => readQueryText(`word./x ${piece.repeat(130_000 / piece.length)}`)).not.toThrow();
    },
  );
});

describe('words that only ask', () => {
  it.each([
    ['On which day does the choir rehearse?', ['choir', 'rehearse']],
    ['What time is the rehearsal?', ['rehearsal']],
    ['What happened to the choir?', ['choir']],
    // Where nothing else is asked for, and where they are no question.
    ['What day?', ['day']],
    ['a day for the choir', ['day', 'choir']],
  ])('are left out of %s', (question, typed) => {
    expect([...termsOf(readQueryText(question).words).values()]).toEqual(typed);
  });
});
