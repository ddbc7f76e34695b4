import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { NOW_US } from '../storage/conformance/session-store/session-of-test.ts';
import { sized } from '../support/all-tests.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { openSessionsOfTest, type SessionsOfTest } from '../support/postgres-sessions.ts';
import { linesOfKilled } from './killed-writer.ts';
import { brokenRules } from './postgres-rules.ts';
import { SETUP, seenOf, WRITES } from './postgres-session-writes.ts';

/** Between two moments at which the process is killed. */
const STRIDE = sized({ sample: 5, nightly: 1 });
const WRITER = fileURLToPath(new URL('postgres-session-crash-writer.ts', import.meta.url));

let server: PostgresServer;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-postgres-sessions-'));
  // Only processes are killed: what they have written stays.
  server = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
});
afterAll(async () => {
  await server.stop();
  server.remove();
  rmSync(folder, { recursive: true });
});

async function opened<T>(schema: string, work: (opened: SessionsOfTest) => Promise<T>): Promise<T> {
  const one = await openSessionsOfTest({ url: server.url, schema });
  try {
    return await work(one);
  } finally {
    await one.close();
  }
}

/** Sessions, episodes and events. */
async function seen({ sessions, records, events }: SessionsOfTest): Promise<Record<string, string>> {
  const read = { namespace: 'space', ids: ['episode'], view: 'full', nowUs: NOW_US } as const;
  const [episode] = await records.get(read);
  const bodies = await events.read({ namespace: 'space', afterSequence: 0, limit: 10 });
  return {
    create: await seenOf(sessions, 'new'),
    change: await seenOf(sessions, 'old'),
    terminate: `${await seenOf(sessions, 'ended')} ${episode?.id} ${bodies.map(({ body }) => body).join()}`,
  };
}

const writeAll = async ({ sessions }: SessionsOfTest, writes: typeof WRITES): Promise<void> => {
  for (const write of writes) await sessions.write(write);
};

it('a server that is killed before each statement that changes sessions, and after each COMMIT › acknowledged writes are there; all others wholly or not at all, and can be repeated', async () => {
  const [before, after] = await opened('whole', async (one) => {
    await writeAll(one, SETUP);
    const first = await seen(one);
    await writeAll(one, WRITES);
    return [first, await seen(one)];
  });
  let statements = 0;
  for (let at = 1, isOver = false; !isOver; at += STRIDE) {
    const schema = `killed_${at}`;
    await opened(schema, (one) => writeAll(one, SETUP));
    const log = join(folder, `${schema}.log`);
    const acknowledged = await linesOfKilled(WRITER, [server.url, schema, log, `${at}`], log);
    isOver = acknowledged.includes('end');
    statements = at;
    await opened(schema, async (one) => {
      const found = await seen(one);
      for (const { namespace, session, idempotency } of WRITES) {
        if (!idempotency) continue;
        const { requestId } = idempotency;
        const isDone = (await one.sessions.outcomeOf({ namespace, session }, idempotency)) !== undefined;
        if (acknowledged.includes(requestId)) expect([at, requestId, isDone]).toEqual([at, requestId, true]);
        const expected = isDone ? after : before;
        expect([at, requestId, found[requestId]]).toEqual([at, requestId, expected?.[requestId]]);
      }
      await writeAll(one, WRITES);
      expect([at, await seen(one)]).toEqual([at, after]);
    });
    expect([at, await brokenRules(server.url, schema)]).toEqual([at, []]);
  }
  expect(statements).toBeGreaterThan(15);
}, 600_000);
