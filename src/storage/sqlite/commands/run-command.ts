import { setScopePolicy } from '../agents/policy-rows.ts';
import type { Changes } from '../changes.ts';
import {
  acknowledgeLifecycle,
  appendLifecycleEvent,
  eraseLifecycleEvents,
  eraseLifecycleOf,
} from '../sessions/lifecycle-event-rows.ts';
import { dropSnapshot, forkAgent, restoreAgent, takeSnapshot } from './agent-snapshots.ts';
import type { Command, Commands, Verb } from './command.ts';
import { compactLog } from './compact-log.ts';
import { createNamespace } from './create-namespace.ts';
import { deleteMemories } from './delete.ts';
import { deleteNamespace } from './delete-namespace.ts';
import { eraseLeftovers } from './erase-leftovers.ts';
import { eraseExpiredSessions, eraseSessionNow, eraseSessionsOfNamespace } from './erase-sessions.ts';
import { mirror } from './mirror.ts';
import { move } from './move.ts';
import { postponeEmbedding } from './postpone-embedding.ts';
import { beginReembedding, finishReembedding, setReembedded } from './reembedding.ts';
import { seeRoom } from './see-room.ts';
import { setEmbeddings } from './set-embeddings.ts';
import { store } from './store.ts';
import { createSubscription, deleteSubscription, forgetConsumers, moveCursors } from './subscriptions.ts';
import { setMaintained, setTierSettings } from './tier-settings.ts';
import { touch } from './touch.ts';
import { update } from './update.ts';
import { updateNamespace } from './update-namespace.ts';
import { writeSession } from './write-session.ts';

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
  mirror,
  seeRoom,
  compactLog,
  createSubscription,
  deleteSubscription,
  moveCursors,
  forgetConsumers,
  eraseLeftovers,
};

/** Carries out one command inside the open transaction. */
export function runCommand(changes: Changes, command: Command): Commands[Verb]['outcome'] {
  const run = runners[command.verb] as (changes: Changes, write: Command['write']) => Commands[Verb]['outcome'];
  return run(changes, command.write);
}
