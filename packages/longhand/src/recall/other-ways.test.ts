import { describe, expect, it } from 'vitest';
import type { MemoryEntry } from '../core/records.ts';
import { resolveDecayPolicy } from './decay.ts';
import { RecallIndex } from './recall-index.ts';
import { search } from './search.ts';

const NOW = Date.UTC(2026, 5, 20, 12);

/** What a query finds of some texts, best first, in the tail and in a segment. */
function found(texts: readonly string[], text: string, speakers: readonly string[] = []): string[] {
  const index = new RecallIndex();
  for (const [number, said] of texts.entries()) {
    const speaker = speakers[number];
    const entry: MemoryEntry = {
      schema_version: 1,
      id: `mem_${number}`,
      session_id: `sess_${number}`,
      timestamp: '2026-06-19T09:00:00Z',
      type: 'conversation',
      content: { text: said, ...(speaker === undefined ? {} : { speaker }) },
      importance: 0.5,
      decay_factor: 1,
      tags: [],
      references: [],
      provenance: { author: 'user', trust: 'owner' },
    };
    index.add(entry, number, { log: 0, offset: number, length: 1 });
  }
  const ask = (): string[] =>
    search(index, { text, nowMs: NOW, policy: resolveDecayPolicy() }).hits.map(
      ({ id }) => texts[Number(id.slice('mem_'.length))]!,
    );
  const inTail = ask();
  const bytes = index.sealTail();
  index.replaceTail({ size: bytes.length, read: (from, length) => bytes.subarray(from, from + length) });
  expect(ask()).toEqual(inTail);
  return inTail;
}

describe('numbers', () => {
  it.each(['1200', '1,200', "1'200", '1.2k', '$1,200', '1200.00'])(
    '%s is found however it is written',
    (asked) => {
      const texts = [
        'It costs 1200',
        'It costs $1,200',
        "It costs CHF 1'200",
        'It costs 1.2k',
        'It costs 1,200.00',
      ];
      expect(found([...texts, 'It costs 200', 'It costs 12'], asked).toSorted()).toEqual(texts.toSorted());
    },
  );

  it.each(['3200', '3.200', '3 200', '3\u00a0200', '3\u202f200', '3,200', "3'200", '3.2k'])(
    '%s Euro is found with its thousands in whatever way',
    (asked) => {
      const texts = [
        'It costs 3200 Euro',
        'It costs 3.200 Euro',
        'It costs 3 200 Euro',
        'It costs 3\u202f200 Euro',
        'It costs 3,200 Euro',
      ];
      const others = ['It costs 3.2 Euro', 'It costs 32 Euro', 'It costs 200 Euro', 'It costs 3 Euro'];
      expect(
        found([...texts, ...others], `${asked} Euro`)
          .slice(0, 5)
          .toSorted(),
      ).toEqual(texts.toSorted());
    },
  );

  it.each(['1234567', '1.234.567', '1 234 567', '1,234,567'])('%s has several thousands', (asked) => {
    const texts = ['They are 1234567', 'They are 1.234.567', 'They are 1 234 567', 'They are 1,234,567'];
    expect(
      found([...texts, 'They are 1.234', 'They are 567'], asked)
        .slice(0, 4)
        .toSorted(),
    ).toEqual(texts.toSorted());
  });

  it.each(['1500km', '1.500km', '1500 km'])('%s is found with its unit in whatever way', (asked) => {
    const texts = ['We rode 1.500 km', 'We rode 1500km', 'We rode 1 500 km', 'We rode 1,500km'];
    expect(
      found([...texts, 'We rode 1.5 km', 'We rode 15 km'], asked)
        .slice(0, 4)
        .toSorted(),
    ).toEqual(texts.toSorted());
  });

  it('of a list are no thousands', () => {
    expect(found(['Room 101102', 'Room 102103', 'Rooms 101 and 103'], '101 102 103 104 105')).toEqual([
      'Rooms 101 and 103',
    ]);
  });

  it('of tenths and hundredths are no thousands', () => {
    expect(found(['It has 32 rows', 'It has 320 rows', 'It has 3200 rows'], '3.2')).toEqual([]);
    expect(found(['It has 32 parts', 'It has 3.2 parts', 'It has 0125 parts'], '0.125')).toEqual([]);
    expect(found(['It has 3.2 parts', 'It has 3.2000 parts'], '3200')).toEqual([]);
    expect(found(['It has 3.2 parts', 'It has 3.20 parts'], '32')).toEqual([]);
  });

  it.each(['v1.2.3', '1.2.3'])('%s is a version with and without its letter', (asked) => {
    const texts = ['We shipped v1.2.3', 'We shipped 1.2.3'];
    expect(found([...texts, 'We shipped 1.2', 'Steps 1, 2, 3'], asked).toSorted()).toEqual(texts.toSorted());
  });

  it.each(['555 0199', '555-0199', '5550199', '555.0199', '(555) 0199'])(
    '%s is a number to call',
    (asked) => {
      const texts = ['Call 555 0199', 'Call 555-0199', 'Call 5550199', 'Call 555.0199', 'Call (555) 0199'];
      const answers = found([...texts, 'Call 5550198', 'Call 0199 555'], `call ${asked}`);
      expect(answers.slice(0, 5).toSorted(), asked).toEqual(texts.toSorted());
    },
  );

  it('a number with its unit is no number to call', () => {
    expect(found(['Call 1024256', 'Call 1024-256'], '1024.256MB')).toEqual([]);
  });

  it('may have several groups', () => {
    const texts = ['Call 555 010 0199', 'Call 5550100199', 'Call (555) 010-0199', 'Call 555.010.0199'];
    for (const asked of ['555-010-0199', '5550100199', '(555) 010 0199', '55 50 10 01 99'])
      expect(found([...texts, 'Call 5550100198'], asked).toSorted(), asked).toEqual(texts.toSorted());
  });

  it('that follow one another are still numbers', () => {
    expect(found(['Ticket 1001 is open', 'Ticket 1002 is open'], '1001 1002')).toHaveLength(2);
    expect(found(['Written 2026-05-14'], '2026-05-14')).toHaveLength(1);
  });

  it.each(['10:30', '10.30', '10:30am', '10.30am'])('%s is a time of the day', (asked) => {
    const texts = ['Meet at 10:30am', 'Meet at 10.30am'];
    expect(found([...texts, 'Ten of 10 and 30 of 30'], asked).toSorted()).toEqual(texts.toSorted());
  });

  it.each(['10:00', '10:00am', 'When is it, at 10:00?'])(
    '%s is a full hour, and no ten of anything',
    (asked) => {
      const [first, second, ...rest] = found(
        ['There were 10 people', 'Meet at 10:00am', 'Page 10 of 30', 'Meet at 10:00', 'Meet at 9:00'],
        asked,
      );
      expect([first, second].toSorted(), String(rest)).toEqual(['Meet at 10:00', 'Meet at 10:00am']);
    },
  );

  it.each(['28:12', '14:30Z', "the 9:30's", 'T14:30', '12:30.5'])('%s is no time of the day', (asked) => {
    expect(found([`It says ${asked} there`, 'It says nothing there'], asked)[0]).toBe(
      `It says ${asked} there`,
    );
  });

  it('are the same with a zero before the hour', () => {
    expect(found(['Meet at 09:05', 'Meet at 9.05', 'Meet at 09.05'], '9:05')).toHaveLength(3);
  });

  it.each(['50%', '50 percent', '50 per cent'])('%s is a share', (asked) => {
    const texts = ['A discount of 50%', 'A discount of 50 percent'];
    expect(
      found([...texts, 'A discount for 50 people'], asked)
        .slice(0, 2)
        .toSorted(),
    ).toEqual(texts.toSorted());
  });
});

describe('questions in other languages', () => {
  it('go by their subject', () => {
    const texts = [
      'Der Termin mit Anna ist am Montag',
      'Das Auto ist in der Garage mit dem Rad',
      'Anna hat einen Termin',
    ];
    expect(found(texts, 'Wann ist der Termin mit Anna?').slice(0, 2).toSorted()).toEqual(
      [texts[2], texts[0]].toSorted(),
    );
    expect(found(texts, 'Wann ist der Termin mit Anna?')).not.toContain(texts[1]);
  });

  it('find who is named where nothing else is said', () => {
    const texts = ['Ich bin im Garten', 'Wo ist das Rad?'];
    expect(found(texts, 'Wo ist Anna?', ['Anna', 'Ben'])[0]).toBe('Ich bin im Garten');
  });
});

describe('names with signs', () => {
  const texts = [
    'She writes C++',
    'She writes C#',
    'She likes vitamin C',
    'She writes F#',
    'Her grade is a c',
  ];

  it.each([
    ['C++', ['She writes C++']],
    ['c++', ['She writes C++']],
    ['C#', ['She writes C#']],
    ['Who writes F#?', ['She writes F#', 'She writes C++', 'She writes C#']],
    ['"C++"', ['She writes C++']],
    ['"writes C#"', ['She writes C#']],
  ])('%j is no letter', (asked, expected) => {
    const [first, ...rest] = found(texts, asked);
    expect(first).toBe(expected[0]);
    expect(rest.toSorted()).toEqual(expected.slice(1).toSorted());
  });

  it('the letter is found in them', () => {
    expect(found(texts, 'c').toSorted()).toEqual(texts.filter((text) => !text.includes('F#')).toSorted());
  });

  it('.NET is no net', () => {
    expect(found(['We use .NET', 'ASP.NET runs it', 'The net income rose'], '.NET').toSorted()).toEqual([
      'ASP.NET runs it',
      'We use .NET',
    ]);
  });

  it.each(['node.js', 'Node.js', 'nodejs'])('%s is one name', (asked) => {
    const names = ['We run Node.js', 'We run nodejs', 'We run node js'];
    const [first, second, third] = found([...names, 'The js of the node'], asked);
    expect([first, second, third].toSorted()).toEqual(names.toSorted());
  });

  it('a package is found by its name', () => {
    const answers = found(
      ['We use @acme/ui', 'The ui of acme is good', 'The ui'],
      'Where do we use @acme/ui?',
    );
    expect(answers[0]).toBe('We use @acme/ui');
  });
});

describe('umlauts', () => {
  it.each(['Müller', 'müller'])('%s finds all spellings', (asked) => {
    const texts = ['Call Müller', 'Call Mueller', 'Call Muller'];
    expect(found([...texts, 'Call Miller'], asked).toSorted()).toEqual(texts.toSorted());
  });

  it.each([
    ['Mueller', ['Call Müller', 'Call Mueller']],
    ['Muller', ['Call Müller', 'Call Muller']],
  ])('%s finds its own, and the umlaut', (asked, expected) => {
    expect(found(['Call Müller', 'Call Mueller', 'Call Muller'], asked)).toEqual(
      expect.arrayContaining(expected),
    );
  });

  it.each([
    ['Straße', 'Strasse'],
    ['Schröder', 'Schroeder'],
    ['Bjørn', 'Bjoern'],
    ['Århus', 'Aarhus'],
    ['Käse', 'Kaese'],
  ])('%s and %s find each other', (one, other) => {
    expect(found([other], one)).toEqual([other]);
    expect(found([one], other)).toEqual([one]);
  });

  it('leave words alone that look alike', () => {
    expect(found(['A pot of tea', 'A poet spoke'], 'poet')).toEqual(['A poet spoke']);
    expect(found(['A pot of tea', 'A poet spoke'], 'pot')).toEqual(['A pot of tea']);
    expect(found(['Michael called', 'Michal called'], 'Michael')).toEqual(['Michael called']);
  });

  it('are those of a speaker', () => {
    const texts = ['The gate is open', 'The gate is shut'];
    expect(found(texts, 'What did Jörg say of the gate?', ['Joerg', 'Ada'])[0]).toBe('The gate is open');
    expect(found(texts, 'What did Joerg say of the gate?', ['Jörg', 'Ada'])[0]).toBe('The gate is open');
  });
});

describe('words that are written together or apart', () => {
  it.each([
    ['data base', 'database'],
    ['back end', 'backend'],
    ['log in', 'login'],
    ['set up', 'setup'],
    ['web site', 'website'],
    ['over view', 'overview'],
  ])('%j finds %j', (apart, together) => {
    const other = 'Nothing of the kind';
    expect(found([`The ${together} is slow`, other], apart)).toEqual([`The ${together} is slow`]);
  });

  it.each([
    ['login', 'I cannot log in', 'The login page'],
    ['backend', 'The back end is slow', 'A new backend'],
    ['setup', 'They set up a tent', 'My setup'],
    ['databases', 'The data base is slow', 'Two databases'],
  ])('%j finds %j too', (together, apart, same) => {
    expect(found([apart, same, 'Nothing of the kind'], together).toSorted()).toEqual(
      [apart, same].toSorted(),
    );
  });

  it('a word that nobody wrote is found as two', () => {
    expect(found(['The bird house is red', 'A bird', 'A house'], 'birdhouse')).toEqual([
      'The bird house is red',
    ]);
  });

  it('count no more and no less than each other', () => {
    const [first, second] = found(['The database schema', 'The data base schema'], 'data base schema');
    expect([first, second].toSorted()).toEqual(['The data base schema', 'The database schema']);
  });

  it('a word of the sentence is no part of a longer one', () => {
    expect(found(['A small island', 'Our asset'], 'Which is land?')).toEqual([]);
    expect(found(['He took a cab in town'], 'cabin')).toEqual(['He took a cab in town']);
    expect(found(['He took a cab in town', 'A cabin in the wood'], 'cabin')).toEqual(['A cabin in the wood']);
  });
});

describe('a query with thousands of numbers', () => {
  it.each([
    ['in groups', (number: number) => `12 34 56 78 ${1000 + (number % 9000)}`],
    ['in one piece', (number: number) => `${123_456_000_000 + number}`],
  ])('%s is looked for by some of them in all ways, and by the others as they are', (_, numberAt) => {
    const numbers = Array.from({ length: 6_000 }, (_, number) => numberAt(number));
    const texts = [numbers[0]!.replaceAll(' ', '-'), 'nothing of the kind'];
    expect(found(texts, numbers.join(', '))[0]).toBe(texts[0]);
  });
});

describe('somebody who is called May', () => {
  const texts = ['The invoice is late again', 'The invoice was paid'];

  it('is meant where the name has its capital letter, whatever may be beside it', () => {
    const [first] = found(texts, 'What did May say about the invoice that may be lost?', ['Ann', 'May']);
    expect(first).toBe(texts[1]);
  });
});

it('finds a name that stands in an address as well', () => {
  expect(found(['a lake'], "ingrid@lake.example Ingrid's", ['Ingrid'])).toEqual(['a lake']);
});

describe('times of the day', () => {
  it('are no minutes of other hours', () => {
    const texts = [
      'The call is at 23:00',
      'The call is at 15:00',
      'The call is at 9am',
      'The call is at 9:00',
    ];
    expect(found(texts, '9:00')).toEqual(['The call is at 9:00', 'The call is at 9am']);
    expect(found(texts, '"23:00"')).toEqual(['The call is at 23:00']);
  });

  it('are found as the French write them', () => {
    expect(found(['Le train part \u00e0 14h30', 'Le train part \u00e0 9h05'], '14:30')).toEqual([
      'Le train part \u00e0 14h30',
    ]);
    expect(found(['Le train part \u00e0 14h30', 'Le train part \u00e0 9h05'], '09:05')).toEqual([
      'Le train part \u00e0 9h05',
    ]);
  });
});
