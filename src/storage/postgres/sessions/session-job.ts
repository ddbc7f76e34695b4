import type { Micros } from '../../../memory/memory.ts';
import type { SessionKey } from '../../../memory/session.ts';
import type { SessionOutcome, SessionWrite } from '../../session-store.ts';
import { bytesOfOps } from '../../sessions/bytes-of-ops.ts';
import { type Reading, readingFor } from '../../sessions/loaded-session.ts';
import { episodeIds } from '../../sessions/start-of-write.ts';
import type { LaneJob } from '../lane.ts';
import { BYTES_AROUND } from '../write-bytes.ts';
import type { BatchWrite, SessionBatch } from './session-batch.ts';

/** A write of one session, worked out on a batch. */
export interface SessionJob extends LaneJob, BatchWrite {
  readonly reading: Reading;
  /** Ids of memories that it stores. */
  readonly episodes: readonly string[];
}

export function writeJob(write: SessionWrite): SessionJob & { run(batch: SessionBatch): SessionOutcome } {
  const { session, ops, atUs, idempotency } = write;
  const reading = readingFor(ops);
  return {
    session,
    ids: [...reading.keys],
    atUs,
    idempotency,
    reading,
    episodes: episodeIds(write),
    bytes: BYTES_AROUND * (1 + ops.length) + bytesOfOps(ops),
    run: (batch) => batch.write(write),
  };
}

/** Resolves to the number of erased items. */
export function expiryJob({ session }: SessionKey, nowUs: Micros, limit: number): SessionJob {
  const reading: Reading = { ...readingFor([]), what: new Set(['X', 'C']) };
  return { ...plainJob(session, nowUs, reading), run: (batch) => batch.eraseExpired(session, nowUs, limit) };
}

/** Resolves to whether the session was there. */
export function erasureJob({ session }: SessionKey): SessionJob {
  return { ...plainJob(session, 0, readingFor([])), run: (batch) => batch.erase(session) };
}

function plainJob(session: string, atUs: Micros, reading: Reading): Omit<SessionJob, 'run'> {
  return { session, ids: [], atUs, reading, episodes: [], bytes: BYTES_AROUND };
}
