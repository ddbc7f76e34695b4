import type { Idempotency } from '../../memory/call.ts';
import { MnemeError, namespaceNotFound } from '../../memory/errors.ts';
import type { MemoryView, Micros } from '../../memory/memory.ts';
import { type Fence, LeaseLost } from '../job-fence.ts';
import { keptOutcome } from '../rules/kept-outcome.ts';
import type { PostgresDatabase, Session } from './database.ts';
import { lostAmong } from './fence.ts';
import type { Answer } from './lane.ts';
import { type LoadedNamespace, loadForWriting, NamespaceDraft } from './loaded-namespace.ts';
import { writeDraft } from './write-draft.ts';

/** A write of one namespace: it is worked out on a draft, in the transaction that has locked the namespace. */
export interface Job<O> {
  /** Ids of the memories that it concerns. */
  readonly ids: readonly string[];
  readonly atUs: Micros;
  readonly idempotency?: Idempotency;
  /** Outcome to store for the request id instead of its own. */
  readonly toKeep?: unknown;
  /** Data that it needs of them. Absent: all. */
  readonly view?: MemoryView;
  /** Approximate size in the queue. */
  readonly bytes: number;
  /** Creates the namespace if it is missing. */
  readonly createsNamespace?: boolean;
  /** Of the background job that it is a write of: it has no effect once another server runs the job. */
  readonly fence?: Fence;
  /** It runs statements besides changing the draft: no other write is in its transaction. */
  readonly isAlone?: boolean;
  run(draft: NamespaceDraft, session: Session, loaded: LoadedNamespace): O | Promise<O>;
}

export interface NamespaceWrites {
  readonly database: PostgresDatabase;
  readonly retentionUs: Micros;
  /** New revisions are above this one. */
  readonly revisionFloor: () => number;
  /** Called with the newest revision after each commit. */
  readonly onCommit: (revision: number) => void;
  /** Called when bodies in another store may have lost their rows. */
  readonly onBodiesLeft: () => void;
}

/** Carries out writes of one namespace as one transaction. */
export async function writeNamespace(
  { database, retentionUs, revisionFloor, onCommit, onBodiesLeft }: NamespaceWrites,
  name: string,
  jobs: readonly Job<unknown>[],
): Promise<readonly Answer[]> {
  let [revision, leavesBodies] = [0, false];
  const answers = await database.transaction(async (session) => {
    const lost = await lostAmong(session, new Set(jobs.flatMap(({ fence }) => (fence ? [fence] : []))));
    const loaded = await loadForWriting(session, name, {
      ids: jobs.flatMap(({ ids }) => ids),
      requestIds: jobs.flatMap(({ idempotency }) => (idempotency ? [idempotency.requestId] : [])),
      view: viewFor(jobs),
    });
    const draft = new NamespaceDraft(loaded, revisionFloor());
    const made: Answer[] = [];
    for (const job of jobs) {
      const isLost = job.fence && lost.has(job.fence);
      made.push(
        isLost ? { error: new LeaseLost(job.fence) } : await answerTo(job, draft, session, loaded, retentionUs),
      );
    }
    const atUs = Math.max(...jobs.map((job) => job.atUs));
    const isReplaced = await writeDraft(session, loaded, draft, atUs, database.bodies);
    // A write with statements of its own may erase rows of any memories.
    leavesBodies = isReplaced || jobs.some(({ isAlone }) => isAlone);
    revision = draft.revision;
    return made;
  });
  onCommit(revision);
  if (leavesBodies) onBodiesLeft();
  return answers;
}

async function answerTo(
  job: Job<unknown>,
  draft: NamespaceDraft,
  session: Session,
  loaded: LoadedNamespace,
  retentionUs: Micros,
): Promise<Answer> {
  const { ids, idempotency, atUs } = job;
  const undo = draft.savepoint(ids);
  try {
    const known = idempotency && (draft.outcomes.get(idempotency.requestId) ?? loaded.kept.get(idempotency.requestId));
    const kept = idempotency && keptOutcome(known, idempotency, atUs);
    if (kept) return kept;
    if (!draft.isThere && !job.createsNamespace) throw namespaceNotFound(draft.name);
    const outcome = await job.run(draft, session, loaded);
    draft.checkWhole(ids, loaded.entries);
    for (const id of ids) draft.writtenAtUs.set(id, atUs);
    if (idempotency) draft.keep(idempotency, job.toKeep ?? outcome, atUs + retentionUs);
    return { outcome };
  } catch (error) {
    // A failed statement has ended the transaction.
    if (job.isAlone && !(error instanceof MnemeError)) throw error;
    undo();
    return { error };
  }
}

/** Data to load of the memories that they concern. */
function viewFor(jobs: readonly Job<unknown>[]): MemoryView {
  const [view = 'full', ...others] = jobs.map((job) => job.view);
  return others.every((other) => (other ?? 'full') === view) ? view : 'full';
}
