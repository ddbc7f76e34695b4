import type { Idempotency } from '../../../memory/call.ts';
import { namespaceNotFound } from '../../../memory/errors.ts';
import type { Micros } from '../../../memory/memory.ts';
import {
  type Checkpoint,
  type Entry,
  type EntryHead,
  isExpired,
  type Note,
  type SessionChangeKind,
} from '../../../memory/session.ts';
import { type Fence, LeaseLost } from '../../job-fence.ts';
import type { StoreWrite } from '../../records.ts';
import { type Kept, keptOutcome } from '../../rules/kept-outcome.ts';
import { storeInScopes } from '../../rules/write-in-scopes.ts';
import type { SessionOutcome, SessionWrite } from '../../session-store.ts';
import { applyWrite, eraseExpiredIn } from '../../sessions/apply-write.ts';
import { type LoadedSession, Missing } from '../../sessions/loaded-session.ts';
import { LoadedSessionView } from '../../sessions/loaded-view.ts';
import type { Pack, SessionDraftRecord } from '../../sessions/session-view.ts';
import { compact, episodeIds, outcomeOfWrite, startOf } from '../../sessions/start-of-write.ts';
import type { Answer } from '../lane.ts';
import { type LoadedNamespace, NamespaceDraft } from '../loaded-namespace.ts';
import { noSession, type StoredSession } from './load-sessions.ts';
import { SessionChanges } from './session-changes.ts';

/** The data of a batch of writes to sessions of one namespace, as its transaction has read and locked it. */
export interface LoadedBatch {
  readonly namespace: string;
  sessions: ReadonlyMap<string, StoredSession>;
  readonly kept: ReadonlyMap<string, Kept>;
  /** Fences of jobs that another server runs now. */
  readonly lost: ReadonlySet<Fence>;
  /** For episodes; absent where no write has one. */
  readonly memories: LoadedNamespace | undefined;
  /** Numbers for new sessions; absent until a write needs one. Empty where the namespace does not exist. */
  newKeys?: readonly number[];
}

/** A write of one session. */
export interface BatchWrite {
  readonly session: string;
  readonly atUs: Micros;
  readonly idempotency?: Idempotency;
  readonly fence?: Fence;
  run(batch: SessionBatch): unknown;
}

/** Data that a batch needs besides what is loaded. */
export interface BatchNeeds {
  readonly sessions: Map<string, Missing[]>;
  newKeys: boolean;
}

/** Thrown where a write creates a session and no numbers for new ones are loaded. */
class NoNewKeys extends Error {
  override readonly name = 'NoNewKeys';
}

/** Sessions with rows to write: their present state after the writes so far. */
export interface ChangedSession {
  key: number | undefined;
  loaded: LoadedSession;
  changes: SessionChanges;
}

/** Works out writes on loaded sessions, one after another; each takes effect as a whole or not at all. */
export class SessionBatch {
  readonly loaded: LoadedBatch;
  readonly needs: BatchNeeds = { sessions: new Map(), newKeys: false };
  /** Sessions that exist at the end with changed rows. */
  readonly changed = new Map<string, ChangedSession>();
  /** Ids of changed and erased sessions. */
  readonly touched = new Set<string>();
  /** Numbers of sessions that are erased. */
  readonly erasedKeys: number[] = [];
  readonly events: { readonly body: string; readonly atUs: Micros }[] = [];
  /** Outcomes to store, by request id. */
  readonly outcomes = new Map<string, Kept>();
  /** The memories of the namespace, with the episodes. */
  readonly memories: NamespaceDraft | undefined;
  readonly retentionUs: Micros;
  private readonly states = new Map<string, ChangedSession>();
  private readonly freeKeys: number[];

  /** `revisionFloor`: new revisions of memories are above it. */
  constructor(loaded: LoadedBatch, retentionUs: Micros, revisionFloor: number) {
    this.loaded = loaded;
    this.retentionUs = retentionUs;
    this.memories = loaded.memories && new NamespaceDraft(loaded.memories, revisionFloor);
    this.freeKeys = [...(loaded.newKeys ?? [])];
  }

  /** Answers are final where nothing is needed. */
  get isComplete(): boolean {
    return this.needs.sessions.size === 0 && !this.needs.newKeys;
  }

  answer(job: BatchWrite): Answer {
    const { idempotency, atUs, fence } = job;
    try {
      if (fence && this.loaded.lost.has(fence)) throw new LeaseLost(fence);
      const known =
        idempotency && (this.outcomes.get(idempotency.requestId) ?? this.loaded.kept.get(idempotency.requestId));
      const kept = idempotency && keptOutcome(known, idempotency, atUs);
      if (kept) return kept;
      const outcome = job.run(this);
      if (idempotency) {
        const { requestId, fingerprint } = idempotency;
        this.outcomes.set(requestId, { fingerprint, outcome, expiresAtUs: atUs + this.retentionUs });
      }
      return { outcome };
    } catch (error) {
      if (error instanceof Missing)
        this.needs.sessions.set(job.session, [...(this.needs.sessions.get(job.session) ?? []), error]);
      else if (error instanceof NoNewKeys) this.needs.newKeys = true;
      return { error };
    }
  }

  write(write: SessionWrite): SessionOutcome {
    const state = this.stateOf(write.session);
    const start = startOf(write, state.loaded.record);
    if (start.created) this.checkNamespace();
    const loaded = copyOf(start.created ? noSession() : state.loaded);
    const view = new PostgresSessionView(loaded, { ...start.record }, write.atUs, (episode) => this.remember(episode));
    const undo = this.memories?.savepoint(episodeIds(write));
    try {
      const results = applyWrite(view, write);
      compact(view.record, write, (revision) => view.compact(revision));
      if (start.replaces) this.erase(write.session);
      this.take(write.session, loaded, view, write.atUs);
      return outcomeOfWrite(write, view.record, start.created, results);
    } catch (error) {
      undo?.();
      throw error;
    }
  }

  /** Erases what has expired; returns the number of erased sessions, keys and checkpoints. */
  eraseExpired(session: string, nowUs: Micros, limit: number): number {
    const { record, ...rest } = this.stateOf(session).loaded;
    if (!record) return 0;
    if (isExpired(record, nowUs)) return this.erase(session) ? 1 : 0;
    const loaded = copyOf({ record, ...rest });
    const view = new PostgresSessionView(loaded, { ...record }, nowUs, (episode) => this.remember(episode));
    const count = eraseExpiredIn(view, nowUs, limit);
    if (count > 0) this.take(session, loaded, view, nowUs);
    return count;
  }

  /** False where there is no session. */
  erase(session: string): boolean {
    const state = this.stateOf(session);
    if (!state.loaded.record) return false;
    // A session that this batch has made has no rows yet.
    if (state.key !== undefined) this.erasedKeys.push(state.key);
    this.changed.delete(session);
    this.touched.add(session);
    this.states.set(session, { key: undefined, loaded: noSession(), changes: new SessionChanges() });
    return true;
  }

  /** A number for a new session. */
  newKey(): number {
    const key = this.freeKeys.pop();
    if (key === undefined) throw new Error('there are fewer numbers than new sessions');
    return key;
  }

  private take(session: string, loaded: LoadedSession, view: PostgresSessionView, atUs: Micros): void {
    const state = this.stateOf(session);
    state.loaded = { ...loaded, record: view.record };
    view.addTo(state.changes);
    this.changed.set(session, state);
    this.touched.add(session);
    for (const body of view.events) this.events.push({ body, atUs });
    if (view.isErased) this.erase(session);
  }

  private stateOf(session: string): ChangedSession {
    const known = this.states.get(session);
    if (known) return known;
    const loaded = this.loaded.sessions.get(session);
    if (!loaded) throw new Error('a session was not loaded for its write');
    const state = { key: loaded.key, loaded, changes: new SessionChanges() };
    this.states.set(session, state);
    return state;
  }

  private remember(write: StoreWrite): void {
    const { memories } = this;
    if (!memories) throw new Error('the memories were not loaded for an episode');
    if (!memories.isThere) throw namespaceNotFound(this.loaded.namespace);
    const ids = write.memories.map(({ id }) => id);
    storeInScopes(memories, write);
    if (this.loaded.memories) memories.checkWhole(ids, this.loaded.memories.entries);
    for (const id of ids) memories.writtenAtUs.set(id, write.atUs);
  }

  private checkNamespace(): void {
    const { newKeys, namespace } = this.loaded;
    if (!newKeys) throw new NoNewKeys();
    if (newKeys.length === 0) throw namespaceNotFound(namespace);
  }
}

/** A copy that a write may change. */
function copyOf(session: LoadedSession): LoadedSession {
  return {
    record: session.record,
    has: new Set(session.has),
    entries: new Map(session.entries),
    notes: session.notes,
    checkpoints: new Map(session.checkpoints),
    manifests: new Map(session.manifests),
    packs: new Map(session.packs),
    packsOf: session.packsOf,
  };
}

/** A session inside one write: its changes take effect when the write has succeeded. */
class PostgresSessionView extends LoadedSessionView {
  readonly events: string[] = [];
  readonly remember: (write: StoreWrite) => void;
  private readonly steps: ((changes: SessionChanges) => void)[] = [];

  constructor(loaded: LoadedSession, record: SessionDraftRecord, atUs: Micros, remember: (write: StoreWrite) => void) {
    super(loaded, record, atUs);
    this.remember = remember;
  }

  emit(event: string): void {
    this.events.push(event);
  }
  compact(revision: number): void {
    this.steps.push((changes) => changes.compact(revision));
  }
  /** Adds the changes of the write to those of earlier writes. */
  addTo(changes: SessionChanges): void {
    for (const step of this.steps) step(changes);
  }

  protected saveEntry(entry: Entry): void {
    this.steps.push((changes) => changes.putEntry(entry));
  }
  protected saveTimes(head: EntryHead): void {
    this.steps.push((changes) => changes.setTimes(head));
  }
  protected dropEntry(key: string): void {
    this.steps.push((changes) => changes.dropEntry(key));
  }
  protected dropEntries(): void {
    this.steps.push((changes) => changes.dropEntries());
  }
  protected saveNotes(notes: readonly Note[]): void {
    this.steps.push((changes) => changes.appendNotes(notes));
  }
  protected dropNotes(from: number, to: number): void {
    this.steps.push((changes) => changes.dropNotes(from, to));
  }
  protected saveCheckpoint(checkpoint: Checkpoint): void {
    this.steps.push((changes) => changes.putCheckpoint(checkpoint));
  }
  protected saveBody(id: string, manifest: Uint8Array, packs: readonly Pack[]): void {
    this.steps.push((changes) => changes.putBody(id, manifest, packs));
  }
  protected dropCheckpoint(id: string, packs: readonly number[]): void {
    this.steps.push((changes) => changes.dropCheckpoint(id, packs));
  }
  protected saveChange(part: number, kind: SessionChangeKind, key: string): void {
    const change = { revision: this.record.revision, part, kind, key, at_us: this.atUs };
    this.steps.push((changes) => changes.append(change));
  }
}
