import { describe, expect, it } from 'vitest';
import { findTimeMentions } from './mentions.ts';
import { showRange } from './show-range.ts';
import { parseWithin } from './within.ts';

/** A Wednesday. */
const NOW = Date.UTC(2026, 4, 20, 15, 30);

const mentions = (question: string): string[] => findTimeMentions(question, NOW).map(showRange);

const GERMAN_MONTHS: Readonly<Record<string, string>> = {
  Januar: 'January',
  Februar: 'February',
  März: 'March',
  Mai: 'May',
  Juni: 'June',
  Juli: 'July',
  Oktober: 'October',
  Dezember: 'December',
};

describe('times in German and French', () => {
  it.each([
    ['Was habe ich gestern gemacht?', '2026-05-19'],
    ['Was war heute?', '2026-05-20'],
    ['Was war vorgestern?', '2026-05-18'],
    ['Was habe ich morgen vor?', '2026-05-21'],
    ['morgen', '2026-05-21'],
    ['Morgen', '2026-05-21'],
    ['Morgen wird was geliefert?', '2026-05-21'],
    ['Was steht \u00fcbermorgen an?', '2026-05-22'],
    ['Was habe ich n\u00e4chste Woche?', '2026-05-25/2026-05-31'],
    ['Was ist kommenden Freitag?', '2026-05-22'],
    ["Qu'est-ce que j'ai la semaine prochaine ?", '2026-05-25/2026-05-31'],
    ['Que faisons-nous lundi prochain ?', '2026-05-25'],
    ["Qu'avons-nous fait l'ann\u00e9e derni\u00e8re ?", '2025-01-01/2025-12-31'],
    ['Was war letztes Quartal?', '2026-01-01/2026-03-31'],
    ['Was war heute Morgen?', '2026-05-20T04:00/2026-05-20T11:59'],
    ['Was haben wir letzte Woche besprochen?', '2026-05-11/2026-05-17'],
    ['Was war im letzten Monat?', '2026-04-01/2026-04-30'],
    ['Was war letztes Jahr?', '2025-01-01/2025-12-31'],
    ['Was steht diese Woche an?', '2026-05-18/2026-05-24'],
    ['Was war im Mai?', '2026-05-01/2026-05-31'],
    ['Was war im Januar 2025?', '2025-01-01/2025-01-31'],
    ['Was war am 14. Mai?', '2026-05-14'],
    ['Was war am 14. M\u00e4rz 2025?', '2025-03-14'],
    ['Was war am 14.05.?', '2026-05-14'],
    ['Was war am Montag?', '2026-05-18'],
    ['Was war letzten Montag?', '2026-05-18'],
    ['Was war am Wochenende?', '2026-05-16/2026-05-17'],
    ['Was war vor drei Tagen?', '2026-05-17'],
    ['Was war vor 2 Wochen?', '2026-05-03/2026-05-09'],
    ['Was war gestern Abend?', '2026-05-19T17:00/2026-05-19T23:59'],
    ['Was war seit Montag?', '2026-05-18T00:00/2026-05-20T15:30'],
    ['Was war zwischen M\u00e4rz und Mai?', '2026-03-01/2026-05-31'],
    ["Qu'est-ce que nous avons fait hier ?", '2026-05-19'],
    ['Que faire hier soir ?', '2026-05-19T17:00/2026-05-19T23:59'],
    ['avant-hier', '2026-05-18'],
    ["aujourd'hui", '2026-05-20'],
    ['aujourd\u2019hui', '2026-05-20'],
    ['la semaine derni\u00e8re', '2026-05-11/2026-05-17'],
    ['le mois dernier', '2026-04-01/2026-04-30'],
    ["l'ann\u00e9e derni\u00e8re", '2025-01-01/2025-12-31'],
    ['cette semaine', '2026-05-18/2026-05-24'],
    ['en mai', '2026-05-01/2026-05-31'],
    ['le 14 mai', '2026-05-14'],
    ['le 14 f\u00e9vrier 2025', '2025-02-14'],
    ['lundi dernier', '2026-05-18'],
    ['il y a trois jours', '2026-05-17'],
    ['il y a une semaine', '2026-05-10/2026-05-16'],
    ['depuis lundi', '2026-05-18T00:00/2026-05-20T15:30'],
    ['entre mars et mai', '2026-03-01/2026-05-31'],
  ])('%s', (question, range) => {
    expect(mentions(question)).toEqual([range]);
  });

  it.each([
    'gestern',
    'letzte Woche',
    '14. Mai',
    'seit Montag',
    'hier',
    'le 14 mai',
    'semaine derni\u00e8re',
  ])('are understood in a filter too: %s', (wording) =>
    expect(parseWithin(wording, NOW)).toMatchObject({ ok: true }),
  );

  it.each([
    ...['Januar', 'Februar', 'M\u00e4rz', 'April', 'Mai', 'Juni', 'Juli', 'August', 'September', 'Oktober'],
    ...['November', 'Dezember'],
  ])('name a day of every month: %s', (month) => {
    const number = String(new Date(`${GERMAN_MONTHS[month] ?? month} 1, 2025`).getMonth() + 1).padStart(
      2,
      '0',
    );
    for (const wording of [`am 14. ${month} 2025`, `14. ${month} 2025`])
      expect(mentions(`Was war ${wording}?`)).toEqual([`2025-${number}-14`]);
    expect(mentions(`Was war im ${month} 2025?`)[0]).toMatch(`2025-${number}-01/`);
    expect(parseWithin(`am 14. ${month}`, NOW)).toMatchObject({ ok: true });
  });

  it('name the first of a month in French', () => {
    expect(mentions('le 1er mai')).toEqual(['2026-05-01']);
  });

  it('are not seen in words that only look like them', () => {
    for (const question of [
      'Was steht hier?',
      'Wer ist hier der Chef und was ist das?',
      'mission to Mars',
      'Mai Tai recipe',
      'Il y a un chat',
      'vor dem Haus',
      'Who is il duce?',
      'dix points',
      'diese Sache',
      'ce chat',
      'August Weber called',
      'published in W3C standards',
      'seen on 3/4 of the pages',
      'since 1/2 of them left',
      'on 24/7 duty',
      'Who is Morgen?',
      'Guten Morgen',
      'Was machst du am Morgen?',
    ])
      expect(mentions(question), question).toEqual([]);
  });
});
