import { MnemeError } from '../../../memory/errors.ts';
import type { Micros } from '../../../memory/memory.ts';
import { idleAtUs, isExpired, type SessionRecord, sessionExists, sessionNotFound } from '../../../memory/session.ts';
import type { SessionOutcome, SessionWrite } from '../../session-store.ts';
import { applyWrite } from '../../sessions/apply-write.ts';
import { compactionOf, newRecord } from '../../sessions/session-view.ts';
import type { RedisArgument } from '../connection.ts';
import { type Loaded, loadedOf, Missing, type Wanted } from './loaded.ts';
import { commitScript, eraseScript, loadScript, partsOf, requestKey, type SessionKeys } from './session-keys.ts';
import type { SessionKeyspace } from './session-keyspaces.ts';
import { RedisSessionView } from './session-view.ts';

/** Maximum retries of a write after concurrent changes by other processes. */
const ATTEMPTS_MAX = 50;

/** Data to load for a write; grows when the write needs more. */
export interface Reading {
  readonly what: Set<Wanted>;
  readonly keys: readonly string[];
  /** Ids of checkpoints whose manifests are loaded. */
  readonly checkpoints: Set<string>;
}

export interface WriteOptions {
  readonly retentionMs: number;
  /** Fails with NAMESPACE_NOT_FOUND. */
  readonly checkNamespace: (namespace: string) => Promise<unknown>;
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
  const reading = readingFor(write);
  // Explicitly creating a session starts a new one, even if a former one of the id was lost.
  const isNeeded = write.create?.mustBeNew !== true;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const loaded = await load(redis, keys, reading, { ...write, isNeeded });
    const kept = keptOutcome(loaded, write);
    if (kept) return kept;
    let made: Made | undefined;
    try {
      made = make(keys, loaded, write);
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      reading.what.add(error.what);
      if (error.checkpoint !== undefined) reading.checkpoints.add(error.checkpoint);
      continue;
    }
    if (made.isNew) await options.checkNamespace(write.namespace);
    if (made.isReplacing) {
      await redis.run(eraseScript, [keys.base, keys.id, keys.index, keys.due, keys.idle]);
      continue;
    }
    const isDone = await commit(redis, keys, loaded, made.view, outcomeCommands(keys, write, made.outcome, options));
    if (isDone) return made.outcome;
  }
  throw new MnemeError('OVERLOADED', 'too many concurrent writes to the session: try again shortly');
}

function readingFor({ ops }: SessionWrite): Reading {
  const what = new Set<Wanted>();
  const checkpoints = new Set<string>();
  for (const op of ops) {
    if (op.kind === 'clear') for (const each of ['A', 'N', 'C'] as const) what.add(each);
    if (op.kind === 'checkpoint') for (const each of ['A', 'N', 'C', 'H'] as const) what.add(each);
    if (op.kind === 'load') for (const each of ['A', 'N'] as const) what.add(each);
    if (op.kind === 'restore') {
      for (const each of ['A', 'N', 'C', 'P'] as const) what.add(each);
      checkpoints.add(op.id);
    }
  }
  return { what, keys: ops.flatMap((op) => ('key' in op ? [op.key] : [])), checkpoints };
}

export async function load(
  redis: SessionKeyspace,
  keys: SessionKeys,
  { what, keys: wanted, checkpoints }: Reading,
  { idempotency, isNeeded }: Pick<SessionWrite, 'idempotency'> & { readonly isNeeded: boolean },
): Promise<Loaded> {
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
  const { record } = loaded;
  const found = record && !isExpired(record, write.atUs) ? record : undefined;
  if (found && write.create?.mustBeNew) throw sessionExists(write, found.state);
  const start = found ?? recordFor(write);
  const view = new RedisSessionView(keys, loaded, { ...start }, write.atUs);
  const isReplacing = record !== undefined && !found;
  if (isReplacing) {
    return { view, isNew: false, isReplacing, outcome: { revision: 0, created: true, results: [] } };
  }
  const results = applyWrite(view, write);
  const compacted = compactionOf(view.record, write.limits.changesMax);
  if (compacted !== undefined) {
    view.record.compactedRevision = compacted;
    view.add('ZREMRANGEBYSCORE', keys.changes, '-inf', `${compacted}`);
  }
  const isMove = write.ops.some(({ kind }) => kind === 'transition');
  const created = found === undefined;
  const outcome = { revision: view.record.revision, created, results, ...(isMove && { record: { ...view.record } }) };
  return { view, outcome, isNew: created, isReplacing };
}

function recordFor(write: SessionWrite): SessionRecord {
  if (!write.create) throw sessionNotFound(write);
  return newRecord(write, write.create, write.atUs);
}

/** False when the session has changed since it was loaded. */
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
  const args = [keys.record, loaded.revision, ...commands.flatMap((command) => [`${command.length}`, ...command])];
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
  { idempotency }: Pick<SessionWrite, 'idempotency'>,
): SessionOutcome | undefined {
  if (kept === undefined || !idempotency) return undefined;
  const { fingerprint, outcome } = JSON.parse(kept) as { fingerprint: string; outcome: SessionOutcome };
  if (fingerprint === idempotency.fingerprint) return outcome;
  const { requestId } = idempotency;
  throw new MnemeError('REQUEST_ID_REUSED', `request_id "${requestId}" was used for another request`, {
    metadata: { request_id: requestId },
  });
}
