import { MnemeError } from '../../src/memory/errors.ts';
import type { SessionStore } from '../../src/storage/session-store.ts';

/** Whether a store is unreachable, and whether it executes a request before it stops answering. */
export interface Away {
  away: false | 'before' | 'after';
}

/** The way of one server to a store that others share. */
export function wayTo(shared: SessionStore, state: Away): SessionStore {
  const silence = () => new MnemeError('STORAGE_UNAVAILABLE', 'away', { metadata: { fault: 'timeout' } });
  return new Proxy(shared, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const method = value.bind(target) as (...provided: unknown[]) => unknown;
      return async (...provided: unknown[]) => {
        if (state.away === 'before') throw silence();
        const answer = await method(...provided);
        if (state.away === 'after') throw silence();
        return answer;
      };
    },
  });
}
