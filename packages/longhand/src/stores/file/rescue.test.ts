import { expect, it } from 'vitest';
import { encodeLine } from '../../core/line.ts';
import { createFaultFileSystem, SimulatedDisk } from '../../testing/index.ts';
import { type FileSystem, O_CREAT, O_RDWR } from './file-system.ts';
import { rescueLog } from './rescue.ts';
import { readText, removeQuietly } from './side-files.ts';

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
    unsynced.map((text) => Buffer.from(text)),
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
