import { expect, it } from 'vitest';
import { SimulatedDisk } from '../../testing/index.ts';
import { asOnWindows, onPlatform } from './windows.ts';

it('is for Windows alone', () => {
  const fileSystem = new SimulatedDisk().startProcess();
  expect(onPlatform(fileSystem, 'linux')).toBe(fileSystem);
  expect(onPlatform(fileSystem, 'darwin')).toBe(fileSystem);
  expect(onPlatform(fileSystem, 'win32')).not.toBe(fileSystem);
});

it('tries nothing again that is a bug', () => {
  const fileSystem = new SimulatedDisk().startProcess();
  let calls = 0;
  const windows = asOnWindows({
    ...fileSystem,
    rename: () => {
      calls++;
      throw new TypeError('a bug');
    },
  });
  expect(() => windows.rename('/a', '/b')).toThrow('a bug');
  expect(calls).toBe(1);
});
