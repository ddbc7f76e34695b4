import type { Scope } from '../../memory/memory.ts';
import { type SessionKey, type SessionRecord, sessionName } from '../../memory/session.ts';
import type {
  AgentDiff,
  AgentForked,
  AgentRestored,
  AgentSnapshot,
  AgentSnapshots,
} from '../../storage/agent-snapshots.ts';
import type { SessionStore, SessionWrite } from '../../storage/session-store.ts';
import { scopeIsPrivate, type VisibilityRules } from './visibility.ts';

type Reads<K extends keyof SessionStore> = SessionStore[K] extends (...read: infer R) => unknown ? R[0] : never;
type Answer<K extends keyof SessionStore> = SessionStore[K] extends (...read: never[]) => infer A ? A : never;

const BATCH = 500;

/** The sessions visible to a call. Naming a hidden session fails with SCOPE_PRIVATE. */
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
  write(write: SessionWrite): Answer<'write'> {
    return this.checked(write, () => this.inner.write(write));
  }
  outcomeOf(...[key, idempotency]: Parameters<SessionStore['outcomeOf']>): Answer<'outcomeOf'> {
    return this.checked(key, () => this.inner.outcomeOf(key, idempotency));
  }
  async session(key: SessionKey): Answer<'session'> {
    const record = await this.inner.session(key);
    if (record && !(await this.sees(record))) throw scopeIsPrivate(sessionName(key.namespace, key.session));
    return record;
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
    return this.checked(read, () => this.inner.get(read));
  }
  list(read: Reads<'list'>): Answer<'list'> {
    return this.checked(read, () => this.inner.list(read));
  }
  notes(read: Reads<'notes'>): Answer<'notes'> {
    return this.checked(read, () => this.inner.notes(read));
  }
  checkpoint(read: Reads<'checkpoint'>): Answer<'checkpoint'> {
    return this.checked(read, () => this.inner.checkpoint(read));
  }
  checkpoints(read: Reads<'checkpoints'>): Answer<'checkpoints'> {
    return this.checked(read, () => this.inner.checkpoints(read));
  }
  snapshot(read: Reads<'snapshot'>): Answer<'snapshot'> {
    return this.checked(read, () => this.inner.snapshot(read));
  }
  changes(read: Reads<'changes'>): Answer<'changes'> {
    return this.checked(read, () => this.inner.changes(read));
  }
  statistics(key: SessionKey, nowUs: number): Answer<'statistics'> {
    return this.checked(key, () => this.inner.statistics(key, nowUs));
  }
  eraseSession(key: SessionKey): Answer<'eraseSession'> {
    return this.checked(key, () => this.inner.eraseSession(key));
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
  describe(): ReturnType<SessionStore['describe']> {
    return this.inner.describe();
  }
  close(): Promise<void> {
    return this.inner.close();
  }

  private checked<A>(key: SessionKey, work: () => Promise<A>): Promise<A> {
    return this.visibilityRules.areOpen(key.namespace) ? work() : this.afterCheck(key, work);
  }

  private async afterCheck<A>({ namespace, session }: SessionKey, work: () => Promise<A>): Promise<A> {
    const { isLimited } = await this.visibilityRules.of(namespace);
    if (isLimited) await this.session({ namespace, session });
    return work();
  }

  private async sees(record: SessionRecord): Promise<boolean> {
    return (await this.visibilityRules.of(record.namespace)).sees(scopeOf(record));
  }
}

function scopeOf({ project, agentType, agent, id }: SessionRecord) {
  return { project, agentType, agent, session: id };
}

type Asked<K extends keyof AgentSnapshots> = Parameters<AgentSnapshots[K]>[0];

const AGENTS_BATCH = 500;

/** The snapshots of agents all of whose memories a call may see; others fail with SCOPE_PRIVATE. */
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

  /** A missing session fails in the operation itself. */
  private async check({ namespace, id }: { readonly namespace: string; readonly id: string }): Promise<void> {
    const { isLimited } = await this.visibilityRules.of(namespace);
    if (!isLimited) return;
    for await (const snapshot of this.all({ namespace })) {
      if (snapshot.id === id) await this.checkScope(namespace, snapshot.scope);
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
