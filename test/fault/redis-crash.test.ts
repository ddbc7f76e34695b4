import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connect, type Mneme } from '../../clients/typescript/src/index.ts';
import { type RunningMneme, startMneme } from '../cli/support/start-mneme.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { seededRandom } from '../support/random.ts';
import { until } from '../support/redis-cluster.ts';
import { RedisServer } from '../support/redis-server.ts';
import { RedisMover } from './redis-mover.ts';

const ROUNDS = 20;
const REDIS_ROUNDS = 6;
const MOVES_MAX = 60;
const SYNCED = { appendonly: 'yes', appendfsync: 'always' };

let redis: RedisServer;
let data: string;
let server: RunningMneme | undefined;
beforeEach(async () => {
  redis = await RedisServer.started(SYNCED);
  data = mkdtempSync(join(tmpdir(), 'mneme-redis-crash-'));
});
afterEach(async () => {
  await server?.stop('SIGKILL');
  await redis.stop();
  rmSync(data, { recursive: true, force: true });
});

async function start(): Promise<Mneme> {
  const env = { MNEME_REDIS_URL: redis.url, MNEME_REDIS_COMMAND_TIMEOUT_MS: '20000', MNEME_REDIS_RETRY_MS: '50' };
  // Calls that end as UNAVAILABLE would fill the output.
  server = await startMneme({ data, env, flags: ['--log-level', 'silent'] });
  return connect(server.address, { ...PATIENT_CLIENT, namespace: 'moves', retry: false });
}

describe('moves between Redis and the data folder', () => {
  it(`${ROUNDS} rounds of SIGKILL of the server › nothing is lost or duplicated, each memory is complete in its tier`, async () => {
    const random = seededRandom('redis crash');
    const mover = new RedisMover(random);
    let mneme = await start();
    await mover.begin(mneme);
    for (let round = 0; round < ROUNDS; round++) {
      const killedAt = mover.acknowledged + 1 + random.int(MOVES_MAX);
      const running = mover.run(mneme, false);
      await until('so much was moved', async () => mover.acknowledged >= killedAt);
      await delay(random.int(20));
      await server?.stop('SIGKILL');
      await running;
      void mneme.close();
      mneme = await start();
      await mover.check(mneme, `round ${round} of seed ${random.seed}`);
    }
    void mneme.close();
    // A round without a move proves nothing.
    expect(mover.acknowledged).toBeGreaterThan(ROUNDS);
  }, 600_000);

  it(`${REDIS_ROUNDS} rounds of SIGKILL of Redis, with its log synced › the same`, async () => {
    const random = seededRandom('redis killed');
    const mover = new RedisMover(random);
    const mneme = await start();
    await mover.begin(mneme);
    for (let round = 0; round < REDIS_ROUNDS; round++) {
      const killedAt = mover.acknowledged + 1 + random.int(MOVES_MAX);
      const running = mover.run(mneme, true);
      await until('so much was moved', async () => mover.acknowledged >= killedAt);
      await redis.restart();
      const answering = mover.acknowledged;
      await until('moves go on', async () => mover.acknowledged > answering + 10);
      // Memories in the data folder are changed before Redis is reachable again.
      await until('Redis is used again', async () => (await mneme.admin.getServerInfo()).degraded.length === 0);
      mover.stop();
      await running;
      await mover.check(mneme, `round ${round} of seed ${random.seed}`);
    }
    expect((await mneme.admin.getServerInfo()).degraded).toEqual([]);
    void mneme.close();
  }, 600_000);
});
