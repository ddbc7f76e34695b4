import type { Clock } from '../../memory/clock.ts';
import type { BodyCopies } from '../body-store.ts';
import type { PostgresDatabase } from './database.ts';
import { eraseBodies, eraseUnnamedBodies } from './erase-bodies.ts';
import type { ExternalBodies } from './external-bodies.ts';
import { LostBodies } from './lost-bodies.ts';
import { moveAllBack } from './move-bodies-back.ts';
import { BodyRestorer } from './restore-bodies.ts';
import type { Upkeep } from './upkeep.ts';

/** Wait before work is repeated: the store was away, or a backup read bodies. */
const AGAIN_MS = 10_000;

/** Work in the background for bodies in another store. */
export class BodyUpkeep {
  private readonly database: PostgresDatabase;
  private readonly upkeep: Upkeep;
  private readonly clock: Clock;
  private readonly lost: LostBodies;
  private readonly restorer: BodyRestorer;
  private isEraseQueued = false;
  private onMovedBack: ((count: number) => void) | undefined;

  constructor(database: PostgresDatabase, upkeep: Upkeep, clock: Clock, onFailure: (error: unknown) => void) {
    this.database = database;
    this.upkeep = upkeep;
    this.clock = clock;
    this.lost = new LostBodies(clock);
    this.restorer = new BodyRestorer({ database, lost: this.lost, onFailure });
  }

  /** Reads bodies of the store from now on; puts those of the upper tiers there, or brings all back, as `hasUpperTiers` says. */
  begin(bodies: ExternalBodies, onMovedBack?: (count: number) => void): void {
    const { database, upkeep, clock } = this;
    database.bodies = bodies;
    this.onMovedBack = onMovedBack;
    if (!bodies.hasUpperTiers) this.moveBack();
    this.erase();
    this.untilDone(async () => {
      await eraseUnnamedBodies(upkeep.step, bodies.store, clock.nowUs() / 1000);
      return true;
    });
  }

  /** Reads bodies that the store has lost from the copies from now on, and puts them back. */
  restoreFrom(copies: BodyCopies): void {
    const { database, restorer } = this;
    if (!database.bodies) return;
    database.bodyFallback = restorer;
    restorer.begin(copies);
    if (!database.bodies.hasUpperTiers) this.moveBack();
  }

  /** To be called when the store may have lost bodies. */
  readonly look = (): void => this.restorer.look();

  /** Bodies that are lost, for people; `undefined` where none is. */
  get degraded(): string | undefined {
    return this.lost.text;
  }

  /** The same, of the namespace with the epoch. */
  degradedIn(epoch: string): string | undefined {
    return this.lost.textIn(epoch);
  }

  get settled(): Promise<void> | undefined {
    return this.restorer.settled;
  }

  end(): Promise<void> {
    return this.restorer.end();
  }

  describe(): { role: string; technology: string; durability: string }[] {
    const { bodies } = this.database;
    return bodies?.hasUpperTiers ? [{ role: 'upper tiers', ...bodies.store.describe() }] : [];
  }

  /** Soon; to be called when bodies may have lost their rows. */
  readonly erase = (): void => {
    const { database, upkeep } = this;
    const { bodies } = database;
    if (this.isEraseQueued || !bodies) return;
    this.isEraseQueued = true;
    this.untilDone(() => {
      this.isEraseQueued = false;
      return eraseBodies(upkeep.step, bodies.store);
    });
  };

  private moveBack(): void {
    this.untilDone(async () => {
      const count = await moveAllBack(this.upkeep.step);
      if (count > 0) this.onMovedBack?.(count);
      return true;
    });
  }

  /** Repeats work that has failed, or is not done. Nothing is begun after the end of the upkeep. */
  private untilDone(work: () => Promise<boolean>): void {
    this.upkeep.run(async () => {
      let isDone = false;
      try {
        isDone = await work();
      } finally {
        if (!isDone) setTimeout(() => this.untilDone(work), AGAIN_MS).unref();
      }
    });
  }
}
