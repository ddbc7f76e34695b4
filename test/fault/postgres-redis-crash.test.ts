import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connect, type Session } from '../../clients/typescript/src/index.ts';
import { type RunningMneme, startMneme } from '../cli/support/start-mneme.ts';
import { collect } from '../client/support/collect.ts';
import { sized } from '../support/all-tests.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { seededRandom } from '../support/random.ts';
import { until } from '../support/redis-cluster.ts';
import { type BackendOfServer, startBackend } from './backend-of-server.ts';

const ROUNDS = sized({ sample: 1, nightly: 4 });
const SESSIONS = 30;

describe('a server killed while sessions in Redis end with episodes in PostgreSQL', () => {
  let data: string;
  let backend: BackendOfServer;
  let server: RunningMneme | undefined;
  beforeEach(async () => {
    data = mkdtempSync(join(tmpdir(), 'mneme-two-stores-'));
    backend = await startBackend('PostgreSQL, and sessions in Redis');
  });
  afterEach(async () => {
    await server?.stop('SIGKILL');
    await backend.stop();
    rmSync(data, { recursive: true, force: true });
  });

  /** Sweeps come soon, and the lease of a dead server ends soon. */
  const start = () =>
    startMneme({
      data,
      isQuiet: true,
      flags: ['--embedder', 'none'],
      env: { ...backend.env, MNEME_EXPIRY_INTERVAL_MS: '100' },
    });

  it(`${ROUNDS} rounds of SIGKILL › each session has ended with one episode and one event, or is active and complete`, async () => {
    const random = seededRandom('two stores crash');
    for (let round = 0; round < ROUNDS; round++) {
      const namespace = `round-${round}`;
      const acknowledged = await endAndKill(namespace, 1 + random.int(SESSIONS));
      server = await start();
      await check(namespace, acknowledged, `round ${round} of seed ${random.seed}`);
      await server.stop();
      server = undefined;
    }
  }, 240_000);

  /** Kills the server as soon as that many sessions have ended; returns those whose end was acknowledged. */
  async function endAndKill(namespace: string, killedAfter: number): Promise<Set<string>> {
    server = await start();
    const mneme = connect(server.address, { ...PATIENT_CLIENT, namespace, retry: false });
    const ids = Array.from({ length: SESSIONS }, (_, at) => `s${at}`);
    await Promise.all(
      ids.map((id) => mneme.lifecycle.spawn({ sessionId: id, initialValues: { mark: id, more: 'x' } })),
    );
    const acknowledged = new Set<string>();
    const killed = Promise.withResolvers<void>();
    const ends = ids.map(async (id) => {
      await mneme.lifecycle.terminate(id, { taskDescription: `task ${id}` });
      acknowledged.add(id);
      if (acknowledged.size === killedAfter) killed.resolve(server?.stop('SIGKILL'));
    });
    await Promise.all([Promise.allSettled(ends), killed.promise]);
    void mneme.close();
    server = undefined;
    return acknowledged;
  }

  async function check(namespace: string, acknowledged: ReadonlySet<string>, where: string): Promise<void> {
    const mneme = connect(server?.address ?? '', { ...PATIENT_CLIENT, namespace });
    const sessions = await collect(mneme.lifecycle.list());
    expect([where, sessions.length]).toEqual([where, SESSIONS]);
    const ended = sessions.filter(({ state }) => state === 'terminated');
    for (const id of acknowledged)
      expect([where, ended.map((session) => session.id)]).toEqual([where, expect.arrayContaining([id])]);
    await until(`${where}: ends that were decided are finished`, async () => {
      const values = await Promise.all(ended.map(({ id }) => mneme.session(id).get('mark')));
      return values.every((value) => value === undefined);
    });
    const memories = await collect(mneme.list());
    for (const { name, episodeId } of await collect(mneme.lifecycle.list())) {
      const isEnded = ended.some((session) => session.name === name);
      const episodes = memories.filter(({ source }) => source.uri === name).map(({ id }) => id);
      expect([where, name, episodes]).toEqual([where, name, isEnded ? [episodeId] : []]);
    }
    await checkEvents(mneme.lifecycle.watchEvents({ start: 'oldest' }), sessions, ended, where);
    for (const { id, state } of sessions) {
      if (state === 'active') expect([where, await mneme.session(id).get('mark')]).toEqual([where, id]);
    }
    void mneme.close();
  }

  /** One of each spawn, and of each end. */
  async function checkEvents(
    events: ReturnType<ReturnType<typeof connect>['lifecycle']['watchEvents']>,
    sessions: readonly Session[],
    ended: readonly Session[],
    where: string,
  ): Promise<void> {
    const received: string[] = [];
    for await (const { session, transition } of events) {
      received.push(`${transition} ${session.id}`);
      if (received.length === sessions.length + ended.length) break;
    }
    const expected = [...sessions.map(({ id }) => `spawn ${id}`), ...ended.map(({ id }) => `terminate ${id}`)];
    expect([where, received.toSorted()]).toEqual([where, expected.toSorted()]);
  }
});
