import type { MemoryType } from 'longhand';

/** One kind of sentence with two gaps. Every first filling goes with every second one. */
export interface SentencePattern {
  readonly type: MemoryType;
  readonly write: (first: string, second: string) => string;
  readonly first: readonly string[];
  readonly second: readonly string[];
}

const pattern = (
  type: MemoryType,
  write: SentencePattern['write'],
  first: string,
  second: string,
): SentencePattern => ({ type, write, first: first.split(', '), second: second.split(', ') });

/** Ten fillings for each gap: what a person hears, reads and arranges, and nothing about the person. */
export const SENTENCE_PATTERNS: readonly SentencePattern[] = [
  pattern(
    'finding',
    (shop, state) => `The ${shop} on the corner ${state}.`,
    'bakery, pharmacy, florist, hardware store, bookshop, tailor, butcher, toy shop, optician, laundry',
    'opens at eight, closes over lunch, has a new owner, takes cash only, delivers on weekdays, is being rebuilt, has moved across the street, looks for apprentices, sells gift vouchers, has a queue on Saturdays',
  ),
  pattern(
    'conversation',
    (programme, subject) => `A colleague told me about ${programme} on ${subject}.`,
    'a lecture, a documentary, an exhibition, a podcast, a museum tour, a radio play, a seminar, a photo book, a panel, a quiz',
    'glaciers, honey bees, suspension bridges, medieval maps, volcanoes, typewriters, tides, the moon landing, lighthouses, steam engines',
  ),
  pattern(
    'finding',
    (meeting, time) => `The ${meeting} was moved to ${time}.`,
    'budget meeting, press call, stand-up, workshop on safety, interview with the supplier, board meeting, rehearsal, fire drill, planning round, site visit',
    'next Monday, the 14th, a quarter to three, the large hall, the week after, half past nine, the end of the month, Thursday afternoon, room 204, the ninth',
  ),
  pattern(
    'conversation',
    (weather, scene) => `It ${weather} while ${scene}.`,
    'rained, snowed, hailed, was foggy, was windy, thundered, was sunny, drizzled, froze, cleared up',
    'the market was set up, workers paved the street, the parade passed by, a crane lifted the statue, scouts put up their tents, the band tuned up, the fountain was cleaned, tourists queued for the tower, a balloon landed on the meadow, gulls circled above the quay',
  ),
  pattern(
    'finding',
    (tool, place) => `The ${tool} is kept ${place}.`,
    'ladder, drill, torch, first-aid kit, projector, spare bulb, glue gun, measuring tape, extension cord, megaphone',
    'in the basement, behind the counter, in the blue crate, with the caretaker, on the top shelf, in the shed, under the stage, beside the copier, in cupboard seven, at the reception',
  ),
  pattern(
    'decision',
    (verb, thing) => `The team agreed to ${verb} the ${thing}.`,
    'rewrite, postpone, test, archive, simplify, translate, publish, review, split, rename',
    'style guide, quarterly report, landing page, questionnaire, price list, newsletter, onboarding slides, changelog, user manual, roadmap',
  ),
  pattern(
    'finding',
    (subject, claim) => `An article claims that ${subject} ${claim}.`,
    'octopuses, crows, sharks, bats, elephants, ants, whales, parrots, beavers, owls',
    'count up to five, recognise faces, follow the stars, use simple tools, mourn, share knowledge, plan ahead, hear infrasound, invent signals, navigate by smell',
  ),
  pattern(
    'conversation',
    (event, city) => `The news spoke of ${event} in ${city}.`,
    'a power cut, a strike, a flood, a new tram, an election, a trade fair, a record harvest, a chess congress, a landslide, an art theft',
    'Lisbon, Oslo, Kyoto, Quito, Tunis, Perth, Havana, Riga, Nairobi, Turin',
  ),
  pattern(
    'finding',
    (recipe, need) => `The recipe for ${recipe} asks for ${need}.`,
    'goulash, pancakes, risotto, dumplings, ratatouille, gingerbread, falafel, chowder, quiche, sorbet',
    'a pinch of nutmeg, two cloves of garlic, a cup of flour, fresh thyme, a stick of cinnamon, half a lemon, coarse salt, a spoon of vinegar, smoked paprika, a bay leaf',
  ),
  pattern(
    'finding',
    (service, number) => `The number of the ${service} is ${number}.`,
    'town hall, lost property office, taxi stand, recycling yard, night porter, ticket desk, harbour master, water works, youth club, weather line',
    '555 0142, 555 0177, 555 0191, 555 0126, 555 0113, 555 0168, 555 0154, 555 0139, 555 0185, 555 0107',
  ),
  pattern(
    'conversation',
    (person, request) => `The ${person} asked whether ${request}.`,
    'caretaker, librarian, trainee, visitor, auditor, photographer, courier, gardener, journalist, plumber',
    'the gate could stay open, the files are complete, there is a second entrance, the lights were left on, the form has been signed, the date still holds, a receipt is needed, the stairs are safe, the keys fit, the logo may be used',
  ),
  pattern(
    'finding',
    (line, state) => `Bus ${line} ${state}.`,
    '12, 27, 31, 44, 58, 63, 70, 85, 91, 99',
    'stops at the zoo, runs every ten minutes, skips the bridge, ends at the depot, goes past the stadium, is diverted until March, has no ramp, leaves from platform C, connects to the tram, is full at noon',
  ),
  pattern(
    'finding',
    (file, content) => `The file ${file} holds ${content}.`,
    'inventory.xlsx, draft-3.docx, survey.csv, backlog.md, floorplan.pdf, credits.txt, agenda.odt, contacts.vcf, mixdown.wav, poster.svg',
    'the totals of last quarter, a list of suppliers, raw figures, open tasks, the sketch of the hall, the names of all sponsors, the minutes, addresses of members, an early version, the final artwork',
  ),
  pattern(
    'conversation',
    (winner, loser) => `The ${winner} won two to one against the ${loser}.`,
    'Falcons, Rovers, Comets, Badgers, Mariners, Wolves, Ravens, Pioneers, Titans, Hornets',
    'Harbour Eleven, Northgate Lions, Valley United, Old Mill Giants, Riverside Stars, Castle Knights, Hill Rangers, Bay Pirates, Forest Foxes, Lakeside Swans',
  ),
  pattern(
    'finding',
    (item, period) => `The library lends ${item} for ${period}.`,
    'comics, audio books, puzzles, sheet music, atlases, magazines, telescopes, e-readers, travel guides, picture frames',
    'a week, a fortnight, three weeks, a month, six weeks, ten days, one night, two months, a weekend, a term',
  ),
  pattern(
    'conversation',
    (topic, other) => `At the town meeting they argued over ${topic} and ${other}.`,
    'parking fees, street lamps, the skate park, dog bans, market stalls, the bypass, playgrounds, noise at the quarry, bus shelters, the town crest',
    'the price of water, the new archive, flood walls, the mayor’s speech, cycle lanes, school dinners, the ice rink, bench sponsors, the bell tower, weed control',
  ),
  pattern(
    'decision',
    (plan, month) => `The club will ${plan} in ${month}.`,
    'hold a raffle, repair the boathouse, elect a treasurer, print a calendar, invite the veterans, visit the brewery, stage a play, plant an avenue, host a tournament, film a portrait',
    'January, February, March, April, May, June, August, September, October, December',
  ),
  pattern(
    'finding',
    (recording, length) => `The recording of the ${recording} lasts ${length}.`,
    'symphony, keynote, opera, hearing, audio guide, debate, sermon, press briefing, lesson, fairy tale',
    'twelve minutes, half an hour, 48 minutes, an hour, 73 minutes, two hours, nine minutes, 20 minutes, 95 minutes, three hours',
  ),
  pattern(
    'finding',
    (building, date) => `The old ${building} dates from ${date}.`,
    'mill, town gate, granary, observatory, customs house, viaduct, monastery, brewery, prison, pump station',
    '1702, 1756, 1781, 1803, 1827, 1849, 1866, 1888, 1904, 1926',
  ),
  pattern(
    'finding',
    (device, fault) => `The ${device} shows a warning when ${fault}.`,
    'printer, scanner, till, projector, freight lift, alarm panel, coffee machine, router, franking machine, air conditioner',
    'the tray is open, toner runs low, the lid is loose, the filter is full, the clock is wrong, no paper is left, the cable is bent, the tank is empty, the drum is old, an update waits',
  ),
  pattern(
    'conversation',
    (delivery, receiver) => `The postman left ${delivery} with ${receiver}.`,
    'a heavy box, a registered letter, a tube of posters, two catalogues, a crate of apples, a padded envelope, a pile of flyers, a rolled carpet, a small barrel, a bunch of tulips',
    'the florist, the caretaker, the concierge, the kiosk, the hairdresser, the pub, the music school, the warehouse, the garage, the porter',
  ),
  pattern(
    'finding',
    (plant, need) => `The guide says that ${plant} likes ${need}.`,
    'fern, ivy, sage, the fig tree, rosemary, the orchid, bamboo, the cactus, moss, mint',
    'shade, sandy soil, chalk, plenty of water, a south wall, dry air, a little ash, rain water, morning light, deep pots',
  ),
  pattern(
    'conversation',
    (teacher, topic) => `The ${teacher} explained ${topic}.`,
    'guide, curator, ranger, engineer, potter, beekeeper, skipper, blacksmith, astronomer, mason',
    'how arches carry weight, why the tower leans, how salt was mined, what the symbols mean, how a lock works, why leaves turn, how ink was made, what a keystone is, how echoes form, why ice floats',
  ),
  pattern(
    'preference',
    (guests, wish) => `The guests from ${guests} would like ${wish}.`,
    'Bremen, Ghent, Malmö, Graz, Bilbao, Split, Leiden, Cork, Basel, Tampere',
    'a later check-in, a quiet table, an early start, a tour of the plant, vegetarian sandwiches, a printed programme, adapters for their plugs, a group photo, an interpreter, name badges',
  ),
  pattern(
    'decision',
    (document, rule) => `From now on each ${document} ${rule}.`,
    'offer, contract, protocol, reminder, press release, order form, certificate, ticket, map sheet, label',
    'has a number, names its author, is signed twice, goes out on Tuesday, is stored for ten years, fits on one page, carries the seal, has a short title, is checked by two people, uses the grey template',
  ),
];
