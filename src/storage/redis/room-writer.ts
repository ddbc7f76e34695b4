import { setImmediate as turn } from 'node:timers/promises';
import type { Idempotency } from '../../memory/call.ts';
import { MnemeError, namespaceNotFound } from '../../memory/errors.ts';
import type { Micros } from '../../memory/memory.ts';
import type { Entry } from '../in-memory/draft.ts';
import type { RedisCommand } from './command-batch.ts';
import type { RedisArgument } from './connection.ts';
import { type Kept, keptOutcome } from './kept-outcome.ts';
import { packArguments } from './pack-arguments.ts';
import { commandsOf } from './room-commands.ts';
import type { LoadedRoom, RoomReader } from './room-reader.ts';
import { roomScripts } from './room-scripts.ts';
import { RoomDraft, type RoomState } from './room-state.ts';

/** A write of one room. It is worked out here, on what was loaded, and takes effect when the room has not changed since. */
export interface Job<O> {
  /** Memories that it is about. */
  readonly ids: readonly string[];
  readonly atUs: Micros;
  readonly idempotency?: Idempotency | undefined;
  /** Outcome to keep for the request id in place of its own. */
  readonly toKeep?: unknown;
  /** The ids are most likely free, so that nothing need be loaded. */
  readonly isFresh?: boolean;
  /** Only frees memory, and so may run when there is none left. */
  readonly frees?: boolean;
  /** Works on what is left of a room that Redis has lost something of. */
  readonly isRecovery?: boolean;
  /** Makes the namespace by itself when it is not there. */
  readonly createsRoom?: boolean;
  run(draft: RoomDraft): O;
}

interface Waiting {
  readonly job: Job<unknown>;
  readonly resolve: (outcome: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Answer = { readonly outcome: unknown } | { readonly error: unknown };

const BATCH_MAX = 128;
const QUEUE_MAX = 4096;
/** Other servers may write to the room at the same time: each time one of them gets through. */
const ATTEMPTS_MAX = 50;

/** Carries out writes of one room, all that wait as one step: one script changes everything or nothing. */
export class RoomWriter {
  private readonly reader: RoomReader;
  private readonly retentionUs: Micros;
  private readonly waiting: Waiting[] = [];
  /** The room as the last write of this server left it. */
  private known: RoomState | undefined;
  private working: Promise<void> | undefined;

  constructor(reader: RoomReader, options: { retentionUs: Micros }) {
    this.reader = reader;
    this.retentionUs = options.retentionUs;
  }

  get isIdle(): boolean {
    return this.working === undefined;
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
      const batch = this.waiting.splice(0, BATCH_MAX);
      try {
        const answers = await this.carryOut(batch.map(({ job }) => job));
        for (const [at, { resolve, reject }] of batch.entries()) {
          const answer = answers[at];
          if (answer && 'outcome' in answer) resolve(answer.outcome);
          else reject(answer?.error);
        }
      } catch (error) {
        this.known = undefined;
        for (const { reject } of batch) reject(error);
      }
    }
    this.working = undefined;
  }

  private async carryOut(jobs: readonly Job<unknown>[]): Promise<Answer[]> {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const blind = attempt === 0 && jobs.every(({ isFresh }) => isFresh) ? this.known : undefined;
      const loaded = blind?.namespace
        ? { state: blind, entries: new Map<string, Entry>(), kept: new Map<string, Kept>() }
        : await this.load(jobs);
      const draft = new RoomDraft(this.reader.name, loaded.state, loaded.entries, this.reader.revisionFloor());
      const outcomes: RedisCommand[] = [];
      const answers = jobs.map((job) => this.answer(job, draft, loaded, outcomes));
      // What was refused without looking may be refused for what was true before.
      if (blind?.namespace && answers.some((answer) => 'error' in answer)) continue;
      if (await this.commit(loaded, draft, jobs, outcomes, blind !== undefined)) return answers;
    }
    throw new MnemeError('OVERLOADED', `too many servers write to namespaces/${this.reader.name} at once`);
  }

  private load(jobs: readonly Job<unknown>[]): Promise<LoadedRoom> {
    const ids = jobs.flatMap((job) => job.ids);
    const isRecovery = jobs.every((job) => job.isRecovery);
    return isRecovery ? this.reader.loadLost(ids) : this.reader.load(ids, jobs.flatMap(requestIds));
  }

  private answer(job: Job<unknown>, draft: RoomDraft, loaded: LoadedRoom, outcomes: RedisCommand[]): Answer {
    const undo = draft.savepoint(job.ids);
    try {
      const { idempotency, atUs } = job;
      const kept = idempotency && keptOutcome(loaded.kept.get(idempotency.requestId), idempotency, atUs);
      if (kept) return kept;
      if (!draft.isThere && !job.createsRoom) throw namespaceNotFound(this.reader.name);
      const outcome = job.run(draft);
      draft.checkWhole(job.ids, loaded.entries);
      if (idempotency) outcomes.push(this.keeping(loaded, idempotency, job.toKeep ?? outcome, atUs));
      return { outcome };
    } catch (error) {
      undo();
      return { error };
    }
  }

  private keeping(
    loaded: LoadedRoom,
    { requestId, fingerprint }: Idempotency,
    outcome: unknown,
    atUs: Micros,
  ): RedisCommand {
    const kept: Kept = { fingerprint, outcome, expiresAtUs: atUs + this.retentionUs };
    const ms = Math.max(1, Math.ceil(this.retentionUs / 1000));
    loaded.kept.set(requestId, kept);
    return ['SET', `${this.reader.room}:r:${requestId}`, JSON.stringify(kept), 'PX', `${ms}`];
  }

  /** False when the room has changed since it was loaded. */
  private async commit(
    loaded: LoadedRoom,
    draft: RoomDraft,
    jobs: readonly Job<unknown>[],
    outcomes: readonly RedisCommand[],
    isBlind: boolean,
  ): Promise<boolean> {
    const { room, connection } = this.reader;
    const commands = [...commandsOf(room, loaded, draft), ...outcomes];
    if (commands.length === 0) return true;
    const free = isBlind ? jobs.flatMap(({ ids }) => ids) : [];
    const unused = isBlind ? jobs.flatMap(requestIds) : [];
    const args: RedisArgument[] = [loaded.state.version === 0 ? '' : `${loaded.state.version}`];
    args.push(`${free.length}`, ...free, `${unused.length}`, ...unused);
    for (const command of commands) args.push(`${command.length}`, ...command);
    const script = jobs.every(({ frees }) => frees) ? roomScripts.erase : roomScripts.commit;
    const isDone = (await connection.run(script, room, [packArguments(args)])) === 1;
    this.known = isDone ? draft.after() : undefined;
    if (isDone) this.reader.observe(draft.after());
    return isDone;
  }
}

function requestIds({ idempotency }: Job<unknown>): string[] {
  return idempotency ? [idempotency.requestId] : [];
}
