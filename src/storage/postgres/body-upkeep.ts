import type { Clock } from '../../memory/clock.ts';
import type { BodiesBeside } from './bodies-beside.ts';
import { bringAllHome } from './bring-home.ts';
import type { PostgresDatabase } from './database.ts';
import { eraseBodies, eraseUnnamedBodies } from './erase-bodies.ts';
import type { Upkeep } from './upkeep.ts';

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
  begin(bodies: BodiesBeside, onBroughtHome?: (count: number) => void): void {
    const { database, upkeep } = this;
    database.bodies = bodies;
    if (!bodies.hasUpperTiers) {
      upkeep.run(async () => {
        const count = await bringAllHome(upkeep.step);
        if (count > 0) onBroughtHome?.(count);
      });
    }
    this.erase();
    upkeep.run(() => eraseUnnamedBodies(upkeep.step, bodies.store, this.clock.nowUs() / 1000));
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
    upkeep.run(() => {
      this.isEraseQueued = false;
      return eraseBodies(upkeep.step, bodies.store);
    });
  };
}
