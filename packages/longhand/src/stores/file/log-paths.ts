import { extname, join } from 'node:path';
import { decodeFileName, encodeFileName } from '../../core/ids.ts';
import type { LogAddress } from '../../core/store.ts';

/**
 * Where each log lies. A folder has one lock, whatever the number of logs in it, so a session's folder can be
 * removed while no process writes to any of them.
 *
 *     sessions/{session_id}/memory.jsonl  transcript.jsonl  details.jsonl  details/{memory_key}
 *     agents/{agent_id}/memory.jsonl
 *     users/{user_id}/notes/{agent_id}.jsonl  {agent_id}.md
 *     privacy/{account_id}.jsonl
 */

/** The log that a folder of its own is made for. */
export const MEMORY_FILE = 'memory.jsonl';
export const LOG_ENDING = '.jsonl';
const BLOB_FOLDER = 'details';

export class LogPaths {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** Logs that are folders: they appear and disappear with it. */
  parentOf(kind: 'session' | 'agent'): string {
    return join(this.root, kind === 'session' ? 'sessions' : 'agents');
  }

  folderOf(log: LogAddress): string {
    switch (log.kind) {
      case 'agent':
        return join(this.parentOf('agent'), encodeFileName(log.id));
      case 'notes':
        return this.notesOf(log.userId);
      case 'ledger':
        return join(this.root, 'privacy');
      default:
        return join(this.parentOf('session'), log.id);
    }
  }

  fileOf(log: LogAddress): string {
    return join(this.folderOf(log), fileNameOf(log));
  }

  /** Documents lie beside their log; those of notes, which share a folder, have the agent's name. */
  documentOf(log: LogAddress, name: string): string {
    const fileName = log.kind === 'notes' ? encodeFileName(log.id) + extname(name) : name;
    return join(this.folderOf(log), fileName);
  }

  blobsOf(sessionId: string): string {
    return join(this.folderOf({ kind: 'session', id: sessionId }), BLOB_FOLDER);
  }

  userOf(userId: string): string {
    return join(this.root, 'users', encodeFileName(userId));
  }

  notesOf(userId: string): string {
    return join(this.userOf(userId), 'notes');
  }
}

function fileNameOf(log: LogAddress): string {
  switch (log.kind) {
    case 'session':
    case 'agent':
      return MEMORY_FILE;
    case 'transcript':
    case 'details':
      return `${log.kind}${LOG_ENDING}`;
    case 'notes':
    case 'ledger':
      return `${encodeFileName(log.id)}${LOG_ENDING}`;
  }
}

/** The names that a folder's entries stand for. A name that no store would write stands for nothing. */
export function decodeNames(fileNames: readonly string[], ending = ''): string[] {
  return fileNames.flatMap((fileName) => {
    if (!fileName.endsWith(ending)) return [];
    try {
      return [decodeFileName(fileName.slice(0, fileName.length - ending.length))];
    } catch {
      return [];
    }
  });
}
