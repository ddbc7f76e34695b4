import { MnemeError } from '../../memory/errors.ts';
import type { Scope } from '../../memory/memory.ts';
import { type SessionKey, type SessionRecord, sessionName } from '../../memory/session.ts';
import {
  type AgentDiff,
  type AgentForked,
  type AgentRestored,
  type AgentSnapshot,
  type AgentSnapshots,
  snapshotNotFound,
} from '../../storage/agent-snapshots.ts';
import type { SessionStore, SessionWrite } from '../../storage/session-store.ts';
import { scopeIsPrivate, scopeRefusal, type VisibilityRules } from './visibility.ts';

type Reads<K extends keyof SessionStore> = SessionStore[K] extends (...read: infer R) => unknown ? R[0] : never;
type Answer<K extends keyof SessionStore> = SessionStore[K] extends (...read: never[]) => infer A ? A : never;

const BATCH = 500;

/**
 * The sessions visible to a call. A hidden session is answered like a missing one, except that its id is in use: a write
 * that would create it fails with SCOPE_PRIVATE.
 */
export class SeenSessions implements SessionStore {
  private readonly inner: SessionStore;
  private readonly visibilityRules: VisibilityRules;

  constructor(inner: SessionStore, visibilityRules: VisibilityRules) {
    this.inner = inner;
    this.visibilityRules = visibilityRules;
  }

  get storesEpisodes(): boolean {
    return this.inner.storesEpisodes;
  }
  async write(write: SessionWrite): Answer<'write'> {
    if (write.create) {
      const refusal = scopeRefusal(write.namespace, scopeOf({ ...write.create, id: write.session }));
      if (await this.hides(write)) throw refusal ?? scopeIsPrivate(sessionName(write.namespace, write.session));
      if (refusal && !(await this.inner.session(write))) throw refusal;
    }
    return this.seen(write, (key) => this.inner.write(key));
  }
  outcomeOf(...[key, idempotency]: Parameters<SessionStore['outcomeOf']>): Answer<'outcomeOf'> {
    return this.seen(key, (seen) => this.inner.outcomeOf(seen, idempotency));
  }
  session(key: SessionKey): Answer<'session'> {
    return this.seen(key, (seen) => this.inner.session(seen));
  }
  async sessions({ limit, ...read }: Reads<'sessions'>): Answer<'sessions'> {
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
  get(read: Reads<'get'>): Answer<'get'> {
    return this.seen(read, (seen) => this.inner.get(seen));
  }
  list(read: Reads<'list'>): Answer<'list'> {
    return this.seen(read, (seen) => this.inner.list(seen));
  }
  notes(read: Reads<'notes'>): Answer<'notes'> {
    return this.seen(read, (seen) => this.inner.notes(seen));
  }
  checkpoint(read: Reads<'checkpoint'>): Answer<'checkpoint'> {
    return this.seen(read, (seen) => this.inner.checkpoint(seen));
  }
  checkpoints(read: Reads<'checkpoints'>): Answer<'checkpoints'> {
    return this.seen(read, (seen) => this.inner.checkpoints(seen));
  }
  snapshot(read: Reads<'snapshot'>): Answer<'snapshot'> {
    return this.seen(read, (seen) => this.inner.snapshot(seen));
  }
  changes(read: Reads<'changes'>): Answer<'changes'> {
    return this.seen(read, (seen) => this.inner.changes(seen));
  }
  statistics(key: SessionKey, nowUs: number): Answer<'statistics'> {
    return this.seen(key, (seen) => this.inner.statistics(seen, nowUs));
  }
  eraseSession(key: SessionKey): Answer<'eraseSession'> {
    return this.seen(key, (seen) => this.inner.eraseSession(seen));
  }
  onChange(key: SessionKey, listener: () => void): () => void {
    return this.inner.onChange(key, listener);
  }
  idle(read: Reads<'idle'>): Answer<'idle'> {
    return this.inner.idle(read);
  }
  eraseExpired(read: Reads<'eraseExpired'>): Answer<'eraseExpired'> {
    return this.inner.eraseExpired(read);
  }
  eraseNamespace(namespace: string): Promise<void> {
    return this.inner.eraseNamespace(namespace);
  }
  fenceNamespace(namespace: string): Promise<void> {
    return this.inner.fenceNamespace(namespace);
  }
  describe(): ReturnType<SessionStore['describe']> {
    return this.inner.describe();
  }
  close(): Promise<void> {
    return this.inner.close();
  }

  /** Runs the work for the session where the caller sees it, and otherwise for one that is missing. */
  private seen<K extends SessionKey, A>(key: K, work: (key: K) => Promise<A>): Promise<A> {
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

type Asked<K extends keyof AgentSnapshots> = Parameters<AgentSnapshots[K]>[0];

const AGENTS_BATCH = 500;

/**
 * The snapshots of agents all of whose memories a call may see; others are answered like missing ones. Naming a hidden
 * scope fails with SCOPE_PRIVATE.
 */
export class SeenAgents implements AgentSnapshots {
  private readonly inner: AgentSnapshots;
  private readonly visibilityRules: VisibilityRules;

  constructor(inner: AgentSnapshots, visibilityRules: VisibilityRules) {
    this.inner = inner;
    this.visibilityRules = visibilityRules;
  }

  async take(write: Asked<'take'>): Promise<AgentSnapshot> {
    await this.checkScope(write.namespace, write.scope);
    return this.inner.take(write);
  }
  async list({ limit, ...read }: Asked<'list'>): Promise<AgentSnapshot[]> {
    const { isLimited, seesAllOf } = await this.visibilityRules.of(read.namespace);
    if (!isLimited) return this.inner.list({ ...read, limit });
    const found: AgentSnapshot[] = [];
    for await (const snapshot of this.all(read)) {
      if (found.length === limit) break;
      if (seesAllOf(snapshot.scope)) found.push(snapshot);
    }
    return found;
  }
  async drop(write: Asked<'drop'>): Promise<void> {
    await this.check(write);
    return this.inner.drop(write);
  }
  async diff(read: Asked<'diff'>): Promise<AgentDiff> {
    await this.check(read);
    if (read.to && 'snapshot' in read.to) await this.check({ ...read, id: read.to.snapshot });
    else if (read.to) await this.checkScope(read.namespace, read.to.scope);
    return this.inner.diff(read);
  }
  async restore(write: Asked<'restore'>): Promise<AgentRestored> {
    await this.check(write);
    return this.inner.restore(write);
  }
  async fork(write: Asked<'fork'>): Promise<AgentForked> {
    await this.check(write);
    return this.inner.fork(write);
  }

  /** Fails with SNAPSHOT_NOT_FOUND for a hidden snapshot; a missing one fails in the operation itself. */
  private async check({ namespace, id }: { readonly namespace: string; readonly id: string }): Promise<void> {
    const { isLimited, seesAllOf } = await this.visibilityRules.of(namespace);
    if (!isLimited) return;
    for await (const snapshot of this.all({ namespace })) {
      if (snapshot.id === id && !seesAllOf(snapshot.scope)) throw snapshotNotFound(id);
    }
  }

  private async checkScope(namespace: string, scope: Scope): Promise<void> {
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
