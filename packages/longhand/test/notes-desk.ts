import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type PartialConfig, resolveConfig } from '../src/core/config.ts';
import type { EventFacts } from '../src/core/events.ts';
import { createIdMaker } from '../src/core/ids.ts';
import { Metrics } from '../src/core/metrics.ts';
import { currentSchema } from '../src/core/schema.ts';
import type { LogAddress, LogStore } from '../src/core/store.ts';
import { type Notes, NotesLayer } from '../src/layers/notes.ts';
import type { NotesChange } from '../src/layers/notes-change.ts';
import { FileStore } from '../src/stores/file/file-store.ts';
import { MemoryStore } from '../src/stores/memory/memory-store.ts';
import { FakeClock } from '../src/testing/fake-clock.ts';

/** What the tests of notes share: a place on each store, and somebody who sits there and writes. */
export const ADDRESS: LogAddress = { kind: 'notes', userId: 'ada', id: 'scribe' };
export const START = '2026-01-01T00:00:00.000Z';

export interface Place {
  /** As another process would open it. */
  open(): LogStore;
}

function memoryPlace(): Place {
  const store = new MemoryStore();
  return { open: () => store };
}

export function temporaryFolder(): string {
  const root = mkdtempSync(join(tmpdir(), 'longhand-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

export function filePlace(root = temporaryFolder()): Place {
  return {
    open: () => {
      const store = new FileStore({ root });
      onTestFinished(() => store.close());
      return store;
    },
  };
}

export const PLACES: readonly (readonly [string, () => Place])[] = [
  ['memory', memoryPlace],
  ['file', () => filePlace()],
];

export class Desk {
  readonly events: EventFacts[] = [];
  readonly clock = new FakeClock(Date.parse(START));
  readonly store: LogStore;
  readonly layer: NotesLayer;

  constructor(store: LogStore, config: PartialConfig = {}) {
    this.store = store;
    this.layer = new NotesLayer({
      store,
      config: resolveConfig([{ name: 'the test', value: config }]),
      clock: this.clock,
      makeId: createIdMaker(),
      emit: (event) => this.events.push(event),
      metrics: new Metrics(),
      schema: currentSchema,
    });
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
