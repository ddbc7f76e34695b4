import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MnemeError } from '../../src/memory/errors.ts';
import { TIERS } from '../../src/memory/memory.ts';
import { FULL_RESOLUTION } from '../../src/memory/resolution/resolution.ts';
import { getOne, idsOf, NOW_US, put, SPACE } from '../conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { seededRandom } from '../support/random.ts';
import { RedisServer } from '../support/redis-server.ts';
import { openTieredStore, type TieredStoreOfTest } from '../support/tiered-store.ts';

const IDS = ['a', 'b', 'c', 'd'];
const MOVERS = 3;
const CHANGES = 60;

/** A move may give up on memories that change faster than it can copy them: they stay in their tier. */
function unlessOvertaken(error: unknown): void {
  if (!(error instanceof MnemeError && error.reason === 'OVERLOADED')) throw error;
}

let server: RedisServer;
let folder: string;
let opened: TieredStoreOfTest;
beforeEach(async () => {
  server = await RedisServer.started();
  folder = await mkdtemp(join(tmpdir(), 'mneme-races-'));
  opened = await openTieredStore({ folder, urls: [server.url] });
});
afterEach(async () => {
  await opened.close();
  await server.stop();
  await rm(folder, { recursive: true });
});

describe('writes amid moves of the same memories', () => {
  it('updates, reads and moves up and down at once › a move may give up, no update fails or is lost, each memory exists once', async () => {
    const random = seededRandom('redis races');
    const { store } = opened;
    await put(
      store,
      IDS.map((id) => newMemory({ id })),
    );
    let isDone = false;
    const mover = async (): Promise<void> => {
      while (!isDone) {
        const ids = [random.pick(IDS), random.pick(IDS)];
        const write = { namespace: SPACE, ids: [...new Set(ids)], to: random.pick(TIERS), atUs: NOW_US };
        await store.tiers.move({ ...write, resolution: FULL_RESOLUTION }).catch(unlessOvertaken);
        if (random.chance(0.3)) await store.touch({ namespace: SPACE, ids, atUs: NOW_US });
      }
    };
    const changer = async (id: string): Promise<void> => {
      for (let change = 1; change <= CHANGES; change++) {
        await store.update({ namespace: SPACE, id, changes: { step: change }, atUs: NOW_US });
        expect([random.seed, id, (await getOne(store, id))?.step]).toEqual([random.seed, id, change]);
      }
    };
    const movers = Promise.all(Array.from({ length: MOVERS }, mover));
    await Promise.all(IDS.map(changer)).finally(() => {
      isDone = true;
    });
    await movers;

    expect((await idsOf(store)).toSorted()).toEqual(IDS);
    for (const id of IDS) {
      const states = await store.revisions({ namespace: SPACE, id, limit: 2 * CHANGES, nowUs: NOW_US });
      const steps = states.map(({ memory }) => memory.step);
      const all = Array.from({ length: CHANGES }, (_, at) => CHANGES - at);
      expect([random.seed, id, steps]).toEqual([random.seed, id, [...all, undefined]]);
    }
    expect([opened.losses, opened.failures]).toEqual([[], []]);
  }, 240_000);
});
