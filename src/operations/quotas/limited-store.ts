import { utf8BodyBytesOf } from '../../memory/checksum.ts';
import { isDamage, isNamespaceMissing, type MnemeError } from '../../memory/errors.ts';
import type { Memory } from '../../memory/memory.ts';
import type { Principal } from '../../memory/principal.ts';
import type { MemoryStore, NamespaceWrite, StoreWrite, UpdateWrite } from '../../storage/memory-store.ts';
import type { TierStore } from '../../storage/tier-store.ts';
import { withMethods } from '../memories/store-methods.ts';
import { accessibleNamespaces } from '../namespaces/namespaces.ts';
import { currentPrincipal } from '../visibility/visibility.ts';
import { Room, type Size } from './room.ts';

type StoredLimit = 'namespace_memories' | 'namespace_bytes' | 'namespaces';

/** Limits of stored data by identity. */
export interface StoredQuotas {
  storedLimitsOf(identity: string): Readonly<Partial<Record<StoredLimit, { readonly most: number }>>>;
  /** The error where a limit would be exceeded; `name`: the namespace that is full. */
  storageExceeded(limit: StoredLimit, identity: string, name?: string): MnemeError;
}

/**
 * A store whose writes fail with QUOTA_EXCEEDED where they exceed a limit of their caller; background jobs have none.
 * Outcomes of earlier writes are returned as before.
 */
export function limitedStore(store: MemoryStore, tiers: Pick<TierStore, 'totals'>, quotas: StoredQuotas): MemoryStore {
  const limited = new LimitedWrites(store, tiers, quotas);
  return withMethods(store, {
    store: (write) => limited.store(write),
    update: (write) => limited.update(write),
    createNamespace: (write) => limited.createNamespace(write),
  });
}

type Answer<K extends keyof MemoryStore> = MemoryStore[K] extends (...read: never[]) => infer A ? A : never;

interface SizedWrite {
  readonly namespace: string;
  readonly size: Size;
  /** The part of the size that is there already. */
  readonly existing: () => Promise<Size>;
  readonly write: Pick<StoreWrite, 'idempotency'>;
}

class LimitedWrites {
  private readonly inner: MemoryStore;
  private readonly quotas: StoredQuotas;
  private readonly room: Room;
  /** Settles when the namespaces that are being created are there. */
  private creations: Promise<unknown> = Promise.resolve();

  constructor(inner: MemoryStore, tiers: Pick<TierStore, 'totals'>, quotas: StoredQuotas) {
    this.inner = inner;
    this.quotas = quotas;
    this.room = new Room(tiers);
  }

  async store(write: StoreWrite): Answer<'store'> {
    const principal = currentPrincipal();
    const limits = principal && this.quotas.storedLimitsOf(principal.identity);
    if (!principal || !limits) return this.inner.store(write);
    const { namespace, memories } = write;
    const store = () => this.inner.store(write);
    const bytes = limits.namespace_bytes ? memories.reduce((sum, memory) => sum + utf8BodyBytesOf(memory), 0) : 0;
    const existing = () => this.existing(write);
    const size = { memories: memories.length, bytes };
    const inRoom = () => this.inRoom(principal, { namespace, size, existing, write }, store);
    const isNew = limits.namespaces !== undefined && write.createNamespace && (await this.isMissing(namespace));
    return isNew ? this.creating(principal, namespace, inRoom) : inRoom();
  }

  async update(write: UpdateWrite): Answer<'update'> {
    const principal = currentPrincipal();
    const limits = principal && this.quotas.storedLimitsOf(principal.identity);
    if (!principal || !limits) return this.inner.update(write);
    const { namespace, successor } = write;
    const growth = limits.namespace_bytes ? await this.growth(write) : 0;
    const bytes = Math.max(0, growth + (successor ? utf8BodyBytesOf(successor) : 0));
    const known = { namespace, size: { memories: successor ? 1 : 0, bytes }, existing: async () => NOTHING, write };
    return this.inRoom(principal, known, () => this.inner.update(write));
  }

  /** Bytes that an update adds to its memory. */
  private async growth({ namespace, id, changes, atUs }: UpdateWrite): Promise<number> {
    if (changes.text === undefined && !('content' in changes)) return 0;
    const [before] = await this.present(namespace, [id], atUs);
    const content = 'content' in changes ? changes.content : before?.content;
    const after = utf8BodyBytesOf({ text: changes.text ?? before?.text ?? '', ...(content && { content }) });
    return after - (before ? utf8BodyBytesOf(before) : 0);
  }

  async createNamespace(write: NamespaceWrite): Answer<'createNamespace'> {
    const principal = currentPrincipal();
    const create = () => this.inner.createNamespace(write);
    const isLimited = principal && this.quotas.storedLimitsOf(principal.identity).namespaces !== undefined;
    if (!isLimited || !(await this.isMissing(write.name))) return create();
    return this.creating(principal, write.name, create);
  }

  /** Makes a write where the namespace has room for it. Size of existing memories is looked up where it matters. */
  private inRoom<A>(
    { identity }: Principal,
    { namespace, size, existing, write }: SizedWrite,
    make: () => Promise<A>,
  ): Promise<A> {
    const { namespace_memories: memories, namespace_bytes: bytes } = this.quotas.storedLimitsOf(identity);
    if (!memories && !bytes) return make();
    const exceededBy = (whole: Size): StoredLimit | undefined => {
      if (memories && size.memories > 0 && whole.memories > memories.most) return 'namespace_memories';
      return bytes && size.bytes > 0 && whole.bytes > bytes.most ? 'namespace_bytes' : undefined;
    };
    const check = async (whole: Size): Promise<void> => {
      if (!exceededBy(whole)) return;
      const there = await existing();
      const exceeded = exceededBy({ memories: whole.memories - there.memories, bytes: whole.bytes - there.bytes });
      if (!exceeded || (await this.isRepeated(namespace, write))) return;
      throw this.quotas.storageExceeded(exceeded, identity, `namespaces/${namespace}`);
    };
    return this.room.write(namespace, size, check, make);
  }

  /** One after another, so that each counts the ones before. */
  private creating<A>(principal: Principal, name: string, create: () => Promise<A>): Promise<A> {
    const turn = this.creations.then(async () => {
      const most = this.quotas.storedLimitsOf(principal.identity).namespaces?.most;
      if (most !== undefined && (await this.isMissing(name))) {
        const found = await accessibleNamespaces(this.inner, { limit: Math.max(1, most) }, principal, 'write');
        if (found.length >= most) throw this.quotas.storageExceeded('namespaces', principal.identity);
      }
      return create();
    });
    this.creations = turn.catch(() => undefined);
    return turn;
  }

  /** Memories of the write that are there, with the bytes that it does not add. */
  private async existing({ namespace, memories, onConflict, atUs }: StoreWrite): Promise<Size> {
    const ids = memories.map(({ id }) => id);
    const found = await this.present(namespace, ids, atUs);
    let bytes = 0;
    for (const [at, memory] of found.entries()) {
      const sent = memories[at];
      if (memory && sent) bytes += utf8BodyBytesOf(onConflict === 'replace' ? memory : sent);
    }
    return { memories: found.filter((memory) => memory !== undefined).length, bytes };
  }

  /** Memories with their texts and contents; none where they are damaged, or the namespace is missing. */
  private async present(namespace: string, ids: readonly string[], nowUs: number): Promise<(Memory | undefined)[]> {
    try {
      return await this.inner.get({ namespace, ids, view: 'full', nowUs });
    } catch (error) {
      if (isNamespaceMissing(error) || isDamage(error)) return [];
      throw error;
    }
  }

  private async isRepeated(namespace: string, { idempotency }: Pick<StoreWrite, 'idempotency'>): Promise<boolean> {
    return idempotency !== undefined && (await this.inner.outcomeOf(namespace, idempotency)) !== undefined;
  }

  private async isMissing(name: string): Promise<boolean> {
    try {
      await this.inner.getNamespace(name);
      return false;
    } catch (error) {
      if (isNamespaceMissing(error)) return true;
      throw error;
    }
  }
}

const NOTHING: Size = { memories: 0, bytes: 0 };
