import { isNamespaceMissing, isUnavailable } from '../../memory/errors.ts';
import type { StreamWait } from './stream-wait.ts';

/** Time between looks for namespaces that streams wait for: how long a first memory is told late at most. */
const LOOK_MS = 250;

type Told = (failure?: { readonly error: unknown }) => void;

/**
 * Namespaces that are not there yet: whoever follows one stands before the first memory makes it. Each is looked for once,
 * however many wait for it.
 */
export class AwaitedNamespaces {
  private readonly find: (name: string) => Promise<unknown>;
  private readonly waiting = new Map<string, Set<Told>>();

  /** `find` fails with NAMESPACE_NOT_FOUND, and with STORAGE_UNAVAILABLE where nobody can tell. */
  constructor(find: (name: string) => Promise<unknown>) {
    this.find = find;
  }

  /** Whether it is certain that it is not there. */
  async isMissing(name: string): Promise<boolean> {
    try {
      await this.find(name);
      return false;
    } catch (error) {
      if (!isNamespaceMissing(error)) throw error;
      return true;
    }
  }

  /** Ends when the namespace is there; tells meanwhile that the stream has been silent, or has to end. */
  async *until(name: string, wait: StreamWait): AsyncGenerator<'silent' | 'draining', void, undefined> {
    let outcome: { readonly failure?: { readonly error: unknown } } | undefined;
    const leave = this.enter(name, (failure) => {
      outcome = failure ? { failure } : {};
      wait.wake();
    });
    try {
      while (!outcome) {
        const woken = await wait.next();
        if (woken === 'woken') continue;
        wait.spoke();
        yield woken;
      }
      if (outcome.failure) throw outcome.failure.error;
    } finally {
      leave();
    }
  }

  private enter(name: string, told: Told): () => void {
    const known = this.waiting.get(name);
    const all = known ?? new Set();
    all.add(told);
    if (!known) {
      this.waiting.set(name, all);
      this.lookSoon(name);
    }
    return () => {
      all.delete(told);
      if (all.size === 0 && this.waiting.get(name) === all) this.waiting.delete(name);
    };
  }

  private lookSoon(name: string): void {
    setTimeout(() => void this.look(name), LOOK_MS);
  }

  private async look(name: string): Promise<void> {
    const all = this.waiting.get(name);
    if (!all) return;
    let failure: { readonly error: unknown } | undefined;
    try {
      await this.find(name);
    } catch (error) {
      // A store that is away is waited for like the namespace.
      if (isNamespaceMissing(error) || isUnavailable(error)) {
        this.lookSoon(name);
        return;
      }
      failure = { error };
    }
    if (this.waiting.get(name) === all) this.waiting.delete(name);
    for (const told of [...all]) told(failure);
  }
}
