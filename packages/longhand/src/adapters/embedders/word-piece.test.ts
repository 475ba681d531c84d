import { describe, expect, it } from 'vitest';
import { WordPiece } from './word-piece.ts';

const PIECES = [
  '[PAD]',
  '[UNK]',
  '[CLS]',
  '[SEP]',
  'un',
  '##aff',
  '##able',
  'cafe',
  ',',
  '!',
  '$',
  '5',
  '東',
  '京',
  'Un',
  '##a',
];
const VOCABULARY = `${PIECES.join('\n')}\n`;
const named = (numbers: readonly number[]) => numbers.map((number) => PIECES[number]!).join(' ');

describe('WordPiece', () => {
  const tokens = (text: string) => named(new WordPiece(VOCABULARY).encode(text));

  it('takes the longest pieces from the beginning of a word on', () => {
    expect(tokens('unaffable')).toBe('[CLS] un ##aff ##able [SEP]');
    expect(tokens('unaffableness')).toBe('[CLS] [UNK] [SEP]');
    expect(tokens('una un')).toBe('[CLS] un ##a un [SEP]');
  });

  it('lower-cases, takes accents off and splits punctuation', () => {
    expect(tokens('  CAFÉ,\n\tcafé!! ')).toBe('[CLS] cafe , cafe ! ! [SEP]');
    expect(tokens('cafe\u0301 $5')).toBe('[CLS] cafe $ 5 [SEP]');
    expect(tokens('un,un')).toBe('[CLS] un , un [SEP]');
  });

  it('takes each ideograph for a word, and leaves out what cannot be seen', () => {
    expect(tokens('東京un')).toBe('[CLS] 東 京 un [SEP]');
    expect(tokens('u\0n\u200b \ufffd')).toBe('[CLS] un [SEP]');
    expect(tokens('')).toBe('[CLS] [SEP]');
    expect(tokens('🙂')).toBe('[CLS] [UNK] [SEP]');
  });

  it('ends after so many tokens, and takes a very long word for an unknown one', () => {
    const short = new WordPiece(VOCABULARY, { maxTokens: 5 });
    expect(named(short.encode('un un un un un'))).toBe('[CLS] un un un [SEP]');
    expect(named(short.encode('un un unaffable'))).toBe('[CLS] un un un [SEP]');
    expect(new WordPiece(VOCABULARY).encode('un '.repeat(1_000))).toHaveLength(256);
    expect(tokens(`un${'a'.repeat(98)}`)).toBe(`[CLS] un ${'##a '.repeat(98)}[SEP]`);
    expect(tokens(`un${'a'.repeat(99)}`)).toBe('[CLS] [UNK] [SEP]');
  });

  it('keeps cases apart when the model does', () => {
    expect(named(new WordPiece(VOCABULARY, { lowerCase: false }).encode('Un un café'))).toBe(
      '[CLS] Un un [UNK] [SEP]',
    );
  });

  it('reads vocabularies of Windows, and refuses those that are none', () => {
    expect(new WordPiece(VOCABULARY.replaceAll('\n', '\r\n')).encode('un')).toEqual([2, 4, 3]);
    expect(() => new WordPiece('a\nb\n')).toThrow(/\[UNK\]/);
    expect(() => new WordPiece('[UNK]\n[CLS]\n[SEP]\n')).toThrow(/\[PAD\]/);
  });
});
