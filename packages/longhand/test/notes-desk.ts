import { onTestFinished } from 'vitest';
import type { PartialConfig } from '../src/core/config.ts';
import type { EventFacts } from '../src/core/events.ts';
import type { LogAddress, LogStore } from '../src/core/store.ts';
import { type Notes, NotesLayer } from '../src/layers/notes/notes.ts';
import type { NotesChange } from '../src/layers/notes/notes-change.ts';
import { FakeClock } from '../src/testing/fake-clock.ts';
import { openLayerContext } from './open-layer-context.ts';
import { newRoot, openFiles, STORES } from './open-stores.ts';

/** What the tests of notes share: a place on each store, and a writer that sits there. */
export const ADDRESS: LogAddress = { kind: 'notes', userId: 'ada', id: 'scribe' };
export const START = '2026-01-01T00:00:00.000Z';

export interface Place {
  /** As another process would open it. */
  open(): LogStore;
}

export function filePlace(root = newRoot()): Place {
  return { open: () => openFiles(root) };
}

export const PLACES: readonly (readonly [string, () => Place])[] = STORES.map(([name, makeStore]) => [
  name,
  () => ({ open: makeStore() }),
]);

export class Desk {
  readonly events: EventFacts[];
  readonly clock = new FakeClock(Date.parse(START));
  readonly store: LogStore;
  readonly layer: NotesLayer;

  constructor(store: LogStore, config: PartialConfig = {}) {
    this.store = store;
    const { context, events } = openLayerContext(store, config, this.clock);
    this.events = events;
    this.layer = new NotesLayer(context);
    onTestFinished(() => this.layer.close());
  }

  read(): Promise<Notes> {
    return this.layer.read('ada', 'scribe');
  }

  async text(): Promise<string> {
    return (await this.read()).text;
  }

  apply(
    operation: NotesChange['operation'],
    content?: string,
    section_header?: string,
    options: Parameters<NotesLayer['apply']>[3] = {},
  ): Promise<Notes> {
    const change = {
      operation,
      ...(content === undefined ? {} : { content }),
      ...(section_header === undefined ? {} : { section_header }),
    };
    return this.layer.apply('ada', 'scribe', change, options);
  }

  /** What an editor does. */
  async saveByHand(text: string): Promise<void> {
    await this.store.writeDocument(ADDRESS, 'notes.md', text);
  }

  document(): Promise<string | undefined> {
    return this.store.readDocument(ADDRESS, 'notes.md');
  }

  async history(): Promise<string[]> {
    const versions = await this.layer.versions('ada', 'scribe');
    return versions.map(({ version, operation }) => `${version} ${operation}`);
  }
}
