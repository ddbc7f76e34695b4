import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connect, type LifecycleEvent, type Memory, type Session } from '../../clients/typescript/src/index.ts';
import { type RunningMneme, startMneme } from '../cli/support/start-mneme.ts';
import { collect } from '../client/support/collect.ts';
import { sized } from '../support/all-tests.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { seededRandom } from '../support/random.ts';

const ROUNDS = sized({ sample: 2, nightly: 4 });
const SESSIONS = 40;

describe('a server killed while sessions end', () => {
  let data: string;
  let server: RunningMneme | undefined;
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'mneme-lives-'));
  });
  afterEach(async () => {
    await server?.stop('SIGKILL');
    rmSync(data, { recursive: true, force: true });
  });

  it(`${ROUNDS} rounds of SIGKILL › each session has ended with one episode and one event, or is active and complete`, async () => {
    const random = seededRandom('lifecycle crash');
    for (let round = 0; round < ROUNDS; round++) {
      const namespace = `round-${round}`;
      const acknowledged = await endAndKill(namespace, 1 + random.int(SESSIONS));
      server = await startMneme({ data });
      const where = `round ${round} of seed ${random.seed}`;
      await check(namespace, acknowledged, where);
      await server.stop();
      server = undefined;
    }
  }, 240_000);

  /** Kills the server as soon as that many sessions have ended; returns those whose end was acknowledged. */
  async function endAndKill(namespace: string, killedAfter: number): Promise<Set<string>> {
    server = await startMneme({ data });
    const mneme = connect(server.address, { ...PATIENT_CLIENT, namespace, retry: false });
    const ids = Array.from({ length: SESSIONS }, (_, at) => `s${at}`);
    for (const id of ids)
      await mneme.lifecycle.spawn({ sessionId: id, initialValues: { mark: id, more: 'x'.repeat(500) } });
    const acknowledged = new Set<string>();
    const killed = Promise.withResolvers<void>();
    const ends = ids.map(async (id) => {
      await mneme.lifecycle.pause(id, { pin: true });
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
    const memories = await collect(mneme.list());
    const events = await readEvents(mneme.lifecycle.watchEvents({ start: 'oldest' }), sessions);
    expect([where, sessions.length]).toEqual([where, SESSIONS]);
    for (const session of sessions) {
      const episodes = memories.filter(({ source }) => source.uri === session.name);
      const received = events.filter((event) => event.session.id === session.id).map(({ transition }) => transition);
      expect([where, session.id, received.length]).toEqual([where, session.id, session.version]);
      if (session.state === 'terminated') {
        expect([where, episodes.map(({ id }) => id)]).toEqual([where, [session.episodeId]]);
        expect(markIn(episodes[0])).toBe(session.id);
      } else {
        expect([where, acknowledged.has(session.id), episodes]).toEqual([where, false, []]);
        if (session.state === 'active') await mneme.lifecycle.pause(session.id);
        const { restoredCount: itemsRestored } = await mneme.lifecycle.resume(session.id);
        expect([where, itemsRestored]).toEqual([where, 2]);
      }
    }
    void mneme.close();
  }
});

function markIn(memory: Memory | undefined): unknown {
  return (memory?.content?.json() as { state?: { mark?: unknown } } | undefined)?.state?.mark;
}

/** As many as the sessions report. */
async function readEvents(
  events: AsyncGenerator<LifecycleEvent, void, undefined>,
  sessions: readonly Session[],
): Promise<LifecycleEvent[]> {
  const count = sessions.reduce((sum, { version }) => sum + Number(version), 0);
  const read: LifecycleEvent[] = [];
  for await (const event of events) if (read.push(event) === count) break;
  return read;
}
