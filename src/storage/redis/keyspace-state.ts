import { randomInt, randomUUID } from 'node:crypto';
import { memoryDamaged } from '../../memory/errors.ts';
import type { Namespace } from '../memory-store.ts';
import { Draft, type Entry } from '../rules/draft.ts';
import type { LogEntry } from './log-entries.ts';

/** Numbers the forms that Redis keeps memories in (`entry-codec.ts`). Keyspaces in another one are neither read nor written. */
export const LAYOUT = 2;

/** What Redis keeps of a keyspace besides its memories. */
export interface KeyspaceState {
  /** Absent in the first one. */
  readonly layout?: number;
  /** Number of writes. */
  readonly version: number;
  /**
   * Unlike that of any other write, so that a write can tell whether anything came in between: it may rely on one that is
   * still under way, and fails with it. Empty when the keyspace is not there.
   */
  readonly stamp: string;
  /** Made with the keyspace: a keyspace of another epoch is another keyspace, such as after Redis was emptied. */
  readonly epoch: string;
  /** Absent when the namespace was deleted, or was never there. */
  readonly namespace?: Namespace;
  readonly revision: number;
  readonly nextSequence: number;
  readonly count: number;
  /** Of the last change of memories that the long-term store owns: moved down, rewritten or deleted there. */
  readonly belowRevision?: number;
  /** Absent of a keyspace of a former version. */
  readonly ends?: LogEnds;
  /** Place of the deletion of everything, while nothing is there: `below` repeats it when the namespace is made anew. */
  readonly deletedAt?: string;
}

/** Revisions of the newest entries of the logs of a keyspace: what is not there any more is missing. */
export interface LogEnds {
  /** -1: not known. */
  readonly log: number;
  readonly below: number;
}

const NO_ENTRIES: LogEnds = { log: 0, below: 0 };

export function newKeyspace(): KeyspaceState {
  const nothing = { version: 0, stamp: '', revision: 0, nextSequence: 1, count: 0, ends: NO_ENTRIES };
  return { layout: LAYOUT, epoch: randomUUID(), ...nothing };
}

const WRITER = randomUUID();
const FIRST_SERIAL = randomInt(2 ** 31);
let writes = 0;

/** What Redis keeps as the version of a keyspace, taken apart. */
export function versionOf(stamp: string): Pick<KeyspaceState, 'version' | 'stamp'> {
  return { version: Number.parseInt(stamp, 10), stamp };
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

/** A keyspace while writes change it: of its memories it has those that the writes are about. */
export class KeyspaceDraft extends Draft {
  isThere: boolean;
  /** Entries for the log, once they are known. */
  told: readonly LogEntry[] = [];
  /** What its logs end with then. */
  ends: LogEnds | undefined;
  /** Memories of the keyspace that were not loaded. */
  private readonly elsewhere: number;
  readonly state: KeyspaceState;
  /** Deletion of the namespace. */
  deletion: 'namespace_deleted' | 'namespace_emptied' | undefined;
  /** Memories that the long-term store owns, as updates left them, in order. */
  readonly rewritten: Entry[] = [];
  /** Nothing is left of the namespace but what its lost memories have left. */
  isEmptied = false;
  /** Of the keyspace after it. */
  readonly stamp: string;
  /** From 1 on, and hardly ever that of another write: its places in the logs are not those of a write that came to nothing. */
  readonly serial: number;

  constructor(name: string, state: KeyspaceState, entries: ReadonlyMap<string, Entry>, revisionFloor: number) {
    const namespace = state.namespace ?? { ...NOBODY, name };
    super({ namespace, entries, nextSequence: state.nextSequence }, Math.max(state.revision, revisionFloor));
    this.isThere = state.namespace !== undefined;
    this.elsewhere = state.count - entries.size;
    this.state = state;
    this.stamp = `${state.version + 1} ${WRITER} ${writes}`;
    this.serial = FIRST_SERIAL + (++writes % 2 ** 31);
  }

  override get count(): number {
    return this.isEmptied ? 0 : this.elsewhere + this.entries.size;
  }

  /** The state that the keyspace has after the writes. */
  after(): KeyspaceState {
    const { version, epoch, belowRevision: before } = this.state;
    const belowRevision = this.toldBelow ? this.revision : before;
    const ends = this.ends ?? this.state.ends;
    const deletedAt = this.deletion === 'namespace_deleted' ? this.told.at(-1)?.place : this.state.deletedAt;
    return {
      layout: LAYOUT,
      version: version + 1,
      stamp: this.stamp,
      epoch,
      revision: this.revision,
      nextSequence: this.nextSequence,
      count: this.count,
      ...(this.isThere && { namespace: this.namespace }),
      ...(belowRevision !== undefined && { belowRevision }),
      ...(ends && { ends }),
      ...(!this.isThere && deletedAt && { deletedAt }),
    };
  }

  private get toldBelow(): boolean {
    return this.releasedIds.size + this.erasedIds.size + this.rewritten.length > 0;
  }

  /** Fails with CHECKSUM_MISMATCH where a write keeps of a damaged memory what is left of it. */
  checkWhole(ids: readonly string[], before: ReadonlyMap<string, Entry>): void {
    for (const id of ids) {
      const entry = this.entries.get(id);
      if (entry?.isDamaged && entry !== before.get(id)) throw memoryDamaged(this.name, id);
    }
  }

  /** Takes back what comes after. */
  savepoint(ids: readonly string[]): () => void {
    const { revision, nextSequence, namespace, isThere, deletion } = this;
    const rewrittenCount = this.rewritten.length;
    const before = ids.map((id) => [id, this.entries.get(id), this.erasedIds.get(id)] as const);
    return () => {
      Object.assign(this, { revision, nextSequence, namespace, isThere, deletion });
      this.rewritten.length = rewrittenCount;
      for (const [id, entry, erasure] of before) {
        if (erasure) this.erasedIds.set(id, erasure);
        else this.erasedIds.delete(id);
        if (entry) this.entries.set(id, entry);
        else this.entries.delete(id);
      }
    };
  }
}
