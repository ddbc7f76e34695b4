import { MnemeError } from '../../../memory/errors.ts';
import type { Scope } from '../../../memory/memory.ts';
import { type SessionKey, type SessionRecord, sessionName } from '../../../memory/session.ts';
import { type AgentSnapshot, type AgentSnapshots, snapshotNotFound } from '../../../storage/agent-snapshots.ts';
import type { SessionOutcome, SessionStore, SessionWrite } from '../../../storage/session-store.ts';
import { withMethods } from '../../../storage/with-methods.ts';
import { scopeIsPrivate, scopeRefusal, type VisibilityRules } from './visibility.ts';

const BATCH = 500;

/**
 * The sessions visible to a call. A hidden session is answered like a missing one, except that its id is in use: a write
 * that would create it fails with SCOPE_PRIVATE.
 */
export function seenSessions(sessions: SessionStore, visibilityRules: VisibilityRules): SessionStore {
  const visible = new VisibleSessions(sessions, visibilityRules);
  return withMethods(sessions, {
    write: (write) => visible.write(write),
    sessions: (read) => visible.sessions(read),
    outcomeOf: (key, idempotency) => visible.seen(key, (seen) => sessions.outcomeOf(seen, idempotency)),
    session: (key) => visible.seen(key, (seen) => sessions.session(seen)),
    get: (read) => visible.seen(read, (seen) => sessions.get(seen)),
    list: (read) => visible.seen(read, (seen) => sessions.list(seen)),
    notes: (read) => visible.seen(read, (seen) => sessions.notes(seen)),
    checkpoint: (read) => visible.seen(read, (seen) => sessions.checkpoint(seen)),
    checkpoints: (read) => visible.seen(read, (seen) => sessions.checkpoints(seen)),
    snapshot: (read) => visible.seen(read, (seen) => sessions.snapshot(seen)),
    changes: (read) => visible.seen(read, (seen) => sessions.changes(seen)),
    statistics: (key, nowUs) => visible.seen(key, (seen) => sessions.statistics(seen, nowUs)),
    eraseSession: (key) => visible.seen(key, (seen) => sessions.eraseSession(seen)),
  });
}

class VisibleSessions {
  private readonly inner: SessionStore;
  private readonly visibilityRules: VisibilityRules;

  constructor(inner: SessionStore, visibilityRules: VisibilityRules) {
    this.inner = inner;
    this.visibilityRules = visibilityRules;
  }

  async write(write: SessionWrite): Promise<SessionOutcome> {
    if (write.create) {
      const refusal = scopeRefusal(write.namespace, scopeOf({ ...write.create, id: write.session }));
      if (await this.hides(write)) throw refusal ?? scopeIsPrivate(sessionName(write.namespace, write.session));
      if (refusal && !(await this.inner.session(write))) throw refusal;
    }
    return this.seen(write, (key) => this.inner.write(key));
  }

  async sessions({ limit, ...read }: Parameters<SessionStore['sessions']>[0]): Promise<SessionRecord[]> {
    const { isLimited, sees } = await this.visibilityRules.of(read.namespace);
    if (!isLimited) return this.inner.sessions({ ...read, limit });
    const found: SessionRecord[] = [];
    for (let afterId = read.afterId; found.length < limit; ) {
      const page = await this.inner.sessions({ ...read, limit: BATCH, ...(afterId === undefined ? {} : { afterId }) });
      found.push(...page.filter((record) => sees(scopeOf(record))));
      afterId = page.at(-1)?.id;
      if (page.length < BATCH) break;
    }
    return found.slice(0, limit);
  }

  /** Runs the work for the session where the caller sees it, and otherwise for one that is missing. */
  seen<K extends SessionKey, A>(key: K, work: (key: K) => Promise<A>): Promise<A> {
    return this.visibilityRules.areOpen(key.namespace) ? work(key) : this.afterCheck(key, work);
  }

  private async afterCheck<K extends SessionKey, A>(key: K, work: (key: K) => Promise<A>): Promise<A> {
    if (!(await this.hides(key))) return work(key);
    try {
      return await work({ ...key, session: NO_ID });
    } catch (error) {
      throw naming(error, key);
    }
  }

  private async hides({ namespace, session }: SessionKey): Promise<boolean> {
    if (this.visibilityRules.areOpen(namespace)) return false;
    const { isLimited, sees } = await this.visibilityRules.of(namespace);
    if (!isLimited) return false;
    const record = await this.inner.session({ namespace, session });
    return record !== undefined && !sees(scopeOf(record));
  }
}

/** An id that no session has. */
const NO_ID = '';

/** The error of a missing session under the id that the caller has named. */
function naming(error: unknown, { namespace, session }: SessionKey): unknown {
  const missing = sessionName(namespace, NO_ID);
  if (!(error instanceof MnemeError) || error.metadata['name'] !== missing) return error;
  const name = sessionName(namespace, session);
  return new MnemeError(error.reason, error.message.replace(missing, name), { metadata: { ...error.metadata, name } });
}

function scopeOf({ project, agentType, agent, id }: Pick<SessionRecord, 'project' | 'agentType' | 'agent' | 'id'>) {
  return { project, agentType, agent, session: id };
}

const AGENTS_BATCH = 500;

/**
 * The snapshots of agents all of whose memories a call may see; others are answered like missing ones. Naming a hidden
 * scope fails with SCOPE_PRIVATE.
 */
export function seenAgents(agents: AgentSnapshots, visibilityRules: VisibilityRules): AgentSnapshots {
  const visible = new VisibleAgents(agents, visibilityRules);
  const checked = async <W extends SnapshotName>(write: W): Promise<W> => {
    await visible.check(write);
    return write;
  };
  return {
    async take(write) {
      await visible.checkScope(write.namespace, write.scope);
      return agents.take(write);
    },
    list: (read) => visible.list(read),
    drop: async (write) => agents.drop(await checked(write)),
    async diff(read) {
      await visible.check(read);
      if (read.to && 'snapshot' in read.to) await visible.check({ ...read, id: read.to.snapshot });
      else if (read.to) await visible.checkScope(read.namespace, read.to.scope);
      return agents.diff(read);
    },
    restore: async (write) => agents.restore(await checked(write)),
    fork: async (write) => agents.fork(await checked(write)),
  };
}

interface SnapshotName {
  readonly namespace: string;
  readonly id: string;
}

class VisibleAgents {
  private readonly inner: AgentSnapshots;
  private readonly visibilityRules: VisibilityRules;

  constructor(inner: AgentSnapshots, visibilityRules: VisibilityRules) {
    this.inner = inner;
    this.visibilityRules = visibilityRules;
  }

  async list({ limit, ...read }: Parameters<AgentSnapshots['list']>[0]): Promise<AgentSnapshot[]> {
    const { isLimited, seesAllOf } = await this.visibilityRules.of(read.namespace);
    if (!isLimited) return this.inner.list({ ...read, limit });
    const found: AgentSnapshot[] = [];
    for await (const snapshot of this.all(read)) {
      if (found.length === limit) break;
      if (seesAllOf(snapshot.scope)) found.push(snapshot);
    }
    return found;
  }

  /** Fails with SNAPSHOT_NOT_FOUND for a hidden snapshot; a missing one fails in the operation itself. */
  async check({ namespace, id }: SnapshotName): Promise<void> {
    const { isLimited, seesAllOf } = await this.visibilityRules.of(namespace);
    if (!isLimited) return;
    for await (const snapshot of this.all({ namespace })) {
      if (snapshot.id === id && !seesAllOf(snapshot.scope)) throw snapshotNotFound(id);
    }
  }

  async checkScope(namespace: string, scope: Scope): Promise<void> {
    const { seesAllOf } = await this.visibilityRules.of(namespace);
    if (!seesAllOf(scope)) throw scopeIsPrivate(`agent ${scope.agent} of namespaces/${namespace}`);
  }

  private async *all(read: { readonly namespace: string; readonly afterId?: string }): AsyncGenerator<AgentSnapshot> {
    for (let afterId = read.afterId ?? ''; ; ) {
      const page = await this.inner.list({ namespace: read.namespace, limit: AGENTS_BATCH, afterId });
      yield* page;
      afterId = page.at(-1)?.id ?? '';
      if (page.length < AGENTS_BATCH) return;
    }
  }
}
