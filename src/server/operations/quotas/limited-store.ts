import { utf8BodyBytesOf } from '../../../memory/checksum.ts';
import { isDamage, isNamespaceMissing, type MnemeError } from '../../../memory/errors.ts';
import type { Memory } from '../../../memory/memory.ts';
import type { Principal } from '../../../memory/principal.ts';
import type {
  Change,
  ChangeKind,
  ChangeOf,
  NamespaceWrite,
  Outcome,
  Records,
  StoreWrite,
  UpdateWrite,
} from '../../../storage/records.ts';
import type { View } from '../../../storage/view.ts';
import { withMethods } from '../../../storage/with-methods.ts';
import { accessibleNamespaces } from '../namespaces/namespaces.ts';
import { currentPrincipal } from '../visibility/visibility.ts';
import { Room, type Size } from './room.ts';

type StoredKind = 'namespace_memories' | 'namespace_bytes' | 'namespaces';

/** A limit with the rule that it is of. */
interface StoredLimit {
  readonly limit: StoredKind;
  readonly most: number;
  readonly rule: { readonly name: string; readonly isShared: boolean };
}

/** Limits of stored data by identity. */
export interface StoredQuotas {
  storedLimitsOf(identity: string): Readonly<Partial<Record<StoredKind, StoredLimit>>>;
  /** Notes the stored data that a write of the identity has counted, its own included. */
  noteStored(identity: string, used: Readonly<Partial<Record<StoredKind, number>>>): void;
  /** The error of a refusal, which is counted; `name`: the namespace that is full. */
  storageExceeded(exceeded: StoredLimit, identity: string, name?: string): MnemeError;
}

/**
 * Records whose changes fail with QUOTA_EXCEEDED where they exceed a limit of their caller; background jobs have none.
 * Outcomes of earlier changes are returned as before.
 */
export function limitedRecords(records: Records, view: Pick<View, 'size'>, quotas: StoredQuotas): Records {
  const limited = new LimitedWrites(records, view, quotas);
  return withMethods(records, { write: (change) => limited.write(change) });
}

interface SizedWrite {
  readonly namespace: string;
  /** Everything that is sent. */
  readonly size: Size;
  /** The part of the namespace that the write replaces or erases, and the part of the size that it does not store. */
  readonly existing: () => Promise<Size>;
  readonly write: Pick<StoreWrite, 'idempotency'>;
}

class LimitedWrites {
  private readonly inner: Records;
  private readonly quotas: StoredQuotas;
  private readonly room: Room;
  /** Settles when the namespaces that are being created are there. */
  private creations: Promise<unknown> = Promise.resolve();

  constructor(inner: Records, view: Pick<View, 'size'>, quotas: StoredQuotas) {
    this.inner = inner;
    this.quotas = quotas;
    this.room = new Room(view);
  }

  async write<K extends ChangeKind>(change: ChangeOf<K>): Promise<Outcome<K>> {
    const principal = currentPrincipal();
    const make = () => this.inner.write(change);
    return principal ? this.limited(principal, change as Change, make) : make();
  }

  private limited<A>(principal: Principal, change: Change, make: () => Promise<A>): Promise<A> {
    switch (change.kind) {
      case 'store':
        return this.store(principal, change, make);
      case 'update':
        return this.update(principal, change, make);
      case 'createNamespace':
        return this.createNamespace(principal, change, make);
      default:
        return make();
    }
  }

  private async store<A>(principal: Principal, write: StoreWrite, make: () => Promise<A>): Promise<A> {
    const limits = this.quotas.storedLimitsOf(principal.identity);
    const { namespace, memories } = write;
    const bytes = limits.namespace_bytes ? memories.reduce((sum, memory) => sum + utf8BodyBytesOf(memory), 0) : 0;
    const existing = () => this.existing(write);
    const size = { memories: memories.length, bytes };
    const inRoom = () => this.inRoom(principal, { namespace, size, existing, write }, make);
    const isNew = limits.namespaces !== undefined && write.createNamespace && (await this.isMissing(namespace));
    return isNew ? this.creating(principal, namespace, inRoom) : inRoom();
  }

  private update<A>(principal: Principal, write: UpdateWrite, make: () => Promise<A>): Promise<A> {
    const { namespace, changes, successor } = write;
    const stored = successor ? utf8BodyBytesOf(successor) : 0;
    const size = { memories: successor ? 1 : 0, bytes: changedBytesOf(changes, changes) + stored };
    const existing = () => this.replacedBy(write);
    return this.inRoom(principal, { namespace, size, existing, write }, make);
  }

  /** Bytes that an update replaces in its memory. */
  private async replacedBy({ namespace, id, changes, atUs }: UpdateWrite): Promise<Size> {
    const [before] = await this.present(namespace, [id], atUs);
    return { memories: 0, bytes: before ? changedBytesOf(changes, before) : 0 };
  }

  private async createNamespace<A>(principal: Principal, { name }: NamespaceWrite, make: () => Promise<A>): Promise<A> {
    const isLimited = this.quotas.storedLimitsOf(principal.identity).namespaces !== undefined;
    return isLimited && (await this.isMissing(name)) ? this.creating(principal, name, make) : make();
  }

  /**
   * Makes a write where the namespace has room for what it adds. What it replaces is looked up only where that matters.
   */
  private async inRoom<A>(
    { identity }: Principal,
    { namespace, size, existing, write }: SizedWrite,
    make: () => Promise<A>,
  ): Promise<A> {
    const limits = this.quotas.storedLimitsOf(identity);
    if (!limits.namespace_memories && !limits.namespace_bytes) return make();
    const exceededBy = (whole: Size, added: Size): StoredLimit | undefined => {
      // Read each time: the policy may have changed while the write waited.
      const { namespace_memories: memories, namespace_bytes: bytes } = this.quotas.storedLimitsOf(identity);
      if (memories && added.memories > 0 && whole.memories > memories.most) return memories;
      return bytes && added.bytes > 0 && whole.bytes > bytes.most ? bytes : undefined;
    };
    let counted = size;
    const check = async (whole: Size): Promise<(() => MnemeError) | undefined> => {
      counted = whole;
      if (!exceededBy(whole, size)) return undefined;
      const there = await existing();
      counted = minus(whole, there);
      const exceeded = exceededBy(counted, minus(size, there));
      if (!exceeded || (await this.isRepeated(namespace, write))) return undefined;
      return () => this.quotas.storageExceeded(exceeded, identity, `namespaces/${namespace}`);
    };
    const answer = await this.room.write(namespace, size, check, make);
    this.quotas.noteStored(identity, { namespace_memories: counted.memories, namespace_bytes: counted.bytes });
    return answer;
  }

  /** One after another, so that each counts the ones before. */
  private creating<A>(principal: Principal, name: string, create: () => Promise<A>): Promise<A> {
    const turn = this.creations.then(async () => {
      const limit = this.quotas.storedLimitsOf(principal.identity).namespaces;
      if (!limit || !(await this.isMissing(name))) return create();
      const found = await accessibleNamespaces(this.inner, { limit: Math.max(1, limit.most) }, principal, 'write');
      if (found.length >= limit.most) throw this.quotas.storageExceeded(limit, principal.identity);
      const answer = await create();
      this.quotas.noteStored(principal.identity, { namespaces: found.length + 1 });
      return answer;
    });
    this.creations = turn.catch(() => undefined);
    return turn;
  }

  /** Memories that the write replaces, keeps or erases, with the bytes that it does not add. */
  private async existing({ namespace, memories, erasedIds = [], onConflict, atUs }: StoreWrite): Promise<Size> {
    const ids = [...new Set([...memories.map(({ id }) => id), ...erasedIds])];
    const there = new Map<string, number>();
    for (const memory of await this.present(namespace, ids, atUs)) {
      if (memory) there.set(memory.id, utf8BodyBytesOf(memory));
    }
    // The store has this order: erasures, then one memory after another, of which several may have the same id.
    let [count, bytes] = [0, 0];
    for (const id of erasedIds) {
      const erased = there.get(id);
      if (erased === undefined) continue;
      there.delete(id);
      count++;
      bytes += erased;
    }
    for (const memory of memories) {
      const sent = utf8BodyBytesOf(memory);
      const before = there.get(memory.id);
      if (before !== undefined) {
        count++;
        bytes += onConflict === 'replace' ? before : sent;
      }
      if (before === undefined || onConflict === 'replace') there.set(memory.id, sent);
    }
    return { memories: count, bytes };
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

type Body = { readonly [K in 'text' | 'content']?: Memory[K] | undefined };

/** Bytes of a body in the fields that the changes set. */
function changedBytesOf(changes: Body, { text = '', content }: Body): number {
  const isContentChanged = 'content' in changes && content !== undefined;
  return utf8BodyBytesOf({ text: changes.text === undefined ? '' : text, ...(isContentChanged && { content }) });
}

function minus(one: Size, other: Size): Size {
  return { memories: one.memories - other.memories, bytes: one.bytes - other.bytes };
}
