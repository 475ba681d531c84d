import { expect, it } from 'vitest';
import { joined, mergeSections, sectionsIn } from '../src/pages/notes/merge.ts';

const BASE = 'Begin\n\n# One\n\n1\n\n## Two\n\n2\n\n# Three\n\n3\n';

it('cuts a text at its headers, none of which is within code, and loses no byte of it', () => {
  const text = `${BASE}\n\`\`\`\n# not a header\n\`\`\`\n# Four #\nlast`;
  expect(sectionsIn(text).map(({ title, level, line }) => [title, level, line])).toEqual([
    ['', 0, 1],
    ['One', 1, 3],
    ['Two', 2, 7],
    ['Three', 1, 11],
    ['Four', 1, 18],
  ]);
  expect(
    sectionsIn(text)
      .map((section) => section.text)
      .join(''),
  ).toBe(text);
  expect(sectionsIn('')).toEqual([]);
});

it('puts changes in different sections together, also new and removed ones', () => {
  const mine = BASE.replace('\n1\n', '\n1 of mine\n').replace('# Three', '# New\n\nn\n\n# Three');
  const theirs = BASE.replace('\n3\n', '\n3 of theirs\n').replace('## Two\n\n2\n\n', '');
  const sections = mergeSections(BASE, mine, theirs);
  expect(sections.filter(({ change }) => change === 'both')).toEqual([]);
  expect(joined(sections, () => 'mine')).toBe(
    'Begin\n\n# One\n\n1 of mine\n\n# New\n\nn\n\n# Three\n\n3 of theirs\n',
  );
});

it('asks for a side where both changed a section, and keeps the rest of both', () => {
  const mine = BASE.replace('\n2\n', '\n2 of mine\n').replace('Begin', 'Begin here');
  const theirs = BASE.replace('\n2\n', '\n2 of theirs\n').replace('\n3\n', '\n3 of theirs\n');
  const sections = mergeSections(BASE, mine, theirs);
  expect(sections.filter(({ change }) => change === 'both').map(({ title }) => title)).toEqual(['Two']);
  for (const side of ['mine', 'theirs'] as const)
    expect(joined(sections, () => side)).toBe(
      `Begin here\n\n# One\n\n1\n\n## Two\n\n2 of ${side}\n\n# Three\n\n3 of theirs\n`,
    );
});

it('tells sections of one name apart, and takes what is the same on both sides', () => {
  const base = '# A\n\n1\n\n# A\n\n2\n';
  const mine = base.replace('2', '2 of both');
  expect(joined(mergeSections(base, mine, mine), () => 'mine')).toBe(mine);
  expect(joined(mergeSections(base, mine, base.replace('1', 'one')), () => 'mine')).toBe(
    '# A\n\none\n\n# A\n\n2 of both\n',
  );
});

it('knows a section again whose header was changed', () => {
  const mine = BASE.replace('## Two', '## Two, and more');
  const theirs = BASE.replace('# One', '# First');
  expect(joined(mergeSections(BASE, mine, theirs), () => 'mine')).toBe(mine.replace('# One', '# First'));
  expect(
    mergeSections(BASE, mine, BASE.replace('## Two', '## Second')).filter(({ change }) => change === 'both'),
  ).toMatchObject([{ title: 'Two' }]);
});
