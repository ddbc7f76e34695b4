import type { Clock } from '../../memory/clock.ts';
import type { PostgresDatabase } from './database.ts';
import { eraseBodies, eraseUnnamedBodies } from './erase-bodies.ts';
import type { ExternalBodies } from './external-bodies.ts';
import { moveAllBack } from './move-bodies-back.ts';
import type { Upkeep } from './upkeep.ts';

/** Wait before work is repeated: the store was away, or a backup read bodies. */
const AGAIN_MS = 10_000;

/** Work in the background for bodies in another store. */
export class BodyUpkeep {
  private readonly database: PostgresDatabase;
  private readonly upkeep: Upkeep;
  private readonly clock: Clock;
  private isEraseQueued = false;

  constructor(database: PostgresDatabase, upkeep: Upkeep, clock: Clock) {
    this.database = database;
    this.upkeep = upkeep;
    this.clock = clock;
  }

  /** Reads bodies of the store from now on; puts those of the upper tiers there, or brings all back, as `hasUpperTiers` says. */
  begin(bodies: ExternalBodies, onMovedBack?: (count: number) => void): void {
    const { database, upkeep, clock } = this;
    database.bodies = bodies;
    if (!bodies.hasUpperTiers) {
      this.untilDone(async () => {
        const count = await moveAllBack(upkeep.step);
        if (count > 0) onMovedBack?.(count);
        return true;
      });
    }
    this.erase();
    this.untilDone(async () => {
      await eraseUnnamedBodies(upkeep.step, bodies.store, clock.nowUs() / 1000);
      return true;
    });
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
