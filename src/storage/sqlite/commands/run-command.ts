import { isExpired, sessionExists, sessionNotFound } from '../../../memory/session.ts';
import type { SessionOutcome, SessionWrite } from '../../session-store.ts';
import { applyWrite } from '../../sessions/apply-write.ts';
import { compactionOf, newRecord } from '../../sessions/session-view.ts';
import { setScopePolicy } from '../agents/policy-rows.ts';
import { forgetTerms, readCompactedRevision } from '../change-log.ts';
import type { Changes } from '../changes.ts';
import { prepared, queries } from '../database.ts';
import { dropChanges } from '../sessions/entry-rows.ts';
import { eraseSession } from '../sessions/erase-session.ts';
import {
  acknowledgeLifecycle,
  appendLifecycleEvent,
  eraseLifecycleEvents,
  eraseLifecycleOf,
} from '../sessions/lifecycle-event-rows.ts';
import type { OpenSession } from '../sessions/session-cache.ts';
import { SqliteSessionView } from '../sessions/session-view.ts';
import { dropSnapshot, forkAgent, restoreAgent, takeSnapshot } from './agent-snapshots.ts';
import { applyCopies } from './apply-copies.ts';
import type { Command, Commands, Verb } from './command.ts';
import { deleteNamespace } from './delete-namespace.ts';
import { eraseExpiredSessions, eraseLeftovers, eraseSessionNow, eraseSessionsOfNamespace } from './erase-leftovers.ts';
import { createNamespace, seeKeyspace, setMaintained, setTierSettings, updateNamespace } from './namespaces.ts';
import { beginReembedding, finishReembedding, setReembedded } from './reembedding.ts';
import {
  changeWebhook,
  createSubscription,
  deleteSubscription,
  forgetConsumers,
  moveCursors,
} from './subscriptions.ts';
import { deleteMemories, move, setEmbeddings, store, touch, update } from './write-memories.ts';

/** Counts all entries, so that a series of former states does not make one command long. */
const lastOf = prepared((p: { after: number; through: number; limit: number }) =>
  queries
    .selectFrom((eb) =>
      eb
        .selectFrom('change_log')
        .select('revision')
        .where('revision', '>', p.after)
        .where('revision', '<=', p.through)
        .orderBy('revision')
        .limit(p.limit)
        .as('stretch'),
    )
    .select((eb) => [eb.fn.max('revision').as('revision'), eb.fn.countAll<number>().as('count')]),
);
const deleteEntries = prepared((p: { after: number; through: number }) =>
  queries
    .deleteFrom('change_log')
    .where('revision', '>', p.after)
    .where('revision', '<=', p.through)
    .where('former', 'is', null),
);
const setCompacted = prepared((p: { revision: number }) =>
  queries.updateTable('meta').set({ value: p.revision }).where('key', '=', 'compacted_revision'),
);

/**
 * Compacts the oldest entries. Entries with the former state of a memory are its history: they stay until it is erased,
 * but readers of the log no longer receive them.
 */
function compactLog({ database, log }: Changes, write: Commands['compactLog']['write']): boolean {
  const after = readCompactedRevision(database);
  const through = Math.min(write.throughRevision, log.revision);
  if (through <= after) return true;
  const { revision, count } = lastOf(database).get({ after, through, limit: write.limit }) ?? {
    revision: null,
    count: 0,
  };
  const isDone = Number(count) < write.limit || Number(revision) >= through;
  const reached = isDone ? through : Number(revision);
  deleteEntries(database).run({ after, through: reached });
  setCompacted(database).run({ revision: reached });
  forgetTerms(database, reached);
  return isDone;
}

function writeSession(changes: Changes, write: SessionWrite): SessionOutcome {
  const found = liveSession(changes, write);
  const session = found ?? makeSession(changes, write);
  const record = { ...session.record };
  try {
    const view = new SqliteSessionView(changes, session.key, record, write.atUs);
    const results = applyWrite(view, write);
    const compactedRevision = compactionOf(record, write.limits.changesMax);
    if (compactedRevision !== undefined) {
      dropChanges(changes.database).run({ session_key: session.key, revision: compactedRevision });
      record.compactedRevision = compactedRevision;
    }
    session.record = record;
    if (view.isErased) eraseSession(changes, session);
    else changes.sessions.touch(session);
    const isMove = write.ops.some(({ kind }) => kind === 'transition');
    return { revision: record.revision, created: !found, results, ...(isMove && { record }) };
  } catch (error) {
    // The command deletes the row.
    if (!found) changes.sessions.forget(session);
    throw error;
  }
}

function liveSession(changes: Changes, write: SessionWrite): OpenSession | undefined {
  const found = changes.sessions.find(write);
  if (!found) return undefined;
  if (!isExpired(found.record, write.atUs)) {
    if (write.create?.mustBeNew) throw sessionExists(write, found.record.state);
    return found;
  }
  eraseSession(changes, found);
  return undefined;
}

function makeSession(changes: Changes, write: SessionWrite): OpenSession {
  if (!write.create) throw sessionNotFound(write);
  changes.namespace(write.namespace);
  return changes.sessions.insert(newRecord(write, write.create, write.atUs));
}

const postponeRow = prepared((p: { namespace: string; id: string; attempts: number; not_before_us: number }) =>
  queries
    .updateTable('embedding_queue')
    .set({ attempts: p.attempts, not_before_us: p.not_before_us })
    .where('pk', '=', (eb) =>
      eb
        .selectFrom('memory')
        .innerJoin('namespace', 'namespace.key', 'memory.namespace_key')
        .select('memory.pk')
        .where('namespace.name', '=', p.namespace)
        .where('memory.id', '=', p.id),
    ),
);

function postponeEmbedding(changes: Changes, write: Commands['postponeEmbedding']['write']): undefined {
  for (const { namespace, id, attempts } of write.items) {
    postponeRow(changes.database).run({ namespace, id, attempts: attempts + 1, not_before_us: write.notBeforeUs });
  }
}

type Runners = { readonly [V in Verb]: (changes: Changes, write: Commands[V]['write']) => Commands[V]['outcome'] };

const runners: Runners = {
  store,
  update,
  delete: deleteMemories,
  touch,
  setEmbeddings,
  postponeEmbedding,
  createNamespace,
  updateNamespace,
  deleteNamespace,
  beginReembedding,
  setReembedded,
  finishReembedding,
  writeSession,
  eraseSession: eraseSessionNow,
  eraseSessionsOfNamespace,
  eraseExpiredSessions,
  setScopePolicy,
  takeSnapshot,
  dropSnapshot,
  restoreAgent,
  forkAgent,
  appendLifecycleEvent: ({ database }, write) => appendLifecycleEvent(database, write),
  acknowledgeLifecycle: ({ database }, write) => acknowledgeLifecycle(database, write),
  eraseLifecycleEvents: ({ database }, write) => eraseLifecycleEvents(database, write),
  eraseLifecycleOf: ({ database }, { namespace }) => eraseLifecycleOf(database, namespace),
  move,
  setTierSettings,
  setMaintained,
  applyCopies,
  seeKeyspace,
  compactLog,
  createSubscription,
  deleteSubscription,
  changeWebhook,
  moveCursors,
  forgetConsumers,
  // Their transactions write it.
  writeUpkeep: () => undefined,
  settleSome: () => undefined,
  eraseLeftovers,
};

/** Carries out one command inside the open transaction. */
export function runCommand(changes: Changes, command: Command): Commands[Verb]['outcome'] {
  const run = runners[command.kind] as (changes: Changes, write: Command) => Commands[Verb]['outcome'];
  return run(changes, command);
}
