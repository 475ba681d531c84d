/** Texts that cost a careless scanner the square of their length: a character, or a few, over and over. */
export const SHAPES: Readonly<Record<string, (characters: number) => string>> = {
  letters: (n) => 'a'.repeat(n),
  blanks: (n) => `<${' '.repeat(n)}`,
  brackets: (n) => '<'.repeat(n),
  lines: (n) => '\n'.repeat(n),
  han: (n) =>
    Array.from({ length: n }, (_, i) => String.fromCharCode(0x4e00 + ((i * 7_919) % 20_000))).join(''),
  digits: (n) => '1234567890'.repeat(n / 10),
  quotes: (n) => '"a '.repeat(n / 3),
  wildcards: (n) => '*a'.repeat(n / 2),
  words: (n) => Array.from({ length: n / 8 }, (_, i) => `w${i.toString(36).padStart(6, 'x')} `).join(''),
  dates: (n) => '1 May 2026, '.repeat(n / 12),
  times: (n) => 'last two weeks of '.repeat(n / 18),
  placeholders: (n) => '[MemoryRef: a - '.repeat(n / 16),
  headings: (n) => '## a\n'.repeat(n / 5),
  fences: (n) => '```\n~~~\n'.repeat(n / 8),
  marks: (n) => 'e\u0301\u200d'.repeat(n / 3),
  json: (n) => '{"a":['.repeat(n / 6),
  paths: (n) => 'a.b/c-'.repeat(n / 6),
};

/** For expressions alone: letters of other scripts, which some classes take for signs. */
export const MORE_SHAPES: typeof SHAPES = {
  kana: (n) => 'のかなとはをしまいた'.repeat(n / 10),
  thai: (n) => 'กขคงจฉชซฌญ'.repeat(n / 10),
  cyrillic: (n) => 'абвгдежзик'.repeat(n / 10),
  scripts: (n) => 'a漢'.repeat(n / 2),
  ellipses: (n) => 'a…'.repeat(n / 2),
};
