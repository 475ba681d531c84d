import { describe, expect, it } from 'vitest';
import { oneSpelling, stem } from './stem.ts';

const VARIANTS = `
  colour color, colourful colorful, favourites favorites, neighbourhood neighborhood, behavioural behavioral,
  dishonoured dishonored, watercolours watercolors, harbour harbor, savoury savory,
  organise organize, organising organizing, organisers organizers, organisation organization, recognisable recognizable,
  realised realized, apologised apologized, criticise criticize, prioritises prioritizes, emphasise emphasize,
  analyse analyze, analysed analyzed, analysing analyzing, paralysed paralyzed,
  centre center, centred centered, centring centering, theatres theaters, kilometres kilometers, fibre fiber, litre liter,
  travelled traveled, travelling traveling, traveller traveler, cancelled canceled, labelled labeled, modelling modeling,
  fuelled fueled, marvellous marvelous, jeweller jeweler, jewellery jewelry, counsellors counselors, skilful skillful,
  fulfil fulfill, enrolment enrollment,
  catalogue catalog, catalogues catalogs, catalogued cataloged, cataloguing cataloging, dialogues dialogs, analogue analog,
  defence defense, offences offenses, licence license, pretence pretense, practise practice, practising practicing,
  grey gray, greyish grayish, programme program, programmes programs, manoeuvres maneuvers, manoeuvring maneuvering,
  ageing aging, judgement judgment, mouldy moldy, ploughed plowed, yoghurt yogurt, pyjamas pajamas, whiskeys whiskies
`
  .split(',')
  .map((pair) => pair.trim().split(' ') as [string, string]);

/** Words that a hasty rule would change. */
const ONE_WAY = `
  hour hours four your tour tourist flour pour sour scour devour contour detour court course source journey tournament
  troubadour velour wise likewise otherwise rise rising sunrise uprising arise promise promised promising exercise
  exercising surprise surprised advertise advertising advise adviser revise supervise unsupervised improvise television
  premise compromise uncompromising precise imprecise concise paradise merchandise expertise franchise enterprise despise
  demise noise raise praise cruise bruise disguise turquoise crises irises trellises raisin prison finished sister
  acre genre ogre hundred hatred sacred massacre rogue vogue league eloquent size prize seize
`
  .trim()
  .split(/\s+/);

describe('spelling', () => {
  it.each(VARIANTS)('%s is %s', (one, other) => {
    expect(stem(one)).toBe(stem(other));
  });

  it('leaves alone what is written in one way', () => {
    expect(ONE_WAY.filter((word) => oneSpelling(word) !== word)).toEqual([]);
  });

  it('is the same when it is asked for again', () => {
    for (const word of [...VARIANTS.flat(), ...ONE_WAY]) {
      expect(oneSpelling(oneSpelling(word)), word).toBe(oneSpelling(word));
    }
  });
});
