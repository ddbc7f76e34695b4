import { setTimeout as delay } from 'node:timers/promises';
import type { Mneme } from '../../../clients/typescript/src/index.ts';
import { Lane, type Planned } from './lane.ts';
import type { Finding, Model } from './model.ts';

export const LANES = 6;
/** Writes of a lane in one round that may have no answer: a lost backend refuses thousands a second. */
const UNKNOWN_MAX = 12;
/** Refused writes of a lane in one round: a disk that stays full refuses for ever. */
const REFUSED_MAX = 2000;
const PAUSE_MS = 15;

/** Writes of several lanes at once, until it is stopped. */
export class Workload {
  readonly planned = new Map<string, Planned>();
  readonly findings: Finding[] = [];
  acknowledged = 0;
  unknown = 0;
  refused = 0;
  private isStopped = false;
  private readonly lanes: readonly Lane[];
  private readonly running: Promise<void>;
  private readonly waiting = new Set<() => void>();

  constructor({ mneme, model, seed, round }: { mneme: Mneme; model: Model; seed: string; round: number }) {
    this.lanes = Array.from({ length: LANES }, (_, number) => new Lane({ number, round, seed, model }));
    this.running = Promise.all(this.lanes.map((lane) => this.run(lane, mneme))).then(() => this.wake());
  }

  /** Resolves when so many writes are acknowledged, or the lanes have ended. */
  async reached(count: number): Promise<void> {
    while (this.acknowledged < count && !this.isStopped) {
      const isOver = await Promise.race([this.running.then(() => true), this.next()]);
      if (isOver) return;
    }
  }

  /** Lanes end with the write that they have in hand. */
  stop(): void {
    this.isStopped = true;
    this.wake();
  }

  async ended(): Promise<void> {
    await this.running;
    for (const lane of this.lanes) for (const [id, planned] of lane.planned) this.planned.set(id, planned);
  }

  private async run(lane: Lane, mneme: Mneme): Promise<void> {
    let [unknown, refused] = [0, 0];
    while (!this.isStopped && unknown < UNKNOWN_MAX && refused < REFUSED_MAX) {
      const { outcome, finding } = await lane.step(mneme);
      if (finding) this.findings.push(finding);
      if (outcome === 'acknowledged') this.acknowledged++;
      else if (outcome === 'refused') {
        this.refused++;
        refused++;
      } else if (outcome === 'unknown') {
        this.unknown++;
        unknown++;
        await delay(PAUSE_MS);
      }
      this.wake();
    }
  }

  private next(): Promise<false> {
    return new Promise((resolve) => this.waiting.add(() => resolve(false)));
  }

  private wake(): void {
    for (const each of this.waiting) each();
    this.waiting.clear();
  }
}
