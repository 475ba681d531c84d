/**
 * Whether Postgres gives the same memories in the same order as files, with the same numbers, question by question:
 * `node bench/same-answers.ts --data locomo.json [--database-url postgres://…]` after `npm run build`. Without an address
 * it starts the Postgres of the tests. The data is not part of the project.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FileStore, MemoryManager, type MemoryManagerOptions } from 'longhand';
import { applySchema, PostgresStore } from 'longhand/postgres';
import pg from 'pg';
import { startServer } from '../packages/longhand/test/postgres/server.ts';
import type { Haystack, Question } from './recall/haystack.ts';
import { readLocomo } from './recall/sets/locomo.ts';

const USER = 'user';
const DEPTH = 50;
const { values } = parseArgs({ options: { data: { type: 'string' }, 'database-url': { type: 'string' } } });
if (values.data === undefined) {
  console.error('Say where the data is: --data locomo.json');
  process.exit(2);
}

/** With ids that both stores share. */
async function fill(manager: MemoryManager, { sessions }: Haystack): Promise<string> {
  let last = '';
  for (const [s, { turns }] of sessions.entries()) {
    last = `session-${s}`;
    await manager.createSession(USER, { session_id: last });
    await manager.addMemories(
      last,
      turns.map(({ memory }, t) => ({ ...memory, id: `mem_${s}_${t}` })),
    );
  }
  return last;
}

async function answer(manager: MemoryManager, session: string, { text, now }: Question): Promise<string[]> {
  const asked = { text, now, scope: 'user', limit: DEPTH } as const;
  const answers = [
    await manager.queryMemories(session, asked),
    await manager.queryMemories(session, { ...asked, sortBy: 'match' }),
    await manager.recall(USER, text, { now }),
  ];
  const sessions = await manager.searchSessions(USER, text, { limit: DEPTH, now });
  return [
    ...answers.map((found) =>
      JSON.stringify(found.map(({ id, relevance, match }) => [id, relevance, match])),
    ),
    JSON.stringify(sessions.map(({ session_id }) => session_id)),
  ];
}

const server = values['database-url'] === undefined ? await startServer() : undefined;
const connection = server?.connection() ?? { connectionString: values['database-url'] };
const owner = new pg.Client(connection);
await owner.connect();
await applySchema(owner);
await owner.end();
const pool = new pg.Pool(connection);
const folder = mkdtempSync(join(tmpdir(), 'longhand-same-'));

let isSame = true;
for (const semantic of [false, true]) {
  let [questions, different] = [0, 0];
  for (const haystack of readLocomo(values.data)) {
    const options: MemoryManagerOptions = semantic ? {} : { semantic: false };
    const accountId = `same-answers-${process.pid}-${haystack.name}-${semantic}`;
    const files = new MemoryManager({ store: new FileStore({ root: join(folder, accountId) }), ...options });
    const first = new MemoryManager({ store: new PostgresStore({ pool, accountId }), ...options });
    const last = await fill(files, haystack);
    await fill(first, haystack);
    await first.close();
    // A server that has just started, which reads what the first has left.
    const postgres = new MemoryManager({ store: new PostgresStore({ pool, accountId }), ...options });
    for (const question of haystack.questions) {
      const [expected, found] = [await answer(files, last, question), await answer(postgres, last, question)];
      questions++;
      if (expected.some((each, i) => each !== found[i])) different++;
    }
    await Promise.all([files.close(), postgres.close()]);
  }
  console.log(
    `${semantic ? 'with vectors' : 'words alone'}: ${questions} questions, four answers each, ${different} with a difference`,
  );
  isSame &&= different === 0;
}
await pool.end();
await server?.stop();
rmSync(folder, { recursive: true, force: true });
process.exitCode = isSame ? 0 : 1;
