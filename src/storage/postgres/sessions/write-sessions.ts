import { sql } from '#kysely';
import { extend, type Reading } from '../../sessions/loaded-session.ts';
import type { PostgresCore } from '../core.ts';
import type { Session } from '../database.ts';
import { lostAmong } from '../fence.ts';
import type { Answer } from '../lane.ts';
import { keptOf, loadForWriting, selectOutcomes } from '../loaded-namespace.ts';
import { loadSessions } from './load-sessions.ts';
import { type BatchNeeds, type LoadedBatch, SessionBatch } from './session-batch.ts';
import type { SessionJob } from './session-job.ts';
import { writingBatch } from './write-batch.ts';

/** Writes that need more data name it; in so many rounds every write has all that it can need. */
const ROUNDS_MAX = 10;

/**
 * Carries out writes to sessions of one namespace as one transaction of two round trips: locks and reads, then the
 * changes and the commit. New sessions, episodes and parts of sessions that few writes need cost another one.
 */
export async function writeSessions(
  core: PostgresCore,
  origin: string,
  namespace: string,
  jobs: readonly SessionJob[],
): Promise<readonly Answer[]> {
  const { database, retentionUs, revisionFloor, onCommit } = core;
  const readings = readingsOf(jobs);
  const atUs = Math.max(...jobs.map((job) => job.atUs));
  let revision = 0;
  const answers = await database.loadedTransaction(
    (session) => loadBatch(session, namespace, jobs, readings, atUs),
    async (session, loaded) => {
      for (let round = 0; round < ROUNDS_MAX; round++) {
        const batch = new SessionBatch(loaded, retentionUs, revisionFloor());
        const made = jobs.map((job) => batch.answer(job));
        if (batch.isComplete) {
          revision = batch.memories?.revision ?? 0;
          return { result: made, statements: await writingBatch(session, batch, atUs, origin) };
        }
        await loadMore(session, loaded, batch.needs, readings, jobs, atUs);
      }
      throw new Error('a write to a session needs data again and again');
    },
  );
  if (revision > 0) onCommit(revision);
  return answers;
}

/** What all writes of each session need together. */
function readingsOf(jobs: readonly SessionJob[]): Map<string, Reading> {
  const readings = new Map<string, Reading>();
  for (const { session, reading } of jobs) {
    const all = readings.get(session) ?? {
      what: new Set(),
      keys: new Set(),
      values: new Set(),
      checkpoints: new Set(),
    };
    readings.set(session, all);
    for (const each of reading.what) all.what.add(each);
    for (const key of reading.keys) all.keys.add(key);
    for (const id of reading.checkpoints) all.checkpoints.add(id);
  }
  return readings;
}

async function loadBatch(
  session: Session,
  namespace: string,
  jobs: readonly SessionJob[],
  readings: ReadonlyMap<string, Reading>,
  atUs: number,
): Promise<LoadedBatch> {
  const lost = await lostAmong(session, new Set(jobs.flatMap(({ fence }) => (fence ? [fence] : []))));
  const ids = jobs.flatMap(({ episodes }) => episodes);
  // Before the sessions, as the deletion of a namespace locks them in this order.
  const memories =
    ids.length === 0 ? undefined : await loadForWriting(session, namespace, { ids, requestIds: [], view: 'full' });
  const requestIds = jobs.flatMap(({ idempotency }) => (idempotency ? [idempotency.requestId] : []));
  const [sessions, kept] = await Promise.all([
    loadSessions(session, namespace, readings, atUs),
    requestIds.length === 0 ? [] : session.run(selectOutcomes(namespace, requestIds)),
  ]);
  const outcomes = new Map(kept.map((row) => [row.request_id, keptOf(row)]));
  return { namespace, sessions, kept: outcomes, lost, memories };
}

async function loadMore(
  session: Session,
  loaded: LoadedBatch,
  needs: BatchNeeds,
  readings: Map<string, Reading>,
  jobs: readonly SessionJob[],
  atUs: number,
): Promise<void> {
  const again = new Map<string, Reading>();
  for (const [id, missing] of needs.sessions) {
    const reading = readings.get(id);
    if (!reading) continue;
    for (const each of missing) extend(reading, each);
    again.set(id, reading);
  }
  const [sessions, newKeys] = await Promise.all([
    again.size === 0 ? new Map() : loadSessions(session, loaded.namespace, again, atUs),
    needs.newKeys ? newKeysOf(session, loaded.namespace, jobs.length) : loaded.newKeys,
  ]);
  loaded.sessions = new Map([...loaded.sessions, ...sessions]);
  if (newKeys) loaded.newKeys = newKeys;
}

/** Numbers for new sessions; none where there is no namespace, which cannot be deleted until the transaction ends. */
async function newKeysOf(session: Session, namespace: string, count: number): Promise<number[]> {
  const rows = await session.run(
    sql<{ key: number }>`WITH found AS (SELECT 1 FROM namespace WHERE name = ${namespace} FOR KEY SHARE)
      SELECT nextval(pg_get_serial_sequence('session', 'key')) AS key
      FROM found CROSS JOIN generate_series(1, ${count}::integer)`,
  );
  return rows.map(({ key }) => key);
}
