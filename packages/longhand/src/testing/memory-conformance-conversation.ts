import type { WithMemory } from './memory-conformance.ts';
import { summaryConformance } from './memory-conformance-summary.ts';
import { transcriptConformance } from './memory-conformance-transcript.ts';
import { windowConformance } from './memory-conformance-window.ts';

/** What was said: the transcript, its synopsis, and its end verbatim. Each test finds Ada's session `chat`. */
export function conversationConformance(withMemory: WithMemory): void {
  const withChat: WithMemory = (title, work, options) =>
    withMemory(
      title,
      async (scene) => {
        await scene.manager.createSession('ada', { session_id: 'chat' });
        await work(scene);
      },
      options,
    );
  transcriptConformance(withChat);
  summaryConformance(withChat);
  windowConformance(withChat);
}
