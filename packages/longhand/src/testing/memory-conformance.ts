import type { Message } from '../core/messages.ts';
import type { LogStore } from '../core/store.ts';
import type { Layers } from '../layers.ts';
import type { MemoryManagerOptions } from '../manager-options.ts';
import { MemoryManager } from '../memory-manager.ts';
import type { ConformanceRunner, StoreCapabilities, StoreHarness } from './conformance.ts';
import { FakeClock } from './fake-clock.ts';
import { lasting } from './lasting-store.ts';
import { agentsConformance } from './memory-conformance-agents.ts';
import { contextConformance } from './memory-conformance-context.ts';
import { conversationConformance } from './memory-conformance-conversation.ts';
import { correctionsConformance } from './memory-conformance-corrections.ts';
import { detailsConformance } from './memory-conformance-details.ts';
import { journalConformance } from './memory-conformance-journal.ts';
import { lineageConformance } from './memory-conformance-lineage.ts';
import { meaningConformance } from './memory-conformance-meaning.ts';
import { notesConformance } from './memory-conformance-notes.ts';
import { originsConformance } from './memory-conformance-origins.ts';
import { privacyConformance } from './memory-conformance-privacy.ts';
import { privateConformance } from './memory-conformance-private.ts';
import { recallConformance } from './memory-conformance-recall.ts';
import { receiptsConformance } from './memory-conformance-receipts.ts';
import { remaindersConformance } from './memory-conformance-remainders.ts';
import { rolloverConformance } from './memory-conformance-rollover.ts';
import { takenConformance } from './memory-conformance-taken.ts';
import { toolsConformance } from './memory-conformance-tools.ts';

/**
 * What the whole memory promises, on a store. A store that passes `storeConformance` should pass this too; here it
 * proves it, with one line:
 *
 *     memoryConformance({ describe, it }, 'my store', { supports: { … }, make: () => … });
 *
 * Every test goes through the public API alone. What one holder of the store writes, another one must see: it is
 * another opening where the store can be opened again, and otherwise a second manager on the same store.
 */
export function memoryConformance(runner: ConformanceRunner, name: string, harness: StoreHarness): void {
  runner.describe(`the memory on ${name}`, () => {
    const withMemory: WithMemory = (title, work, options = {}) => {
      runner.it(title, async () => {
        const fixture = await harness.make();
        const clock = new FakeClock(START_MS);
        const managers: MemoryManager[] = [];
        const stores: LogStore[] = [fixture.store];
        const openOn = async (store: LogStore, more: SceneOptions): Promise<Holder> => {
          const manager = new MemoryManager({ store: lasting(store), clock, semantic: false, ...more });
          managers.push(manager);
          return { manager, store, layers: await manager.layers() };
        };
        try {
          const first = await openOn(fixture.store, options);
          const openAnother = async (more: SceneOptions = options): Promise<Holder> => {
            const store = harness.supports.reopening ? fixture.reopen!() : fixture.store;
            if (store !== fixture.store) stores.push(store);
            return openOn(store, more);
          };
          await work({ ...first, clock, openAnother, supports: harness.supports });
        } finally {
          for (const manager of managers) await manager.close();
          for (const store of stores) await store.close();
          await fixture.dispose?.();
        }
      });
    };
    runner.describe('recall', () => recallConformance(withMemory));
    runner.describe('finding by meaning', () => meaningConformance(withMemory));
    runner.describe('memories that are corrected', () => correctionsConformance(withMemory));
    runner.describe('agents', () => agentsConformance(withMemory));
    runner.describe('journal and core', () => journalConformance(withMemory));
    runner.describe('notes', () => notesConformance(withMemory));
    runner.describe('details', () => detailsConformance(withMemory));
    runner.describe('transcript, summary and window', () => conversationConformance(withMemory));
    runner.describe('the context', () => contextConformance(withMemory));
    runner.describe('the tools', () => toolsConformance(withMemory));
    runner.describe('privacy', () => privacyConformance(withMemory));
    runner.describe('what was taken from what', () => lineageConformance(withMemory));
    runner.describe('what is kept elsewhere', () => takenConformance(withMemory));
    runner.describe('full sessions', () => rolloverConformance(withMemory));
    runner.describe('what full sessions had no room for', () => originsConformance(withMemory));
    runner.describe('what agents noted for themselves', () => privateConformance(withMemory));
    runner.describe('what is left of what is gone', () => remaindersConformance(withMemory));
    runner.describe('receipts and single pieces', () => receiptsConformance(withMemory));
  });
}

/** Where the clock of every test stands at first. */
export const START_MS = Date.parse('2026-03-02T10:00:00Z');
export const DAY_MS = 86_400_000;

export type SceneOptions = Omit<MemoryManagerOptions, 'store' | 'storageRoot' | 'clock'>;

/** A process, or one like it, that has the store open. */
export interface Holder {
  readonly manager: MemoryManager;
  readonly store: LogStore;
  readonly layers: Layers;
}

export interface Scene extends Holder {
  readonly clock: FakeClock;
  readonly supports: StoreCapabilities;
  /** Opens the store a second time, with other options; those of the first when left out. */
  openAnother(options?: SceneOptions): Promise<Holder>;
}

export type WithMemory = (
  title: string,
  work: (scene: Scene) => Promise<void>,
  options?: SceneOptions,
) => void;

/** Messages from one number to before another, by turns of user and assistant, a second apart. */
export function talk(from: number, to: number): (Message & { readonly id: string })[] {
  return Array.from({ length: to - from }, (_, i) => ({
    id: `m${from + i}`,
    role: (from + i) % 2 === 0 ? 'user' : 'assistant',
    content: `This is message number ${from + i}.`,
    timestamp: new Date(START_MS + (from + i) * 1_000).toISOString(),
  }));
}

/** Four characters a token: plain, and quick. */
export const FOUR_CHARACTERS = { name: 'four', count: (text: string) => Math.ceil(text.length / 4) };
