import { systemClock } from '../../src/core/clock.ts';
import { FileStore } from '../../src/stores/file/file-store.ts';
import { openConversation, talk } from '../conversation-fixture.ts';
import { readTask, report } from './report.ts';

/** A client that archives its whole state repeatedly while the conversation grows. */
export interface ArchiverTask {
  readonly root: string;
  readonly sessionId: string;
  readonly name: string;
  readonly messages: number;
  /** Messages that each batch has more than the one before. */
  readonly step: number;
}

const { root, sessionId, name, messages, step } = readTask<ArchiverTask>();
const store = new FileStore({ root });
const { transcripts } = openConversation(store, {}, systemClock);
for (let end = step; end <= messages; end += step) {
  await transcripts.archive(sessionId, talk(0, end), { batchId: `${name}-${end}` });
  report('archived', end);
}
await store.close();
