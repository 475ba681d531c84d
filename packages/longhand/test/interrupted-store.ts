import type { LogStore } from '../src/core/store.ts';

export interface Interruption {
  /** What happens, once. */
  happen?: () => Promise<void>;
  /** So many calls are let pass before it; none when left out. */
  after?: number;
  /** Which calls it may happen before, by their arguments; all when left out. */
  only?: (...given: unknown[]) => boolean;
}

type Method = keyof LogStore;

export const WRITING: readonly Method[] = [
  'append',
  'rewrite',
  'remove',
  'writeDocument',
  'writeBlob',
  'removeBlobs',
];

/** Whatever may be another session's by the time it is answered. */
export const LOOKING_OR_WRITING: readonly Method[] = [
  ...WRITING,
  'read',
  'list',
  'follow',
  'size',
  'readDocument',
  'openBlob',
];

/** A store on which something happens, once, right before one of the calls of these methods. */
export function interrupted(
  store: LogStore,
  methods: readonly Method[],
): { readonly store: LogStore; readonly next: Interruption } {
  const next: Interruption = {};
  const names: readonly unknown[] = methods;
  const wrapped = new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      const call = member.bind(target) as (...given: unknown[]) => unknown;
      if (!names.includes(name)) return call;
      return async (...given: unknown[]) => {
        const { happen, after = 0, only = () => true } = next;
        if (!only(...given)) return call(...given);
        if (happen !== undefined && after > 0) next.after = after - 1;
        else if (happen !== undefined) {
          delete next.happen;
          await happen();
        }
        return call(...given);
      };
    },
  });
  return { store: wrapped, next };
}
