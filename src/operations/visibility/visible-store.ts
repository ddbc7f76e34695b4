import { isDamage, isNamespaceMissing, memoryNotFound } from '../../memory/errors.ts';
import type { Memory, Scope } from '../../memory/memory.ts';
import type { DeleteWrite, MemoryStore, StoreWrite, UpdateWrite } from '../../storage/memory-store.ts';
import { withMethods } from '../memories/store-methods.ts';
import {
  checkScopeAllowed,
  scopeIsPrivate,
  type Visibility,
  type VisibilityRules,
  withVisibility,
} from './visibility.ts';

type Reads<K extends keyof MemoryStore> = MemoryStore[K] extends (...read: infer R) => unknown ? R[0] : never;
type Answer<K extends keyof MemoryStore> = MemoryStore[K] extends (...read: never[]) => infer A ? A : never;

/** The memories that a call may see, as if there were no others. */
export function visibleStore(store: MemoryStore, visibilityRules: VisibilityRules): MemoryStore {
  const seen = new SeenMemories(store, visibilityRules);
  return withMethods(store, {
    store: (write) => seen.store(write),
    update: (write) => seen.update(write),
    delete: (write) => seen.delete(write),
    touch: (write) => seen.touch(write),
    get: (read) => seen.get(read),
    list: (read) => seen.list(read),
    count: (read) => seen.count(read),
    revisions: (read) => seen.revisions(read),
    listScopes: (read) => seen.listScopes(read),
  });
}

class SeenMemories {
  private readonly inner: MemoryStore;
  private readonly visibilityRules: VisibilityRules;

  constructor(inner: MemoryStore, visibilityRules: VisibilityRules) {
    this.inner = inner;
    this.visibilityRules = visibilityRules;
  }

  /**
   * Fails with SCOPE_PRIVATE where the write would reveal or replace a hidden memory, PERMISSION_MISSING in other scopes.
   * Hidden memories among those to be erased stay, as missing ones.
   */
  async store(write: StoreWrite): Answer<'store'> {
    for (const { scope } of write.memories) checkScopeAllowed(write.namespace, scope);
    const { namespace, memories, erasedIds = [], atUs } = write;
    const ids = memories.map(({ id }) => id);
    const hidden = await this.hiddenOf(namespace, [...ids, ...erasedIds], atUs);
    const replaced = ids.find((id) => hidden.has(id));
    if (replaced !== undefined) throw scopeIsPrivate(`namespaces/${namespace}/memories/${replaced}`);
    if (hidden.size === 0) return this.inner.store(write);
    return this.inner.store({ ...write, erasedIds: erasedIds.filter((id) => !hidden.has(id)) });
  }
  async update(write: UpdateWrite): Answer<'update'> {
    const { namespace, id, atUs, successor } = write;
    for (const scope of [write.changes.scope, successor?.scope]) if (scope) checkScopeAllowed(namespace, scope);
    if ((await this.hiddenOf(namespace, [id], atUs)).size > 0) throw memoryNotFound(namespace, id);
    if (successor && (await this.hiddenOf(namespace, [successor.id], atUs)).size > 0) {
      throw scopeIsPrivate(`namespaces/${namespace}/memories/${successor.id}`);
    }
    return this.inner.update(write);
  }
  async delete(write: DeleteWrite): Answer<'delete'> {
    const { namespace, atUs, mustExist } = write;
    const hidden = await this.hiddenOf(namespace, write.ids, atUs);
    const [first] = hidden;
    if (first !== undefined && mustExist) throw memoryNotFound(namespace, first);
    const ids = hidden.size > 0 ? write.ids.filter((id) => !hidden.has(id)) : write.ids;
    return this.inner.delete({ ...write, ids });
  }
  async touch(write: Reads<'touch'>): Answer<'touch'> {
    const hidden = await this.hiddenOf(write.namespace, write.ids, write.atUs);
    return this.inner.touch(hidden.size > 0 ? { ...write, ids: write.ids.filter((id) => !hidden.has(id)) } : write);
  }
  get(read: Reads<'get'>): Answer<'get'> {
    return this.visibilityRules.areOpen(read.namespace) ? this.inner.get(read) : this.seenOnly(read);
  }
  private async seenOnly(read: Reads<'get'>): Answer<'get'> {
    const visibility = await this.visibilityRules.of(read.namespace);
    if (!visibility.isLimited) return this.inner.get(read);
    try {
      return (await this.inner.get(read)).map((memory) => seenOf(memory, visibility));
    } catch (error) {
      if (!isDamage(error)) throw error;
      // A hidden memory is reported as missing, whether intact or damaged.
      const hidden = await this.hiddenOf(read.namespace, read.ids, read.nowUs);
      if (hidden.size === 0) throw error;
      const ids = read.ids.filter((id) => !hidden.has(id));
      const found = new Map((await this.inner.get({ ...read, ids })).map((memory, at) => [ids[at], memory]));
      return read.ids.map((id) => seenOf(found.get(id), visibility));
    }
  }
  async list(read: Reads<'list'>): Answer<'list'> {
    return this.inner.list(await this.narrowed(read));
  }
  async count(read: Reads<'count'>): Answer<'count'> {
    return this.inner.count(await this.narrowed(read));
  }
  /** States that it had in a scope that is hidden are left out too. */
  async revisions(read: Reads<'revisions'>): Answer<'revisions'> {
    const visibility = await this.visibilityRules.of(read.namespace);
    if (!visibility.isLimited) return this.inner.revisions(read);
    const { namespace, id, nowUs } = read;
    const [present] = await this.get({ namespace, ids: [id], view: 'metadata', nowUs });
    if (!present) throw memoryNotFound(namespace, id);
    return (await this.inner.revisions(read)).filter(({ memory }) => visibility.sees(memory.scope));
  }
  async listScopes({ limit, ...read }: Reads<'listScopes'>): Answer<'listScopes'> {
    const visibility = await this.visibilityRules.of(read.namespace);
    const seen: { scope: Scope; count: number }[] = [];
    for (let after = read.after; ; ) {
      const page = await this.inner.listScopes({ ...read, limit, ...(after ? { after } : {}) });
      seen.push(...page.filter(({ scope }) => visibility.sees(scope)));
      after = page.at(-1)?.scope;
      if (page.length < limit || seen.length >= limit) return seen.slice(0, limit);
    }
  }

  private async narrowed<R extends Reads<'list'> | Reads<'count'>>(read: R): Promise<R> {
    const visibility = await this.visibilityRules.of(read.namespace);
    const filter = visibility.isLimited && withVisibility(read.filter, visibility);
    return filter ? { ...read, filter } : read;
  }

  /** Existing memories that are not visible. */
  private async hiddenOf(namespace: string, ids: readonly string[], nowUs: number): Promise<Set<string>> {
    const visibility = await this.visibilityRules.of(namespace);
    if (!visibility.isLimited) return NONE;
    try {
      const found = await this.inner.get({ namespace, ids, view: 'metadata', nowUs });
      return new Set(found.flatMap((memory) => (memory && !visibility.sees(memory.scope) ? [memory.id] : [])));
    } catch (error) {
      // A write may create the namespace.
      if (isNamespaceMissing(error)) return NONE;
      throw error;
    }
  }
}

const NONE = new Set<string>();

function seenOf(memory: Memory | undefined, visibility: Visibility): Memory | undefined {
  return memory && visibility.sees(memory.scope) ? memory : undefined;
}
