import type { Scope } from '../../memory/memory.ts';
import { checkWritable } from '../../memory/scope.ts';
import type { MemoryStore, StoreWrite, UpdateWrite } from '../memory-store.ts';
import type { HotStore } from '../mirror-store.ts';
import type { ScopePolicies } from '../scope-policies.ts';

/** Before any memory expires. */
const ALWAYS = 0;

/** Protects hot memories of read-only scopes; the cold store protects its own memories itself. */
export class WritableScopes {
  private readonly hot: Pick<HotStore, 'find'>;
  private readonly cold: Pick<MemoryStore, 'get'>;
  private readonly policies: Pick<ScopePolicies, 'list'> | undefined;

  constructor(
    { hot, cold }: { readonly hot: Pick<HotStore, 'find'>; readonly cold: Pick<MemoryStore, 'get'> },
    policies: Pick<ScopePolicies, 'list'> | undefined,
  ) {
    this.hot = hot;
    this.cold = cold;
    this.policies = policies;
  }

  async checkStore({ namespace, memories, erasedIds = [], onConflict }: StoreWrite): Promise<void> {
    const replaced = onConflict === 'replace' ? memories.map(({ id }) => id) : [];
    const scopes = memories.map(({ scope }) => scope);
    await this.check(namespace, [...replaced, ...erasedIds], scopes);
  }

  async checkUpdate({ namespace, id, changes, successor }: UpdateWrite): Promise<void> {
    const scopes = [changes.scope, successor?.scope].filter((scope) => scope !== undefined);
    await this.check(namespace, [id], scopes);
  }

  /** Fails with SCOPE_READ_ONLY where a hot memory, or a new scope of the memories, is in one. */
  async check(namespace: string, ids: readonly string[], scopes: readonly Scope[] = []): Promise<void> {
    const policies = (await this.policies?.list(namespace)) ?? [];
    if (!policies.some(({ isReadOnly }) => isReadOnly)) return;
    for (const scope of scopes) checkWritable(policies, scope);
    const { memories, lostIds } = await this.hot.find({ namespace, ids, view: 'metadata' });
    // For an unreadable memory, its copy has the scope.
    const copies = lostIds.length === 0 ? [] : await this.copiesOf(namespace, lostIds);
    for (const memory of [...memories.values(), ...copies]) if (memory) checkWritable(policies, memory.scope);
  }

  private copiesOf(namespace: string, ids: readonly string[]): ReturnType<MemoryStore['get']> {
    return this.cold.get({ namespace, ids, view: 'metadata', nowUs: ALWAYS });
  }
}
