import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { loadConfig } from '../src/config/load-config.ts';
import { Logger } from '../src/log/logger.ts';
import { openServices } from '../src/services.ts';
import { answerWhole } from './chat-set-up.ts';
import { storeFlags } from './store-place.ts';

afterEach(() => void vi.useRealTimers());

it('writes the transcript once in ten turns at most, at a person’s pace and with the settings as they come', async () => {
  const root = mkdtempSync(join(tmpdir(), 'longhand-pace-'));
  const config = loadConfig({ env: {}, cwd: root, home: root, flags: await storeFlags(root) });
  const services = await openServices(config, new Logger('silent'));
  const memory = services.manager.as({ account_id: 'local', user_id: 'me' });
  let writes = 0;
  services.manager.subscribe(({ kind }) => {
    if (kind === 'transcript-archived') writes++;
  });
  const say = (i: number) =>
    answerWhole(
      services.conversations,
      { new_messages: [{ role: 'user', content: `Tell me about number ${i}` }], session_id: 'chat' },
      memory,
    );
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  const turns = 50;
  for (let i = 0; i < turns; i++) {
    await say(i);
    await vi.advanceTimersByTimeAsync(60_000);
    // What the timer began ends before the next turn, a minute later.
    await services.conversations.unarchived(await memory.loadSession('chat'));
  }
  vi.useRealTimers();
  expect(writes).toBeGreaterThan(0);
  expect(writes / turns).toBeLessThanOrEqual(0.1);
  await services.close();
  rmSync(root, { recursive: true });
});
