import { collectGarbage } from '../load/collect-garbage.ts';
import { allArrived, type Pace, type Write, writeAll } from './standing-writes.ts';

/** What reports the writes of a side. */
interface Stream {
  readonly name: string;
  /** Instant at which the event of each write arrived. */
  readonly arrivedMs: ReadonlyMap<string, number>;
  readonly outOfOrder: number;
}

/** One of two systems that get the same writes in turn, with all instants of its measured writes. */
export class PacedSide {
  readonly sentMs = new Map<string, number>();
  readonly acknowledgedMs = new Map<string, number>();
  readonly streams: readonly Stream[];
  private readonly pace: Omit<Pace, 'arrivedMs'>;
  private seconds = 0;

  constructor(pace: Omit<Pace, 'arrivedMs'>, streams: readonly Stream[]) {
    this.pace = pace;
    this.streams = streams;
  }

  /** Sends the writes at the rate, and waits for their events in every stream. */
  async write(writes: readonly Write[], isMeasured = true): Promise<void> {
    const arrivedMs = this.streams[0]?.arrivedMs ?? new Map<string, number>();
    collectGarbage();
    const { sentMs, acknowledgedMs, writtenS } = await writeAll({ ...this.pace, arrivedMs }, writes);
    for (const stream of this.streams) await allArrived([...sentMs.keys()], stream.arrivedMs);
    if (!isMeasured) return;
    this.seconds += writtenS;
    for (const [text, atMs] of sentMs) this.sentMs.set(text, atMs);
    for (const [text, atMs] of acknowledgedMs) this.acknowledgedMs.set(text, atMs);
  }

  get perSecond(): number {
    return this.acknowledgedMs.size / this.seconds;
  }

  /** Acknowledged writes without an event. */
  missedBy({ arrivedMs }: Stream): number {
    return [...this.acknowledgedMs.keys()].filter((text) => !arrivedMs.has(text)).length;
  }
}
