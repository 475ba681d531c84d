import { describe, expect, it } from 'vitest';
import { stem } from './stem.ts';

describe('stem', () => {
  it.each([
    ['consigned', 'consign'],
    ['consistency', 'consist'],
    ['consolations', 'consol'],
    ['conspiracy', 'conspiraci'],
    ['constables', 'constabl'],
    ['knackeries', 'knackeri'],
    ['knaves', 'knave'],
    ['knitting', 'knit'],
    ['knightly', 'knight'],
    ['authentication', 'authent'],
    ['agencies', 'agenc'],
    ['adoption', 'adopt'],
    ['relational', 'relat'],
    ['hopping', 'hop'],
    ['hoping', 'hope'],
    ['happily', 'happili'],
    ['generously', 'generous'],
    ['communication', 'communic'],
    ['flying', 'fli'],
    ['says', 'say'],
    ['youth', 'youth'],
    ['dying', 'die'],
    ['skies', 'sky'],
    ['succeeded', 'succeed'],
    ['agreed', 'agre'],
    ['ties', 'tie'],
    ['gas', 'gas'],
    ['kiwis', 'kiwi'],
    ["caroline's", 'carolin'],
  ])('takes the endings off %s', (word, expected) => {
    expect(stem(word)).toBe(expected);
  });

  it('leaves short words and other letters alone', () => {
    expect(['at', 'is', 'naïve', 'größe', 'v1.2', 'сказали'].map(stem)).toEqual([
      'at',
      'is',
      'naïve',
      'größe',
      'v1.2',
      'сказали',
    ]);
  });
});
