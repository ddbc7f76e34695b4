import { hash, randomUUID } from 'node:crypto';
import type { Clock } from '../../../memory/clock.ts';
import { isUnavailable, MnemeError } from '../../../memory/errors.ts';
import { type SessionKey, type SessionLimits, type SessionRecord, sessionName } from '../../../memory/session.ts';
import type { SessionDraft, SessionOp, SessionOutcome, SessionStore, SessionWrite } from '../../session-store.ts';
import { withMethods } from '../../with-methods.ts';
import { type Conflict, type Detour, detourFor, mergeOf } from './merge-session.ts';
import { SessionCopies } from './session-copies.ts';

export interface FallbackOptions {
  readonly remote: SessionStore;
  /** Store of this server alone; durable. */
  readonly local: SessionStore;
  /** False: copies serve no new reads or writes, but earlier local writes are still merged. */
  readonly goesOn: boolean;
  readonly clock: Clock;
  /** Limits of merge writes; acknowledged writes are merged even beyond the number of values. */
  readonly limits: SessionLimits;
  readonly namespaces: () => AsyncIterable<string>;
  /** Called when local writes conflict with those of others. */
  readonly onConflicts?: (session: string, conflicts: readonly Conflict[]) => void;
}

interface Detoured {
  readonly key: SessionKey;
  readonly detour: Detour;
  /** Reason of the last failed merge. */
  failure?: string;
}

const MERGE_TRIES_MAX = 8;
const COPY_KEPT_US = 7 * 86_400_000_000;
const CLEANUP_INTERVAL_US = 3_600_000_000;

/**
 * Sessions of a store that may be away. Each write also goes to a copy in the store of this server, before it is
 * acknowledged. While the other store does not answer, working memory continues with the copies: a session with local
 * writes is served from its copy until these are merged. Transitions and checkpoints need the other store, which has all
 * other calls too.
 */
export async function openFallbackSessions(options: FallbackOptions): Promise<FallbackSessionStore> {
  const fallback = new SessionFallback(options);
  await fallback.readDetours();
  return fallback.store;
}

export interface FallbackSessionStore extends SessionStore {
  /** Sessions that are served from their copies until they are merged, with the reason of a failed merge. */
  readonly detours: readonly { readonly session: string; readonly failure?: string }[];
  /** Merges local writes, as far as the other store answers. */
  comeBackAll(signal: AbortSignal): Promise<void>;
}

class SessionFallback {
  readonly store: FallbackSessionStore;
  private readonly options: FallbackOptions;
  private readonly remote: SessionStore;
  private readonly copies: SessionCopies;
  private readonly detoured = new Map<string, Detoured>();
  private readonly queues = new Map<string, Promise<unknown>>();
  private cleanedAtUs = 0;

  constructor(options: FallbackOptions) {
    const { remote, local } = options;
    this.options = options;
    this.remote = remote;
    this.copies = new SessionCopies(local, remote);
    const detours = () => [...this.detoured].map(([session, { failure }]) => ({ session, failure }));
    this.store = withMethods(remote, {
      storesEpisodes: false,
      get detours() {
        return detours();
      },
      comeBackAll: (signal: AbortSignal) => this.comeBackAll(signal),
      write: (write) => this.inTurn(write, () => this.write(write)),
      session: (key) =>
        this.read(key, async (store, read) => {
          const record = await store.session(read);
          return record && { ...record, id: key.session };
        }),
      get: (read) => this.read(read, (store, of) => store.get(of)),
      list: (read) => this.read(read, (store, of) => store.list(of)),
      notes: (read) => this.read(read, (store, of) => store.notes(of)),
      statistics: (key, nowUs) =>
        this.read(key, async (store, of) => {
          const found = await store.statistics(of, nowUs);
          return found && { ...found, usingFallback: store !== remote };
        }),
      eraseExpired: async (read) => {
        const erased = await remote.eraseExpired(read);
        await this.forgetOldCopies(read.nowUs);
        return erased;
      },
      eraseSession: (key) =>
        this.inTurn(key, async () => {
          const wasThere = await remote.eraseSession(key);
          await this.copies.erase(key);
          await this.endDetour(key);
          return wasThere;
        }),
      eraseNamespace: async (namespace) => {
        await remote.eraseNamespace(namespace);
        await this.copies.eraseNamespace(namespace);
        for (const [name, { key }] of this.detoured) if (key.namespace === namespace) this.detoured.delete(name);
      },
      close: async () => {
        await Promise.allSettled(this.queues.values());
        await remote.close();
      },
    });
  }

  /** Reads which copies had local writes before the process started. */
  async readDetours(): Promise<void> {
    const { namespaces, goesOn } = this.options;
    for await (const namespace of namespaces()) {
      for (const [session, detour] of await this.copies.detours(namespace)) {
        this.detoured.set(sessionName(namespace, session), { key: { namespace, session }, detour });
      }
      // Copies that are not updated would be outdated when they are needed again.
      if (!goesOn) await this.forgetCopies(namespace, Number.POSITIVE_INFINITY);
    }
  }

  private async write(write: SessionWrite): Promise<SessionOutcome> {
    const kept = await this.copies.outcomeOf(write);
    if (kept) return kept;
    const isDetoured = this.detoured.has(nameOf(write));
    if (isDetoured && isServable(write, true)) return this.copies.write(write);
    if (isDetoured) await this.comeBack(write);
    return this.writeThrough(write);
  }

  private async comeBackAll(signal: AbortSignal): Promise<void> {
    for (const [name, detoured] of [...this.detoured]) {
      if (signal.aborted) return;
      try {
        await this.inTurn(detoured.key, async () => {
          if (this.detoured.has(name)) await this.comeBack(detoured.key);
        });
      } catch (error) {
        if (isAway(error)) return;
        detoured.failure = error instanceof Error ? error.message : String(error);
      }
    }
  }

  private async read<R extends SessionKey, A>(read: R, ask: (store: SessionStore, of: R) => Promise<A>): Promise<A> {
    if (this.detoured.has(nameOf(read)) && (await this.copies.record(read))) return this.copies.read(read, ask);
    try {
      return await ask(this.remote, read);
    } catch (error) {
      if (!this.options.goesOn || !isAway(error) || !(await this.copies.record(read))) throw error;
      return this.copies.read(read, ask);
    }
  }

  private async writeThrough(write: SessionWrite): Promise<SessionOutcome> {
    const asked = this.options.goesOn ? withRequest(write) : write;
    let outcome: SessionOutcome;
    try {
      outcome = await this.remote.write(asked);
    } catch (error) {
      if (!this.options.goesOn || !isAway(error)) throw error;
      const copy = await this.copies.record(write);
      if (!isServable(write, copy !== undefined)) throw error;
      const detour = detourFor(copy, asked);
      await this.copies.beginDetour(write, detour);
      const { namespace, session } = write;
      this.detoured.set(nameOf(write), { key: { namespace, session }, detour });
      return this.copies.write(write);
    }
    if (this.options.goesOn) await this.copies.follow(write, outcome);
    return outcome;
  }

  /** A process that ends between two of these steps repeats them: merged data is no longer a change. */
  private async comeBack(key: SessionKey): Promise<void> {
    const name = nameOf(key);
    const detoured = this.detoured.get(name);
    if (!detoured) return;
    await this.merge(key, detoured.detour);
    // From here on the other store serves reads: the copy is made anew.
    this.detoured.delete(name);
    try {
      const atUs = this.options.clock.nowUs();
      if (this.options.goesOn) await this.copies.adopt({ ...key, atUs });
      else await this.copies.erase(key);
      await this.copies.endDetour(key, atUs);
    } catch (error) {
      this.detoured.set(name, detoured);
      throw error;
    }
  }

  private async merge({ namespace, session }: SessionKey, detour: Detour): Promise<void> {
    const key = { namespace, session };
    const nowUs = this.options.clock.nowUs();
    const local = await this.copies.changedSince(key, detour.revision, nowUs);
    if (!local) return;
    const idempotency = idempotencyOf(key, detour, local.snapshot.revision);
    for (let tries = 1; ; tries++) {
      const there = await this.remote.snapshot({ ...key, nowUs });
      // After the snapshot: a concurrent write changes the revision, and the merge starts again.
      const { firstRequest } = detour;
      const isFirstThere = firstRequest !== undefined && (await this.remote.outcomeOf(key, firstRequest)) !== undefined;
      const { ops, conflicts } = mergeOf(detour, local, there, { nowUs, isFirstThere });
      const revision = there?.revision ?? 0;
      if (ops.length === 0 && (!there || revision >= local.snapshot.revision)) return;
      // Versions that were returned here must not identify other values.
      const check: SessionOp = { kind: 'checkRevision', revision, next: local.snapshot.revision + 1 };
      const rest = { ...key, create: draftOf(local.record), limits: this.mergeLimits(), atUs: nowUs, idempotency };
      try {
        await this.remote.write({ ...rest, ops: [check, ...ops] });
        if (conflicts.length > 0) this.options.onConflicts?.(sessionName(namespace, session), conflicts);
        return;
      } catch (error) {
        const isOvertaken = error instanceof MnemeError && error.reason === 'VERSION_MISMATCH';
        if (!isOvertaken || tries >= MERGE_TRIES_MAX) throw error;
      }
    }
  }

  private mergeLimits(): SessionLimits {
    const most = Number.MAX_SAFE_INTEGER;
    return { ...this.options.limits, keysMax: most, valueBytesMax: most };
  }

  private async endDetour(key: SessionKey): Promise<void> {
    if (!this.detoured.has(nameOf(key))) return;
    await this.copies.endDetour(key, this.options.clock.nowUs());
    this.detoured.delete(nameOf(key));
  }

  /** Copies of sessions that other servers have ended, or that are no longer used. */
  private async forgetOldCopies(nowUs: number): Promise<void> {
    if (nowUs - this.cleanedAtUs < CLEANUP_INTERVAL_US) return;
    this.cleanedAtUs = nowUs;
    for await (const namespace of this.options.namespaces()) await this.forgetCopies(namespace, nowUs - COPY_KEPT_US);
  }

  /** Unchanged since then; copies with unmerged writes stay. */
  private async forgetCopies(namespace: string, beforeUs: number): Promise<void> {
    for await (const { session, updatedAtUs } of this.copies.all(namespace)) {
      const key = { namespace, session };
      if (updatedAtUs > beforeUs || this.detoured.has(nameOf(key))) continue;
      await this.inTurn(key, async () => {
        if (!this.detoured.has(nameOf(key))) await this.copies.erase(key);
      });
    }
  }

  /** Runs the writes of one session in sequence, so that its copy has them in the same order. */
  private async inTurn<A>(key: SessionKey, work: () => Promise<A>): Promise<A> {
    const name = nameOf(key);
    const turn = (this.queues.get(name) ?? Promise.resolve()).then(work, work);
    this.queues.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.queues.get(name) === turn) this.queues.delete(name);
    }
  }
}

function nameOf({ namespace, session }: SessionKey): string {
  return sessionName(namespace, session);
}

/** Whether a write is possible on the copy alone. Without a copy the contents of the session are unknown. */
function isServable(write: SessionWrite, hasCopy: boolean): boolean {
  if (write.states !== undefined || write.create?.mustBeNew) return false;
  return write.ops.every((op) => {
    if (op.kind === 'set' || op.kind === 'setTask') return hasCopy || op.ifVersion === undefined;
    if (op.kind === 'append') return true;
    if (op.kind === 'clear') return hasCopy && !op.checkpoints;
    return hasCopy && (op.kind === 'delete' || op.kind === 'touch' || op.kind === 'check' || op.kind === 'patchTask');
  });
}

/** For an unanswered write of notes, its outcome must be known: repeated, it would append them twice. */
function withRequest(write: SessionWrite): SessionWrite {
  if (write.idempotency || !write.ops.some(({ kind }) => kind === 'append')) return write;
  const requestId = `own-${randomUUID()}`;
  return { ...write, idempotency: { requestId, fingerprint: requestId } };
}

function draftOf({ project, agentType, agent, defaultTtlUs, idleTtlUs, isSpawned }: SessionRecord): SessionDraft {
  return { project, agentType, agent, defaultTtlUs, idleTtlUs, isSpawned, mustBeNew: false };
}

/** Stable over repeated merges. */
function idempotencyOf(key: SessionKey, { revision, startedAtUs }: Detour, localRevision: number) {
  const id = hash('sha256', `${nameOf(key)}\n${revision}\n${startedAtUs}\n${localRevision}`);
  return { requestId: `merge-${id}`, fingerprint: id };
}

const AWAY: ReadonlySet<string> = new Set([
  'timeout',
  'disconnected',
  'circuit_open',
  'loading',
  'cluster_down',
  'busy',
]);

/** The store does not answer; a store that reports a loss is reachable. */
export function isAway(error: unknown): boolean {
  return isUnavailable(error) && AWAY.has(error.metadata['fault'] ?? '');
}
