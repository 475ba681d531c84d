import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentsWithLetters } from './letters-phrase.ts';
import type { Part } from './part.ts';
import { RecallIndex } from './recall-index.ts';
import { forEachWord, isLettersPiece, lettersOf, phrasePieces, termOf } from './words.ts';

/** An index whose documents are these texts, in this order. */
function indexOf(texts: readonly string[]): RecallIndex {
  const index = new RecallIndex();
  for (const [order, text] of texts.entries()) {
    index.add(
      {
        schema_version: 1,
        id: `mem_${order}`,
        session_id: 's',
        timestamp: '2026-06-01T12:00:00.000Z',
        type: 'finding',
        content: { text },
        importance: 0.5,
        decay_factor: 1,
        tags: [],
        references: [],
        provenance: { author: 'user', trust: 'owner' },
      },
      order,
      { log: 0, offset: order, length: 1 },
    );
  }
  return index;
}

/** Checks the tail, and then the segment that becomes of it. */
function inTailAndSegment(index: RecallIndex, check: (part: Part) => void): void {
  check(index.parts().at(-1)!);
  const bytes = index.sealTail();
  index.replaceTail({ size: bytes.length, read: (from, length) => bytes.subarray(from, from + length) });
  check(index.parts()[0]!);
}

/** Place → the terms there. */
function termsByPlace(text: string): string[][] {
  const places: string[][] = [];
  forEachWord(text, (word, _, isBeside) => {
    if (!isBeside) places.push([]);
    places.at(-1)!.push(termOf(word));
  });
  return places;
}

/** Tries every way through a phrase in one text: what the words there are is all that it shares with the index. */
function canFollow(text: string, pieces: readonly string[]): boolean {
  const places = termsByPlace(text);
  const follow = (at: number, left: string, place: number, isFirst: boolean): boolean => {
    if (left === '' && at === pieces.length) return true;
    if (left === '' && isLettersPiece(pieces[at]!))
      return follow(at + 1, lettersOf(pieces[at]!), place, isFirst);
    return (places[place] ?? []).some((term) => {
      if (left === '') return term === pieces[at] && follow(at + 1, '', place + 1, false);
      if (at === pieces.length && term.startsWith(left)) return true;
      if (isFirst && pieces.length === 1 && term.includes(left)) return true;
      for (let length = 1; length <= left.length; length++) {
        const begins = left.slice(0, length);
        if (isFirst ? !term.endsWith(begins) : term !== begins) continue;
        if (follow(at, left.slice(length), place + 1, false)) return true;
      }
      return false;
    });
  };
  return places.some((_, place) => follow(0, '', place, true));
}

const LETTERS = [...'清华大学读书的커피를にラ'];
const token = fc.oneof(
  fc.constantFrom('alpha', 'beta', 'v2', '2024', 'gamma'),
  fc.array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 5 }).map((letters) => letters.join('')),
);
const sentence = fc.array(token, { minLength: 1, maxLength: 12 });

/** Some letters stand right beside words, and all else has a space between. */
function joined(tokens: readonly string[]): string {
  return tokens.join(' ').replaceAll(/(?<=[清学に]) (?=[a-z\d])|(?<=[a-z\d]) (?=[华书ラ])/g, '');
}

describe('phrases of letters and words', () => {
  it('are found where they stand, and nowhere that no way leads through them', () => {
    const phraseOf = (tokens: readonly string[], [from, count, cut]: readonly [number, number, number]) => {
      const start = from % tokens.length;
      const picked = tokens.slice(start, start + count);
      // A word stands whole, and letters may be cut anywhere.
      const isWord = (text: string) => /^[a-z\d]/.test(text);
      const first = picked[0]!;
      if (!isWord(first)) picked[0] = first.slice(cut % first.length);
      const last = picked.at(-1)!;
      if (!isWord(last)) picked[picked.length - 1] = last.slice(0, 1 + (cut % last.length));
      return joined(picked);
    };
    fc.assert(
      fc.property(
        fc.array(sentence, { minLength: 1, maxLength: 5 }),
        fc.tuple(fc.nat(), fc.integer({ min: 1, max: 6 }), fc.nat()),
        (sentences, cut) => {
          const texts = sentences.map(joined);
          const phrase = phraseOf(sentences[0]!, cut);
          const pieces = phrasePieces(phrase);
          if (!pieces.some(isLettersPiece)) return;
          inTailAndSegment(indexOf(texts), (part) => {
            const found = [...documentsWithLetters(part, pieces)];
            for (const [at, text] of texts.entries()) if (text.includes(phrase)) expect(found).toContain(at);
            expect(found).toContain(0);
            expect(found).toEqual([...texts.keys()].filter((at) => canFollow(texts[at]!, pieces)));
          });
        },
      ),
      { numRuns: 400 },
    );
  });

  it('are found in a document of many letters that are all the same', () => {
    const lengths = [1, 2, 31, 63, 64, 65, 130];
    const texts = lengths.map((length) => `${'哈'.repeat(length)} alpha`);
    inTailAndSegment(indexOf(texts), (part) => {
      for (const length of [1, 2, 3, 31, 63, 64]) {
        const holders = [...lengths.keys()].filter((at) => lengths[at]! >= length);
        const letters = '哈'.repeat(length);
        expect([...documentsWithLetters(part, phrasePieces(letters))], letters).toEqual(holders);
        expect([...documentsWithLetters(part, phrasePieces(`${letters} alpha`))], letters).toEqual(holders);
      }
    });
  });
});

describe('what a phrase of letters and words costs', () => {
  /** How many terms are looked up, and in how many documents their places are read. */
  function costOf(part: Part, phrase: string): { readonly terms: number; readonly placed: number } {
    let terms = 0;
    let placed = 0;
    const counted: Part = Object.create(part, {
      postings: {
        value: (term: string) => {
          terms++;
          return part.postings(term);
        },
      },
      positions: {
        value: (term: string, documents: Int32Array) => {
          placed += documents.length;
          return part.positions(term, documents);
        },
      },
    });
    documentsWithLetters(counted, phrasePieces(phrase));
    return { terms, placed };
  }

  const texts = Array.from({ length: 50 }, (_, at) => `커피 alpha beta ${at % 5 === 0 ? '학교' : 'gamma'}`);
  const tailOf = (all: readonly string[]) => indexOf(all).parts().at(-1)!;

  it('does not rise with words that it repeats', () => {
    const part = tailOf(texts);
    const short = costOf(part, '커피 alpha alpha');
    expect(short).toEqual({ terms: 2, placed: 100 });
    expect(costOf(part, `커피 ${'alpha '.repeat(20_000)}`)).toEqual(short);
    expect(costOf(part, `${'alpha '.repeat(20_000)} 커피`)).toEqual(short);
  });

  it('is nothing but a look at its words when one of them is nowhere', () => {
    const part = tailOf(texts);
    expect(costOf(part, '커피 alpha nowhere')).toEqual({ terms: 2, placed: 0 });
    expect(costOf(part, '커피 alpha 무엇')).toEqual({ terms: 2, placed: 0 });
  });

  it('reads places only in documents that hold all of it', () => {
    expect(costOf(tailOf(texts), '커피 alpha beta 학교')).toEqual({ terms: 4, placed: 40 });
  });

  it('does not rise with letters that it repeats', () => {
    const part = tailOf(Array.from({ length: 50 }, () => '哈哈哈'));
    expect(costOf(part, '哈'.repeat(64))).toEqual(costOf(part, '哈'.repeat(4)));
  });

  it('leaves memory for other things, however long the phrase is', { timeout: 300_000 }, async () => {
    const own = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
    const script = `
      const { RecallIndex } = await import(${own('./recall-index.ts')});
      const { search } = await import(${own('./search.ts')});
      const { resolveDecayPolicy } = await import(${own('./decay.ts')});
      const phrase = '清华 ' + Array(20_000).fill('alpha').join(' ');
      const index = new RecallIndex();
      for (let order = 0; order < 1_000; order++) {
        const text = order === 500 ? '在' + phrase : '清华 alpha alpha beta';
        index.add(
          {
            schema_version: 1, id: 'mem_' + order, session_id: 's', timestamp: '2026-06-01T12:00:00.000Z',
            type: 'finding', content: { text }, importance: 0.5, decay_factor: 1, tags: [], references: [],
            provenance: { author: 'user', trust: 'owner' },
          },
          order,
          { log: 0, offset: order, length: 1 },
        );
      }
      const request = { nowMs: Date.UTC(2026, 5, 2), policy: resolveDecayPolicy(), text: '"' + phrase + '"' };
      console.log(JSON.stringify(search(index, request).hits.map(({ id }) => id)));
    `;
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--max-old-space-size=256',
      '--input-type=module',
      '--eval',
      script,
    ]);
    expect(JSON.parse(stdout)).toEqual(['mem_500']);
  });
});
