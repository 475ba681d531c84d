import { describe, expect, it } from 'vitest';
import { numberedDays } from './numbered-days.ts';

describe('the days that a text says by their numbers', () => {
  it.each([
    ['The vet comes on the 18th', [18]],
    ['On the 18th at nine, by the 22nd, please.', [18, 22]],
    ['Away until the 3rd - back on the 4th (early)', [3, 4]],
    ['on the 1st we move, on the 2nd I sleep', [1, 2]],
    ['Am 18. kommt der Maler', [18]],
    ['Bis zum 18. brauche ich das', [18]],
    ['Abgabe ist am 18.', [18]],
    ['Rendez-vous le 18 \u00e0 neuf heures', [18]],
    ['La r\u00e9union du 18, report\u00e9e au 20', [18, 20]],
  ])('%j: %j', (text, expected) => {
    expect(numberedDays(text).map(({ day }) => day)).toEqual(expected);
  });

  it.each([
    'the 18th',
    'on the 18th floor, by the 3rd attempt, after the 2nd time',
    'on the 18th of November, since the 18th century',
    'on the 1st and 2nd floor',
    'on the 32nd, on the 0th',
    'on the 18',
    'I am 18. At 10 am 18. people',
    'am 18. Tag, am 18.5., am 18. und 19. November',
    'Bist du 18?',
    'le 18 juin, au 18 rue Monge, le 18,5, le 18h, le 1850',
    'du 16 au 20 novembre',
    'spoon the 18th, jam 18.',
  ])('is none of other numbers: %s', (text) => {
    expect(numberedDays(text)).toEqual([]);
  });
});
