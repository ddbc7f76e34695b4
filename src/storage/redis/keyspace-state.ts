import { randomInt, randomUUID } from 'node:crypto';
import { ownerChanged } from '../../memory/errors.ts';
import type { Namespace } from '../memory-store.ts';
import type { HotCondition } from '../mirror-store.ts';
import type { Entry } from '../rules/draft.ts';
import { PartialDraft } from '../rules/partial-draft.ts';
import type { LogEntry } from './log-entries.ts';

/**
 * Version of the stored form of memories (`entry-codec.ts`). Keyspaces of another version are neither read nor written.
 */
export const LAYOUT = 2;

/** Data of a keyspace besides its memories. */
export interface KeyspaceState {
  /** Absent in the first one. */
  readonly layout?: number;
  /** Number of writes. */
  readonly version: number;
  /**
   * Unique stamp of the last write, so that a write detects any write in between: it may depend on a write that is
   * still in flight, and fails with it. Empty when the keyspace does not exist.
   */
  readonly stamp: string;
  /** Created with the keyspace: another epoch is another keyspace, for example after Redis was emptied. */
  readonly epoch: string;
  /** Absent when the namespace was deleted or never existed. */
  readonly namespace?: Namespace;
  readonly revision: number;
  readonly nextSequence: number;
  readonly count: number;
  /** Number of times that memories left the keyspace for another store, or that such a move was prevented. Absent: 0. */
  readonly handovers?: number;
  /** Revision of the newest log entry, which may have been trimmed; -1 if unknown. */
  readonly end?: number;
}

/** A former version stored the ends of two logs. */
type KeptState = Omit<KeyspaceState, 'version' | 'stamp'> & { readonly ends?: { readonly log: number } };

export function readState(json: string): Omit<KeyspaceState, 'version' | 'stamp'> {
  const { ends, ...state } = JSON.parse(json) as KeptState;
  return ends ? { ...state, end: ends.log } : state;
}

export function newKeyspace(): KeyspaceState {
  const nothing = { version: 0, stamp: '', revision: 0, nextSequence: 1, count: 0, end: 0 };
  return { layout: LAYOUT, epoch: randomUUID(), ...nothing };
}

/** Differs after every handover of memories between the keyspace and another store. */
export function ownershipOf({ stamp, epoch, handovers = 0 }: KeyspaceState): string {
  return stamp === '' ? '' : `${epoch} ${handovers}`;
}

const WRITER = randomUUID();
const FIRST_SERIAL = randomInt(2 ** 31);
let writes = 0;

/** The stored version of a keyspace, parsed. */
export function versionOf(stamp: string): Pick<KeyspaceState, 'version' | 'stamp'> {
  return { version: Number.parseInt(stamp, 10), stamp };
}

/** A keyspace while writes change it, with the memories that the writes concern. */
export class KeyspaceDraft extends PartialDraft {
  handovers: number;
  /** Entries for the log, once computed. */
  logEntries: readonly LogEntry[] = [];
  /** End of the log after these entries. */
  end: number | undefined;
  readonly state: KeyspaceState;
  /** Time of the latest of the writes: none of them has taken effect before. 0 where they have none. */
  atUs = 0;
  /** Deletion of the namespace. */
  deletion: 'namespace_deleted' | 'namespace_emptied' | undefined;
  /** Only leftovers of lost memories remain of the namespace. */
  isEmptied = false;
  /** Stamp of the keyspace after the writes. */
  readonly stamp: string;
  /** From 1 on, and almost unique: its places in the logs differ from those of a write that did not commit. */
  readonly serial: number;

  constructor(name: string, state: KeyspaceState, entries: ReadonlyMap<string, Entry>, revisionFloor: number) {
    super(name, { ...state, entries }, Math.max(state.revision, revisionFloor));
    this.handovers = state.handovers ?? 0;
    this.state = state;
    this.stamp = `${state.version + 1} ${WRITER} ${writes}`;
    this.serial = FIRST_SERIAL + (++writes % 2 ** 31);
  }

  override get count(): number {
    return this.isEmptied ? 0 : super.count;
  }

  /** The state of the keyspace after the writes. */
  after(): KeyspaceState {
    const { version, epoch } = this.state;
    const { handovers } = this;
    const end = this.end ?? this.state.end;
    return {
      layout: LAYOUT,
      version: version + 1,
      stamp: this.stamp,
      epoch,
      revision: this.revision,
      nextSequence: this.nextSequence,
      count: this.count,
      ...(this.isThere && { namespace: this.namespace }),
      ...(handovers > 0 && { handovers }),
      ...(end !== undefined && { end }),
    };
  }

  /** Fails as `ownerChanged` after a handover since the ownership was read, and where a memory left the keyspace. */
  checkOwner({ ownership, heldIds = [] }: HotCondition): void {
    const isOther = ownership !== undefined && ownership !== ownershipOf({ ...this.state, handovers: this.handovers });
    if (isOther || heldIds.some((id) => !this.entries.has(id))) throw ownerChanged(this.name);
  }

  override savepoint(ids: readonly string[]): () => void {
    const { deletion, handovers } = this;
    const undo = super.savepoint(ids);
    return () => {
      Object.assign(this, { deletion, handovers });
      undo();
    };
  }
}
