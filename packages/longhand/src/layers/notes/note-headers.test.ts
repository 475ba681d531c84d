import { describe, expect, it } from 'vitest';
import { readOutline } from './note-headers.ts';

const titles = (text: string): string[] =>
  readOutline(text).headers.map(({ level, title }) => `${level} ${title}`);

describe('headers of notes', () => {
  it.each([
    [
      'all levels',
      '# a\n## b\n### c\n#### d\n##### e\n###### f\n####### g',
      ['1 a', '2 b', '3 c', '4 d', '5 e', '6 f'],
    ],
    ['need a space', '#a\n#\ta\n#', ['1 a', '1 ']],
    ['closing signs', '# a ##\n## b#\n# #\n### ###\n## c # d ##  ', ['1 a', '2 b#', '1 ', '3 ', '2 c # d']],
    ['up to three spaces', ' # a\n  # b\n   # c\n    # d\n\t# e', ['1 a', '1 b', '1 c']],
    ['underlined', 'a\n===\nb\n---\nc d\n=', ['1 a', '2 b', '1 c d']],
    ['underlined, several lines', 'x\n\na\nb\n---\n', ['2 a b']],
    ['rules are none', 'a\n\n---\n\n***\n- - -\n', []],
    ['nothing to underline', '===\n\n# a\n---\n', ['1 a']],
    ['below lists and quotations a line is a rule', '- a\n---\n> b\n---\n1. c\n---\n', []],
    ['fences', '```\n# a\n```\n# b\n~~~ md\n# c\n```\n~~~~\n# d', ['1 b', '1 d']],
    ['a fence never closed', '# a\n```\n# b\n', ['1 a']],
    ['a fence is closed by as many signs', '````\n# a\n```\n# b\n````\n# c', ['1 c']],
    ['a closing fence says nothing', '```\n# a\n``` js\n# b\n```\n# c', ['1 c']],
    ['code in a line is no fence', '``` a ``` b\n# c', ['1 c']],
    ['indented code', 'x\n\n    # a\n\n\t# b\n\n# c', ['1 c']],
    ['in list items', '- a\n  # b\n\n  # c\n- # d\n\n# e', ['1 e']],
    ['a fence in a list item', '- a\n\n      ```\n      # b\n      ```\n# c', ['1 c']],
    ['a fence that opens a list item', '- ```\n  # b\n  ```\n# c', ['1 c']],
    ['a fence in a list item ends with it', '- a\n  ```\n  # b\n# c', ['1 c']],
    ['in quotations', '> # a\n\n# b', ['1 b']],
    ['text after a list item is part of it', '- a\nb\n---\n', []],
    ['text after a list and a blank line is not', '- a\n\nb\n---\n', ['2 b']],
    ['Windows line ends', '# a\r\nb\r\n---\r\n```\r\n# c\r\n```\r\n# d\r\n', ['1 a', '2 b', '1 d']],
    ['a byte order mark', '\ufeff# a', ['1 a']],
    ['nothing', '', []],
  ])('%s', (_, text, expected) => {
    expect(titles(text)).toEqual(expected);
  });

  it('says where they are', () => {
    const text = 'x\n\n# a\ny\n\nb\nc\n---\n';
    const [first, second] = readOutline(text).headers;
    expect(text.slice(first!.start, first!.end)).toBe('# a\n');
    expect(text.slice(second!.start, second!.end)).toBe('b\nc\n---\n');
  });

  it('takes no longer for lines made to slow it down', () => {
    const long = 100_000;
    for (const text of [
      `# a${' '.repeat(long)}b`,
      `# ${'#'.repeat(long)}`,
      `# ${' #'.repeat(long)}x`,
      '\n'.repeat(long),
      '-'.repeat(long),
      '- '.repeat(long),
      '`'.repeat(long),
      'a\n'.repeat(long),
      '> '.repeat(long),
    ]) {
      expect(readOutline(text).headers.length).toBeLessThan(2);
    }
  });
});
