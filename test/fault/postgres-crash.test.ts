import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isUnavailable } from '../../src/memory/errors.ts';
import { openPostgresRecords, type PostgresRecords } from '../../src/storage/postgres/record-store.ts';
import { sized } from '../support/all-tests.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { seededRandom } from '../support/random.ts';
import { linesOfKilled } from './killed-writer.ts';
import { type CrashWrite, carryOut, expectedTexts, SPACE, textsIn } from './postgres-crash-writes.ts';
import { brokenRules } from './postgres-rules.ts';

/** Between two moments at which the process is killed. */
const STRIDE = sized({ sample: 5, nightly: 1 });
const WRITER = fileURLToPath(new URL('postgres-crash-writer.ts', import.meta.url));

let server: PostgresServer;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-postgres-crash-'));
  // Only processes are killed: what they have written stays, and starting again needs no minute of syncing.
  server = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
});
afterAll(async () => {
  await server.stop();
  server.remove();
  rmSync(folder, { recursive: true });
});

const write = (requestId: string, kind: CrashWrite['kind'], after: CrashWrite['after']): CrashWrite => ({
  requestId,
  kind,
  after,
});

async function opened<T>(schema: string, work: (records: PostgresRecords) => Promise<T>): Promise<T> {
  const records = await openPostgresRecords({ url: server.url, schema });
  try {
    return await work(records);
  } finally {
    await records.close();
  }
}

/** Repeats the writes, and compares the memories with the expected ones. */
async function checkWhole(schema: string, writes: readonly CrashWrite[], states: Map<string, string | null>) {
  await opened(schema, async (records) => {
    for (const one of writes) {
      await carryOut(records, one);
      for (const [id, text] of Object.entries(one.after)) states.set(id, text);
    }
    expect(await textsIn(records)).toEqual(expectedTexts(states));
  });
  expect(await brokenRules(server.url, schema)).toEqual([]);
}

describe('a server that is killed at any statement of a commit', () => {
  it('killed before each statement that changes something, and after each COMMIT › acknowledged writes are there; all others wholly or not at all, and can be repeated', async () => {
    let isOver = false;
    let statements = 0;
    for (let at = 1; !isOver; at += STRIDE) {
      const schema = `crash_${at}`;
      const states = new Map<string, string | null>();
      await checkWhole(schema, [write('first', 'store', { old: 'one', changed: 'one' })], states);
      const writes = [
        write('a', 'store', { new: 'two', other: 'two' }),
        write('b', 'update', { changed: 'three' }),
        write('c', 'delete', { old: null }),
      ];
      const acknowledged = await writeAndDie(schema, at, writes);
      isOver = acknowledged.includes('end');
      statements = at;
      await opened(schema, async (records) => {
        const there = await textsIn(records);
        for (const { requestId, after } of writes) {
          const idempotency = { requestId, fingerprint: requestId };
          const isDone = (await records.outcomeOf(SPACE, idempotency)) !== undefined;
          if (acknowledged.includes(requestId)) expect([at, requestId, isDone]).toEqual([at, requestId, true]);
          for (const [id, text] of Object.entries(after)) {
            const expected = isDone ? text : (states.get(id) ?? null);
            expect([at, id, there.get(id)]).toEqual([
              at,
              id,
              expected === null ? undefined : `${expected} ${expected}`,
            ]);
          }
        }
      });
      await checkWhole(schema, writes, states);
    }
    // BEGIN, COMMIT, and what lies between.
    expect(statements).toBeGreaterThan(8);
  }, 600_000);

  /** Request ids of the acknowledged writes, then `end` where the process was not killed. */
  async function writeAndDie(schema: string, at: number, writes: readonly CrashWrite[]): Promise<string[]> {
    const log = join(folder, `${schema}.log`);
    const args = [server.url, schema, log, String(at), JSON.stringify(writes)];
    return linesOfKilled(WRITER, args, log);
  }
});

describe('PostgreSQL that ends under load', () => {
  const LANES = 6;
  const ROUNDS = sized({ sample: 1, nightly: 3 });
  const KILLED_AFTER_WRITES_MAX = 20;

  it.each(['kill', 'immediate'] as const)(
    'ended by %s and started again › no acknowledged write is lost, and the same server goes on',
    async (how) => {
      const random = seededRandom(`postgres ${how}`);
      const schema = `lost_${how}`;
      const records = await openPostgresRecords({ url: server.url, schema });
      const states = new Map<string, string | null>();
      let failures = 0;
      let acknowledged = 0;
      let killAfter = Number.POSITIVE_INFINITY;
      let ended = Promise.resolve();
      const end = async () => {
        if (how === 'kill') await server.kill();
        else await server.stop('immediate');
        await server.start();
      };
      /** Repeats each write until it is acknowledged. */
      const writeAll = async (lane: number, writes: readonly CrashWrite[]) => {
        for (const one of writes) {
          for (let done = false; !done; ) {
            try {
              await carryOut(records, one);
              done = true;
            } catch (error) {
              if (!isUnavailable(error)) throw error;
              failures++;
              // The end of the server is what it waits for.
              await ended;
            }
          }
          for (const [id, text] of Object.entries(one.after)) states.set(id, text);
          if (++acknowledged === killAfter) ended = end();
        }
        return lane;
      };
      for (let round = 0; round < ROUNDS; round++) {
        killAfter = acknowledged + 1 + random.int(KILLED_AFTER_WRITES_MAX);
        const lanes = Array.from({ length: LANES }, (_, lane) => writeAll(lane, writesOf(`${how}-${round}-${lane}`)));
        await Promise.all(lanes);
        await ended;
      }
      expect(await textsIn(records)).toEqual(expectedTexts(states));
      await records.close();
      expect(failures).toBeGreaterThan(0);
      expect(await brokenRules(server.url, schema)).toEqual([]);
    },
    240_000,
  );

  function writesOf(name: string): CrashWrite[] {
    return Array.from({ length: 6 }, (_, at) => [
      write(`${name}-${at}-s`, 'store', { [`${name}-${at}`]: 'one', [`${name}-${at}-x`]: 'one' }),
      write(`${name}-${at}-u`, 'update', { [`${name}-${at}`]: 'two' }),
      write(`${name}-${at}-d`, 'delete', { [`${name}-${at}-x`]: null }),
    ]).flat();
  }
});
