import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, vi } from 'vitest';
import { identifyProcess, isAlive, ownIdentity } from './process-identity.ts';

it('knows this process, and tells it from another with its pid', () => {
  const own = ownIdentity();
  expect(own.pid).toBe(process.pid);
  expect(own.startTicks).toBeGreaterThan(0);
  expect(isAlive(own)).toBe(true);
  expect(isAlive({ ...own, startTicks: own.startTicks - 1 })).toBe(false);
  expect(isAlive({ ...own, bootId: 'an earlier boot' })).toBe(false);
  expect(isAlive({ ...own, host: 'another machine', bootId: '' })).toBe(true);
});

it('knows that a process has ended', async () => {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  expect(isAlive({ ...ownIdentity(), pid: child.pid! })).toBe(false);
});

it('asks by signal where the system has no table of processes', () => {
  const gone = { ...ownIdentity(), pid: 2 ** 22 + 7, startTicks: 0 };
  const platform = vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin');
  const kill = vi.spyOn(process, 'kill');
  const answer = (code: string | undefined) =>
    kill.mockImplementationOnce(() => {
      if (code !== undefined) throw Object.assign(new Error(code), { code });
      return true;
    });
  answer(undefined);
  expect(isAlive(gone)).toBe(true);
  answer('EPERM');
  expect(isAlive(gone)).toBe(true);
  answer('ESRCH');
  expect(isAlive(gone)).toBe(false);
  platform.mockRestore();
  kill.mockRestore();
});

it('does without a table of processes', () => {
  expect(identifyProcess('/nowhere')).toEqual({ ...ownIdentity(), bootId: '', startTicks: 0 });
});
