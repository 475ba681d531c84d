import { ask, note, session, type World, wrote } from '../world.ts';

/** A student who runs, in conversation with an assistant that answers at length. Asked on a Sunday. */
export const student: World = {
  name: 'student',
  now: '2026-02-15T20:00:00Z',
  sessions: [
    session(
      '2025-09-29T17:00:00Z',
      wrote('degree', 'user', 'I just began my degree in marine biology, and I live with three flatmates.'),
      wrote(
        'degree_reply',
        'assistant',
        'Congratulations! Marine biology is a broad subject. In the first year most students take courses in cell biology, chemistry and statistics; field trips usually come in the second year. Make a plan for each week, go to the tutorials, and find a group to learn with.',
      ),
      note('library', 'preference', 'I learn best in the library, on the third floor by the window.'),
    ),
    session(
      '2025-10-18T20:00:00Z',
      wrote('seminar', 'user', 'Which seminar should I take, plankton or coral reefs? I can only take one.'),
      wrote(
        'seminar_reply',
        'assistant',
        'Both seminars are useful. The seminar on plankton has more laboratory work, the seminar on coral reefs more reading. If you want to work at sea later, plankton opens more doors, as most research ships take samples of it.',
      ),
      note('seminar_choice', 'decision', 'I signed up for the plankton seminar with Professor Lindqvist.'),
    ),
    session(
      '2025-11-09T09:00:00Z',
      wrote('race', 'user', 'I ran my first ten kilometre race today, in 54 minutes and 12 seconds.'),
      wrote(
        'race_reply',
        'assistant',
        'Well done! For a first race over ten kilometres that is a solid time. To run faster, add one session of intervals a week, keep the other runs slow, and sleep enough. A good next goal would be a race below 50 minutes within half a year.',
      ),
      note('shoes', 'finding', 'My running shoes have 640 kilometres on them, the foam is worn out at 800.'),
    ),
    session(
      '2025-12-06T18:00:00Z',
      wrote('microscope', 'user', 'I dropped a microscope in the lab, luckily only the lamp broke.'),
      note('lab_rule', 'finding', 'In the laboratory we must wear goggles and closed shoes.'),
      note('lab_partner', 'finding', 'My lab partner is Yuki, she comes from Sapporo.'),
    ),
    session(
      '2026-01-10T12:00:00Z',
      note('rent', 'finding', 'My share of the rent is 385 pounds, paid on the first.'),
      note(
        'cleaning',
        'decision',
        'In the flat, Dev cleans the kitchen, I clean the bathroom and Rosa takes out the rubbish.',
      ),
      note('dev', 'finding', 'Dev studies law and practises the trumpet in the evening.'),
      note('rosa', 'finding', 'Rosa is from Chile and works in a cinema on weekends.'),
    ),
    session(
      '2026-01-21T16:00:00Z',
      wrote('exam_statistics', 'user', 'I passed the statistics exam with 71 points.'),
      wrote('exam_chemistry', 'user', 'The chemistry exam went badly, I have to sit it again.'),
      wrote(
        'exam_reply',
        'assistant',
        'Well done in statistics! For the chemistry exam, look at what went wrong first: time, topics or nerves. Then solve old exams under time pressure, one each week, and go through the answers with a friend. Chemistry rewards practice more than reading.',
      ),
    ),
    session(
      '2026-02-03T19:30:00Z',
      wrote('knee', 'user', 'My left knee hurts when I run downhill.'),
      wrote(
        'knee_reply',
        'assistant',
        'Pain in the knee when running downhill often comes from tired thighs. Take a week without running, then start with short runs on flat ground. Exercises for the hip and the thigh help: squats, lunges and steps. If it still hurts after two weeks, see a doctor.',
      ),
    ),
    session(
      '2026-02-10T21:00:00Z',
      wrote('swim', 'user', 'I swam forty lengths instead of running, my knee liked that.'),
      note('pool', 'finding', 'The pool of the university is closed on Mondays and costs 3.50 a visit.'),
    ),
    session(
      '2026-02-12T17:00:00Z',
      note('chemistry_again', 'finding', 'The second chemistry exam is on 3 March at 9 in hall B.'),
      note('essay', 'finding', 'The essay on zooplankton is due on 27 February, 2,500 words.'),
      note('doctor', 'finding', 'I see the doctor about my knee on Tuesday at 8:15.'),
    ),
    session(
      '2026-02-14T22:00:00Z',
      wrote('valentine', 'user', 'We cooked dumplings together and Rosa burnt the second batch.'),
    ),
    session(
      '2026-02-15T09:00:00Z',
      note('tomorrow', 'finding', 'Tomorrow I give a talk on jellyfish in the seminar.'),
      wrote(
        'talk_reply',
        'assistant',
        'For a talk of ten minutes, plan six slides: one question, one picture of the animal, two results, one open problem and one slide for the end. Practise it aloud twice, and drink water before you begin.',
      ),
    ),
    session(
      '2025-10-05T10:00:00Z',
      note('bike_lock', 'finding', 'The code of my bike lock is 4471.'),
      note('locker', 'finding', 'My locker in the laboratory is number 118, next to the stairs.'),
      note('allergy', 'preference', 'I cannot eat nuts, please leave them out of recipes.'),
      note('music', 'preference', 'When I write, I listen to piano music without singing.'),
      note('software', 'decision', 'I draw my figures in R with ggplot2, not in Excel.'),
      note(
        'python_env',
        'finding',
        'My Python environment for the course is called marine-311 and needs numpy 1.26.',
      ),
      note('backup', 'finding', 'My notes are backed up to the blue hard drive every Sunday.'),
      note('printer', 'finding', 'The printer in the library takes only the student card.'),
    ),
  ],
  questions: [
    ask('facts', 'what am I studying?', 'degree'),
    ask('facts', 'what is the code of my bike lock?', 'bike_lock'),
    ask('facts', 'who cleans the bathroom in our flat?', 'cleaning'),
    ask('facts', 'where is my locker?', 'locker'),
    ask('numbers', 'how fast did I run my first race?', 'race'),
    ask('numbers', 'how many points did I get in statistics?', 'exam_statistics'),
    ask('numbers', 'how long must the zooplankton essay be? 2500 words?', 'essay'),
    ask('choices', 'which seminar did I sign up for?', 'seminar_choice'),
    ask('choices', 'what music do I listen to when writing?', 'music'),
    ask('identifiers', 'which numpy do I need for marine-311?', 'python_env'),
    ask('identifiers', 'do I use ggplot2 or excel?', 'software'),
    ask('typos', 'when is the second chemestry exam?', 'chemistry_again'),
    ask('typos', 'what do I have to wear in the labratory?', 'lab_rule'),
    ask('forms', 'who burned the dumplings?', 'valentine'),
    ask('forms', 'what did I break in the lab?', 'microscope'),
    ask('times', 'what did I do last week instead of running?', 'swim'),
    ask('plans', 'what do I have to do tomorrow?', 'tomorrow'),
    ask('plans', 'when do I see the doctor?', 'doctor'),
  ],
  unanswerable: [
    'what is the password of the student portal?',
    'how much is the tuition fee?',
    'when do I fly home?',
    'which scholarship did I apply for?',
    'what is the name of my landlady?',
    'where did I lose my umbrella?',
    'what did Dev get for his birthday?',
    'which diving licence do I have?',
  ],
};
