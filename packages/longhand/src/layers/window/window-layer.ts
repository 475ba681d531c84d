import type { Layer } from '../layer.ts';
import type { Windows } from './window.ts';

/** What a window holds is in the transcript, or in the caller's spool: there is nothing to export or check. */
export function windowLayer(windows: Windows): Layer {
  return {
    name: 'window',
    async erase(erasure) {
      const { kind } = erasure;
      if (kind === 'pieces') await windows.drop(erasure);
      else if (kind === 'session') await windows.drop(erasure.sessionId);
    },
  };
}
