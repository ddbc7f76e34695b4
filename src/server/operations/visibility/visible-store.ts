import { isDamage, isNamespaceMissing, memoryNotFound } from '../../../memory/errors.ts';
import type { Memory } from '../../../memory/memory.ts';
import type {
  Change,
  ChangeKind,
  ChangeOf,
  CountRead,
  ListRead,
  Outcome,
  Records,
  StoreWrite,
  TouchWrite,
  UpdateWrite,
} from '../../../storage/records.ts';
import type { Answer, Asked, View } from '../../../storage/view.ts';
import { withMethods } from '../../../storage/with-methods.ts';
import {
  checkScopeAllowed,
  scopeIsPrivate,
  type Visibility,
  type VisibilityRules,
  withVisibility,
} from './visibility.ts';

/** The records that a call may see and change, as if there were no others. */
export function visibleRecords(records: Records, visibilityRules: VisibilityRules): Records {
  const seen = new SeenRecords(records, visibilityRules);
  return withMethods(records, {
    write: (change) => seen.write(change),
    get: (read) => seen.get(read),
    revisions: (read) => seen.revisions(read),
  });
}

/** A view of the memories that a call may see. */
export function visibleView(view: View, visibilityRules: VisibilityRules): View {
  return withMethods(view, {
    list: async (read) => view.list(await narrowed(read, visibilityRules)),
    count: async (read) => view.count(await narrowed(read, visibilityRules)),
    listScopes: (read) => seenScopes(view, visibilityRules, read),
  });
}

class SeenRecords {
  private readonly inner: Records;
  private readonly visibilityRules: VisibilityRules;

  constructor(inner: Records, visibilityRules: VisibilityRules) {
    this.inner = inner;
    this.visibilityRules = visibilityRules;
  }

  async write<K extends ChangeKind>(change: ChangeOf<K>): Promise<Outcome<K>> {
    return this.inner.write((await this.admitted(change as Change)) as unknown as ChangeOf<K>);
  }

  /** The change without the memories that are hidden; fails where that is not possible. */
  private async admitted(change: Change): Promise<Change> {
    switch (change.kind) {
      case 'store':
        return { ...change, ...(await this.admittedStore(change)) };
      case 'update':
        await this.checkUpdate(change);
        return change;
      case 'delete':
        return { ...change, ids: await this.seenAmong(change, change.mustExist) };
      case 'touch':
        return { ...change, ids: await this.seenAmong(change, false) };
      default:
        return change;
    }
  }

  /**
   * Fails with SCOPE_PRIVATE where the write would reveal or replace a hidden memory, PERMISSION_MISSING in other scopes.
   * Hidden memories among those to be erased stay, as missing ones.
   */
  private async admittedStore(write: StoreWrite): Promise<Pick<StoreWrite, 'erasedIds'>> {
    for (const { scope } of write.memories) checkScopeAllowed(write.namespace, scope);
    const { namespace, memories, erasedIds = [], atUs } = write;
    const ids = memories.map(({ id }) => id);
    const hidden = await this.hiddenOf(namespace, [...ids, ...erasedIds], atUs);
    const replaced = ids.find((id) => hidden.has(id));
    if (replaced !== undefined) throw scopeIsPrivate(`namespaces/${namespace}/memories/${replaced}`);
    return hidden.size > 0 ? { erasedIds: erasedIds.filter((id) => !hidden.has(id)) } : {};
  }

  private async checkUpdate({ namespace, id, atUs, changes, successor }: UpdateWrite): Promise<void> {
    for (const scope of [changes.scope, successor?.scope]) if (scope) checkScopeAllowed(namespace, scope);
    if ((await this.hiddenOf(namespace, [id], atUs)).size > 0) throw memoryNotFound(namespace, id);
    if (successor && (await this.hiddenOf(namespace, [successor.id], atUs)).size > 0) {
      throw scopeIsPrivate(`namespaces/${namespace}/memories/${successor.id}`);
    }
  }

  private async seenAmong({ namespace, ids, atUs }: TouchWrite, mustExist: boolean): Promise<readonly string[]> {
    const hidden = await this.hiddenOf(namespace, ids, atUs);
    const [first] = hidden;
    if (first !== undefined && mustExist) throw memoryNotFound(namespace, first);
    return hidden.size > 0 ? ids.filter((id) => !hidden.has(id)) : ids;
  }

  get(read: Asked<'get'>): Answer<'get'> {
    return this.visibilityRules.areOpen(read.namespace) ? this.inner.get(read) : this.seenOnly(read);
  }
  private async seenOnly(read: Asked<'get'>): Answer<'get'> {
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
  /** States that it had in a scope that is hidden are left out too. */
  async revisions(read: Asked<'revisions'>): Answer<'revisions'> {
    const visibility = await this.visibilityRules.of(read.namespace);
    if (!visibility.isLimited) return this.inner.revisions(read);
    const { namespace, id, nowUs } = read;
    const [present] = await this.get({ namespace, ids: [id], view: 'metadata', nowUs });
    if (!present) throw memoryNotFound(namespace, id);
    return (await this.inner.revisions(read)).filter(({ memory }) => visibility.sees(memory.scope));
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

async function narrowed<R extends ListRead | CountRead>(read: R, visibilityRules: VisibilityRules): Promise<R> {
  const visibility = await visibilityRules.of(read.namespace);
  const filter = visibility.isLimited && withVisibility(read.filter, visibility);
  return filter ? { ...read, filter } : read;
}

async function seenScopes(
  view: View,
  visibilityRules: VisibilityRules,
  { limit, ...read }: Asked<'listScopes'>,
): Answer<'listScopes'> {
  const visibility = await visibilityRules.of(read.namespace);
  const seen: Awaited<Answer<'listScopes'>> = [];
  for (let after = read.after; ; ) {
    const page = await view.listScopes({ ...read, limit, ...(after ? { after } : {}) });
    seen.push(...page.filter(({ scope }) => visibility.sees(scope)));
    after = page.at(-1)?.scope;
    if (page.length < limit || seen.length >= limit) return seen.slice(0, limit);
  }
}

function seenOf(memory: Memory | undefined, visibility: Visibility): Memory | undefined {
  return memory && visibility.sees(memory.scope) ? memory : undefined;
}
