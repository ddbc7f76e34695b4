import type { Scope } from '../../memory/memory.ts';
import type {
  AgentDiff,
  AgentForked,
  AgentRestored,
  AgentSnapshot,
  AgentSnapshots,
} from '../../storage/agent-snapshots.ts';
import { type Sights, scopeIsPrivate } from './sights.ts';

type Asked<K extends keyof AgentSnapshots> = Parameters<AgentSnapshots[K]>[0];

const BATCH = 500;

/** The snapshots of agents all of whose memories a call may see; others fail with SCOPE_PRIVATE. */
export class SeenAgents implements AgentSnapshots {
  private readonly inner: AgentSnapshots;
  private readonly sights: Sights;

  constructor(inner: AgentSnapshots, sights: Sights) {
    this.inner = inner;
    this.sights = sights;
  }

  async take(write: Asked<'take'>): Promise<AgentSnapshot> {
    await this.checkScope(write.namespace, write.scope);
    return this.inner.take(write);
  }
  async list({ limit, ...read }: Asked<'list'>): Promise<AgentSnapshot[]> {
    const { isLimited, seesAllOf } = await this.sights.of(read.namespace);
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

  /** One that is not there fails where it is asked for. */
  private async check({ namespace, id }: { readonly namespace: string; readonly id: string }): Promise<void> {
    const { isLimited } = await this.sights.of(namespace);
    if (!isLimited) return;
    for await (const snapshot of this.all({ namespace })) {
      if (snapshot.id === id) await this.checkScope(namespace, snapshot.scope);
    }
  }

  private async checkScope(namespace: string, scope: Scope): Promise<void> {
    const { seesAllOf } = await this.sights.of(namespace);
    if (!seesAllOf(scope)) throw scopeIsPrivate(`agent ${scope.agent} of namespaces/${namespace}`);
  }

  private async *all(read: { readonly namespace: string; readonly afterId?: string }): AsyncGenerator<AgentSnapshot> {
    for (let afterId = read.afterId ?? ''; ; ) {
      const page = await this.inner.list({ namespace: read.namespace, limit: BATCH, afterId });
      yield* page;
      afterId = page.at(-1)?.id ?? '';
      if (page.length < BATCH) return;
    }
  }
}
