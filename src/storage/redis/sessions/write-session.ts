import type { Idempotency } from '../../../memory/call.ts';
import { MnemeError } from '../../../memory/errors.ts';
import type { Micros } from '../../../memory/memory.ts';
import { idleAtUs, type SessionRecord } from '../../../memory/session.ts';
import { keptOutcome as outcomeOfKept } from '../../rules/kept-outcome.ts';
import type { SessionOutcome, SessionWrite } from '../../session-store.ts';
import { applyWrite } from '../../sessions/apply-write.ts';
import { extend, Missing, type Reading, readingFor } from '../../sessions/loaded-session.ts';
import type { SessionDraftRecord } from '../../sessions/session-view.ts';
import { compact, outcomeOfWrite, startOf } from '../../sessions/start-of-write.ts';
import type { RedisArgument } from '../connection.ts';
import { inRedis, type Loaded, loadedOf } from './loaded.ts';
import { commitScript, eraseExpiredScript, loadScript, partsOf, requestKey, type SessionKeys } from './session-keys.ts';
import type { SessionKeyspace } from './session-keyspaces.ts';
import { RedisSessionView } from './session-view.ts';

/** Maximum retries of a write after concurrent changes by other processes. */
const ATTEMPTS_MAX = 50;

export interface WriteOptions {
  readonly retentionMs: number;
  /** The namespace; fails with NAMESPACE_NOT_FOUND. */
  readonly checkNamespace: (namespace: string) => Promise<{ readonly createdAtUs: Micros }>;
}

/**
 * Loads the data of the write, computes it, and commits it if the session's revision is unchanged: otherwise starts
 * again. A commit is one script, so no reader sees a part of it.
 */
export async function writeSession(
  redis: SessionKeyspace,
  keys: SessionKeys,
  write: SessionWrite,
  options: WriteOptions,
): Promise<SessionOutcome> {
  const reading = readingFor(write.ops);
  // Explicitly creating a session starts a new one, even if a former one of the id was lost.
  const isNeeded = write.create?.mustBeNew !== true;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const loaded = await load(redis, keys, reading, { ...write, isNeeded });
    const kept = keptOutcome(loaded, write.idempotency);
    if (kept) return kept;
    let made: Made | undefined;
    try {
      made = make(keys, loaded, write);
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      extend(reading, error);
      continue;
    }
    if (made.isNew) beginWithin(await options.checkNamespace(write.namespace), made.view.record);
    if (made.isReplacing) {
      await eraseExpiredSession(redis, keys, write.atUs);
      continue;
    }
    const isDone = await commit(redis, keys, loaded, made.view, outcomeCommands(keys, write, made.outcome, options));
    if (isDone) return made.outcome;
  }
  throw new MnemeError('OVERLOADED', 'too many concurrent writes to the session: try again shortly');
}

/**
 * A session never seems older than its namespace, whose time is by the clock of another server: an older one belongs to a
 * former namespace of the name, and is erased.
 */
function beginWithin(namespace: { readonly createdAtUs: Micros }, record: SessionDraftRecord): void {
  record.createdAtUs = Math.max(record.createdAtUs, namespace.createdAtUs);
  record.updatedAtUs = Math.max(record.updatedAtUs, record.createdAtUs);
}

export async function load(
  redis: SessionKeyspace,
  keys: SessionKeys,
  reading: Omit<Reading, 'values'>,
  { idempotency, isNeeded }: Pick<SessionWrite, 'idempotency'> & { readonly isNeeded: boolean },
): Promise<Loaded> {
  const what = inRedis(reading.what);
  const { checkpoints } = reading;
  const wanted = [...reading.keys];
  const request = idempotency ? requestKey(keys, idempotency.requestId) : '';
  const args = [keys.base, request, [...what].join(''), `${checkpoints.size}`, ...checkpoints, ...wanted];
  return loadedOf(await redis.run(loadScript, args, isNeeded ? keys : undefined), what, wanted, checkpoints);
}

interface Made {
  readonly view: RedisSessionView;
  readonly outcome: SessionOutcome;
  readonly isNew: boolean;
  /** True where an expired session still has the id. */
  readonly isReplacing: boolean;
}

function make(keys: SessionKeys, loaded: Loaded, write: SessionWrite): Made {
  const { record, created, replaces: isReplacing } = startOf(write, loaded.record);
  const view = new RedisSessionView(keys, loaded, { ...record }, write.atUs);
  if (isReplacing) {
    return { view, isNew: false, isReplacing, outcome: { revision: 0, created: true, results: [] } };
  }
  const results = applyWrite(view, write);
  compact(view.record, write, (compacted) => view.add('ZREMRANGEBYSCORE', keys.changes, '-inf', `${compacted}`));
  return { view, outcome: outcomeOfWrite(write, view.record, created, results), isNew: created, isReplacing };
}

/** False where there is no expired session: it was not there, or another write has replaced it. */
export async function eraseExpiredSession(
  redis: SessionKeyspace,
  { base, id, index, due, idle }: SessionKeys,
  nowUs: Micros,
): Promise<boolean> {
  return (await redis.run(eraseExpiredScript, [base, id, `${nowUs}`, index, due, idle])) === 1;
}

/** False when the session has changed since it was loaded, or the namespace of a new one was deleted. */
export async function commit(
  redis: SessionKeyspace,
  keys: SessionKeys,
  loaded: Loaded,
  view: RedisSessionView,
  more: readonly (readonly RedisArgument[])[] = [],
): Promise<boolean> {
  const { record } = view;
  view.due(record.expiresAtUs);
  const commands: (readonly RedisArgument[])[] = [
    ['HSET', keys.record, 'json', JSON.stringify(record), 'rev', `${record.revision}`],
    ...view.commands,
    ...dueCommands(keys, view.dueAtUs),
    ...idleCommands(keys, loaded.record, record),
    ...(loaded.revision === '' ? [['ZADD', keys.index, '0', keys.id]] : []),
    ...(view.isErased ? eraseCommands(keys) : []),
    ...more,
  ];
  const args = [
    keys.record,
    loaded.revision,
    loaded.deletions,
    ...commands.flatMap((command) => [`${command.length}`, ...command]),
  ];
  return (await redis.run(commitScript, args)) === 1;
}

function dueCommands({ due, id }: SessionKeys, atUs: Micros): string[][] {
  return atUs === Number.POSITIVE_INFINITY ? [] : [['ZADD', due, 'LT', `${atUs}`, id]];
}

function idleCommands({ idle, id }: SessionKeys, before: SessionRecord | undefined, now: SessionRecord): string[][] {
  const atUs = idleAtUs(now);
  if (atUs !== undefined) return [['ZADD', idle, `${atUs}`, id]];
  return before && idleAtUs(before) !== undefined ? [['ZREM', idle, id]] : [];
}

function eraseCommands(keys: SessionKeys): string[][] {
  const { index, due, idle, id } = keys;
  return [['UNLINK', ...partsOf(keys)], ...[index, due, idle].map((set) => ['ZREM', set, id])];
}

function outcomeCommands(
  keys: SessionKeys,
  { idempotency }: SessionWrite,
  outcome: SessionOutcome,
  { retentionMs }: WriteOptions,
): string[][] {
  if (!idempotency) return [];
  const { requestId, fingerprint } = idempotency;
  return [['SET', requestKey(keys, requestId), JSON.stringify({ fingerprint, outcome }), 'PX', `${retentionMs}`]];
}

/** Fails with REQUEST_ID_REUSED. */
export function keptOutcome(
  { kept }: Pick<Loaded, 'kept'>,
  idempotency: Idempotency | undefined,
): SessionOutcome | undefined {
  if (kept === undefined || !idempotency) return undefined;
  const record = JSON.parse(kept) as { fingerprint: string; outcome: SessionOutcome };
  // Redis drops the record when its retention is over.
  const found = outcomeOfKept({ ...record, expiresAtUs: Number.POSITIVE_INFINITY }, idempotency, 0);
  return found?.outcome as SessionOutcome | undefined;
}
