import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BESIDE, GAP, Lexicon } from '../index/lexicon.ts';
import { isCapital } from './characters.ts';
import { forEachWord, MAX_WORD_LENGTH, termOf } from './words.ts';

/** Pieces of texts that meet each rule of reading. */
const PIECES = `don't 10,000 3.5 é l'été ’ 東京 , . ' Ab 9 5km cm20 userName UserName HTTP MRIs US e-mail Wi-Fi sign-up-
  C++ # % 5% ü 1'200 v1.2 ＃ Server2 - １ ｶﾞ 🎉`;

function wordsOf(text: string): string[] {
  const words: string[] = [];
  forEachWord(text, (word) => words.push(word));
  return words;
}

/** The terms of a text as the lexicon reads them. */
function lexiconTerms(lexicon: Lexicon, text: string): string[] {
  lexicon.clearStream();
  lexicon.read(text);
  return Array.from(lexicon.stream.subarray(0, lexicon.streamLength), (word) => {
    expect(word).not.toBe(GAP);
    return lexicon.terms[lexicon.cells[(word < GAP ? BESIDE - word : word) & ~1]!]!;
  });
}

describe('words', () => {
  it.each([
    ["Don't worry, it's FINE!", ["don't", 'worry', "it's", 'fine']],
    ['costs $10,000.50 or 3.5%', ['costs', '10000.50', 'or', '3.5']],
    ['1,2,3 and 12,34', ['1', '2', '3', 'and', '12', '34']],
    ['user_id: well-known v1.2', ['user', 'id', 'well', 'wellknown', 'known', 'v1.2']],
    ['Café Ångström straße Øre', ['cafe', 'angstrom', 'aangstroem', 'strasse', 'ore', 'oere']],
    ['Mel’s ‘quoted’ words', ["mel's", 'quoted', 'words']],
    ["party'🎉 l'東京", ['party', '🎉', 'l', '東京']],
    ['Москва и Ёж', ['москва', 'и', 'еж']],
    ['مُحَمَّد كِتَاب كـــتاب إجتماع أَحْمَد', ['محمد', 'كتاب', 'كتاب', 'اجتماع', 'احمد']],
    ['שָׁלוֹם שלום', ['שלום', 'שלום']],
    ['\u064e \u0640', []],
    ['İstanbul co\u00adoperate', ['istanbul', 'cooperate']],
    ['party 🎉🎉 ❤️ 👍🏽!', ['party', '🎉', '🎉', '❤', '👍']],
    ['ＡＢＣ ３．５ 1０,0００', ['abc', '3.5', '10000']],
    ['커피를 마셔', ['커피를', '커피', '피를', '마셔']],
    ['', []],
    ['… — !?', []],
    [`C++é C#\u00a0x C#＃ C＃ C+＋ 5％`, ['c', 'e', 'c#', 'x', 'c', 'c#', 'c++', '5']],
    ['a#b C### c+ 5++ x1# %20 f%', ['a', 'b', 'c', 'c+', '5', 'x1', '20', 'f']],
    ['C++17 (F#) A+ C+++ x+1 x+y', ['c++', '17', 'f#', 'a+', 'c', 'x', '1', 'x', 'y']],
    ['C++ or c#, NotePad++!', ['c++', 'or', 'c#', 'notepad', 'note', 'pad']],
  ])('cuts %j', (text, expected) => {
    expect(wordsOf(text)).toEqual(expected);
  });

  it('cuts scripts without spaces into words', () => {
    expect(wordsOf('私は東京に住んでいます')).toContain('東京');
    expect(wordsOf('我喜欢咖啡 coffee')).toContain('coffee');
  });

  it('keeps a word of kana whole, in full and in half width', () => {
    expect(wordsOf('コーヒー')).toEqual(['コーヒー']);
    expect(wordsOf('ｺｰﾋｰとﾋﾞｰﾙ')).toEqual(['コーヒー', 'と', 'ビール']);
  });

  it('gives the pairs of a longer run of Han beside it', () => {
    expect(wordsOf('清华大学')).toEqual(expect.arrayContaining(['清华', '大学']));
  });

  it('gives the runs of a word of several scripts beside it', () => {
    expect(wordsOf('東京タワー')).toEqual(['東京タワー', '東京', 'タワー']);
    expect(wordsOf('お寿司')).toEqual(expect.arrayContaining(['寿司']));
    expect(wordsOf('東京タワーに行きました')).toEqual(expect.arrayContaining(['東京', 'タワー', '行']));
    expect(wordsOf('コーヒー')).toEqual(['コーヒー']);
    expect(wordsOf('東京')).toEqual(['東京']);
  });

  it.each([
    ['5km', ['5', '5km+', 'km']],
    ['Ran 2.5KM, 1,500m', ['ran', '2.5', '2.5km+', 'km', '1500m', '1500+']],
    ['iPhone15 sha256', ['iphone', 'iphone15+', '15', 'phone15+', 'phone+', 'sha', 'sha256+', '256']],
    ["the 1990s, 1980's", ['the', '1990s', '1990+', "1980's", '1980+']],
    ['10км', ['10', '10км+', 'км']],
    ['8th 22nd v1.2.3 v2 B2B 3f2a9bc 10000 1.2.3', '8th 22nd v1.2.3 v2 b2b 3f2a9bc 10000 1.2.3'.split(' ')],
    [`5${'x'.repeat(70)}`, ['5', `5${'x'.repeat(63)}+`, 'x'.repeat(63)]],
    ['getUserName HTTPServer', ['getusername', 'get+', 'user+', 'name+', 'httpserver', 'http+', 'server+']],
    ['parseConfigV2', ['parseconfigv', 'parseconfigv2+', '2', 'parse+', 'config+', 'v2+']],
    [
      'oauth2Token userName2',
      'oauth2token oauth2+ oauth+ token+ username username2+ 2 user+ name2+ name+'.split(' '),
    ],
    ['user_id app.userId X-Auth', 'user id app userid user+ id+ x xauth+ auth'.split(' ')],
    ['isPublic LinkedIn', ['ispublic', 'public+', 'linkedin', 'linked+']],
    ['parseURLs, APIs, GETs', ['parseurls', 'parse+', 'urls+', 'apis', 'gets']],
    ['e-mail; Wi-Fi take-home-test', 'e email+ mail wi wifi+ fi take takehometest+ home test'.split(' ')],
    [
      'state-of-the-art --dry-run B-52 e-mail’s “pop-up”',
      "state of the art dry run b 52 e mail's pop popup+ up".split(' '),
    ],
    [
      "PhD B2B McDonald's NASA O'Brien iPad tShirtSize",
      "phd b2b mcdonald's nasa o'brien ipad pad+ tshirtsize shirt+ size+".split(' '),
    ],
    [
      'größeWählen ЦветФона',
      ['grossewahlen', 'grosse+', 'wahlen+', 'groessewaehlen+', 'цветфона', 'цвет+', 'фона+'],
    ],
    ['50% 3.5%-off 5%x 100%25', ['50', '3.5', 'off', '5', 'x', '100', '25']],
    [`${'x'.repeat(17)}++`, ['x'.repeat(17)]],
    ["d'aujourd'hui L'Oréal's", ["d'aujourd'hui", "l'oreal's"]],
    ["1'200 and 12'500.50", ["1'200", 'and', "12'500.50"]],
    ['Müller MÜLLER Mueller', ['muller', 'mueller+', 'muller', 'mueller+', 'mueller']],
    [`getUser${'Name'.repeat(20)}`, [`getuser${'name'.repeat(20)}`.slice(0, 64)]],
    ['清华大学读书', ['清华大学', '清华+', '华大+', '大学+', '读书']],
    ['커피를 마셔', ['커피를', '커피+', '피를+', '마셔']],
  ])('cuts %j, and what is taken from a word stands beside it', (text, expected) => {
    const words: string[] = [];
    forEachWord(text, (word, _, isBeside) => words.push(isBeside ? `${word}+` : word));
    expect(words).toEqual(expected);
    const lexicon = new Lexicon();
    lexicon.read(text);
    const places = Array.from(lexicon.stream.subarray(0, lexicon.streamLength), (cell) => cell < GAP);
    expect(places).toEqual(expected.map((word) => word.endsWith('+')));
  });

  it('takes the beginning of what is too long to be a word', () => {
    const long = 'x'.repeat(MAX_WORD_LENGTH);
    expect(wordsOf(`${long}yz short`)).toEqual([long, 'short']);
    expect(wordsOf('𐐀'.repeat(MAX_WORD_LENGTH))[0]).toHaveLength(MAX_WORD_LENGTH);
    expect(wordsOf(`x${'𐐀'.repeat(MAX_WORD_LENGTH)}`)[0]).toHaveLength(MAX_WORD_LENGTH - 1);
  });

  it('knows the letters and digits of ASCII', () => {
    for (let code = 0; code < 128; code++) {
      const sign = String.fromCharCode(code);
      expect(wordsOf(` ${sign} `), sign).toEqual(/[\p{L}\p{N}]/u.test(sign) ? [sign.toLowerCase()] : []);
      expect(isCapital(sign, 0)).toBe(/^\p{Lu}/u.test(sign));
    }
    expect(isCapital('Élan', 0)).toBe(true);
    expect(isCapital('élan', 0)).toBe(false);
  });

  it('reads numbers as words', () => {
    expect(['8th', '08', '007', '2023', '22nd'].map(termOf)).toEqual(['8', '8', '007', '2023', '22']);
  });

  it.each([
    [['1.2.3', 'v1.2.3'], '1.2.3'],
    [['v2'], 'v2'],
    [['0', '00'], '0'],
    [['0m'], '0m'],
    [['1.200'], '1.200'],
    [['2m'], '2m'],
    [["5'10"], "5'10"],
    [['1.10'], '1.10'],
  ])('takes %j for one number', (words, term) => {
    expect(new Set(words.map(termOf))).toEqual(new Set([term]));
  });

  it.each(['a-b ', 'a# ', '1% ', 'c++ '])('has room for all that stands beside words in %j', (piece) => {
    const lexicon = new Lexicon();
    expect(lexiconTerms(lexicon, piece.repeat(5000))).toEqual(wordsOf(piece.repeat(5000)).map(termOf));
  });

  it('gives the same terms in the lexicon, which reads ASCII faster', () => {
    const piece = fc.oneof(
      fc.constantFrom(...PIECES.split(/\s+/), ' ', '\n', '\u00ad', 'e\u0301', 'x'.repeat(70)),
      fc.string({ maxLength: 6 }),
      fc.string({ unit: 'binary', maxLength: 4 }),
    );
    const lexicon = new Lexicon();
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        expect(lexiconTerms(lexicon, text)).toEqual(wordsOf(text).map(termOf));
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps thousands of words apart', () => {
    const lexicon = new Lexicon();
    const words = Array.from({ length: 20_000 }, (_, number) => `w${number.toString(36)}q${number}`);
    const text = words.join(' ');
    const terms = wordsOf(text).map(termOf);
    expect(new Set(terms).size).toBeGreaterThanOrEqual(20_000);
    expect(lexiconTerms(lexicon, text)).toEqual(terms);
    expect(lexiconTerms(lexicon, text)).toEqual(terms);
  });

  it('finds terms by how they begin, also those that came later', () => {
    const lexicon = new Lexicon();
    for (const text of ['running runs ruby', 'rivers ran Züge']) {
      lexicon.read(text);
      for (const prefix of ['', 'r', 'ru', '~', '~r', '~ri', 'z', 'x', '~x']) {
        const expected = lexicon.terms.filter((term) => term.startsWith(prefix));
        expect(lexicon.beginningWith(prefix), prefix).toEqual(expected);
      }
    }
  });

  it.each([
    ['the same hash', ['awz', 'c9z']],
    ['the same hash, and too long for a slot', ['awzzzzzzzzzz', 'c9zzzzzzzzzz']],
    ['one letter more', ['abcdefg', 'abcdefgh', 'abcdefghj', 'abcdefghjk', 'a', 'abcdef']],
  ])('keeps words apart that have %s', (_, words) => {
    const lexicon = new Lexicon();
    for (let times = 0; times < 2; times++) {
      expect(lexiconTerms(lexicon, words.join(' '))).toEqual(wordsOf(words.join(' ')).map(termOf));
    }
    expect(lexicon.wordCount).toBe(words.length);
  });
});
