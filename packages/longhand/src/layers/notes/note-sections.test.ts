import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readOutline } from './note-headers.ts';
import { deleteSection, findSection, joinBlocks, replaceSection, sectionText } from './note-sections.ts';

const NOTES = '# About\n\nAda.\n\n## Likes\n\n- tea\n\n### Music\nBach\n\n## Work\n\nmaths\n';
const headersOf = (text: string): string[] =>
  readOutline(text).headers.map(({ level, title }) => `${level} ${title}`);

describe('finding a section', () => {
  it('takes it with its subsections, up to the next header of its level or a higher one', () => {
    expect(sectionText(NOTES, 'Likes')).toBe('## Likes\n\n- tea\n\n### Music\nBach\n\n');
    expect(sectionText(NOTES, 'Music')).toBe('### Music\nBach\n\n');
    expect(sectionText(NOTES, 'About')).toBe(NOTES);
    expect(sectionText(NOTES, 'Work')).toBe('## Work\n\nmaths\n');
  });

  it.each([
    'likes',
    ' LIKES ',
    '## Likes',
    '##Likes',
    '# likes',
    '### Likes ###',
    'About > Likes',
    '## about>LIKES',
  ])('is not put off by %j', (name) => {
    expect(findSection(NOTES, name).header.title).toBe('Likes');
  });

  it('takes a title with # or > as it stands first', () => {
    const text = '# a > b\n1\n# a\n## b\n2\n# #1\n3\n# 1\n4\n';
    expect(sectionText(text, 'a > b')).toBe('# a > b\n1\n');
    expect(sectionText(text, '#1')).toBe('# #1\n3\n');
    expect(sectionText(text, 'b')).toBe('## b\n2\n');
  });

  it('compares white space and composed letters as one', () => {
    expect(sectionText('# Caf\u00e9   au  lait\nx', 'cafe\u0301 au lait')).toBe('# Caf\u00e9   au  lait\nx');
  });

  it('refuses a name that means several, and takes one that says which', () => {
    const text = '# Mon\n## Todo\n1\n# Tue\n## Todo\n2\n### Todo\n3\n';
    const ambiguous = expect.objectContaining({ code: 'INVALID_OPTION', details: { sections: 3 } });
    expect(() => findSection(text, 'todo')).toThrow(ambiguous);
    expect(() => findSection(text, '## todo')).toThrow(expect.objectContaining({ details: { sections: 2 } }));
    expect(sectionText(text, '### todo')).toBe('### Todo\n3\n');
    expect(sectionText(text, 'Mon > Todo')).toBe('## Todo\n1\n');
    expect(sectionText(text, 'Tue > Todo > Todo')).toBe('### Todo\n3\n');
    expect(sectionText(text, '## Tue > Todo')).toBe('## Todo\n2\n### Todo\n3\n');
  });

  it('says when there is none, or no name', () => {
    expect(() => findSection(NOTES, 'Tea')).toThrow(expect.objectContaining({ code: 'SECTION_NOT_FOUND' }));
    expect(() => findSection(NOTES, 'Work > Likes')).toThrow(
      expect.objectContaining({ code: 'SECTION_NOT_FOUND' }),
    );
    expect(() => findSection('```\n# a\n```\n', 'a')).toThrow(
      expect.objectContaining({ code: 'SECTION_NOT_FOUND' }),
    );
    for (const blank of ['', ' ', '##', '## ##']) {
      expect(() => findSection(NOTES, blank)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
    }
  });
});

describe('changing a section', () => {
  it('deletes it with its subsections, and nothing else', () => {
    expect(deleteSection(NOTES, 'Likes')).toBe('# About\n\nAda.\n\n## Work\n\nmaths\n');
    expect(deleteSection(NOTES, 'Work')).toBe('# About\n\nAda.\n\n## Likes\n\n- tea\n\n### Music\nBach\n\n');
    expect(deleteSection(NOTES, 'About')).toBe('');
  });

  it('replaces its text and keeps the header and the blank lines', () => {
    expect(replaceSection(NOTES, 'Likes', 'coffee')).toBe(
      '# About\n\nAda.\n\n## Likes\n\ncoffee\n\n## Work\n\nmaths\n',
    );
    expect(replaceSection(NOTES, 'Work', 'poetry')).toBe(NOTES.replace('maths', 'poetry'));
    expect(replaceSection(NOTES, 'Work', 'poetry\n')).toBe(NOTES.replace('maths', 'poetry'));
    expect(replaceSection('# a', 'a', 'b')).toBe('# a\nb');
    expect(replaceSection('# a\n\n# c', 'a', 'b')).toBe('# a\nb\n\n# c');
    expect(replaceSection('# a\n# c', 'a', 'b')).toBe('# a\nb\n# c');
    expect(replaceSection('# a\nb\n\n# c', 'a', '')).toBe('# a\n\n# c');
  });

  it('lets a content with a header of its own take the place of the header', () => {
    expect(replaceSection(NOTES, 'Work', '## Job\n\npoetry\n')).toBe(
      NOTES.replace('## Work\n\nmaths', '## Job\n\npoetry'),
    );
    expect(replaceSection('# a\n## b\nx\n', 'b', '### b\ny\n')).toBe('# a\n## b\n### b\ny\n');
    expect(replaceSection('# a\nx\n\n# c\n', 'a', 'a\n===\ny')).toBe('a\n===\ny\n\n# c\n');
  });

  it('refuses a content that would swallow what follows', () => {
    const open = expect.objectContaining({ code: 'INVALID_CONTENT' });
    expect(() => replaceSection(NOTES, 'Likes', '```\ncode')).toThrow(open);
    expect(replaceSection(NOTES, 'Work', '```\ncode')).toContain('```\ncode');
  });

  it('keeps the line ends of the document', () => {
    expect(replaceSection('# a\r\nx\r\n\r\n# b\r\ny', 'a', 'z')).toBe('# a\r\nz\r\n\r\n# b\r\ny');
    expect(joinBlocks('a\r\nb', 'c')).toBe('a\r\nb\r\nc');
  });

  it('joins texts on lines of their own, and makes no header by accident', () => {
    expect(joinBlocks('a', 'b')).toBe('a\nb');
    expect(joinBlocks('a\n', 'b\n')).toBe('a\nb\n');
    expect(joinBlocks('', 'b')).toBe('b');
    expect(joinBlocks('a', '')).toBe('a');
    expect(joinBlocks('a', '---\nb')).toBe('a\n\n---\nb');
    expect(joinBlocks('a\n', 'b\n===\n')).toBe('a\n\nb\n===\n');
    expect(joinBlocks('a\n\n', 'b\n===\n')).toBe('a\n\nb\n===\n');
    expect(deleteSection('a\n# b\nc\n\nd\n===\n', 'b')).toBe('a\n\nd\n===\n');
  });
});

/** Documents of everything that headers could be confused by, with titles that are all different. */
const block = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.integer({ min: 1, max: 4 }).map((level) => (id: number) => `${'#'.repeat(level)} T${id}\n`),
  },
  fc.constantFrom('=', '-').map((sign) => (id: number) => `\nT${id}\n${sign.repeat(3)}\n`),
  fc
    .constantFrom(
      'text\n',
      '\n',
      '- item\n',
      '> quote\n',
      '---\n',
      '    # code\n',
      '```\n# no\n```\n',
      '~~~\n## no\n\n~~~\n',
      'line\n\n',
      '- item\n  ```\n  # no\n  ```\n',
    )
    .map((text) => () => text),
);
const documents = fc
  .tuple(fc.array(block, { maxLength: 14 }), fc.boolean(), fc.boolean())
  .map(([blocks, isWindows, isCut]) => {
    const text = blocks.map((make, i) => make(i)).join('');
    const cut = isCut ? text.replace(/\n$/, '') : text;
    return isWindows ? cut.replaceAll('\n', '\r\n') : cut;
  });

describe('whatever the document', () => {
  const withSection = documents.chain((text) => {
    const { headers } = readOutline(text);
    return headers.length === 0
      ? fc.constant(undefined)
      : fc.constantFrom(...headers.map(({ title }) => ({ text, title })));
  });
  const partsOf = (text: string, title: string): { before: string; after: string } => {
    const { header, end } = findSection(text, title);
    return { before: text.slice(0, header.start), after: text.slice(end) };
  };
  const isUnique = (text: string, title: string): boolean => {
    return headersOf(text).filter((one) => one.slice(2) === title).length === 1;
  };

  it('deleting a section leaves everything else, and every other header', () => {
    fc.assert(
      fc.property(withSection, (given) => {
        fc.pre(given !== undefined && isUnique(given.text, given.title));
        const { text, title } = given!;
        const { before, after } = partsOf(text, title);
        const result = deleteSection(text, title);
        expect(result.startsWith(before)).toBe(true);
        expect(result.endsWith(after)).toBe(true);
        expect(result.slice(before.length, result.length - after.length)).toMatch(/^(\r?\n)?$/);
        expect(headersOf(result)).toEqual([...headersOf(before), ...headersOf(after)]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('replacing a section leaves everything else, and brings the content', () => {
    fc.assert(
      fc.property(withSection, documents, (given, content) => {
        fc.pre(given !== undefined && isUnique(given.text, given.title));
        const { text, title } = given!;
        const { before, after } = partsOf(text, title);
        const result = replaceSection(text, title, content);
        expect(result.startsWith(before)).toBe(true);
        expect(result.endsWith(after)).toBe(true);
        expect(result.slice(before.length)).toContain(content);
        const inner = headersOf(result).slice(
          headersOf(before).length,
          headersOf(result).length - headersOf(after).length,
        );
        expect(headersOf(result).slice(headersOf(result).length - headersOf(after).length)).toEqual(
          headersOf(after),
        );
        expect(inner.slice(-headersOf(content).length || inner.length)).toEqual(headersOf(content));
      }),
      { numRuns: 2_000 },
    );
  });

  it('a section is found under each of its names', () => {
    fc.assert(
      fc.property(withSection, (given) => {
        fc.pre(given !== undefined && isUnique(given.text, given.title));
        const { text, title } = given!;
        const found = findSection(text, title);
        const { level } = found.header;
        expect(findSection(text, ` ${'#'.repeat(level)} ${title.toLowerCase()} `)).toEqual(found);
      }),
    );
  });
});
