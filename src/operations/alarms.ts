/** How much sooner than it was set for an alarm may ring. */
export const EARLY_MS = 25;

interface Moment {
  readonly rings: Set<() => void>;
  readonly timer: NodeJS.Timeout;
}

/**
 * Alarms of thousands that wait for seconds, such as for their next sign of life: those of the same moment have one timer, and
 * what they write goes to a connection together.
 */
export class Alarms {
  private readonly moments = new Map<number, Moment>();

  /** Calls at that instant of `performance.now()`, or up to `EARLY_MS` before. The function given takes that back. */
  set(atMs: number, ring: () => void): () => void {
    const at = Math.floor(atMs / EARLY_MS);
    const { rings, timer } = this.moments.get(at) ?? this.begin(at);
    rings.add(ring);
    return () => {
      rings.delete(ring);
      if (rings.size > 0 || this.moments.get(at)?.rings !== rings) return;
      clearTimeout(timer);
      this.moments.delete(at);
    };
  }

  private begin(at: number): Moment {
    const ringAll = (): void => {
      this.moments.delete(at);
      for (const ring of rings) ring();
    };
    const rings = new Set<() => void>();
    const timer = setTimeout(ringAll, at * EARLY_MS - performance.now());
    const moment = { rings, timer };
    this.moments.set(at, moment);
    return moment;
  }
}
