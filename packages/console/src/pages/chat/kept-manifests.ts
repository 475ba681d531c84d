import type { ChatMessage } from 'longhand/client';
import { readStored, writeStored } from '../../api/stored.ts';
import type { Manifest } from './manifest.ts';

/** The reasons of the newest answers. They come with an answer and are stored nowhere else, and hold ids, no texts. */
const KEPT = 'longhand-manifests';
const MOST = 20;

function read(): readonly (readonly [id: string, manifest: Manifest])[] {
  return readStored<[string, Manifest][]>('sessionStorage', KEPT, []);
}

/** Keeps what came with answers for as long as the tab is open, so that a reload does not lose it. */
export function keepManifests(messages: readonly ChatMessage[]): void {
  const before = read();
  const known = new Set(before.map(([id]) => id));
  const fresh = messages.filter(({ id, manifest }) => manifest !== undefined && !known.has(id));
  if (fresh.length === 0) return;
  const all = [...before, ...fresh.map(({ id, manifest }) => [id, manifest] as const)];
  writeStored('sessionStorage', KEPT, all.slice(-MOST));
}

/** Why the prompt of an answer looked as it did, as it was then; `undefined` when that is no longer known. */
export function manifestOf({ id, manifest }: ChatMessage): Manifest | undefined {
  return (manifest as Manifest | undefined) ?? read().find(([kept]) => kept === id)?.[1];
}
