import { randomUUID } from 'node:crypto';
import { MnemeError, memoryDamaged } from '../../memory/errors.ts';
import type { Micros } from '../../memory/memory.ts';
import { Draft, type Entry } from '../in-memory/draft.ts';
import type { Namespace } from '../memory-store.ts';

/** What Redis keeps of a room besides its memories. */
export interface RoomState {
  /** Changes with every write, so that a write can tell whether anything came in between. */
  readonly version: number;
  /** Made with the room: a room of another epoch is another room, such as after Redis was emptied. */
  readonly epoch: string;
  /** Absent when the namespace was deleted, or was never there. */
  readonly namespace?: Namespace;
  readonly revision: number;
  readonly nextSequence: number;
  readonly count: number;
  readonly maintainedAtUs?: Micros;
}

export function newRoom(): RoomState {
  return { version: 0, epoch: randomUUID(), revision: 0, nextSequence: 1, count: 0 };
}

const NOBODY: Namespace = {
  name: '',
  description: '',
  createdAtUs: 0,
  updatedAtUs: 0,
  embeddingModel: '',
  embeddingDimension: 0,
  memoryLimit: 0,
  revision: 0,
  settings: {},
};

/** A room while writes change it: of its memories it has those that the writes are about. */
export class RoomDraft extends Draft {
  isThere: boolean;
  maintainedAtUs: Micros | undefined;
  /** Memories that are gone from here because another store has taken them over. */
  readonly releasedIds = new Set<string>();
  /** Memories of the room that were not loaded. */
  private readonly elsewhere: number;
  private readonly state: RoomState;

  constructor(name: string, state: RoomState, entries: ReadonlyMap<string, Entry>, revisionFloor: number) {
    const namespace = state.namespace ?? { ...NOBODY, name };
    super({ namespace, entries, nextSequence: state.nextSequence }, Math.max(state.revision, revisionFloor));
    this.isThere = state.namespace !== undefined;
    this.maintainedAtUs = state.maintainedAtUs;
    this.elsewhere = state.count - entries.size;
    this.state = state;
  }

  get count(): number {
    return this.elsewhere + this.entries.size;
  }

  override checkLimit(): void {
    const limit = this.namespace.memoryLimit;
    if (limit === 0 || this.count <= limit) return;
    const name = `namespaces/${this.name}`;
    throw new MnemeError('NAMESPACE_FULL', `${name} holds as many memories as it may: ${limit}`, {
      metadata: { name, limit: String(limit) },
    });
  }

  /** The state that the room has after the writes. */
  after(): RoomState {
    const { version, epoch } = this.state;
    return {
      version: version + 1,
      epoch,
      revision: this.revision,
      nextSequence: this.nextSequence,
      count: this.count,
      ...(this.isThere && { namespace: this.namespace }),
      ...(this.maintainedAtUs !== undefined && { maintainedAtUs: this.maintainedAtUs }),
    };
  }

  /** Fails with CHECKSUM_MISMATCH where a write keeps of a damaged memory what is left of it: then nothing of it could be. */
  checkWhole(ids: readonly string[], before: ReadonlyMap<string, Entry>): void {
    for (const id of ids) {
      const entry = this.entries.get(id);
      if (entry?.isDamaged && entry !== before.get(id)) throw memoryDamaged(this.name, id);
    }
  }

  /** Takes back what comes after. */
  savepoint(ids: readonly string[]): () => void {
    const { revision, nextSequence, namespace, isThere, maintainedAtUs } = this;
    const before = ids.map((id) => [id, this.entries.get(id)] as const);
    return () => {
      Object.assign(this, { revision, nextSequence, namespace, isThere, maintainedAtUs });
      for (const [id, entry] of before) {
        if (entry) this.entries.set(id, entry);
        else this.entries.delete(id);
      }
    };
  }
}
