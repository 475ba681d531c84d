import type { Layer } from '../layer.ts';
import type { Transcripts } from './transcript.ts';

/** What is written to the same log and made from its messages. */
interface MadeFromMessages {
  current(sessionId: string): Promise<object | undefined>;
  recompute(sessionId: string): Promise<unknown>;
}

/** Transcript and summary, which share a log. */
export function transcriptLayer(transcripts: Transcripts, summaries: MadeFromMessages): Layer {
  return {
    name: 'transcript',
    async export({ sessionId: session_id }) {
      if (session_id === undefined) return [];
      const messages = await transcripts.messages(session_id);
      const summary = await summaries.current(session_id);
      return [
        ...messages.map((message) => ({ kind: 'message', session_id, ...message })),
        ...(summary === undefined ? [] : [{ kind: 'summary', session_id, ...summary }]),
      ];
    },
    unreadable: (sessionId, unreadable) => transcripts.log(sessionId).unreadable(unreadable),
    async erase(erasure) {
      if (erasure.kind !== 'pieces') return;
      const { sessionId, pieces, unreadable, unreadLines } = erasure;
      if (pieces.transcript.length === 0 && !unreadLines.isThere) return;
      await transcripts.forget(erasure, pieces.transcript, { unreadable });
      await summaries.recompute(sessionId);
    },
    async copy({ kind, id }, copy) {
      if (kind === 'session') await copy.log({ kind: 'transcript', id });
    },
    async verify({ kind, id }, report) {
      if (kind === 'session') await report.log({ kind: 'transcript', id });
    },
  };
}
