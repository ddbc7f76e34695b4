import { setImmediate as turn } from 'node:timers/promises';
import type { Idempotency } from '../../memory/call.ts';
import { MnemeError, namespaceNotFound } from '../../memory/errors.ts';
import type { Memory, Micros } from '../../memory/memory.ts';
import { vectorTailOf } from '../../memory/resolution/plain-vector.ts';
import { activeSpan, forAll, outsideSpans, type Span } from '../../tracing/span.ts';
import { outsideCall, type QueuedInCall, queuedInCall } from '../current-call.ts';
import type { MirroredMemory } from '../hot-log.ts';
import { moveOf } from '../mirror-store.ts';
import type { Entry } from '../rules/draft.ts';
import { type Kept, keptOutcome } from '../rules/kept-outcome.ts';
import { keepingOf, packArguments, type RedisCommand } from './command-batch.ts';
import { keyspaceScripts, type RedisArgument } from './connection.ts';
import { layOut, type RowView } from './entry-codec.ts';
import { commandsOf } from './keyspace-commands.ts';
import type { KeyspaceEntry } from './keyspace-entry.ts';
import type { KeyspaceReader, LoadedKeyspace } from './keyspace-reader.ts';
import { KeyspaceDraft, type KeyspaceState } from './keyspace-state.ts';
import type { LogLengths } from './log-commands.ts';

type Answer = { readonly outcome: unknown } | { readonly error: unknown };

/** Maximum steps in flight: while Redis runs one, the next is computed. */
const UNDER_WAY_MAX = 3;
const QUEUE_MAX = 4096;
/** Other servers may write to the keyspace concurrently: in each round one of them commits. */
const ATTEMPTS_MAX = 50;

/** Runs the writes of one keyspace, all queued ones as one step: a script that commits everything or nothing. */
export class KeyspaceWriter {
  private readonly reader: KeyspaceReader;
  private readonly retentionUs: Micros;
  /** Whether the log of the keyspace is followed. */
  private readonly isFollowed: boolean;
  private readonly logLengths: LogLengths;
  readonly moves = new OwnMoves();
  private readonly waiting: Waiting[] = [];
  /** The keyspace after this server's last write, if that commits. */
  private known: KeyspaceState | undefined;
  private working: Promise<void> | undefined;
  private readonly underWay = new Set<Promise<void>>();
  private lastLoaded: Promise<unknown> = Promise.resolve();

  constructor(reader: KeyspaceReader, options: { retentionUs: Micros; isFollowed: boolean; logLengths: LogLengths }) {
    this.reader = reader;
    this.retentionUs = options.retentionUs;
    this.isFollowed = options.isFollowed;
    this.logLengths = options.logLengths;
  }

  get isIdle(): boolean {
    return this.working === undefined && this.underWay.size === 0;
  }

  /** Fails, and is not carried out, when the call that it serves ends while it waits. */
  submit<O>(job: Job<O>): Promise<O> {
    if (this.waiting.length >= QUEUE_MAX) {
      return Promise.reject(
        new MnemeError('QUEUE_FULL', 'too many writes wait for Redis', { metadata: { backend: 'redis' } }),
      );
    }
    return new Promise<O>((resolve, reject) => {
      const call = queuedInCall();
      const waiting = { job, call, resolve: resolve as (outcome: unknown) => void, reject, span: activeSpan() };
      this.waiting.push(waiting);
      call?.withdrawAtEnd((reason) => this.withdraw(waiting, reason));
      // It goes on for later calls than the one that starts it.
      this.working ??= outsideCall(() => outsideSpans(() => this.work()));
    });
  }

  private withdraw(write: Waiting, reason: Error): void {
    const at = this.waiting.indexOf(write);
    if (at < 0) return;
    this.waiting.splice(at, 1);
    write.reject(reason);
  }

  private async work(): Promise<void> {
    // Queued writes go together, including those of callers that have just received an answer.
    for (await turn(); this.waiting.length > 0; await turn()) {
      const batch = this.waiting.splice(0, batchSizeOf(this.waiting));
      for (const { call } of batch) call?.sent();
      const isBlind = this.knownFor(batch.map(({ job }) => job)) !== undefined;
      while (this.underWay.size > (isBlind ? UNDER_WAY_MAX - 1 : 0)) await Promise.race(this.underWay);
      const settled = this.settle(batch).finally(() => this.underWay.delete(settled));
      this.underWay.add(settled);
    }
    this.working = undefined;
  }

  private async settle(batch: readonly Waiting[]): Promise<void> {
    try {
      const spans = batch.map(({ span }) => span);
      const answers = await forAll(spans, 'group commit', () => this.carryOut(batch.map(({ job }) => job)));
      for (const [at, { resolve, reject }] of batch.entries()) {
        const answer = answers[at];
        if (answer && 'outcome' in answer) resolve(answer.outcome);
        else reject(answer?.error);
      }
    } catch (error) {
      this.known = undefined;
      const freeing = freeingAmong(batch, error);
      for (const one of batch) if (!freeing.includes(one)) one.reject(error);
      if (freeing.length > 0) await this.settle(freeing);
    }
  }

  /** The state of the keyspace that is sufficient for writes with probably unused ids. */
  private knownFor(jobs: readonly Job<unknown>[]): KeyspaceState | undefined {
    return this.known?.namespace && jobs.every(({ isFresh }) => isFresh) ? this.known : undefined;
  }

  private async carryOut(jobs: readonly Job<unknown>[]): Promise<readonly Answer[]> {
    const state = this.knownFor(jobs);
    if (state) {
      const answers = await this.attempt(jobs, { state, entries: new Map(), kept: new Map() }, true);
      if (answers) return answers;
    }
    // Writes that failed together are retried in turn.
    const done = this.lastLoaded.then(() => this.carryOutLoaded(jobs));
    this.lastLoaded = done.catch(() => undefined);
    return done;
  }

  private async carryOutLoaded(jobs: readonly Job<unknown>[]): Promise<readonly Answer[]> {
    for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
      const answers = await this.attempt(jobs, await this.load(jobs), false);
      if (answers) return answers;
    }
    throw new MnemeError('OVERLOADED', `too many concurrent writers of namespaces/${this.reader.name}`);
  }

  /** `undefined` when the keyspace differs from the expected state. */
  private async attempt(
    jobs: readonly Job<unknown>[],
    loaded: LoadedKeyspace,
    isBlind: boolean,
  ): Promise<readonly Answer[] | undefined> {
    const draft = new KeyspaceDraft(this.reader.name, loaded.state, loaded.entries, this.reader.revisionFloor());
    draft.atUs = Math.max(...jobs.map(({ atUs }) => atUs));
    const outcomes: RedisCommand[] = [];
    const answers = jobs.map((job) => this.answer(job, draft, loaded, outcomes));
    // A write that was refused from the cached state may have been refused for outdated data.
    if (isBlind && answers.some((answer) => 'error' in answer)) return undefined;
    return (await this.commit(loaded, draft, jobs, outcomes, isBlind)) ? answers : undefined;
  }

  private async load(jobs: readonly Job<unknown>[]): Promise<LoadedKeyspace> {
    const ids = jobs.flatMap((job) => job.ids);
    const isRecovery = jobs.every((job) => job.isRecovery);
    const view = viewFor(jobs);
    const loaded = await (isRecovery
      ? this.reader.loadLost(ids, [], view)
      : this.reader.load(ids, jobs.flatMap(requestIds), view));
    for (const copy of jobs.flatMap(({ copies = [] }) => copies)) putCopy(loaded.entries, copy);
    for (const memory of jobs.flatMap(({ unchanged = [] }) => unchanged)) putUnchanged(loaded.entries, memory);
    return loaded;
  }

  private answer(job: Job<unknown>, draft: KeyspaceDraft, loaded: LoadedKeyspace, outcomes: RedisCommand[]): Answer {
    const undo = draft.savepoint(job.ids);
    try {
      const { idempotency, atUs } = job;
      const kept = idempotency && keptOutcome(loaded.kept.get(idempotency.requestId), idempotency, atUs);
      if (kept) return kept;
      if (!draft.isThere && !job.createsKeyspace) throw namespaceNotFound(this.reader.name);
      const outcome = job.run(draft);
      draft.checkWhole(job.ids, loaded.entries);
      if (idempotency) {
        const { fingerprint, requestId } = idempotency;
        const toKeep: Kept = { fingerprint, outcome: job.toKeep ?? outcome, expiresAtUs: atUs + this.retentionUs };
        loaded.kept.set(requestId, toKeep);
        outcomes.push(keepingOf(this.reader.keyspace, requestId, toKeep, this.retentionUs));
      }
      return { outcome };
    } catch (error) {
      undo();
      return { error };
    }
  }

  /** False when the keyspace has changed since it was loaded. */
  private async commit(
    loaded: LoadedKeyspace,
    draft: KeyspaceDraft,
    jobs: readonly Job<unknown>[],
    outcomes: readonly RedisCommand[],
    isBlind: boolean,
  ): Promise<boolean> {
    const { keyspace, connection } = this.reader;
    const commands = [...commandsOf(keyspace, loaded, draft, this.logLengths), ...outcomes];
    if (commands.length === 0) return true;
    const free = isBlind ? jobs.flatMap(({ ids }) => ids) : [];
    const unused = isBlind ? jobs.flatMap(requestIds) : [];
    const args: RedisArgument[] = [loaded.state.stamp];
    args.push(`${free.length}`, ...free, `${unused.length}`, ...unused);
    for (const command of commands) args.push(`${command.length}`, ...command);
    const script = jobs.every(({ frees }) => frees) ? keyspaceScripts.erase : keyspaceScripts.commit;
    // Later steps depend on it, and fail if it fails.
    this.known = draft.after();
    const isDone = (await connection.run(script, keyspace, [packArguments(args)])) === 1;
    if (isDone) this.noteDone(draft, jobs);
    else this.known = undefined;
    return isDone;
  }

  private noteDone(draft: KeyspaceDraft, jobs: readonly Job<unknown>[]): void {
    const after = draft.after();
    const isMove = jobs.every(({ onlyMoves }) => onlyMoves);
    if (isMove) this.moves.note(draft.state.revision, after.revision);
    this.reader.observe(after);
    noteLogged(this.reader, draft, { isMove, isFollowed: this.isFollowed });
  }
}

/** Caches the memories that this server has just written: reads and followers need not read them from Redis. */
function noteLogged(
  { members, recent, own, keyspace }: KeyspaceReader,
  draft: KeyspaceDraft,
  { isMove, isFollowed }: { readonly isMove: boolean; readonly isFollowed: boolean },
): void {
  const { epoch } = draft.state;
  if (isFollowed) own.note(draft);
  for (const { entry: logged } of draft.logEntries) {
    const { id, revision } = logged;
    const entry = draft.entries.get(id);
    if (!entry) continue;
    members.note(keyspace, id, entry.sequence);
    // Former states of an existing memory are not loaded.
    const isWhole = entry.change === 'stored' || !draft.before.has(id);
    if (!isFollowed || !isWhole) continue;
    if (isMove) recent.noteMove(epoch, revision, moveOf(entry, entry.state));
    else recent.note(epoch, revision, entry);
  }
}

const STRETCHES_MAX = 256;

interface Stretch {
  readonly after: number;
  readonly through: number;
}

/** Ranges of revisions of a keyspace that contain only moves by this server. */
export class OwnMoves {
  private stretches: Stretch[] = [];

  /** Only moves lie between the two. To be called in the order of revisions. */
  note(after: number, through: number): void {
    const last = this.stretches.at(-1);
    if (last && last.through >= after) this.stretches.pop();
    this.stretches.push({ after: last && last.through >= after ? Math.min(last.after, after) : after, through });
    if (this.stretches.length > STRETCHES_MAX) this.stretches.shift();
  }

  has(after: number, through: number): boolean {
    return this.stretches.some((stretch) => stretch.after <= after && through <= stretch.through);
  }

  /** To be called when the keyspace was replaced: its revisions are unrelated to the earlier ones. */
  forget(): void {
    this.stretches = [];
  }
}

/** Adds the bytes of a copy to a loaded memory, if the memory is unchanged since it was copied. */
function putCopy(entries: Map<string, Entry>, copy: MirroredMemory): void {
  const { memory, tierSinceUs, embeddingPending } = copy;
  const entry = entries.get(memory.id);
  if (!entry || entry.tierSinceUs !== tierSinceUs || (entry.state === 'pending') !== embeddingPending) return;
  // Different bytes have another revision, or a vector that was pending before.
  const isSame = layOut(withoutBytes(entry, entry.memory)) === layOut(withoutBytes(entry, memory));
  if (isSame) entries.set(memory.id, { ...entry, memory });
}

/** The same for a memory without former states that another store has read back and verified by its checksum. */
export function putUnchanged(entries: Map<string, Entry>, memory: Memory): void {
  const entry: KeyspaceEntry | undefined = entries.get(memory.id);
  if (!entry?.sums || entry.isDamaged || entry.change !== 'stored' || entry.state === 'pending') return;
  const { laid, vectorTail } = entry.sums;
  const { embedding } = memory;
  const isSameVector = embedding ? vectorTail?.equals(vectorTailOf(embedding.values)) : !vectorTail;
  if (isSameVector && laid === layOut({ ...entry, memory })) entries.set(memory.id, { ...entry, memory });
}

function withoutBytes(entry: Entry, { content: _, embedding: __, ...memory }: Memory): Entry {
  return { ...entry, memory };
}

/**
 * A write of one keyspace. It is computed here from the loaded state, and commits if the keyspace is unchanged since.
 */
export interface Job<O> {
  /** Ids of the memories that it concerns. */
  readonly ids: readonly string[];
  readonly atUs: Micros;
  readonly idempotency?: Idempotency | undefined;
  /** Outcome to store for the request id instead of its own. */
  readonly toKeep?: unknown;
  /** The ids are probably unused, so that nothing need be loaded. */
  readonly isFresh?: boolean;
  /**
   * Frees memory, or directly precedes a write that does, such as lossy compaction; so it may run when memory is used
   * up.
   */
  readonly frees?: boolean;
  /** Data that it needs of them. Absent: all. */
  readonly view?: RowView;
  /** Complete copies of memories that it removes: the bytes of unchanged ones need not be read again. */
  readonly copies?: readonly MirroredMemory[];
  /** The same for memories of another store, without data that only Redis has; each matches its checksum. */
  readonly unchanged?: readonly Memory[];
  /** Changes only the tiers of memories, or releases memories that another store holds unchanged. */
  readonly onlyMoves?: boolean;
  /** Works on the remaining data of a keyspace after a loss in Redis. */
  readonly isRecovery?: boolean;
  /** Creates the namespace if it is missing. */
  readonly createsKeyspace?: boolean;
  run(draft: KeyspaceDraft): O;
}

export interface Waiting {
  readonly job: Job<unknown>;
  readonly resolve: (outcome: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Of the call that waits for it. */
  readonly span?: Span | undefined;
  /** Present where the write is left out when its call ends before it is taken. */
  readonly call?: QueuedInCall | undefined;
}

function requestIds({ idempotency }: Job<unknown>): string[] {
  return idempotency ? [idempotency.requestId] : [];
}

/** Data to load of the memories that they concern. */
function viewFor(jobs: readonly Job<unknown>[]): RowView {
  const [view = 'full', ...others] = jobs.map((job) => job.view);
  return others.every((other) => other === view) ? view : 'full';
}

const BATCH_MIN = 32;
const BATCH_MAX = 128;
/** Redis serves no other call during a step. */
const MEMORIES_MAX = 2000;

/**
 * Number of queued writes that go together: at most half of many, so that Redis runs one half while the other is
 * computed, and at most this many memories. Each job of moves goes alone, as reads would wait for all of them. Jobs
 * that are allowed after a loss in Redis go without jobs that are not and would fail.
 */
export function batchSizeOf(waiting: readonly Waiting[]): number {
  const most = Math.min(BATCH_MAX, Math.max(BATCH_MIN, Math.ceil(waiting.length / 2)));
  let memories = 0;
  const isRecovery = waiting[0]?.job.isRecovery === true;
  const end = waiting.slice(0, most).findIndex(({ job }) => {
    memories += job.ids.length;
    return job.onlyMoves || (job.isRecovery === true) !== isRecovery || memories > MEMORIES_MAX;
  });
  return end < 0 ? most : Math.max(1, end);
}

/** Of writes that failed together, those that can run alone: writes that free memory, where memory was used up. */
function freeingAmong(failed: readonly Waiting[], error: unknown): readonly Waiting[] {
  if (!(error instanceof MnemeError) || error.reason !== 'STORAGE_FULL') return [];
  const freeing = failed.filter(({ job }) => job.frees);
  return freeing.length < failed.length ? freeing : [];
}
