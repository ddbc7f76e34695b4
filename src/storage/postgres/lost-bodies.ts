import { type Clock, secondsOf } from '../../memory/clock.ts';
import type { Micros } from '../../memory/memory.ts';
import { BODY_KEY, type OwnedBody } from './external-bodies.ts';

/** Bodies that are counted; beyond it the text says that there are more. */
const REMEMBERED_MAX = 10_000;

/** Bodies that the other store does not have, as far as reads and passes have met them. */
export class LostBodies {
  private readonly clock: Clock;
  /** Namespaces of the bodies, by key of the body, and the pass that has met it last. */
  private readonly known = new Map<string, { readonly namespace: number; pass: number }>();
  private hasMore = false;
  private pass = 0;
  private sinceUs: Micros | undefined;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get isEmpty(): boolean {
    return this.known.size === 0;
  }

  add({ [BODY_KEY]: key, namespace_key: namespace }: OwnedBody): void {
    this.sinceUs ??= this.clock.nowUs();
    if (this.known.size < REMEMBERED_MAX || this.known.has(key)) this.known.set(key, { namespace, pass: this.pass });
    else this.hasMore = true;
  }

  remove(keys: Iterable<string>): void {
    for (const key of keys) this.known.delete(key);
    if (this.isEmpty) this.sinceUs = undefined;
  }

  /** A pass meets each body that is lost. */
  beginPass(): void {
    this.pass++;
    this.hasMore = false;
  }

  /** Bodies that the pass has not met are no longer named by a memory. */
  endPass(): void {
    this.remove([...this.known].filter(([, { pass }]) => pass < this.pass).map(([key]) => key));
  }

  /** For people; `undefined` where none is lost. */
  get text(): string | undefined {
    const { sinceUs } = this;
    if (sinceUs === undefined) return undefined;
    const count = this.known.size === 1 ? '1 text' : `${this.known.size}${this.hasMore ? ' or more' : ''} texts`;
    return (
      `upper tiers: Redis does not have ${count}, noticed at ${secondsOf(sinceUs)}; those in a view of a server are put ` +
      'back. "mneme verify" names the others: replace or delete these memories, or restore a backup'
    );
  }

  /** The same of one namespace. */
  textIn(epoch: string): string | undefined {
    for (const { namespace } of this.known.values()) if (String(namespace) === epoch) return this.text;
    return undefined;
  }
}
