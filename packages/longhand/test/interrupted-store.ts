import type { LogStore } from '../src/core/store.ts';

export interface Interruption {
  /** What happens, once. */
  happen?: () => Promise<void>;
  /** So many calls are let pass before it; none when left out. */
  after?: number;
}

type Method = keyof LogStore;

/** Whatever may be another's session's by the time it is answered. */
export const LOOKING_OR_WRITING: readonly Method[] = [
  'create',
  'append',
  'transact',
  'read',
  'isCurrent',
  'readLine',
  'linesWith',
  'rewrite',
  'quarantined',
  'remove',
  'list',
  'listOfUser',
  'changesOfUser',
  'size',
  'readDocument',
  'writeDocument',
  'removeDocument',
  'writeBlob',
  'removeBlob',
  'openBlob',
  'listBlobs',
];

export const WRITING: readonly Method[] = [
  'append',
  'transact',
  'create',
  'rewrite',
  'remove',
  'writeDocument',
  'writeBlob',
  'removeBlob',
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
        const { happen, after = 0 } = next;
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
