import type { LogStore } from '../core/store.ts';
import { appendConformance } from './conformance-append.ts';
import { besideConformance } from './conformance-beside.ts';
import { changesConformance } from './conformance-changes.ts';
import { incarnationConformance } from './conformance-incarnations.ts';
import { lifecycleConformance } from './conformance-lifecycle.ts';
import { readConformance } from './conformance-read.ts';
import { NEW, OPENING, SESSION } from './conformance-records.ts';
import { rewriteConformance } from './conformance-rewrite.ts';

/**
 * The suite that every store passes. A store proves itself with one line:
 *
 *     storeConformance({ describe, it }, 'memory', { supports: { reopening: false, … }, make: () => … });
 *
 * The test runner is an argument, so any that has `describe` and `it` will do. What a store cannot do is
 * said as data, and the suite then tests that too.
 */
export function storeConformance(runner: ConformanceRunner, name: string, harness: StoreHarness): void {
  runner.describe(`the store port on ${name}`, () => {
    const withStore: WithStore = (title, work) => {
      runner.it(title, async () => {
        const fixture = await harness.make();
        try {
          await work(fixture.store, fixture);
        } finally {
          await fixture.store.close();
          await fixture.dispose?.();
        }
      });
    };
    const withSession: WithStore = (title, work) =>
      withStore(title, async (store, fixture) => {
        await store.append(SESSION, [OPENING], NEW);
        await work(store, fixture);
      });
    const suite: Suite = { withStore, withSession, supports: harness.supports };
    runner.describe('making and removing logs', () => lifecycleConformance(suite));
    runner.describe('incarnations of a session', () => incarnationConformance(suite));
    runner.describe('appending', () => appendConformance(suite));
    runner.describe('reading', () => readConformance(suite));
    runner.describe('following a user', () => changesConformance(suite));
    runner.describe('what lies beside', () => besideConformance(suite));
    runner.describe('rewriting', () => rewriteConformance(suite));
  });
}

export interface ConformanceRunner {
  describe(name: string, define: () => void): unknown;
  it(name: string, run: () => Promise<void>): unknown;
}

export interface StoreCapabilities {
  /** Another opening finds what the first one wrote, also while it is open. */
  readonly reopening: boolean;
  /** Has a place for the files of a search index. */
  readonly indexFiles: boolean;
  /** Documents may hold a zero byte, as a person's editor may save one. Left out: they may. */
  readonly zeroBytes?: boolean;
}

export interface StoreHarness {
  readonly supports: StoreCapabilities;
  /** A store that holds nothing, and that no other test uses. */
  make(): StoreFixture | Promise<StoreFixture>;
}

export interface StoreFixture {
  readonly store: LogStore;
  /** Another opening of the same data. Present when the store supports reopening. */
  reopen?(): LogStore;
  dispose?(): void | Promise<void>;
}

type WithStore = (title: string, work: (store: LogStore, fixture: StoreFixture) => Promise<void>) => void;

export interface Suite {
  readonly withStore: WithStore;
  /** The same, beginning with a session of one record. */
  readonly withSession: WithStore;
  readonly supports: StoreCapabilities;
}
