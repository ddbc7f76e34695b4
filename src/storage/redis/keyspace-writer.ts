import { setImmediate as turn } from 'node:timers/promises';
import type { Idempotency } from '../../memory/call.ts';
import { MnemeError, namespaceNotFound } from '../../memory/errors.ts';
import type { Memory, Micros } from '../../memory/memory.ts';
import { vectorTailOf } from '../../memory/resolution/plain-vector.ts';
import type { MirroredMemory } from '../hot-log.ts';
import { moveOf } from '../mirror-store.ts';
import type { Entry } from '../rules/draft.ts';
import { type Kept, keepingOf, keptOutcome, packArguments, type RedisCommand } from './command-batch.ts';
import { keyspaceScripts, type RedisArgument } from './connection.ts';
import { layOut, type RowView } from './entry-codec.ts';
import { commandsOf } from './keyspace-commands.ts';
import type { KeyspaceEntry } from './keyspace-entry.ts';
import type { KeyspaceReader, LoadedKeyspace } from './keyspace-reader.ts';
import { KeyspaceDraft, type KeyspaceState } from './keyspace-state.ts';
import type { LogLengths } from './log-commands.ts';

type Answer = { readonly outcome: unknown } | { readonly error: unknown };

/** Steps that Redis may have in hand at once: while it does one, the next one is made. */
const UNDER_WAY_MAX = 3;
const QUEUE_MAX = 4096;
/** Other servers may write to the keyspace at the same time: each time one of them gets through. */
const ATTEMPTS_MAX = 50;

/** Carries out writes of one keyspace, all that wait as one step: one script changes everything or nothing. */
export class KeyspaceWriter {
  private readonly reader: KeyspaceReader;
  private readonly retentionUs: Micros;
  /** Somebody follows the log of the keyspace. */
  private readonly isFollowed: boolean;
  private readonly logLengths: LogLengths;
  readonly moves = new OwnMoves();
  private readonly waiting: Waiting[] = [];
  /** The keyspace as the last write of this server leaves it, if it takes effect. */
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

  submit<O>(job: Job<O>): Promise<O> {
    if (this.waiting.length >= QUEUE_MAX) {
      return Promise.reject(
        new MnemeError('QUEUE_FULL', 'too many writes wait for Redis', { metadata: { backend: 'redis' } }),
      );
    }
    return new Promise<O>((resolve, reject) => {
      this.waiting.push({ job, resolve: resolve as (outcome: unknown) => void, reject });
      this.working ??= this.work();
    });
  }

  private async work(): Promise<void> {
    // Writes of the same moment go together, those of callers who have just got their answer too.
    for (await turn(); this.waiting.length > 0; await turn()) {
      const batch = this.waiting.splice(0, batchSizeOf(this.waiting));
      const isBlind = this.knownFor(batch.map(({ job }) => job)) !== undefined;
      while (this.underWay.size > (isBlind ? UNDER_WAY_MAX - 1 : 0)) await Promise.race(this.underWay);
      const settled = this.settle(batch).finally(() => this.underWay.delete(settled));
      this.underWay.add(settled);
    }
    this.working = undefined;
  }

  private async settle(batch: readonly Waiting[]): Promise<void> {
    try {
      const answers = await this.carryOut(batch.map(({ job }) => job));
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

  /** What is enough to know of the room for writes whose ids are most likely free. */
  private knownFor(jobs: readonly Job<unknown>[]): KeyspaceState | undefined {
    return this.known?.namespace && jobs.every(({ isFresh }) => isFresh) ? this.known : undefined;
  }

  private async carryOut(jobs: readonly Job<unknown>[]): Promise<readonly Answer[]> {
    const state = this.knownFor(jobs);
    if (state) {
      const answers = await this.attempt(jobs, { state, entries: new Map(), kept: new Map() }, true);
      if (answers) return answers;
    }
    // Those that failed together take turns.
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

  /** Nothing when the keyspace is not what it was taken for. */
  private async attempt(
    jobs: readonly Job<unknown>[],
    loaded: LoadedKeyspace,
    isBlind: boolean,
  ): Promise<readonly Answer[] | undefined> {
    const draft = new KeyspaceDraft(this.reader.name, loaded.state, loaded.entries, this.reader.revisionFloor());
    const outcomes: RedisCommand[] = [];
    const answers = jobs.map((job) => this.answer(job, draft, loaded, outcomes));
    // What was refused without looking may be refused for what was true before.
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
    // Those that come next rely on it, and fail if it does.
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

/** Keeps what this server knows of memories that it has just written: who asks for them, or follows the log, need not read them. */
function noteLogged(
  { members, recent, own, keyspace }: KeyspaceReader,
  draft: KeyspaceDraft,
  { isMove, isFollowed }: { readonly isMove: boolean; readonly isFollowed: boolean },
): void {
  const { epoch } = draft.state;
  if (isFollowed) own.note(draft);
  for (const { entry: told } of draft.told) {
    const { id, revision } = told;
    const entry = draft.entries.get(id);
    if (!entry) continue;
    members.note(keyspace, id, entry.sequence);
    // Former states of what was there are not loaded.
    const isWhole = entry.change === 'stored' || !draft.before.has(id);
    if (!isFollowed || !isWhole) continue;
    if (isMove) recent.noteMove(epoch, revision, moveOf(entry, entry.state));
    else recent.note(epoch, revision, entry);
  }
}

const SPANS_MAX = 256;

interface Span {
  readonly after: number;
  readonly through: number;
}

/** Ranges of revisions of a keyspace in which this server has moved memories and nothing else has happened. */
export class OwnMoves {
  private spans: Span[] = [];

  /** Between the two there were only moves. To be called in the order of revisions. */
  note(after: number, through: number): void {
    const last = this.spans.at(-1);
    if (last && last.through >= after) this.spans.pop();
    this.spans.push({ after: last && last.through >= after ? Math.min(last.after, after) : after, through });
    if (this.spans.length > SPANS_MAX) this.spans.shift();
  }

  has(after: number, through: number): boolean {
    return this.spans.some((span) => span.after <= after && through <= span.through);
  }

  /** To be called when the keyspace is another one, whose revisions say nothing of the one before. */
  forget(): void {
    this.spans = [];
  }
}

/** Gives what was loaded of a memory the bytes of its copy, if it is still as it was copied. */
function putCopy(entries: Map<string, Entry>, copy: MirroredMemory): void {
  const { memory, tierSinceUs, embeddingPending } = copy;
  const entry = entries.get(memory.id);
  if (!entry || entry.tierSinceUs !== tierSinceUs || (entry.state === 'pending') !== embeddingPending) return;
  // Other bytes come with another revision, or with the end of waiting for a vector.
  const isSame = layOut(withoutBytes(entry, entry.memory)) === layOut(withoutBytes(entry, memory));
  if (isSame) entries.set(memory.id, { ...entry, memory });
}

/** The same for a memory that another store has read back and found to give its checksum, and that has no former states. */
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

/** A write of one keyspace. It is worked out here, on what was loaded, and takes effect when the keyspace has not changed since. */
export interface Job<O> {
  /** Memories that it is about. */
  readonly ids: readonly string[];
  readonly atUs: Micros;
  readonly idempotency?: Idempotency | undefined;
  /** Outcome to keep for the request id in place of its own. */
  readonly toKeep?: unknown;
  /** The ids are most likely free, so that nothing need be loaded. */
  readonly isFresh?: boolean;
  /** Frees memory, or comes right before what does, as lossy compaction; and so may run when there is none left. */
  readonly frees?: boolean;
  /** What it has to know of them. Absent: all. */
  readonly view?: RowView;
  /** Whole copies of memories that it takes away: of those that are still so the bytes need not be read again. */
  readonly copies?: readonly MirroredMemory[];
  /** The same of memories that another store has, without what only Redis knows of them; each gives its checksum. */
  readonly unchanged?: readonly Memory[];
  /** Changes nothing but the tiers of memories, or lets go of those that another store has as they are. */
  readonly onlyMoves?: boolean;
  /** Works on what is left of a keyspace that Redis has lost something of. */
  readonly isRecovery?: boolean;
  /** Makes the namespace by itself when it is not there. */
  readonly createsKeyspace?: boolean;
  run(draft: KeyspaceDraft): O;
}

export interface Waiting {
  readonly job: Job<unknown>;
  readonly resolve: (outcome: unknown) => void;
  readonly reject: (error: unknown) => void;
}

function requestIds({ idempotency }: Job<unknown>): string[] {
  return idempotency ? [idempotency.requestId] : [];
}

/** What has to be loaded of the memories that they are about. */
function viewFor(jobs: readonly Job<unknown>[]): RowView {
  const [view = 'full', ...others] = jobs.map((job) => job.view);
  return others.every((other) => other === view) ? view : 'full';
}

const BATCH_MIN = 32;
const BATCH_MAX = 128;
/** Redis serves no other call while it does them. */
const MEMORIES_MAX = 2000;

/**
 * How many of those that wait go together: no more than half of many, so that Redis works on one half while the other is made, and
 * no more than are about so many memories. Each job of moves goes by itself: those who read would wait for all of them. What may
 * be done of a keyspace that Redis has lost something of goes without what may not, and would fail with it.
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

/** What of those that failed together can do without the others: what frees memory, where there was none left for them. */
function freeingAmong(failed: readonly Waiting[], error: unknown): readonly Waiting[] {
  if (!(error instanceof MnemeError) || error.reason !== 'STORAGE_FULL') return [];
  const freeing = failed.filter(({ job }) => job.frees);
  return freeing.length < failed.length ? freeing : [];
}
