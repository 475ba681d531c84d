import type { LogStore } from '../core/store.ts';

/** A store that outlives the manager it is given to, as files do: closing it does nothing. */
export function lasting(store: LogStore): LogStore {
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'close') return async () => undefined;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
