import { ask, note, session, type World, wrote } from '../world.ts';

/** A family at home. Asked on a Wednesday. */
export const household: World = {
  name: 'household',
  now: '2026-06-17T10:00:00Z',
  sessions: [
    session(
      '2025-08-10T18:00:00Z',
      wrote('camping', 'user', 'We spent ten days camping at the lake, and it rained only once.'),
      note('tent', 'finding', 'The tent leaks at the left seam. Buy sealing spray before the next trip.'),
    ),
    session(
      '2025-12-27T11:00:00Z',
      wrote(
        'christmas',
        'user',
        'We had the whole family here for Christmas, fourteen people at two tables.',
      ),
      wrote('clock', 'user', 'Grandma gave us her old cuckoo clock, it hangs in the study now.'),
    ),
    session(
      '2026-02-14T09:30:00Z',
      note(
        'boiler_service',
        'finding',
        'Mr Novak serviced the boiler and changed a valve. He comes every winter.',
      ),
      note('boiler_pressure', 'finding', 'The pressure of the boiler should stay between 1.2 and 1.6 bar.'),
      note('tyre_pressure', 'finding', 'The tyres of the car need 2.4 bar in front and 2.6 bar behind.'),
    ),
    session(
      '2026-03-08T19:00:00Z',
      note('coffee', 'preference', 'I take my coffee with a splash of oat milk and no sugar.'),
      note('mushrooms', 'preference', "Ben doesn't eat mushrooms, not even on pizza."),
      note('lunch', 'finding', 'Ben eats lunch at school on Mondays and Thursdays.'),
      note('trains', 'preference', 'Lena likes window seats on trains.'),
      note('tea', 'preference', 'Lena drinks her tea with honey.'),
    ),
    session(
      '2026-04-11T17:20:00Z',
      note(
        'sofa',
        'decision',
        'We chose the blue sofa from the shop at the station. The grey one was too low.',
      ),
      note(
        'hallway',
        'decision',
        'The hallway will be painted in a warm white, the colour is called Cotton.',
      ),
      note('bedroom', 'decision', 'The bedroom stays green, we only paint the ceiling.'),
    ),
    session(
      '2026-05-06T16:00:00Z',
      wrote('tomatoes', 'user', 'I planted tomatoes and basil on the balcony.'),
      note('ferns', 'finding', 'The ferns in the bathroom get water every Sunday.'),
      wrote('film', 'user', 'On Friday we watched a film about whales with the children.'),
    ),
    session(
      '2026-05-20T08:10:00Z',
      wrote(
        'washer_broke',
        'user',
        'The washing machine broke this morning, the drum does not turn any more.',
      ),
      wrote(
        'washer_advice',
        'assistant',
        'That is often the belt. A technician can replace it within an hour.',
      ),
    ),
    session(
      '2026-05-23T14:00:00Z',
      note('washer_cost', 'finding', 'The repair of the washing machine cost 145 euros, with a new belt.'),
      note(
        'dishwasher',
        'finding',
        'The dishwasher is from 2019 and has a guarantee of ten years on the pump.',
      ),
    ),
    session(
      '2026-06-03T18:30:00Z',
      wrote('aquarium', 'user', 'We were at the aquarium with the children today. They loved the octopus.'),
    ),
    session(
      '2026-06-09T12:00:00Z',
      wrote('brakes', 'user', 'I took the car to the garage because the brakes were squeaking.'),
      note('garage_phone', 'finding', 'The garage that repairs our car closes at noon on Saturdays.'),
    ),
    session(
      '2026-06-13T15:00:00Z',
      wrote('flea_market', 'user', 'We went to the flea market and found a lamp for the study.'),
      note('market', 'finding', 'The vegetable market moves to the town hall during the summer.'),
    ),
    session(
      '2026-06-15T07:40:00Z',
      note('dentist', 'finding', 'Ben has an appointment at the dentist on Friday 19 June at 15:30.'),
      note('porto', 'finding', 'Our flight to Porto leaves on 4 July at 6:40 from terminal 2.'),
      note('paper_bin', 'finding', 'The paper bin is emptied on the first Monday of each month.'),
      note('swimming', 'finding', "Lena's swimming course begins on 29 June."),
    ),
    session(
      '2026-06-16T20:00:00Z',
      wrote('bread', 'user', 'I baked two loaves of rye bread and gave one to the neighbours.'),
    ),
    session(
      '2026-06-17T08:00:00Z',
      note('parents_evening', 'finding', "The parents' evening at the school is tomorrow at seven."),
    ),
    session(
      '2026-01-05T10:00:00Z',
      note('parking', 'finding', 'I park in the garage on Linden Street, level 2, space 41.'),
      note('spare_key', 'finding', 'Mrs Adler on the second floor has our spare key.'),
      note('bike_key', 'finding', 'The key for the bicycle cellar hangs beside the front door.'),
      note('fuse_box', 'finding', 'The fuse box is behind the coat rack.'),
      note('tool_box', 'finding', 'The tool box is on the upper shelf in the cellar.'),
      note('water', 'finding', 'The red lever under the kitchen sink shuts off the water.'),
      note('wifi', 'finding', 'The wifi password of our flat is on a card inside the kitchen cupboard.'),
      note('bank', 'finding', 'The password of the bank account is in the password manager.'),
    ),
  ],
  questions: [
    ask('facts', 'where do I park?', 'parking'),
    ask('facts', 'who has our spare key?', 'spare_key'),
    ask('facts', 'how can I shut off the water?', 'water'),
    ask('times', 'what did I do yesterday?', 'bread'),
    ask('times', 'where were we two weeks ago?', 'aquarium'),
    ask('times', 'what did we do last summer?', 'camping'),
    ask('times', 'what broke in May?', 'washer_broke'),
    ask('times', 'what was wrong with the car last week?', 'brakes'),
    ask('plans', 'do we have anything tomorrow?', 'parents_evening'),
    ask('plans', 'what is on Friday?', 'dentist'),
    ask('plans', 'when do we fly to Porto?', 'porto'),
    ask('typos', 'where is the fuze box', 'fuse_box'),
    ask('typos', 'wifi pasword?', 'wifi'),
    ask('forms', 'what color did we pick for the hallway?', 'hallway'),
    ask('forms', 'when does Lena start to swim?', 'swimming'),
    ask('numbers', 'how much did repairing the washing machine cost?', 'washer_cost'),
    ask('choices', 'which sofa did we choose?', 'sofa'),
    ask('names', 'what does Ben not eat?', 'mushrooms'),
  ],
  unanswerable: [
    'when was the roof insulated?',
    'what is the name of our landlord?',
    'which insurance covers the bicycle?',
    'how much do we pay for electricity?',
    'who is the godmother of Lena?',
    'what size are the curtains in the living room?',
    'where did we buy the piano?',
    'what is the vet called?',
    'how old is grandma?',
  ],
};
