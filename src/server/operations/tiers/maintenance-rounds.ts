import type { Micros } from '../../../memory/memory.ts';
import { namespaceNames } from '../namespaces/namespaces.ts';
import type { MaintenanceStep } from './carry-out-moves.ts';
import { maintainNamespaces } from './maintain-namespaces.ts';
import { ReliefPass } from './relief-pass.ts';
import type { TierDeps } from './tier-config.ts';

/** Moves of a namespace for one reason before others have their turn. */
const MOVES_EACH_MAX = 500;
/** Maximum namespaces checked in one round, in addition to one from the queue of those with more to move. */
const WALKED_MAX = 100;

/**
 * The background maintenance, in rounds that continue where the last one ended. A walk checks every namespace once; a
 * namespace with more to move than its share is queued, and each round serves one of the queue. Maintenance is fair
 * across namespaces, whatever their load.
 */
export class MaintenanceRounds {
  private readonly deps: TierDeps;
  private readonly line = new Set<string>();
  private walk: AsyncGenerator<string> | undefined;
  private walkedAtUs: Micros;
  private relief = new ReliefPass([]);
  private isRelieving = false;

  constructor(deps: TierDeps) {
    this.deps = deps;
    this.walkedAtUs = deps.clock.nowUs();
  }

  /** When the last walk began, or there was none yet. */
  get walkedUs(): Micros {
    return this.walkedAtUs;
  }

  /** No work remains for a further round. */
  get isDone(): boolean {
    return this.walk === undefined && this.line.size === 0;
  }

  /** Looks at every namespace, unless that is under way. */
  begin(): void {
    if (this.walk) return;
    this.walk = namespaceNames(this.deps.store);
    this.walkedAtUs = this.deps.clock.nowUs();
  }

  /** Adds namespaces with memories to move to the queue. */
  add(namespaces: Iterable<string>): void {
    for (const namespace of namespaces) this.line.add(namespace);
  }

  /** Fails at the end with the first failure; the other namespaces are maintained. */
  async *round(signal: AbortSignal): AsyncGenerator<MaintenanceStep> {
    await this.look();
    const onCut = (namespace: string) => void this.line.add(namespace);
    const order = { dryRun: false, flush: false, anyType: false, isAsked: false, isGoneFailure: false, onCut };
    const shared = { ...order, relief: this.relief, movesMax: MOVES_EACH_MAX };
    yield* maintainNamespaces(this.deps, this.names(), shared, signal);
    if (this.isRelieving && !this.walk && ![...this.line].some((name) => this.relief.isPendingFor(name)))
      await this.endRelief();
  }

  /** Measures the free memory: a relief pass accompanies a walk, and ends early where enough is free. */
  private async look(): Promise<void> {
    const { pressure } = this.deps;
    if (!this.walk || this.isRelieving) return pressure?.look();
    if (!pressure) return;
    this.relief = await pressure.beginPass({ isAsked: false });
    this.isRelieving = true;
  }

  private async endRelief(): Promise<void> {
    await this.deps.pressure?.endPass(this.relief);
    this.relief = new ReliefPass([]);
    this.isRelieving = false;
  }

  /** The next names of the walk until one of them has more than its share, then the first of the line. */
  private async *names(): AsyncGenerator<string> {
    const waiting = this.line.size;
    const [first] = this.line;
    for (let count = 0; this.walk && count < WALKED_MAX && this.line.size === waiting; count++) {
      const next = await this.walk.next();
      if (next.done) this.walk = undefined;
      // Its turn comes.
      else if (!this.line.has(next.value)) yield next.value;
    }
    if (first === undefined) return;
    this.line.delete(first);
    yield first;
  }
}
