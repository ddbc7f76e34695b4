import { fileURLToPath } from 'node:url';
import { Driver } from './driver.ts';
import { type CallCounts, MnemeProcess } from './mneme-process.ts';
import { play, Unsupported } from './play.ts';
import type { Scenario } from './scenario.ts';
import type { ServerPool } from './server-pool.ts';
import { Stage } from './stage.ts';

const CLIENTS = fileURLToPath(new URL('../../clients/', import.meta.url));
/** Scenarios that are played at the same time: most of them wait most of the time. */
const AT_ONCE = 8;

/** A scenario of a subject. */
export interface Job {
  readonly subject: string;
  readonly scenario: Scenario;
}

/** Scenarios of all languages that are played now. */
export class Lanes {
  private readonly playing = new Set<Promise<void>>();

  /** Resolves when the scenario has begun; `ended` gets the promise of its end. */
  async begin(playOne: () => Promise<void>, ended: Promise<void>[]): Promise<void> {
    while (this.playing.size >= AT_ONCE) await Promise.race(this.playing);
    const one = playOne().finally(() => this.playing.delete(one));
    this.playing.add(one);
    // A failure is that of the run, which awaits `ended`.
    one.catch(() => {});
    ended.push(one);
  }

  /** Resolves when nothing is played any more. */
  async allEnded(): Promise<void> {
    while (this.playing.size > 0) await Promise.allSettled(this.playing);
  }
}

/** The driver of a second face of a client, such as `python-aio`, is that of the first one with a flag. */
export function driverOf(language: string): string {
  return `${CLIENTS}${language.split('-')[0]}/contract-driver`;
}

/** The scenarios that one language plays, on a server of its own. */
export class LanguageRun {
  readonly language: string;
  readonly jobs: readonly Job[];
  private readonly pool: ServerPool;
  private readonly shared: MnemeProcess;
  private readonly faults: (string | undefined)[] = [];
  private readonly ended: Promise<void>[] = [];
  private together: Driver | undefined;

  constructor(language: string, jobs: readonly Job[], pool: ServerPool, counts: CallCounts) {
    this.language = language;
    this.jobs = jobs;
    this.pool = pool;
    this.shared = new MnemeProcess({ flags: {} }, counts);
  }

  /** Resolves when all scenarios have begun. They are played with one driver. */
  async begin(lanes: Lanes): Promise<void> {
    await this.shared.start();
    const together = this.start();
    this.together = together;
    for (const [index, job] of this.jobs.entries()) {
      const playOne = async () => {
        this.faults[index] = await this.faultOf(job.scenario, together, `${this.language}-${index}`);
      };
      await lanes.begin(playOne, this.ended);
    }
  }

  /**
   * Faults by the number of the job, once all have ended. Failures are repeated individually with a new driver, so that a broken
   * driver does not fail other scenarios: nothing else must be played meanwhile.
   */
  async finish(): Promise<readonly (string | undefined)[]> {
    await Promise.all(this.ended);
    await this.together?.stop();
    for (const [index, { subject, scenario }] of this.jobs.entries()) {
      if (this.faults[index] === undefined) continue;
      console.log(`again ${this.language} › ${subject} › ${scenario.name}: ${this.faults[index]?.split('\n')[0]}`);
      const alone = this.start();
      this.faults[index] = await this.faultOf(scenario, alone, `${this.language}-${index}-again`);
      await alone.stop();
    }
    return this.faults;
  }

  async remove(): Promise<void> {
    await this.shared.remove();
  }

  private start(): Driver {
    const [, face] = this.language.split('-');
    return new Driver(driverOf(this.language), face === undefined ? [] : [`--${face}`]);
  }

  private async faultOf(scenario: Scenario, driver: Driver, namespace: string): Promise<string | undefined> {
    const stage = new Stage(scenario, this.shared, this.pool);
    let isPassed = false;
    try {
      await stage.open();
      await play(scenario, driver, stage, namespace);
      isPassed = true;
      return undefined;
    } catch (error) {
      const [folder = ''] = this.language.split('-');
      if (error instanceof Unsupported && scenario.unsupported?.includes(folder)) return undefined;
      return error instanceof Error ? error.message : String(error);
    } finally {
      await stage.close(isPassed);
    }
  }
}
