import type { MemoryType } from 'longhand';

/**
 * Two hundred facts of one person that have changed: what was said first, what was said later, and a question to which
 * the later one is the answer. No two pairs are about the same thing. People seldom say a thing again in the words of the
 * first time, so about half of the pairs have little in common but their subject.
 */
export interface ChangedFact {
  readonly type: MemoryType;
  readonly old: string;
  readonly now: string;
  readonly question: string;
}

const FACTS: readonly (readonly [old: string, now: string, question: string])[] = [
  // Where and how I live.
  ['I live in Hamburg.', 'We live in Lübeck now.', 'Do we live in Hamburg or in Lübeck?'],
  ['My flat is on the third floor.', 'My new flat is on the ground floor.', 'On which floor is my flat?'],
  ['My rent is 900 euros.', 'The landlord raised my rent to 980 euros.', 'How much is my rent?'],
  [
    'My landlord is Mr Pohl.',
    'Mrs Anders has bought the house and is my landlord now.',
    'Who has bought the house and is my landlord?',
  ],
  ['The door code is 4471.', 'They changed the door code to 9023.', 'What is the door code?'],
  [
    'The wifi password is bluewhale.',
    'The wifi password has changed to redotter.',
    'What is the wifi password?',
  ],
  [
    'The bins are collected on Tuesdays.',
    'From now on the bins are collected on Fridays.',
    'When are the bins collected?',
  ],
  [
    'Our heating runs on gas.',
    'We replaced the gas heating with a heat pump.',
    'What kind of heating do we have?',
  ],
  [
    'The living room walls are white.',
    'I painted the living room walls green.',
    'What colour are the living room walls?',
  ],
  [
    'The spare key is under the flower pot.',
    'The spare key is with the neighbour now.',
    'Where is the spare key?',
  ],
  [
    'I share the flat with two students.',
    'The students moved out and I have the flat to myself.',
    'Do I share the flat with students?',
  ],
  [
    'Our neighbour upstairs is a drummer.',
    'The drummer upstairs left, and a quiet couple is our neighbour now.',
    'Who is our neighbour upstairs?',
  ],
  [
    'The washing machine is broken.',
    'The washing machine has been repaired.',
    'Does the washing machine work?',
  ],
  ['Our sofa is brown leather.', 'We bought a grey sofa made of wool.', 'What is our sofa like?'],
  [
    'The fuse box is in the cellar.',
    'The electrician moved the fuse box to the hall.',
    'Where is the fuse box?',
  ],
  ['I park on the street.', 'I rent a parking space in the garage now.', 'Where do I park?'],
  [
    'My electricity comes from Nordstrom.',
    'I switched my electricity to Sonnenwerk.',
    'Who supplies my electricity?',
  ],
  [
    'The garden has a wooden fence.',
    'We took down the fence and planted a hedge around the garden.',
    'What surrounds the garden?',
  ],
  [
    'The alarm code of the house is 7070.',
    'The house has a new alarm code, 3141.',
    'What is the alarm code of the house?',
  ],
  [
    'Our cleaner comes on Mondays.',
    'Our cleaner can only come on Thursdays from now on.',
    'On which day does our cleaner come?',
  ],
  // Work.
  ['I work at a bank.', 'I left the bank and work for a publisher.', 'Where do I work?'],
  [
    'My job title is junior analyst.',
    'I was promoted to senior analyst.',
    'Am I a junior or a senior analyst?',
  ],
  ['My boss is Henrike.', 'Tobias took over the team and is my boss.', 'Who is my boss?'],
  [
    'I earn 3,200 euros a month.',
    'After the pay rise I earn 3,600 euros a month.',
    'How much do I earn a month?',
  ],
  [
    'The team meeting is on Monday at nine.',
    'The team meeting moved to Wednesday at ten.',
    'When is the team meeting?',
  ],
  [
    'I work from home two days a week.',
    'I may work from home four days a week now.',
    'How many days do I work from home?',
  ],
  ['My office is in room 210.', 'They gave me another office, room 118.', 'In which room is my office?'],
  [
    'The project deadline is 15 March.',
    'The project deadline was extended to 30 April.',
    'What is the project deadline?',
  ],
  [
    'Our biggest customer is Velora.',
    'Velora cancelled, so our biggest customer is Kantum.',
    'Who is our biggest customer?',
  ],
  ['We deploy on Fridays.', 'We decided to deploy on Tuesdays.', 'On which day do we deploy?'],
  [
    'The production database is Postgres 14.',
    'The production database was upgraded to Postgres 17.',
    'Which version is the production database?',
  ],
  ['Our code is hosted on GitLab.', 'We moved our code to GitHub.', 'Where is our code hosted?'],
  [
    'The staging server is called birch.',
    'The staging server is called maple since the migration.',
    'What is the staging server called?',
  ],
  [
    'We write the backend in Python.',
    'The backend has been rewritten in Go.',
    'In which language is the backend written?',
  ],
  [
    'The build takes nine minutes.',
    'With the new cache the build takes four minutes.',
    'How long does the build take?',
  ],
  [
    'Releases are approved by Marlene.',
    'Releases are approved by Oskar since January.',
    'Who approves releases?',
  ],
  ['Our tests run on Jenkins.', 'Our tests run on Buildkite instead.', 'What do our tests run on?'],
  [
    'The API limit is 100 requests a minute.',
    'The API limit was raised to 500 requests a minute.',
    'What is the API limit?',
  ],
  [
    'We use tabs for indentation.',
    'The team agreed on two spaces for indentation.',
    'Which indentation has the team agreed on?',
  ],
  [
    'The invoices go to Petra.',
    'Petra is on leave, so the invoices go to Jonas.',
    'To whom do the invoices go?',
  ],
  // Food and drink.
  ['I am a vegetarian.', 'I eat meat again.', 'Do I eat meat?'],
  ['I drink coffee with milk.', 'I drink my coffee black these days.', 'How do I drink my coffee?'],
  [
    'My favourite restaurant is Il Ponte.',
    'My favourite restaurant is Saigon Garden by now.',
    'What is my favourite restaurant?',
  ],
  ['I do not like mushrooms.', 'I have come to like mushrooms.', 'Do I like mushrooms?'],
  ['I have breakfast at seven.', 'I skip breakfast nowadays.', 'When do I have breakfast?'],
  ['I take two sugars in my tea.', 'I gave up sugar in my tea.', 'How much sugar do I take in my tea?'],
  [
    'I buy bread at the bakery on the corner.',
    'The bakery closed, and I bake my bread myself.',
    'Where does my bread come from?',
  ],
  [
    'We order pizza on Fridays.',
    'On Fridays we cook curry in place of the pizza.',
    'What do we eat on Fridays?',
  ],
  ['I drink a glass of wine at dinner.', 'I stopped drinking wine.', 'Do I drink wine?'],
  ['I am allergic to nothing.', 'The test showed that I am allergic to hazelnuts.', 'What am I allergic to?'],
  [
    'My favourite ice cream is vanilla.',
    'Pistachio has become my favourite ice cream.',
    'What is my favourite ice cream?',
  ],
  ['I buy cow’s milk.', 'I buy oat milk only.', 'Which milk do I buy?'],
  ['I cook on an electric stove.', 'We got an induction stove.', 'What kind of stove do I cook on?'],
  [
    'The vegetable box comes every week.',
    'The vegetable box comes every other week now.',
    'How often does the vegetable box come?',
  ],
  ['I like my steak rare.', 'I prefer my steak well done.', 'How do I like my steak?'],
  [
    'We shop at the supermarket in Mill Street.',
    'We shop at the market hall since the supermarket shut.',
    'Where do we shop for groceries?',
  ],
  ['I fast until noon.', 'My doctor advised against fasting, so I no longer fast.', 'Do I fast?'],
  ['My lunch is usually a sandwich.', 'For lunch I have soup in the canteen.', 'What do I have for lunch?'],
  [
    'The kitchen scale shows ounces.',
    'The new kitchen scale shows grams.',
    'What does the kitchen scale show?',
  ],
  [
    'Our dinner table seats four.',
    'We extended the dinner table, it seats eight.',
    'How many does the dinner table seat?',
  ],
  // Family and friends.
  ['I am single.', 'I have a girlfriend called Mara.', 'Do I have a girlfriend?'],
  ['My brother lives in Oslo.', 'My brother has moved to Turin.', 'Where does my brother live?'],
  ['My sister is studying law.', 'My sister finished her studies and is a judge.', 'What does my sister do?'],
  ['My parents are married.', 'My parents got divorced.', 'Are my parents married?'],
  [
    'My daughter goes to kindergarten.',
    'My daughter started primary school.',
    'Which school does my daughter go to?',
  ],
  ['My son plays the recorder.', 'My son switched to the trumpet.', 'Which instrument does my son play?'],
  [
    'My grandmother lives alone.',
    'My grandmother moved into a nursing home.',
    'How does my grandmother live?',
  ],
  ['Our babysitter is Lotte.', 'Our babysitter is Finn because Lotte went abroad.', 'Who is our babysitter?'],
  ['My best friend is pregnant.', 'My best friend had a baby boy.', 'Has my best friend had her baby?'],
  ['My uncle drives a lorry.', 'My uncle has retired.', 'What does my uncle do for work?'],
  ['My cousin is engaged to Paul.', 'My cousin broke off the engagement.', 'Is my cousin engaged?'],
  ['My father has a beard.', 'My father shaved off his beard.', 'Does my father have a beard?'],
  ['My niece is four years old.', 'My niece turned five.', 'How old is my niece?'],
  [
    'My mother’s phone number ends in 12.',
    'My mother has another phone number that ends in 88.',
    'How does my mother’s phone number end?',
  ],
  ['We see my in-laws every Sunday.', 'We see my in-laws once a month.', 'How often do we see my in-laws?'],
  [
    'My godson wants to be a fireman.',
    'My godson says he will be a pilot.',
    'What does my godson want to be?',
  ],
  ['The twins share a room.', 'Each of the twins has a room of their own.', 'Do the twins share a room?'],
  ['My aunt runs a flower shop.', 'My aunt sold the flower shop.', 'Does my aunt run a flower shop?'],
  [
    'My stepfather is in hospital.',
    'My stepfather came home from hospital.',
    'Is my stepfather in hospital?',
  ],
  [
    'The family holiday is planned for July.',
    'We postponed the family holiday to September.',
    'When is the family holiday?',
  ],
  // Animals and plants.
  ['We have one cat.', 'A second cat joined us, so we have two.', 'How many cats do we have?'],
  [
    'Our dog is called Bello.',
    'We call the dog Rufus now, he did not listen to Bello.',
    'What is our dog called?',
  ],
  ['The vet is Dr Lindqvist.', 'We changed to another vet, Dr Amara.', 'Who is the vet?'],
  [
    'The dog eats dry food.',
    'The dog gets wet food since his tooth operation.',
    'What food does the dog get?',
  ],
  [
    'The aquarium has six fish.',
    'Two fish died, there are four in the aquarium.',
    'How many fish are in the aquarium?',
  ],
  [
    'The parrot sleeps in the kitchen.',
    'The parrot sleeps in the study now.',
    'Where does the parrot sleep?',
  ],
  [
    'The rabbit lives in a hutch.',
    'We let the rabbit live free in the garden.',
    'Where does the rabbit live?',
  ],
  [
    'I water the orchids every day.',
    'The orchids get water once a week only.',
    'How often do I water the orchids?',
  ],
  [
    'We grow tomatoes on the balcony.',
    'This year we grow chillies on the balcony in place of tomatoes.',
    'What do we grow on the balcony?',
  ],
  ['The hedgehog visits at dusk.', 'The hedgehog has not visited since autumn.', 'Does the hedgehog visit?'],
  // Health.
  ['My doctor is Dr Baum.', 'Dr Baum retired and my doctor is Dr Okafor.', 'Who is my doctor?'],
  [
    'I take 5 mg of the blood pressure pill.',
    'The dose of my blood pressure pill is 10 mg now.',
    'What is the dose of my blood pressure pill?',
  ],
  ['My dentist is in Mill Lane.', 'I go to a dentist in Park Street these days.', 'Where is my dentist?'],
  ['I weigh 82 kilos.', 'I lost some weight and am at 76 kilos.', 'How much do I weigh?'],
  ['I smoke ten cigarettes a day.', 'I quit smoking in May.', 'Do I smoke?'],
  ['I wear glasses.', 'I had my eyes lasered and need no glasses any more.', 'Do I wear glasses?'],
  ['My knee hurts when I climb stairs.', 'My knee is fine again since the physiotherapy.', 'How is my knee?'],
  [
    'I sleep six hours a night.',
    'I sleep eight hours a night since I changed my routine.',
    'How many hours do I sleep a night?',
  ],
  [
    'My physiotherapy is on Monday evenings.',
    'My physiotherapy takes place on Saturday mornings.',
    'When is my physiotherapy?',
  ],
  [
    'My health insurance is with Helva.',
    'I changed my health insurance to Gesunda.',
    'With whom is my health insurance?',
  ],
  ['I have not had the flu shot.', 'I got the flu shot yesterday.', 'Have I had the flu shot?'],
  ['My blood type is unknown to me.', 'My blood type is A negative, the lab says.', 'What is my blood type?'],
  [
    'I run five kilometres every morning.',
    'I swim in the morning, running was bad for my hips.',
    'Do I run or swim in the morning?',
  ],
  ['My left arm is in a cast.', 'The cast came off my arm.', 'Is my arm in a cast?'],
  ['My therapist sees me weekly.', 'I see my therapist every two weeks.', 'How often do I see my therapist?'],
  // Transport and travel.
  ['I drive a diesel car.', 'I sold the diesel and drive an electric car.', 'What kind of car do I drive?'],
  [
    'My number plate is HH-KL 204.',
    'The number plate is HL-MB 77 since the move.',
    'What is my number plate?',
  ],
  [
    'I cycle to work.',
    'I take the tram to work since my bike was stolen.',
    'Do I take the tram or cycle to work?',
  ],
  [
    'My train leaves at 7:42.',
    'With the new timetable my train leaves at 7:55.',
    'When does my train leave?',
  ],
  [
    'I fly to Madrid in June.',
    'The flight to Madrid is in August because they cancelled the one in June.',
    'When do I fly to Madrid?',
  ],
  [
    'My seat on the plane is 12A.',
    'I was moved to seat 21C on the plane.',
    'Which seat do I have on the plane?',
  ],
  [
    'We stay at the Hotel Miramar.',
    'The Miramar is full, so we stay at a guest house called Casa Lima.',
    'At which guest house do we stay?',
  ],
  [
    'My passport expires in 2027.',
    'I renewed my passport, it expires in 2036.',
    'When does my passport expire?',
  ],
  ['My bicycle is red.', 'I have a new bicycle, a black one.', 'What colour is my bicycle?'],
  [
    'The car is due for inspection in March.',
    'The car passed the inspection.',
    'Is the inspection of the car done?',
  ],
  [
    'I do not have a driving licence.',
    'I passed the test and have a driving licence.',
    'Do I have a driving licence?',
  ],
  ['I have a monthly bus pass.', 'I have an annual bus pass.', 'What kind of bus pass do I have?'],
  [
    'We travel to Norway in summer.',
    'We changed our minds and travel to Portugal in summer.',
    'Where do we travel in summer?',
  ],
  [
    'The winter tyres are in the garage.',
    'The winter tyres are stored at the dealer.',
    'Where are the winter tyres?',
  ],
  [
    'My suitcase is the blue one.',
    'The airline lost it, my suitcase is silver now.',
    'Which suitcase is mine?',
  ],
  // Things and technology.
  ['My phone is an Orbit 5.', 'I bought an Orbit 8 as my phone.', 'Which Orbit is my phone?'],
  [
    'My phone number ends in 734.',
    'My phone number ends in 219 after the change of provider.',
    'How does my phone number end since I changed the provider?',
  ],
  ['I use Windows on my laptop.', 'I installed Linux on my laptop.', 'Which system is on my laptop?'],
  ['My e-mail provider is Postbox.', 'I moved my e-mail to Mailhaven.', 'Who is my e-mail provider?'],
  ['I read the news on paper.', 'I read the news on a tablet.', 'How do I read the news?'],
  [
    'My password manager is Keyring.',
    'I use Vaultly as password manager.',
    'Which password manager do I use?',
  ],
  ['The printer is out of ink.', 'The printer has new ink.', 'Does the printer have ink?'],
  ['My editor is Vim.', 'I switched to Emacs as my editor.', 'Which editor do I use?'],
  [
    'Our television is in the bedroom.',
    'We put the television into the living room.',
    'Where is our television?',
  ],
  ['My camera takes film.', 'I sold it and have a digital camera.', 'What kind of camera do I have?'],
  ['My watch is analogue.', 'I wear a smart watch.', 'What kind of watch do I wear?'],
  ['I back up to an external disk.', 'I back up to the cloud now.', 'Where do I back up?'],
  ['My screen has 24 inches.', 'I work on a screen of 32 inches.', 'How large is my screen?'],
  ['The router stands in the hall.', 'The router stands in the study.', 'Where does the router stand?'],
  [
    'I stream music with Tonica.',
    'I cancelled Tonica and stream music with Melodeon.',
    'With what do I stream music?',
  ],
  // Free time.
  ['I play the guitar.', 'I gave up the guitar for the piano.', 'Which instrument do I play?'],
  [
    'I am reading a novel about whales.',
    'I finished the novel and am reading a book about bees.',
    'What am I reading?',
  ],
  [
    'My choir rehearses on Wednesdays.',
    'The choir rehearses on Thursdays now.',
    'When does my choir rehearse?',
  ],
  [
    'I train for a half marathon.',
    'I signed up for the full marathon and train for that.',
    'What race do I train for?',
  ],
  ['My chess rating is 1400.', 'My chess rating rose to 1520.', 'What is my chess rating?'],
  ['I learn Spanish.', 'I learn Portuguese in place of Spanish.', 'Which language do I learn?'],
  ['My yoga class is in the evening.', 'I changed to the yoga class at lunchtime.', 'When is my yoga class?'],
  ['I collect stamps.', 'I sold my stamps and collect coins.', 'What do I collect?'],
  [
    'My favourite film is a western.',
    'My favourite film is a comedy about a postman.',
    'What is my favourite film?',
  ],
  ['We play cards on Thursdays.', 'Our card evening was moved to Sundays.', 'When do we play cards?'],
  ['I am a member of the tennis club.', 'I left the tennis club.', 'Am I a member of the tennis club?'],
  [
    'The pottery course costs 80 euros.',
    'The pottery course costs 95 euros this term.',
    'How much does the pottery course cost?',
  ],
  ['I paint with oils.', 'I paint with watercolours.', 'What do I paint with?'],
  ['I knit a scarf.', 'The scarf is done, I knit a jumper.', 'What do I knit?'],
  ['My allotment has number 14.', 'I took over allotment number 30.', 'Which number has my allotment?'],
  [
    'I support the football club of my town.',
    'I support no football club any more.',
    'Which football club do I support?',
  ],
  [
    'Our book club meets at my place.',
    'Our book club meets in the library.',
    'Where does our book club meet?',
  ],
  ['My dance partner is Ilse.', 'I dance with Ruben as partner now.', 'Who is my dance partner?'],
  [
    'I go fishing at the lake.',
    'I go fishing at the river since the lake dried up.',
    'Where do I go fishing?',
  ],
  [
    'My favourite band is the Paper Lions.',
    'The Slow Tides are my favourite band.',
    'What is my favourite band?',
  ],
  // Money and papers.
  ['My bank is the Sparhaus.', 'I moved my account to another bank, Novabank.', 'Which bank do I have?'],
  ['I save 200 euros a month.', 'I save 350 euros a month.', 'How much do I save a month?'],
  ['The loan runs until 2030.', 'We paid off the loan.', 'Until when does the loan run?'],
  ['My tax class is 1.', 'My tax class is 4 since the wedding.', 'What is my tax class?'],
  [
    'My accountant is Frau Seidel.',
    'I do my taxes with a new accountant, Herr Brandt.',
    'Who is my accountant?',
  ],
  [
    'The car insurance costs 600 euros a year.',
    'The car insurance went down to 480 euros a year.',
    'What does the car insurance cost?',
  ],
  ['My will is with the notary.', 'I keep my will in the safe.', 'Where is my will?'],
  ['I own shares of a shipping company.', 'I sold the shares.', 'Do I own shares?'],
  [
    'My credit card limit is 2,000.',
    'The bank raised my credit card limit to 5,000.',
    'What is my credit card limit?',
  ],
  [
    'I give ten euros a month to the animal shelter.',
    'My donation to the animal shelter is twenty euros a month.',
    'How much do I give to the animal shelter?',
  ],
  // Habits and wishes.
  ['I get up at six.', 'I get up at half past seven since I changed jobs.', 'At half past what do I get up?'],
  ['I want to be called Alex.', 'Please call me Alexandra.', 'What should you call me?'],
  ['Answer me in German.', 'Answer me in English from now on.', 'In which language should you answer me?'],
  ['I like long explanations.', 'I like short explanations better.', 'What explanations do I like?'],
  [
    'Use metric units for me.',
    'Use imperial units for me, I moved to America.',
    'Which units should you use?',
  ],
  [
    'My birthday present for Mara is a lamp.',
    'I return the lamp and give Mara a necklace for her birthday.',
    'What is my birthday present for Mara?',
  ],
  ['I shave every day.', 'I let my beard grow.', 'Do I shave or let my beard grow?'],
  ['My hair is long.', 'I cut my hair short.', 'How is my hair?'],
  ['I pray on Sundays.', 'I left the church and do not pray.', 'Do I pray?'],
  ['I vote by letter.', 'I vote at the polling station.', 'How do I vote?'],
  ['I wear a size 42 shoe.', 'The shoe shop measured me at size 43.', 'Which shoe size do I wear?'],
  [
    'My New Year’s resolution is to write a diary.',
    'I changed my New Year’s resolution to juggling.',
    'What is my New Year’s resolution?',
  ],
  ['I keep my diary on paper.', 'My diary is an app now.', 'Where do I keep my diary?'],
  ['I meditate for ten minutes.', 'I meditate for half an hour.', 'How long do I meditate?'],
  [
    'I listen to podcasts in the bath.',
    'I listen to podcasts while ironing.',
    'When do I listen to podcasts?',
  ],
  // School and plans.
  ['I study biology.', 'I changed my degree to chemistry.', 'What is my degree in?'],
  ['My exam is on 3 June.', 'The exam was moved to 17 June.', 'When is my exam?'],
  ['My thesis is about moss.', 'The new topic of my thesis is lichen.', 'What is my thesis about?'],
  ['My supervisor is Professor Kern.', 'Professor Ito is my supervisor now.', 'Who is my supervisor?'],
  [
    'I want to become a teacher.',
    'I decided against it and want to become a carpenter.',
    'What do I want to become?',
  ],
  ['The lecture is in hall B.', 'The lecture takes place in hall F.', 'In which hall is the lecture?'],
  [
    'My grade in statistics is a C.',
    'They corrected my grade in statistics to a B.',
    'What is my grade in statistics?',
  ],
  ['The wedding is in the town hall.', 'The wedding will be in a barn.', 'Where will the wedding be?'],
  [
    'We invite 80 guests to the party.',
    'We cut the guest list of the party to 45.',
    'How many guests come to the party?',
  ],
  [
    'We plan to build a house.',
    'We gave up the plan to build, we buy a houseboat.',
    'Do we plan to build a house?',
  ],
  // The street and the town.
  [
    'The post office opens at eight.',
    'The post office opens at nine since the summer.',
    'When does the post office open?',
  ],
  [
    'The bridge to the island is closed.',
    'The bridge to the island is open again.',
    'Is the bridge to the island open?',
  ],
  [
    'The library card costs nothing.',
    'The library card costs twelve euros a year.',
    'What does the library card cost?',
  ],
  [
    'The playground has a slide.',
    'They took the slide away from the playground.',
    'Does the playground have a slide?',
  ],
  [
    'Our street is a one-way street.',
    'Cars may drive both ways in our street.',
    'Is our street a one-way street?',
  ],
  [
    'The farmers’ market is on Saturdays.',
    'The farmers’ market takes place on Fridays.',
    'When is the farmers’ market?',
  ],
  ['The mayor is Frau Holm.', 'Herr Tamm won the election and is the mayor.', 'Who is the mayor?'],
  [
    'The swimming pool is heated.',
    'To save energy the swimming pool is no longer heated.',
    'Is the swimming pool heated?',
  ],
  [
    'Bus line 6 stops at our door.',
    'Bus line 6 stops at the church from now on.',
    'Where does bus line 6 stop?',
  ],
  ['The chemist is next to the school.', 'The chemist moved next to the station.', 'Where is the chemist?'],
];

/** Ways to say how one wants it. */
const PREFERENCE = /favourite|\b(like|prefer|call(ed)? me|answer me|use metric|use imperial)\b/i;

export const CHANGED_FACTS: readonly ChangedFact[] = FACTS.map(([old, now, question]) => ({
  type: PREFERENCE.test(old) ? 'preference' : 'finding',
  old,
  now,
  question,
}));
