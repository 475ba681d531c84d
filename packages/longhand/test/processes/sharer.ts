import { LonghandError, MemoryManager, type ScopedConversation } from '../../src/index.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { PATIENT_LOCKS } from './patient-locks.ts';
import { readTask, report } from './report.ts';

/**
 * Works for one user with sessions whose names others use too: makes one where there is none, writes to it, reads it in
 * every way, keeps handles on it for longer than it lives, and deletes it. Whatever it writes has the user's name in it,
 * so whatever it reads must have no other's. It says `saw` with what it should not have seen, and `enough` when it has
 * made its steps, done all that can be done, and deleted as often as it should. Then it goes on until it is told to stop:
 * a session that it left behind would keep its name from the others.
 */
export interface SharerTask {
  readonly root: string;
  readonly user: string;
  /** All other users. */
  readonly others: readonly string[];
  readonly names: readonly string[];
  readonly steps: number;
  readonly deletions: number;
  readonly seed: number;
}

const { root, user, others, names, steps, deletions, seed } = readTask<SharerTask>();
const config = {
  summary: { enabled: true, threshold: 3, keep_last: 1 },
  concurrency: PATIENT_LOCKS,
};
const manager = new MemoryManager({ storageRoot: root, config });
const me = manager.as({ account_id: 'local', user_id: user });
const handles: ScopedConversation[] = [];
const done = new Map<string, number>();
let state = seed;
let written = 0;

/** 0 to `below`, without it. */
function chance(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}

function text(): string {
  return `mine_${user}_${written++}`;
}

async function useTool(name: string, input: object, sessionId: string): Promise<unknown> {
  const scope = await me.toolScope(sessionId);
  return TOOLS.find((tool) => tool.name === name)!.run(input, scope);
}

const CALLS: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
  add: (name) => me.addMemory(name, { type: 'finding', content: { text: text() } }),
  // All users use the same ids.
  addNamed: (name) =>
    me.addMemory(name, { id: `mem_${chance(1_000)}`, type: 'finding', content: { text: text() } }),
  archive: (name) => me.archiveMessages(name, [{ id: `m${chance(1_000)}`, role: 'user', content: text() }]),
  handle: async (name) => {
    if (handles.length > 3) handles.shift();
    handles.push(await me.conversation(name));
  },
  get: (name) => me.getMemory(name, `mem_${chance(1_000)}`),
  query: (name) => me.queryMemories(name),
  queryWords: (name) => me.queryMemories(name, { text: 'mine', scope: 'user' }),
  messages: (name) => me.messages(name),
  export: (name) => me.exportSession(name),
  stats: (name) => me.getSessionStats(name),
  context: (name) => me.assembleContext({ session: name, messages: [{ role: 'user', content: 'mine' }] }),
  compact: (name) => me.compactSession(name),
  rebuild: (name) => me.rebuildIndex(name),
  find: (name) => useTool('search_memory', { query: 'mine' }, name),
  keep: (name) => useTool('store_memory', { content: text(), type: 'decision' }, name),
};

const HANDLE_CALLS: Readonly<Record<string, (handle: ScopedConversation) => Promise<unknown>>> = {
  handleMessages: ({ transcript }) => transcript.messages(),
  handleArchive: ({ transcript }) => transcript.archive([{ role: 'user', content: text() }]),
  handleAppend: ({ window }) => window.append([{ role: 'user', content: text() }]),
  handleWindow: ({ window }) => window.read(),
  handleContext: ({ summary }) => summary.workingContext(),
  handleSummary: ({ summary }) => summary.update(),
};

/** What is not there, or is there already, is what all of this is about. */
const EXPECTED = ['SESSION_NOT_FOUND', 'SESSION_DELETED', 'SESSION_EXISTS', 'ID_TAKEN'];

async function attempt(what: string, call: () => Promise<unknown>): Promise<boolean> {
  try {
    const seen = JSON.stringify(await call()) ?? '';
    const theirs = others.filter((other) => seen.includes(`mine_${other}_`) || seen.includes(`"${other}"`));
    if (theirs.length > 0) report('saw', what, user, theirs.join(), seen.slice(0, 500));
    done.set(what, (done.get(what) ?? 0) + 1);
    return true;
  } catch (error) {
    if (!LonghandError.isInstance(error)) throw error;
    if (!EXPECTED.includes(error.code)) throw error;
    return error.code === 'ID_TAKEN';
  }
}

const calls = Object.entries(CALLS);
const handleCalls = Object.entries(HANDLE_CALLS);

/** Each of the calls, and to make and to delete a session. */
const KINDS = calls.length + handleCalls.length + 2;
let isStopped = false;
let isEnough = false;
process.stdin.on('data', () => {
  isStopped = true;
});

function tellWhenEnough(stepsMade: number): void {
  if (isEnough || stepsMade < steps || done.size < KINDS || done.get('delete')! < deletions) return;
  isEnough = true;
  report('enough');
}

async function work(): Promise<void> {
  for (let i = 0; !isStopped; i++) {
    tellWhenEnough(i);
    // The order to stop must be heard.
    if (i % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    const name = names[chance(names.length)]!;
    const handle = handles[chance(handles.length + 1)];
    const [what, call] = calls[chance(calls.length)]!;
    const [whatOfHandle, callOfHandle] = handleCalls[chance(handleCalls.length)]!;
    if (chance(12) === 0) await attempt('delete', () => me.deleteSession(name));
    else if (handle !== undefined && chance(3) === 0) await attempt(whatOfHandle, () => callOfHandle(handle));
    else if (!(await attempt(what, () => call(name))))
      await attempt('create', () => me.createSession({ session_id: name }));
  }
}

await Promise.all([work(), work(), work()]);
await manager.close();
for (const [what, count] of done) report('did', what, count);
process.exit(0);
