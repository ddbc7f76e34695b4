import type { Idempotency } from '../../../../src/memory/call.ts';
import type { Micros } from '../../../../src/memory/memory.ts';
import {
  type Checkpoint,
  idleAtUs,
  isExpired,
  type SessionKey,
  type SessionRecord,
  sessionExists,
  sessionName,
  sessionNotFound,
} from '../../../../src/memory/session.ts';
import { compareTexts } from '../../../../src/memory/values.ts';
import {
  consumersFull,
  EventBell,
  eventsForgotten,
  type LifecycleEvents,
  type StoredEvent,
} from '../../../../src/storage/lifecycle-events.ts';
import type {
  SessionDraft,
  SessionOutcome,
  SessionStatistics,
  SessionStore,
  SessionWrite,
} from '../../../../src/storage/session-store.ts';
import { applyWrite, eraseExpiredIn } from '../../../../src/storage/sessions/apply-write.ts';
import { taskOf } from '../../../../src/storage/sessions/entry-ops.ts';
import { damaged, decodeManifest } from '../../../../src/storage/sessions/manifest.ts';
import { pageOfNotes } from '../../../../src/storage/sessions/read-session.ts';
import { SnapshotReader } from '../../../../src/storage/sessions/read-snapshot.ts';
import { ChangeListeners, compactionOf, nameOf, newRecord } from '../../../../src/storage/sessions/session-view.ts';
import { Outcomes } from '../all-namespaces.ts';
import { begunInCall } from '../begun-in-call.ts';
import { pageOfEntries } from './page-entries.ts';
import { emptyState, InMemorySessionView, type SessionState } from './session-view.ts';

type Reads<K extends keyof SessionStore> = SessionStore[K] extends (...read: infer R) => unknown ? R[0] : never;
type Answer<K extends keyof SessionStore> = SessionStore[K] extends (...read: never[]) => infer A ? A : never;

export interface InMemorySessionOptions {
  readonly idempotencyRetentionMs: number;
  readonly events: InMemoryLifecycleEvents;
}

/** The reference for the other backends; sessions end with the process. */
export class InMemorySessionStore implements SessionStore {
  readonly storesEpisodes = false;
  private readonly states = new Map<string, SessionState>();
  private readonly listeners = new ChangeListeners();
  private readonly outcomes: Outcomes;
  private readonly events: InMemoryLifecycleEvents;

  constructor({ idempotencyRetentionMs, events }: InMemorySessionOptions) {
    this.outcomes = new Outcomes(idempotencyRetentionMs * 1000);
    this.events = events;
  }

  async write(write: SessionWrite): Promise<SessionOutcome> {
    const { namespace, idempotency, atUs } = write;
    await begunInCall();
    const kept = idempotency && this.outcomes.find(namespace, idempotency, atUs);
    if (kept) return kept.outcome as SessionOutcome;
    const outcome = this.apply(write);
    if (idempotency) this.outcomes.keep(namespace, idempotency, outcome, atUs);
    return outcome;
  }

  private apply(write: SessionWrite): SessionOutcome {
    const name = nameOf(write);
    const there = this.states.get(name);
    const found = there && !isExpired(there.record, write.atUs) ? there : undefined;
    if (found && write.create?.mustBeNew) throw sessionExists(write, found.record.state);
    if (!found && !write.create) throw sessionNotFound(write);
    const state = found ?? emptyState(newRecord(write, write.create as SessionDraft, write.atUs));
    const view = new InMemorySessionView(state, write.atUs);
    const results = applyWrite(view, write);
    const dropped = compactionOf(view.record, write.limits.changesMax);
    if (dropped !== undefined) view.dropChanges(dropped);
    if (view.isErased) this.states.delete(name);
    else this.states.set(name, view.state());
    const { namespace, atUs } = write;
    for (const body of view.events) this.events.add(namespace, body, atUs);
    this.listeners.tell(write);
    const { record } = view;
    const isMove = write.ops.some(({ kind }) => kind === 'transition');
    return { revision: record.revision, created: !found, results, ...(isMove && { record: { ...record } }) };
  }

  async outcomeOf({ namespace }: SessionKey, idempotency: Idempotency): Promise<SessionOutcome | undefined> {
    return this.outcomes.find(namespace, idempotency, 0)?.outcome as SessionOutcome | undefined;
  }
  async session(key: SessionKey): Promise<SessionRecord | undefined> {
    return this.states.get(nameOf(key))?.record;
  }
  async sessions({ namespace, limit, afterId = '', states }: Reads<'sessions'>): Promise<SessionRecord[]> {
    return [...this.states.values()]
      .map(({ record }) => record)
      .filter((record) => record.namespace === namespace && compareTexts(record.id, afterId) > 0)
      .filter(({ state }) => !states || states.includes(state))
      .sort((one, other) => compareTexts(one.id, other.id))
      .slice(0, limit);
  }
  async get(read: Reads<'get'>): Answer<'get'> {
    const state = this.states.get(nameOf(read));
    const entries = read.keys.map((key) => {
      const entry = state?.entries.get(key);
      return entry && !isExpired(entry, read.nowUs) ? entry : undefined;
    });
    // Callers never share objects with the store.
    return structuredClone({ revision: state?.record.revision ?? 0, entries });
  }
  async list(read: Reads<'list'>): Answer<'list'> {
    const state = this.states.get(nameOf(read));
    const page = pageOfEntries(state?.entries.values() ?? [], read);
    return structuredClone({ revision: state?.record.revision ?? 0, ...page });
  }
  async notes(read: Reads<'notes'>): Answer<'notes'> {
    const { after, order } = read;
    const { record, notes = [] } = this.states.get(nameOf(read)) ?? {};
    const ordered = order === 'oldest' ? notes : notes.toReversed();
    const isNext = (sequence: number) => (order === 'oldest') === sequence > (after ?? 0) || after === undefined;
    const rest = ordered.filter(({ sequence }) => isNext(sequence) && sequence !== after);
    const totals = { revision: record?.revision ?? 0, total: notes.length, dropped: record?.notesDropped ?? 0 };
    return structuredClone({ ...totals, ...pageOfNotes(rest, read) });
  }
  async checkpoint({ id, nowUs, ...key }: Reads<'checkpoint'>): Promise<Checkpoint | undefined> {
    const checkpoint = this.states.get(nameOf(key))?.checkpoints.get(id);
    return checkpoint && !isExpired(checkpoint, nowUs) ? checkpoint : undefined;
  }
  async checkpoints({ limit, beforeRevision, nowUs, ...key }: Reads<'checkpoints'>): Promise<Checkpoint[]> {
    return [...(this.states.get(nameOf(key))?.checkpoints.values() ?? [])]
      .filter((checkpoint) => !isExpired(checkpoint, nowUs))
      .filter(({ revision }) => beforeRevision === undefined || revision < beforeRevision)
      .sort((one, other) => other.revision - one.revision)
      .slice(0, limit);
  }
  async snapshot({ checkpoint: id, nowUs, ...key }: Reads<'snapshot'>): Answer<'snapshot'> {
    const state = this.states.get(nameOf(key));
    if (!state) return undefined;
    if (id === undefined) {
      const entries = [...state.entries.values()].filter((entry) => !isExpired(entry, nowUs));
      const task = taskOf(state.record.task);
      return structuredClone({ revision: state.record.revision, entries, notes: state.notes, task });
    }
    const checkpoint = await this.checkpoint({ ...key, id, nowUs });
    if (!checkpoint) return undefined;
    const name = `${sessionName(key.namespace, key.session)} checkpoint ${id}`;
    const manifest = state.manifests.get(id);
    if (!manifest) throw damaged(name);
    const reader = new SnapshotReader(name, (number) => state.packs.get(number));
    return reader.snapshot(decodeManifest(name, manifest, checkpoint.checksum), nowUs);
  }
  async changes({ afterRevision, limit, ...key }: Reads<'changes'>): Answer<'changes'> {
    const { record, changes = [] } = this.states.get(nameOf(key)) ?? {};
    const later = changes.filter(({ revision }) => revision > afterRevision);
    const last = later[limit - 1]?.revision ?? Number.POSITIVE_INFINITY;
    return {
      revision: record?.revision ?? 0,
      compactedRevision: record?.compactedRevision ?? 0,
      changes: later.filter(({ revision }) => revision <= last),
    };
  }
  onChange(key: SessionKey, listener: () => void): () => void {
    return this.listeners.add(key, listener);
  }
  async statistics(key: SessionKey, nowUs: Micros): Promise<SessionStatistics | undefined> {
    const state = this.states.get(nameOf(key));
    if (!state) return undefined;
    const { record } = state;
    const live = [...state.entries.values()].filter((entry) => !isExpired(entry, nowUs));
    const { revision, noteCount, noteBytes, notesDropped, checkpointCount, checkpointBytes } = record;
    const { createdAtUs, updatedAtUs, project, agentType, agent } = record;
    return {
      ...{ project, agentType, agent, usingFallback: false },
      ...{ revision, noteCount, noteBytes, notesDropped, checkpointCount, checkpointBytes, createdAtUs, updatedAtUs },
      keyCount: live.length,
      valueBytes: live.reduce((sum, { bytes }) => sum + bytes, 0),
      hasTask: record.task !== '',
    };
  }

  async idle({ nowUs, limit }: Reads<'idle'>): Promise<SessionKey[]> {
    return [...this.states.values()]
      .filter(({ record }) => (idleAtUs(record) ?? Number.POSITIVE_INFINITY) <= nowUs)
      .slice(0, limit)
      .map(({ record }) => ({ namespace: record.namespace, session: record.id }));
  }
  async eraseExpired({ nowUs, limit }: Reads<'eraseExpired'>): Answer<'eraseExpired'> {
    let erasedCount = 0;
    for (const [name, state] of this.states) {
      if (isExpired(state.record, nowUs)) {
        this.states.delete(name);
        erasedCount++;
        continue;
      }
      const view = new InMemorySessionView(state, nowUs);
      const count = eraseExpiredIn(view, nowUs, limit);
      if (count > 0) this.states.set(name, view.state());
      erasedCount += count;
    }
    return { erasedCount, isDone: erasedCount < limit };
  }
  async eraseSession(key: SessionKey): Promise<boolean> {
    return this.states.delete(nameOf(key));
  }
  async eraseNamespace(namespace: string): Promise<void> {
    for (const [name, { record }] of this.states) if (record.namespace === namespace) this.states.delete(name);
  }
  async fenceNamespace(): Promise<void> {}
  describe(): { role: string; technology: string; durability: string }[] {
    return [{ role: 'sessions', technology: 'process memory', durability: 'nothing' }];
  }
  async close(): Promise<void> {}
}

type Asked<K extends keyof LifecycleEvents> = Parameters<LifecycleEvents[K]>[0];

interface Journal {
  events: (StoredEvent & { readonly atUs: Micros })[];
  newest: number;
  forgotten: number;
  readonly consumers: Map<string, number>;
}

/** Keeps events in the process only: for tests, as the reference for the durable stores. */
export class InMemoryLifecycleEvents implements LifecycleEvents {
  private readonly journals = new Map<string, Journal>();
  private readonly bell = new EventBell();

  /** Appends the event of a session's write. */
  add(namespace: string, body: string, atUs: Micros): number {
    const journal = this.journal(namespace);
    journal.newest += 1;
    journal.events.push({ sequence: journal.newest, body, atUs });
    return journal.newest;
  }

  async read({ namespace, afterSequence, limit }: Asked<'read'>): Promise<StoredEvent[]> {
    const { events, forgotten } = this.journal(namespace);
    if (afterSequence < forgotten) throw eventsForgotten(namespace, forgotten);
    const after = events.filter(({ sequence }) => sequence > afterSequence);
    return after.slice(0, limit).map(({ sequence, body }) => ({ sequence, body }));
  }
  async ends(namespace: string): Promise<{ newest: number; forgotten: number }> {
    const { newest, forgotten } = this.journal(namespace);
    return { newest, forgotten };
  }
  async append({ namespace, body, atUs }: Asked<'append'>): Promise<number> {
    return this.add(namespace, body, atUs);
  }
  async acknowledge({ namespace, consumer, sequence, consumersMax }: Asked<'acknowledge'>): Promise<number> {
    const { consumers } = this.journal(namespace);
    const known = consumers.get(consumer);
    if (known === undefined && consumers.size >= consumersMax) throw consumersFull(namespace, consumersMax);
    const now = Math.max(known ?? 0, sequence);
    consumers.set(consumer, now);
    return now;
  }
  async acknowledged({ namespace, consumer }: Asked<'acknowledged'>): Promise<number | undefined> {
    return this.journal(namespace).consumers.get(consumer);
  }
  async erase({ beforeUs, limit }: Asked<'erase'>): Promise<number> {
    let count = 0;
    for (const journal of this.journals.values()) {
      const last = journal.events.slice(0, limit - count).findLast(({ atUs }) => atUs < beforeUs)?.sequence ?? 0;
      const kept = journal.events.filter(({ sequence }) => sequence > last);
      count += journal.events.length - kept.length;
      journal.events = kept;
      journal.forgotten = Math.max(journal.forgotten, last);
    }
    return count;
  }
  async eraseNamespace(namespace: string): Promise<void> {
    this.journals.delete(namespace);
  }
  onEvent(listener: (namespace: string) => void): () => void {
    return this.bell.on(listener);
  }
  announce(namespace: string): void {
    this.bell.ring(namespace);
  }

  private journal(namespace: string): Journal {
    const known = this.journals.get(namespace);
    if (known) return known;
    const journal: Journal = { events: [], newest: 0, forgotten: 0, consumers: new Map() };
    this.journals.set(namespace, journal);
    return journal;
  }
}
