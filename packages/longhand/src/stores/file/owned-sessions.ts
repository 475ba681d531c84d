import { isSessionId, parseName } from '../../core/ids.ts';
import { decodeLog, START } from '../../core/log-decoder.ts';
import { METADATA_DOCUMENT, parseOwner } from '../../core/owner-in-metadata.ts';
import { parseJson } from '../../core/parse-json.ts';
import type { SessionRecord } from '../../core/records.ts';
import { readFrom } from './append-whole.ts';
import { type FileSystem, O_RDONLY } from './file-system.ts';
import type { LogPaths } from './log-paths.ts';
import { readText } from './sidecar-files.ts';

/** Nearly every first record ends within the first; settings may be large, and a damaged line may stand in front. */
const BEGINNING_BYTES = [4_096, 65_536];

/**
 * Whose sessions there are, as their logs tell: for the rare moment when the files that name them are gone. A session
 * that does not tell is left out.
 * @param known owners of sessions that need no look any more; those that are found are added
 */
export function sessionsByOwner(
  fileSystem: FileSystem,
  paths: LogPaths,
  sessionIds: readonly string[],
  known = new Map<string, string>(),
): ReadonlyMap<string, readonly string[]> {
  const byOwner = new Map<string, string[]>();
  for (const id of sessionIds.filter(isSessionId)) {
    const owner = known.get(id) ?? ownerOf(fileSystem, paths, id);
    if (owner === undefined) continue;
    known.set(id, owner);
    const ids = byOwner.get(owner);
    if (ids === undefined) byOwner.set(owner, [id]);
    else ids.push(id);
  }
  return byOwner;
}

function ownerOf(fileSystem: FileSystem, paths: LogPaths, id: string): string | undefined {
  const log = { kind: 'session', id } as const;
  try {
    return (
      ownerInLog(fileSystem, paths.fileOf(log)) ??
      parseOwner(id, readText(fileSystem, paths.documentOf(log, METADATA_DOCUMENT)))?.user_id
    );
  } catch {
    // One that cannot be read, or went in this moment, is no reason to leave the others unnamed.
    return undefined;
  }
}

function ownerInLog(fileSystem: FileSystem, path: string): string | undefined {
  const fd = fileSystem.open(path, O_RDONLY);
  try {
    const { size } = fileSystem.fstat(fd);
    for (const most of BEGINNING_BYTES) {
      const owner = ownerIn(readFrom(fileSystem, fd, 0, Math.min(size, most)));
      if (owner !== undefined || size <= most) return owner;
    }
    return undefined;
  } finally {
    fileSystem.close(fd);
  }
}

function ownerIn(bytes: Buffer): string | undefined {
  for (const line of decodeLog(bytes, START, { check: 'light' }).lines) {
    if (line.memoryId !== undefined) continue;
    const { record, user_id } = parseJson(line.text) as Partial<SessionRecord>;
    if (record === 'session') return parseName(user_id, 'user id');
  }
  return undefined;
}
