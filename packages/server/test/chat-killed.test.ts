import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { endWithTests, sized, withSeed } from '../../longhand/test/campaign.ts';
import { createChance } from '../../longhand/test/processes/chance.ts';
import { ChatFolder } from './chat-set-up.ts';

const folders: ChatFolder[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await folder.remove();
});

const ROUNDS = sized(8, 200);

/**
 * Chats in another process, and kills it in the middle: so many milliseconds after it has acknowledged so many messages.
 * Gives what it had acknowledged.
 */
async function chatUntilKilled(
  root: string,
  first: number,
  messages: number,
  afterMs: number,
): Promise<string[]> {
  const script = join(import.meta.dirname, 'chatting-process.ts');
  const child = spawn(process.execPath, ['--conditions=longhand-source', script, root, String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endWithTests(child);
  const gone = once(child, 'exit');
  let output = '';
  child.stdout.setEncoding('utf8');
  // By what has been done, not by the clock: the moment is in the middle of the work on any machine.
  const inTheMiddle = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (text: string) => {
      output += text;
      // The first line says that it is ready.
      if (output.split('\n').length - 2 >= messages) resolve();
    });
    child.on('exit', () => reject(new Error('It ended before it was killed.')));
  });
  await inTheMiddle;
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill('SIGKILL');
  await gone;
  // A line that was cut off was not acknowledged.
  return output.split('\n').slice(1, -1);
}

describe('a server that is killed in mid-conversation', () => {
  it('loses no acknowledged message and doubles none, whenever it happens', async () => {
    const folder = new ChatFolder();
    folders.push(folder);
    const acknowledged: string[] = [];
    await withSeed(async (seed) => {
      const chance = createChance(seed);
      for (let round = 0; round < ROUNDS; round++) {
        const messages = 2 + chance.below(60);
        const heard = await chatUntilKilled(folder.root, round * 10_000, messages, chance.below(30));
        acknowledged.push(...heard);
      }
    });
    expect(acknowledged.length).toBeGreaterThan(ROUNDS);

    const { conversations, memory, events, close } = await folder.open();
    const inSight = new Set<string>();
    for (const { id } of await memory.listSessions()) {
      const { window } = await memory.conversation(id);
      for (const message of await window.read()) inSight.add(`${id} ${message.id}`);
    }
    await conversations.archiveAll();
    const kept: string[] = [];
    for (const { id } of await memory.listSessions()) {
      for (const message of await memory.messages(id)) kept.push(`${id} ${message.id}`);
    }
    expect(events.filter(({ kind }) => kind === 'spool-damaged')).toEqual([]);
    expect(acknowledged.filter((line) => !kept.includes(line))).toEqual([]);
    expect(new Set(kept).size).toBe(kept.length);
    // The last that was acknowledged in each conversation is in its window: the next question is asked with it.
    const last = new Map(acknowledged.map((line) => [line.split(' ')[0], line]));
    for (const line of last.values()) expect(inSight).toContain(line);
    await close();
  });
});
