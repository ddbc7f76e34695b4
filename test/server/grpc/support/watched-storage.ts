import type { Storage } from '../../../../src/server/assembly/storage-parts.ts';
import { currentPrincipal } from '../../../../src/server/operations/visibility/visibility.ts';

/** Parts that hold what callers have stored. */
const PARTS: readonly string[] = [
  'agents',
  'changes',
  'engine',
  'events',
  'folderView',
  'policies',
  'reembeddings',
  'sessions',
  'standing',
  'store',
  'subscriptions',
  'view',
];

/** Notes which methods of a storage run for calls of which identity. */
export class WatchedStorage {
  private readonly noted = new Map<string, string[]>();

  /** Replaces the parts in place, so that all of the server uses the watched ones. */
  readonly watch = (made: Storage): Storage => {
    const parts = Object.entries(made).filter(([name]) => PARTS.includes(name));
    return Object.assign(
      made,
      Object.fromEntries(parts.map(([name, part]) => [name, this.watched(name, part as object)])),
    );
  };

  /** Methods that have run for the identity since the last look, such as `store.get`. */
  takeOf(identity: string): string[] {
    const methods = this.noted.get(identity) ?? [];
    this.noted.delete(identity);
    return methods;
  }

  private watched(part: string, target: object): object {
    return new Proxy(target, {
      get: (of, name) => {
        const value: unknown = Reflect.get(of, name, of);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]): unknown => {
          this.note(`${part}.${String(name)}`);
          return Reflect.apply(value, of, given);
        };
      },
    });
  }

  private note(method: string): void {
    const identity = currentPrincipal()?.identity;
    if (identity === undefined) return;
    const methods = this.noted.get(identity) ?? [];
    methods.push(method);
    this.noted.set(identity, methods);
  }
}
