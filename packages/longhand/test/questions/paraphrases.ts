import type { MemoryType, NewMemory } from 'longhand';

/**
 * A hundred facts of one person, and for each a question in other words: they have no content word in common. Only
 * meaning leads from one to the other, and a person sees at once that it does.
 */
export interface Paraphrase {
  readonly id: string;
  readonly type: MemoryType;
  readonly fact: string;
  readonly question: string;
}

const FACTS: readonly (readonly [type: MemoryType, fact: string, question: string])[] = [
  // Food and drink.
  ['finding', 'I am allergic to peanuts.', 'What food should I avoid?'],
  ['preference', 'I love spicy noodles with tofu.', 'What is my favourite dish?'],
  ['preference', 'I drink my espresso black.', 'How do I take my coffee?'],
  ['finding', 'I have not eaten meat since 2021.', 'Am I a vegetarian?'],
  ['preference', 'Red wine gives me a headache.', 'Which alcohol is bad for me?'],
  ['conversation', 'I baked a chocolate tart for dessert on Sunday.', 'Which cake did I make?'],
  ['preference', 'I cannot stand olives.', 'What do I hate to eat?'],
  [
    'conversation',
    'We had sushi at the little Japanese restaurant.',
    'Where did we go for dinner with raw fish?',
  ],
  ['finding', 'Milk upsets my stomach.', 'Do I tolerate dairy products?'],
  ['conversation', 'I picked strawberries and blueberries in the fields.', 'What fruit did I harvest?'],
  // Family.
  ['finding', 'My daughter is called Nora and is seven.', 'How old is my child?'],
  ['finding', 'My wife works as a nurse on the children’s ward.', 'What is the job of my spouse?'],
  [
    'conversation',
    'My mum turned seventy and we threw a party.',
    'How did we celebrate the birthday of my mother?',
  ],
  ['finding', 'My brother lives in Toronto.', 'In which Canadian city do I have a sibling?'],
  ['conversation', 'My sister gave birth to twins in the spring.', 'Who in my family had babies?'],
  ['finding', 'My grandfather was a fisherman.', 'What did my ancestors do for a living?'],
  ['conversation', 'I proposed to her on the beach at sunset.', 'Where did I ask for her hand in marriage?'],
  ['finding', 'My parents split up when I was ten.', 'Did mum and dad get divorced?'],
  [
    'conversation',
    'My nephew begins primary school in autumn.',
    'Which relative is about to enter education?',
  ],
  ['finding', 'Our wedding was on 12 May 2018.', 'How long have we been married?'],
  // Animals.
  ['finding', 'We have a golden retriever.', 'What kind of pet do we own?'],
  ['conversation', 'The kitten scratched the curtains again.', 'What did our cat damage?'],
  ['finding', 'Our hens lay four eggs a day.', 'Which birds do we keep?'],
  ['conversation', 'The vet vaccinated our puppy.', 'Has the dog had its shots?'],
  ['finding', 'I am scared of spiders.', 'Which insects or creatures frighten me?'],
  // Health.
  ['finding', 'I take a pill against high blood pressure each morning.', 'Which medication do I need daily?'],
  ['conversation', 'I sprained my ankle playing football.', 'Which injury did I get from sport?'],
  ['finding', 'I wear contact lenses.', 'Do I have bad eyesight?'],
  ['conversation', 'I caught the flu and stayed in bed for a week.', 'When was I ill?'],
  ['finding', 'Pollen makes me sneeze in April.', 'Do I suffer from hay fever?'],
  ['conversation', 'The surgeon removed my appendix.', 'What operation have I had?'],
  ['finding', 'I fall asleep badly when I look at screens late.', 'What disturbs my rest at night?'],
  ['decision', 'I stopped smoking in January.', 'When did I give up cigarettes?'],
  ['finding', 'My blood group is O negative.', 'What type should a transfusion be for me?'],
  ['conversation', 'The dentist pulled out a wisdom tooth.', 'Which dental treatment did I get?'],
  // Work and study.
  ['finding', 'I teach physics at a grammar school.', 'What is my profession?'],
  ['conversation', 'I got promoted to head of the department.', 'How has my career advanced?'],
  ['finding', 'My boss is called Renata.', 'Who is my manager at work?'],
  ['decision', 'I handed in my notice on Monday.', 'Did I quit my job?'],
  ['finding', 'I earn 4,100 euros before tax.', 'What is my salary?'],
  ['finding', 'I graduated in chemistry from Leeds.', 'Where did I go to university?'],
  ['conversation', 'They turned down my application for the grant.', 'Was my request for funding rejected?'],
  ['preference', 'I write best before breakfast.', 'At what time of day am I most productive?'],
  ['finding', 'My colleagues and I share one big room.', 'What is my office like?'],
  [
    'conversation',
    'The customer complained that the parcel came too late.',
    'Why was the client unhappy about delivery?',
  ],
  // Home.
  ['finding', 'Our house has a leaky roof.', 'What needs fixing in our home?'],
  ['decision', 'We bought an electric hob for the kitchen.', 'Which new stove did we get for cooking?'],
  ['finding', 'We heat with wood pellets.', 'How do we keep warm in winter?'],
  ['finding', 'I pay 900 euros a month to the landlord.', 'How much is my rent?'],
  ['conversation', 'We knocked down the wall between the two rooms.', 'What renovation have we done?'],
  ['decision', 'We repainted the bedroom in sky blue.', 'What colour are the walls where we sleep?'],
  ['finding', 'Roses and lavender grow in front of the window.', 'Which flowers are in our garden?'],
  ['conversation', 'The fridge stopped cooling last night.', 'Which kitchen appliance is broken?'],
  ['finding', 'The people upstairs play loud music after midnight.', 'What annoys me about my neighbours?'],
  ['finding', 'We live on the fourth floor without a lift.', 'Does our apartment building have an elevator?'],
  // Travel and transport.
  ['conversation', 'We spent a fortnight in Crete, mostly by the sea.', 'Where did we go on holiday?'],
  ['finding', 'I drive a silver Skoda.', 'What car do I own?'],
  ['finding', 'I cycle to the office.', 'How do I commute to work?'],
  ['finding', 'Boats make me seasick.', 'Why should I not go on a ferry?'],
  [
    'decision',
    'We reserved a cabin in the mountains for Easter.',
    'What accommodation have we booked for spring?',
  ],
  ['conversation', 'I missed my plane because of the traffic.', 'Why did I not catch my flight?'],
  ['finding', 'My passport expires in November.', 'Until when can I travel abroad with my documents?'],
  ['conversation', 'A policeman stopped me for going too fast.', 'When did I get a speeding ticket?'],
  ['preference', 'I prefer the aisle on long journeys.', 'Which seat should you choose for me?'],
  ['finding', 'I have never been outside Europe.', 'Which continents have I visited?'],
  // Leisure.
  ['finding', 'I play the violin in an orchestra.', 'Which musical instrument can I handle?'],
  ['preference', 'I read crime stories in bed.', 'What sort of novels do I enjoy?'],
  ['conversation', 'I finished the marathon in under four hours.', 'How did my long-distance race go?'],
  ['finding', 'I sew my own dresses.', 'Do I make clothes as a hobby?'],
  ['finding', 'I speak Spanish and a little Polish.', 'Which foreign languages do I know?'],
  ['preference', 'Jazz calms me down.', 'What music helps me relax?'],
  ['conversation', 'We watched a thriller at the cinema.', 'Which movie did we see?'],
  ['finding', 'I sing in a choir on Thursdays.', 'What do I do with my voice in my spare time?'],
  ['finding', 'I collect old coins.', 'What is my hobby about historic money?'],
  [
    'conversation',
    'I lost three rounds of chess to my uncle.',
    'Which board game did I play against a relative?',
  ],
  ['finding', 'I go to the gym twice a week to lift weights.', 'How do I stay fit and strong?'],
  ['conversation', 'I painted the harbour in watercolours.', 'Which picture did I create as an artist?'],
  ['preference', 'I want to learn how to surf.', 'Which water sport would I like to try?'],
  // Money and things.
  ['conversation', 'My purse was stolen on the underground.', 'What did a thief take from me in the subway?'],
  ['decision', 'I put 200 pounds aside each month.', 'How much money do I save?'],
  ['finding', 'I owe my cousin 500 dollars.', 'Do I have debts to a relative?'],
  ['conversation', 'I sold my old laptop online.', 'What happened to my previous computer?'],
  ['finding', 'My mobile has a cracked display.', 'What is wrong with my phone screen?'],
  ['decision', 'I cancelled the newspaper.', 'Which subscription did I end?'],
  ['conversation', 'I inherited a watch from my grandmother.', 'What did grandma leave me when she died?'],
  ['finding', 'I give to the animal shelter at Christmas.', 'Which charity do I donate money for?'],
  ['finding', 'I wear size 42 boots.', 'How big are my feet?'],
  // Character and habits.
  ['finding', 'I get up at half past five.', 'When do I usually wake in the morning?'],
  ['preference', 'Please keep your answers brief.', 'Do I like long replies?'],
  ['preference', 'Crowds make me nervous.', 'Why do I avoid big events with many people?'],
  ['finding', 'I cried when the old cinema was torn down.', 'What made me sad about a demolished building?'],
  ['preference', 'I cannot work without complete silence.', 'Does noise bother me when I concentrate?'],
  ['finding', 'I always forget names.', 'What is hard for me to remember about people I meet?'],
  ['preference', 'Summer is too hot for me.', 'Which season do I dislike because of the temperature?'],
  ['finding', 'I go to church on Sundays.', 'Am I a religious person?'],
  ['decision', 'I will vote for the Greens.', 'Which political party do I support in the election?'],
  ['finding', 'I grew up on a farm in Wales.', 'Where did I spend my childhood?'],
  ['finding', 'I was born in 1984.', 'What is my age?'],
  ['conversation', 'I passed my driving test on the third attempt.', 'How did I get my licence for the car?'],
  [
    'preference',
    'My kids should not use tablets after dinner.',
    'What screen rules have I set for the children?',
  ],
];

export const PARAPHRASES: readonly Paraphrase[] = FACTS.map(([type, fact, question], number) => ({
  id: `fact_${number + 1}`,
  type,
  fact,
  question,
}));

const DAY_MS = 86_400_000;

/** The moment at which the paraphrases are asked. */
export const PARAPHRASES_ASKED_MS = Date.UTC(2026, 4, 20, 9);

/** The facts as memories, one every third day before the questions. */
export function factMemories(): NewMemory[] {
  return PARAPHRASES.map(({ id, type, fact }, number) => ({
    id,
    type,
    content: { message: fact },
    timestamp: new Date(PARAPHRASES_ASKED_MS - (PARAPHRASES.length - number) * 3 * DAY_MS),
  }));
}
