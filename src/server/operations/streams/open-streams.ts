import { MnemeError } from '../../../memory/errors.ts';

export type StreamKind = 'watch' | 'subscribe' | 'consume' | 'ingest' | 'extractor' | 'hook';

/** The golden ratio's fraction: consecutive multiples of it are evenly distributed modulo 1. */
const GOLDEN = 0.618_033_988_749_895;

/** The long streams of a server: how many each caller has open, and that they are to end. */
export class OpenStreams {
  /** Timers shared by all streams. */
  readonly alarms = new Alarms();
  private readonly perCallerMax: number;
  private readonly byCaller = new Map<string, number>();
  /** Called once. No event target, which would search all listeners for each new one. */
  private readonly drainers = new Set<() => void>();
  private isDrainingNow = false;
  private onEmpty: (() => void) | undefined;
  private open = 0;
  private readonly byKind = new Map<StreamKind, number>();
  private share = 0;

  constructor(options: { readonly perCallerMax: number }) {
    this.perCallerMax = options.perCallerMax;
  }

  get count(): number {
    return this.open;
  }

  /** True when the server is about to stop. */
  get isDraining(): boolean {
    return this.isDrainingNow;
  }

  /** `drain` is called when the server is about to stop, until `offDrain`. */
  onDrain(drain: () => void): void {
    this.drainers.add(drain);
  }

  offDrain(drain: () => void): void {
    this.drainers.delete(drain);
  }

  /** How many of each kind are open; kinds of which none is are left out. */
  get counts(): ReadonlyMap<StreamKind, number> {
    return this.byKind;
  }

  /** From 0 to 1, evenly distributed over consecutive calls. */
  nextShare(): number {
    this.share = (this.share + GOLDEN) % 1;
    return this.share;
  }

  /** Counts a stream until the function returned is called. Fails with TOO_MANY_STREAMS. */
  enter(caller: string, kind: StreamKind): () => void {
    const count = this.byCaller.get(caller) ?? 0;
    if (count >= this.perCallerMax) {
      const limit = String(this.perCallerMax);
      throw new MnemeError('TOO_MANY_STREAMS', `the caller has reached its limit of ${limit} open streams`, {
        metadata: { limit },
      });
    }
    this.byCaller.set(caller, count + 1);
    this.open++;
    this.byKind.set(kind, (this.byKind.get(kind) ?? 0) + 1);
    return () => this.leave(caller, kind);
  }

  /** Signals all streams to end; resolves when they have, at the latest after `waitMs`. */
  drain(waitMs: number): Promise<void> {
    this.isDrainingNow = true;
    for (const drain of [...this.drainers]) drain();
    if (this.open === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private leave(caller: string, kind: StreamKind): void {
    const left = (this.byKind.get(kind) ?? 0) - 1;
    if (left > 0) this.byKind.set(kind, left);
    else this.byKind.delete(kind);
    const count = this.byCaller.get(caller) ?? 0;
    if (count <= 1) this.byCaller.delete(caller);
    else this.byCaller.set(caller, count - 1);
    if (--this.open === 0) this.onEmpty?.();
  }
}

export function draining(): MnemeError {
  return new MnemeError('DRAINING', 'the server is shutting down');
}

/** How much sooner than it was set for an alarm may ring. */
export const EARLY_MS = 25;
/** Instants further ahead than this many slots have a timer for each alarm. */
const MOMENTS = 4096;

interface Moment {
  readonly at: number;
  readonly rings: ((() => void) | undefined)[];
  count: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Timers for thousands of streams that wait for seconds, such as for the next heartbeat: alarms of the same slot share
 * one timer, and their writes to a connection are batched. The slots are an array: V8 would retain all former entries
 * of a map.
 */
export class Alarms {
  private readonly moments = Array.from<Moment | undefined>({ length: MOMENTS });

  /**
   * Calls `ring` at that instant of `performance.now()`, or up to `EARLY_MS` before. Returns the function that cancels
   * it.
   */
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
