import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MnemeError } from '../../src/memory/errors.ts';
import { keyspacePrefix } from '../../src/storage/redis/keys.ts';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { RedisSessionStore } from '../../src/storage/redis/sessions/session-store.ts';
import { append, set, valuesOf, write } from '../storage/conformance/session-store/session-of-test.ts';
import { InMemorySeenKeyspaces } from '../storage/in-memory/scope-policies.ts';
import { PATIENT_REDIS } from '../support/patient-redis.ts';
import { seededRandom } from '../support/random.ts';
import { RedisCluster } from '../support/redis-cluster.ts';
import { SlotMove } from '../support/slot-move.ts';

const ROUNDS = 6;

let cluster: RedisCluster;
beforeAll(async () => {
  cluster = await RedisCluster.started();
}, 240_000);
afterAll(() => cluster.stop());

/** What clients do, with a number for each write; an acknowledged one stays. */
interface Subject {
  readonly keyspace: string;
  write(n: number): Promise<void>;
  /** Numbers of the writes that are there in full. */
  read(): Promise<number[]>;
  close(): Promise<void>;
}

const NAMESPACE = 'space';

async function sessions(prefix: string): Promise<Subject> {
  const connection = await openRedis({ ...PATIENT_REDIS, urls: cluster.urls });
  const seen = new InMemorySeenKeyspaces();
  const options = { prefix, pollMs: 20, retentionMs: 3_600_000, lossHoldMs: 60_000, seen };
  const store = new RedisSessionStore(connection, { ...options, checkNamespace: async () => ({ createdAtUs: 0 }) });
  return {
    keyspace: keyspacePrefix(prefix, 'sessions', NAMESPACE),
    async write(n) {
      await write(store, [set(`k${n}`, `${n}`), append(`${n}`)]);
    },
    async read() {
      const values = await valuesOf(store);
      return Object.entries(values).map(([key, value]) => {
        expect(`k${value}`).toBe(key);
        return Number(value);
      });
    },
    async close() {
      await store.close();
      await connection.close();
    },
  };
}

/** The result; `undefined` where the call is to be repeated. */
async function unlessRefused<T>(call: Promise<T>): Promise<{ readonly value: T } | undefined> {
  try {
    return { value: await call };
  } catch (error) {
    const fault = error instanceof MnemeError ? `${error.reason} ${error.metadata['fault']}` : error;
    expect(fault).toBe('STORAGE_UNAVAILABLE cluster_down');
    return undefined;
  }
}

describe('a slot of a cluster that moves with sessions', () => {
  it('between any two keys › every acknowledged write is there, others are refused for a moment', async () => {
    const random = seededRandom('slot moves of sessions');
    const subject = await sessions('moving-sessions');
    const acknowledged = new Set<number>();
    let count = 0;
    const writeOne = async (): Promise<boolean> => {
      const n = count++;
      const answer = await unlessRefused(subject.write(n));
      if (answer) acknowledged.add(n);
      return answer !== undefined;
    };
    const check = async (): Promise<boolean> => {
      const answer = await unlessRefused(subject.read());
      if (answer) expect(answer.value).toEqual(expect.arrayContaining([...acknowledged]));
      return answer !== undefined;
    };
    try {
      for (let before = 0; before < 5; before++) expect(await writeOne()).toBe(true);
      for (let round = 0; round < ROUNDS; round++) {
        const move = await SlotMove.begun(cluster, subject.keyspace);
        for (let keys = await move.keys(); keys.length > 0; keys = await move.keys()) {
          await writeOne();
          await check();
          await move.moveKey(random.pick(keys));
        }
        await writeOne();
        await check();
        await move.finish();
        expect([await writeOne(), await check()]).toEqual([true, true]);
      }
    } finally {
      await subject.close();
    }
  }, 240_000);
});
