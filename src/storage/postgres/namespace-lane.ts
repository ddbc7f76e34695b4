import { setImmediate as turn } from 'node:timers/promises';
import type { Idempotency } from '../../memory/call.ts';
import { MnemeError, namespaceNotFound } from '../../memory/errors.ts';
import type { MemoryView, Micros } from '../../memory/memory.ts';
import { keptOutcome } from '../rules/kept-outcome.ts';
import type { PostgresDatabase, Session } from './database.ts';
import { despiteConflicts, isRefusedStatement } from './driver-error.ts';
import { type Fence, LeaseLost, lostAmong } from './fence.ts';
import { type LoadedNamespace, loadForWriting, NamespaceDraft } from './loaded-namespace.ts';
import { writeDraft } from './write-draft.ts';

/** A write of one namespace: it is worked out on a draft, in the transaction that has locked the namespace. */
export interface Job<O> {
  /** Ids of the memories that it concerns. */
  readonly ids: readonly string[];
  readonly atUs: Micros;
  readonly idempotency?: Idempotency | undefined;
  /** Outcome to store for the request id instead of its own. */
  readonly toKeep?: unknown;
  /** Data that it needs of them. Absent: all. */
  readonly view?: MemoryView;
  /** Approximate size in the queue. */
  readonly bytes: number;
  /** Creates the namespace if it is missing. */
  readonly createsNamespace?: boolean;
  /** Of the background job that it is a write of: it has no effect once another server runs the job. */
  readonly fence?: Fence | undefined;
  /** It runs statements besides changing the draft: no other write is in its transaction. */
  readonly isAlone?: boolean;
  run(draft: NamespaceDraft, session: Session, loaded: LoadedNamespace): O | Promise<O>;
}

export interface Waiting {
  readonly job: Job<unknown>;
  readonly resolve: (outcome: never) => void;
  readonly reject: (error: unknown) => void;
}

type Answer = { readonly outcome: unknown } | { readonly error: unknown };

export interface LaneOptions {
  readonly database: PostgresDatabase;
  readonly name: string;
  readonly retentionUs: Micros;
  /** Runs a batch when fewer than the maximum number of batches run. */
  readonly admitted: <T>(batch: () => Promise<T>) => Promise<T>;
  /** Called with the newest revision after each commit. */
  readonly onCommit: (revision: number) => void;
  /** Called when writes have left the queue. */
  readonly onTaken: (jobs: readonly Job<unknown>[]) => void;
  /** Called when no write waits or runs: the lane is not used again. */
  readonly onIdle: () => void;
}

/** Maximum of one transaction; a single write may be larger. */
const BATCH_MAX = 512;
const BATCH_BYTES_MAX = 4_194_304;
const BATCH_MEMORIES_MAX = 2000;

/** Runs the writes of one namespace in order, all that wait as one transaction: the next batch gathers meanwhile. */
export class NamespaceLane {
  private readonly options: LaneOptions;
  private waiting: Waiting[] = [];
  private working: Promise<void> | undefined;

  constructor(options: LaneOptions) {
    this.options = options;
  }

  /** Resolves when no write waits or runs; `undefined` where none does. */
  get settled(): Promise<void> | undefined {
    return this.working;
  }

  submit(write: Waiting): void {
    this.waiting.push(write);
    this.working ??= this.work();
  }

  private async work(): Promise<void> {
    // Writes of one turn of the event loop go together.
    for (await turn(); this.waiting.length > 0; ) {
      await this.options.admitted(async () => {
        const batch = this.waiting.splice(0, batchSizeOf(this.waiting));
        this.options.onTaken(batch.map(({ job }) => job));
        await this.settle(batch);
      });
    }
    this.options.onIdle();
  }

  private async settle(batch: readonly Waiting[]): Promise<void> {
    let answers: readonly Answer[];
    try {
      answers = await despiteConflicts(() => this.attempt(batch.map(({ job }) => job)));
    } catch (error) {
      // The values of one write may be the reason: alone, only that one fails.
      if (batch.length > 1 && isRefusedStatement(error)) {
        for (const write of batch) await this.settle([write]);
        return;
      }
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const [at, { resolve, reject }] of batch.entries()) {
      const answer = answers[at];
      if (answer && 'outcome' in answer) resolve(answer.outcome as never);
      else reject(answer?.error);
    }
  }

  private async attempt(jobs: readonly Job<unknown>[]): Promise<readonly Answer[]> {
    const { database, name, onCommit } = this.options;
    let revision = 0;
    const answers = await database.transaction(async (session) => {
      const lost = await lostAmong(session, new Set(jobs.flatMap(({ fence }) => (fence ? [fence] : []))));
      const loaded = await loadForWriting(session, name, {
        ids: jobs.flatMap(({ ids }) => ids),
        requestIds: jobs.flatMap(({ idempotency }) => (idempotency ? [idempotency.requestId] : [])),
        view: viewFor(jobs),
      });
      const draft = new NamespaceDraft(loaded);
      const made: Answer[] = [];
      for (const job of jobs) {
        const isLost = job.fence && lost.has(job.fence);
        made.push(isLost ? { error: new LeaseLost(job.fence) } : await this.answer(job, draft, session, loaded));
      }
      const atUs = Math.max(...jobs.map((job) => job.atUs));
      await writeDraft(session, loaded, draft, atUs);
      revision = draft.revision;
      return made;
    });
    onCommit(revision);
    return answers;
  }

  private async answer(
    job: Job<unknown>,
    draft: NamespaceDraft,
    session: Session,
    loaded: LoadedNamespace,
  ): Promise<Answer> {
    const { ids, idempotency, atUs } = job;
    const undo = draft.savepoint(ids);
    try {
      const known =
        idempotency && (draft.outcomes.get(idempotency.requestId) ?? loaded.kept.get(idempotency.requestId));
      const kept = idempotency && keptOutcome(known, idempotency, atUs);
      if (kept) return kept;
      if (!draft.isThere && !job.createsNamespace) throw namespaceNotFound(draft.name);
      const outcome = await job.run(draft, session, loaded);
      draft.checkWhole(ids, loaded.entries);
      for (const id of ids) draft.writtenAtUs.set(id, atUs);
      if (idempotency) draft.keep(idempotency, job.toKeep ?? outcome, atUs + this.options.retentionUs);
      return { outcome };
    } catch (error) {
      // A failed statement has ended the transaction.
      if (job.isAlone && !(error instanceof MnemeError)) throw error;
      undo();
      return { error };
    }
  }
}

/** Data to load of the memories that they concern. */
function viewFor(jobs: readonly Job<unknown>[]): MemoryView {
  const [view = 'full', ...others] = jobs.map((job) => job.view);
  return others.every((other) => (other ?? 'full') === view) ? view : 'full';
}

/** Number of queued writes that go together. */
function batchSizeOf(waiting: readonly Waiting[]): number {
  let [bytes, memories] = [0, 0];
  for (const [at, { job }] of waiting.entries()) {
    bytes += job.bytes;
    memories += job.ids.length;
    const isTooMuch = at >= BATCH_MAX || bytes > BATCH_BYTES_MAX || memories > BATCH_MEMORIES_MAX;
    if (at > 0 && (isTooMuch || job.isAlone || waiting[0]?.job.isAlone)) return at;
  }
  return waiting.length;
}
