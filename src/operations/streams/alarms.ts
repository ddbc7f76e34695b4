/** How much sooner than it was set for an alarm may ring. */
export const EARLY_MS = 25;
/** Moments that lie further ahead than so many of them have a timer for each alarm. */
const MOMENTS = 4096;

interface Moment {
  readonly at: number;
  readonly rings: ((() => void) | undefined)[];
  count: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Alarms of thousands that wait for seconds, such as for their next sign of life: those of the same moment have one timer, and
 * what they write goes to a connection together. The moments lie in an array: a map that they come into and leave would keep
 * them all for V8.
 */
export class Alarms {
  private readonly moments = Array.from<Moment | undefined>({ length: MOMENTS });

  /** Calls at that instant of `performance.now()`, or up to `EARLY_MS` before. The function given takes that back. */
  set(atMs: number, ring: () => void): () => void {
    const nowMs = performance.now();
    const at = Math.floor(atMs / EARLY_MS);
    if (at - nowMs / EARLY_MS >= MOMENTS) {
      const timer = setTimeout(ring, atMs - nowMs);
      return () => clearTimeout(timer);
    }
    const known = this.moments[at % MOMENTS];
    const moment = known?.at === at ? known : this.begin(at, nowMs);
    const place = moment.rings.push(ring) - 1;
    moment.count++;
    const takeBack = (): void => this.takeBack(moment, place);
    return takeBack;
  }

  private begin(at: number, nowMs: number): Moment {
    const moment: Moment = { at, rings: [], count: 0, timer: undefined };
    const ring = (): void => this.ring(moment);
    moment.timer = setTimeout(ring, at * EARLY_MS - nowMs);
    this.moments[at % MOMENTS] = moment;
    return moment;
  }

  private ring(moment: Moment): void {
    this.end(moment);
    for (const ring of moment.rings) ring?.();
  }

  private takeBack(moment: Moment, place: number): void {
    if (!moment.rings[place]) return;
    moment.rings[place] = undefined;
    if (--moment.count > 0) return;
    clearTimeout(moment.timer);
    this.end(moment);
  }

  private end(moment: Moment): void {
    const slot = moment.at % MOMENTS;
    if (this.moments[slot] === moment) this.moments[slot] = undefined;
  }
}
