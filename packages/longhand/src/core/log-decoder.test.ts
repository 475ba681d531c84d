import { describe, expect, it } from 'vitest';
import { encodeLine } from './line.ts';
import { decodeLog, findLines, START } from './log-decoder.ts';
import { sha256Hex } from './sha256.ts';

const bodyOf = (id: string): string => `{"schema_version":1,"id":"${id}"}`;
const lineOf = (id: string, seq: number): string => encodeLine(bodyOf(id), seq, true);
const full = (text: string, from = START) => decodeLog(Buffer.from(text), from, { check: 'full' });
const light = (text: string) => decodeLog(Buffer.from(text), START, { check: 'light' });
const idsOf = ({ lines }: ReturnType<typeof full>) => lines.map((line) => line.memoryId ?? line.text);
const damageOf = ({ damage }: ReturnType<typeof full>) => damage.map(({ kind }) => kind);

describe('decodeLog', () => {
  it('takes a byte order mark at the front for no part of a line', () => {
    const decoded = full(`\ufeff${lineOf('a', 1)}${lineOf('b', 2)}`);
    expect(idsOf(decoded)).toEqual(['a', 'b']);
    expect(damageOf(decoded)).toEqual([]);
    expect(decoded.lines[0]!.offset).toBe(3);
  });

  it('gives lines with their places, and where it stopped', () => {
    const text = lineOf('a', 1) + lineOf('b', 2);
    const decoded = full(text);
    expect(idsOf(decoded)).toEqual(['a', 'b']);
    expect(decoded.position).toEqual({ offset: text.length, lineNumber: 2, lastSeq: 2 });
    const next = full(lineOf('c', 3), decoded.position);
    expect([next.lines[0]!.offset, next.lines[0]!.lineNumber]).toEqual([text.length, 3]);
    expect(next.damage).toEqual([]);
  });

  it('takes a person’s line ends and blank lines', () => {
    const decoded = full(`${lineOf('a', 1).replace('\n', '\r\n')}\n\r\n{"note":1}\r\n${lineOf('b', 2)}`);
    expect(idsOf(decoded)).toEqual(['a', '{"note":1}', 'b']);
    expect(decoded.lines.map(({ lineNumber }) => lineNumber)).toEqual([1, 4, 5]);
    expect(decoded.damage).toEqual([]);
  });

  it('leaves an unfinished line unread, and takes a whole one that lacks only its newline', () => {
    const text = lineOf('a', 1) + lineOf('b', 2);
    const torn = full(text.slice(0, -9));
    expect([idsOf(torn), torn.unfinishedBytes]).toEqual([['a'], lineOf('b', 2).length - 9]);
    expect(torn.position.offset).toBe(lineOf('a', 1).length);
    const whole = full(text.slice(0, -1));
    expect([idsOf(whole), whole.unfinishedBytes]).toEqual([['a', 'b'], 0]);
    const healed = full(`\n${lineOf('c', 3)}`, whole.position);
    expect([idsOf(healed), healed.position.lineNumber, damageOf(healed)]).toEqual([['c'], 3, []]);
    expect(full(`${text.slice(0, -1)}\r`).unfinishedBytes).toBe(0);
  });

  it('finds the last line again when its newline was hit, before a writer closes what follows', () => {
    const text = lineOf('a', 1) + lineOf('b', 2);
    for (const behind of ['*', '\0{"schema_version":1,"id":', `*${lineOf('c', 3).slice(0, -9)}`]) {
      const hit = full(text.slice(0, -1) + behind);
      expect([idsOf(hit), damageOf(hit)]).toEqual([['a', 'b'], []]);
      expect([hit.unfinishedBytes, hit.position.lastSeq]).toEqual([behind.length, 2]);
      const next = full(`${behind}\n${lineOf('d', 3)}`, hit.position);
      expect([idsOf(next), next.position.lineNumber, damageOf(next)]).toEqual([['d'], 3, ['torn']]);
      const all = full(`${text.slice(0, -1)}${behind}\n${lineOf('d', 3)}`);
      expect([idsOf(all), damageOf(all)]).toEqual([['a', 'b', 'd'], ['torn']]);
    }
  });

  it('finds the same lines in two readings as in one, wherever the first ends and whatever newline was hit', () => {
    const whole = lineOf('a', 1) + lineOf('b', 2) + lineOf('c', 3) + lineOf('d', 4);
    const newlines = [...whole.matchAll(/\n/g)].map(({ index }) => index);
    for (const hit of [-1, ...newlines.slice(0, -1)]) {
      for (const byte of ['*', '\0', 'J']) {
        const text = hit < 0 ? whole : whole.slice(0, hit) + byte + whole.slice(hit + 1);
        for (let cut = 0; cut <= text.length; cut++) {
          const first = full(text.slice(0, cut));
          const second = full(text.slice(first.position.offset), first.position);
          expect([...idsOf(first), ...idsOf(second)], `${hit} ${cut}`).toEqual(['a', 'b', 'c', 'd']);
        }
      }
    }
  });

  it('takes no part of a line for a whole one, whatever its content looks like', () => {
    const opening = '{"schema_version":1,"id":"mem_a","content":{"a":1,"seq":2';
    const forged = `${opening},"checksum":"sha256:${sha256Hex(opening)}"}`;
    const nested = `${lineOf('a', 1)}${forged},"tags":[`;
    expect([idsOf(full(nested)), full(nested).unfinishedBytes]).toEqual([
      ['a'],
      nested.length - lineOf('a', 1).length,
    ]);
    const listed = `${lineOf('a', 1)}{"schema_version":1,"id":"b","content":[{},${lineOf('x', 2).slice(0, -1)}`;
    expect([idsOf(full(listed)), damageOf(full(listed))]).toEqual([['a'], []]);
  });

  it('skips and reports what is damaged or torn', () => {
    const text = `${lineOf('a', 1)}${lineOf('x', 2).replace('"x"', '"y"')}half of a li\n${lineOf('b', 3)}`;
    const decoded = full(text);
    expect(idsOf(decoded)).toEqual(['a', 'b']);
    expect(damageOf(decoded)).toEqual(['checksum', 'torn']);
    expect(decoded.damage[1]!.line.text).toBe('half of a li');
  });

  it('reports numbers that do not rise', () => {
    const decoded = full(lineOf('a', 5) + lineOf('b', 5) + lineOf('c', 4) + lineOf('d', 6));
    expect(idsOf(decoded)).toEqual(['a', 'b', 'c', 'd']);
    expect(damageOf(decoded)).toEqual(['sequence', 'sequence']);
    expect(decoded.position.lastSeq).toBe(6);
  });

  it('trusts memories when it reads lightly, and nothing else', () => {
    const damagedMemory = lineOf('a', 1).replace('"id":"a"', '"id":"b"');
    const damagedOther = encodeLine('{"kind":"x"}', 2, true).replace('x', 'y');
    const decoded = light(damagedMemory + damagedOther + encodeLine('{"kind":"z"}', 3, true));
    expect([decoded.lines.length, damageOf(decoded)]).toEqual([2, ['checksum']]);
    expect(decoded.position.lastSeq).toBe(3);
    expect(light('{"a":1}\n').position.lastSeq).toBe(0);
    expect(light('').position).toEqual(START);
  });

  it('finds both lines again when the newline between them was hit', () => {
    const joined = `${lineOf('a', 1).slice(0, -1)}\u0008${lineOf('b', 2)}${lineOf('c', 3)}`;
    const decoded = full(joined);
    expect([idsOf(decoded), damageOf(decoded)]).toEqual([['a', 'b', 'c'], ['checksum']]);
    const stuck = full(`${lineOf('a', 1).slice(0, -1)}${lineOf('b', 2)}`);
    expect(idsOf(stuck)).toEqual(['a', 'b']);
    const quoting = encodeLine('{"schema_version":1,"id":"q","t":{}{"schema_version":1}', 1, true);
    expect(idsOf(full(`${quoting.slice(0, -1)}\u0008${lineOf('b', 2)}`))).toEqual(['q', 'b']);
  });

  it('takes no object inside a damaged line for a line', () => {
    const nested = encodeLine('{"schema_version":1,"id":"n","content":{"schema_version":1}}', 1, true);
    const decoded = full(nested.replace('"n"', '"m"') + lineOf('b', 2));
    expect([idsOf(decoded), damageOf(decoded)]).toEqual([['b'], ['checksum']]);
  });

  it('gives up on damage that joins too many lines, and is quick with garbage', () => {
    const many = Array.from({ length: 20 }, (_, i) => lineOf(`m${i}`, i + 1).slice(0, -1)).join('\u0008');
    const decoded = full(`${many}\n`);
    expect(decoded.lines.length).toBeLessThan(9);
    expect(damageOf(decoded)).toEqual(['checksum']);
    expect(full('garbage\n'.repeat(200_000)).damage.length).toBe(200_000);
  });
});

it('lines that hold a text are found wherever they end', () => {
  const bytes = Buffer.from('{"a":"x y"}\n{"b":"z"}\n{"c":"x y, x y"}');
  const found = findLines(bytes, 'x y', 100);
  expect(found.map(({ text, offset }) => [text, offset])).toEqual([
    ['{"a":"x y"}', 100],
    ['{"c":"x y, x y"}', 122],
  ]);
  expect(findLines(bytes, 'none', 0)).toEqual([]);
});
