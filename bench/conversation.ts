import { type Layers, MemoryManager, type Message } from 'longhand';
import { LIMIT_RAISED } from './contenders/longhand.ts';
import { makeEntries, textOf } from './entries.ts';

/** An agent with everything that a context is made from: memories, notes, private memory, a long conversation. */
export interface Talk {
  readonly manager: MemoryManager;
  readonly layers: Layers;
  /** What the user could say next. */
  readonly text: (number: number) => string;
}

export const SESSION = 'talk';
export const AGENT = 'helper';
const MEMORIES = 5_000;
const BATCH = 250;

/** @param Manager of another build of the library */
export async function openTalk(
  storageRoot: string,
  transcriptMessages: number,
  Manager = MemoryManager,
): Promise<Talk> {
  const manager = new Manager({ storageRoot, config: LIMIT_RAISED });
  await manager.createSession('me', { session_id: SESSION, agents: [AGENT] });
  const layers = await manager.layers();
  await layers.agents.create({ name: AGENT, system_prompt: 'Be brief, and say what you know it from.' });
  await layers.journal.save(AGENT, 'core', 'I keep track of what was decided.');
  await layers.notes.apply('me', AGENT, { operation: 'overwrite', content: '# Me\n\nLikes short answers.' });
  const entries = makeEntries(MEMORIES);
  for (let from = 0; from < MEMORIES; from += BATCH) {
    await manager.addMemories(SESSION, entries.slice(from, from + BATCH));
  }
  const texts = makeEntries(500, 11).map(textOf);
  const text = (number: number): string =>
    texts[number % texts.length]!.slice(0, 100 + ((number * 37) % 300));
  for (let from = 0; from < transcriptMessages; from += 2) {
    await layers.transcripts.archive(SESSION, turn(from, text(from), text(from + 1)));
  }
  return { manager, layers, text };
}

/** What a turn leaves in the transcript. */
export function turn(number: number, asked: string, answered: string): Message[] {
  const timestamp = new Date(Date.UTC(2026, 0, 1) + number * 1_000).toISOString();
  return [
    { id: `m${number}`, role: 'user', content: asked, timestamp },
    { id: `m${number + 1}`, role: 'assistant', content: answered, timestamp },
  ];
}
