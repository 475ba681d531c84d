import type { LogStore } from '../core/store.ts';
import { appendConformance } from './conformance-append.ts';
import { besideConformance } from './conformance-beside.ts';
import { changesConformance } from './conformance-changes.ts';
import { incarnationConformance } from './conformance-incarnations.ts';
import { lifecycleConformance } from './conformance-lifecycle.ts';

import { readConformance } from './conformance-read.ts';
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
    runner.describe('making and removing logs', () => lifecycleConformance(withStore, harness.supports));
    runner.describe('incarnations of a session', () => incarnationConformance(withStore, harness.supports));
    runner.describe('appending', () => appendConformance(withStore, harness.supports));
    runner.describe('reading', () => readConformance(withStore));
    runner.describe('following a user', () => changesConformance(withStore, harness.supports));
    runner.describe('what lies beside', () => besideConformance(withStore, harness.supports));
    runner.describe('rewriting', () => rewriteConformance(withStore));
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

export type WithStore = (
  title: string,
  work: (store: LogStore, fixture: StoreFixture) => Promise<void>,
) => void;
