import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type Mneme } from '../../../clients/typescript/src/index.ts';
import { type DamagedInFolder, type DamagedPart, damageInFolder, damageInRedis } from '../../support/damage.ts';
import { PATIENT_CLIENT } from '../../support/patient.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { startTestServer, type TestServer } from './test-server.ts';

/** The namespace that `mneme` asks. */
export const SPACE = 'space';

type DamagedPlace = 'folder' | 'redis' | 'both';

/** A server whose files and Redis, where it has one, can be damaged. */
export interface Damageable {
  readonly server: TestServer;
  readonly mneme: Mneme;
  damage(place: 'folder', id: string, part: DamagedInFolder): Promise<void>;
  damage(place: DamagedPlace, id: string, part: DamagedPart): Promise<void>;
  stop(): Promise<void>;
}

export async function startDamageable(withRedis: boolean): Promise<Damageable> {
  const data = await mkdtemp(join(tmpdir(), 'mneme-damaged-'));
  const redis = withRedis ? await RedisServer.started() : undefined;
  const env: Record<string, string> = redis ? { MNEME_REDIS_URL: redis.url } : {};
  const server = await startTestServer({ data, embedder: 'none', maintenanceIntervalMs: '86400000' }, {}, env);
  const mneme = connect(server.address, { ...PATIENT_CLIENT, namespace: SPACE });
  // The search has started by then: it reads existing memories at its start, and all others on demand.
  const elsewhere = mneme.withNamespace('elsewhere');
  await elsewhere.store({ text: 'some text' });
  await elsewhere.recall({ text: 'text' });
  return {
    server,
    mneme,
    async damage(place: DamagedPlace, id: string, part: DamagedInFolder) {
      if (redis && place !== 'folder' && part !== 'small') await damageInRedis(redis, id, part);
      if (place !== 'redis') damageInFolder(data, id, part);
    },
    async stop() {
      void mneme.close();
      await server.stop();
      await redis?.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}
