import { expect, it } from 'vitest';
import { encodeLine } from '../../core/line.ts';
import { decodeLog, START } from '../../core/log-decoder.ts';
import { createFaultFileSystem, SimulatedDisk } from '../../testing/index.ts';
import { type FileSystem, O_CREAT, O_RDWR } from './file-system.ts';
import { linesToPutBack, rescueLog } from './rescue.ts';
import { readText, removeQuietly } from './sidecar-files.ts';

const lineOf = (id: string, seq: number): string =>
  encodeLine(`{"schema_version":1,"id":"${id}"}`, seq, true);

async function rescued(stored: string, unsynced: readonly string[]): Promise<string | undefined> {
  const fileSystem = new SimulatedDisk().startProcess();
  fileSystem.makeDirectory('/log', 0o700);
  const fd = fileSystem.open('/log/memory.jsonl', O_RDWR | O_CREAT, 0o600);
  fileSystem.write(fd, Buffer.from(stored));
  await rescueLog(
    fileSystem,
    '/log/memory.jsonl',
    fd,
    unsynced.map((text) => ({ bytes: Buffer.from(text), offset: 0 })),
  );
  return readText(fileSystem, '/log/memory.jsonl');
}

it('puts lost lines back at their place in the sequence, and nothing twice', async () => {
  const [a, b, c, d, e, f] = ['a', 'b', 'c', 'd', 'e', 'f'].map((id, i) => lineOf(id, i + 1));
  expect(await rescued(`${a}${b}`, [b!])).toBe(`${a}${b}`);
  expect(await rescued(`${a}${d}`, [`${b}${c}`, d!, `${e}${f}`])).toBe(`${a}${b}${c}${d}${e}${f}`);
  expect(await rescued('', [`${a}${b}`])).toBe(`${a}${b}`);
  expect(await rescued(`${b}`, [a!])).toBe(`${a}${b}`);
});

it('moves lines up whose numbers were given twice, because their writer could not see the lost ones', async () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id, i) => lineOf(id, i + 1));
  const [x, y] = ['x', 'y'].map((id, i) => lineOf(id, i + 2));
  expect(await rescued(`${a}${x}${y}`, [`${b}${c}`])).toBe(
    `${a}${b}${lineOf('x', 3)}${lineOf('c', 4)}${lineOf('y', 5)}`,
  );
  expect(await rescued(`${a}${x}${d}`, [b!])).toBe(`${a}${b}${lineOf('x', 3)}${d}`);
  const unfinished = x!.slice(0, -1);
  expect(await rescued(`${a}${unfinished}`, [`${b}${c}`])).toBe(`${a}${b}${lineOf('x', 3)}${lineOf('c', 4)}`);
  const plain = (id: string, seq: number): string => encodeLine(`{"id":"${id}"}`, seq, false);
  expect(await rescued(`${plain('a', 1)}`, [plain('b', 1)])).toBe(`${plain('b', 1)}${plain('a', 2)}`);
});

it('counts lines that say the same, and puts back as many as are missing', () => {
  const linesOf = (...texts: string[]) =>
    decodeLog(Buffer.from(texts.join('')), START, { check: 'full' }).lines;
  const lost = linesOf(lineOf('a', 1), lineOf('same', 2), lineOf('same', 3));
  const stored = linesOf(lineOf('same', 1), lineOf('b', 2));
  const { bytes, lastSeq } = linesToPutBack(stored, lost, 2, true);
  expect([bytes.toString(), lastSeq]).toEqual([`${lineOf('a', 3)}${lineOf('same', 4)}`, 4]);
});

it('keeps damage, a person’s lines and a torn tail where they are', async () => {
  const [a, b, c] = ['a', 'b', 'c'].map((id, i) => lineOf(id, i + 1));
  const stored = `damaged\n${a}{"note":"mine"}\n${c}torn`;
  expect(await rescued(stored, [b!])).toBe(`damaged\n${a}{"note":"mine"}\n${b}${c}torn\n`);
});

it('does not tear a damaged line apart that others were salvaged from', async () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id, i) => lineOf(id, i + 1));
  const joined = `${a!.slice(0, -1)}\u0008${c}`;
  expect(await rescued(`${joined}${d}`, [b!])).toBe(`${joined}${b}${d}`);
});

it('leaves a failed removal of a temporary file to the next recovery, and hides no bug', () => {
  const fileSystem = new SimulatedDisk().startProcess();
  removeQuietly(fileSystem, '/nothing');
  removeQuietly(createFaultFileSystem(fileSystem, [{ at: 1, fail: 'EIO' }]), '/nothing');
  const broken: FileSystem = {
    ...fileSystem,
    unlink: () => {
      throw new TypeError('a bug');
    },
  };
  expect(() => removeQuietly(broken, '/nothing')).toThrow('a bug');
});
