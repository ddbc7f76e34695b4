import type { Memory, Micros, Tier } from '../memory/memory.ts';

/** `gap`: changes of another server came before this one that are not here; its `origin` is the first that may be missing. */
export type ChangeKind =
  | 'stored'
  | 'updated'
  | 'deleted'
  | 'expired'
  | 'embedded'
  | 'touched'
  | 'moved'
  | 'namespace_created'
  | 'namespace_updated'
  | 'namespace_deleted'
  | 'vectors_replaced'
  | 'gap';

/** An entry of the change log with what it left behind. */
export interface Change {
  readonly revision: number;
  readonly kind: ChangeKind;
  /** Id of the memory; name of the namespace for changes of it. */
  readonly id: string;
  readonly atUs: Micros;
  /** As the change left it, without its vector; absent when it has been erased, by this change or later, or is damaged. */
  readonly memory?: Memory;
  /** For `updated`: as it was before, unless it has been erased since. */
  readonly former?: Memory;
  /** For `moved`: the tier before; `memory` is in the one after, wherever it has gone since. */
  readonly formerTier?: Tier;
  /** Of one that another server made, or that came by way of a shared store: its revision in the log of that. */
  readonly origin?: number;
  /** Of a state that was copied from a shared store because the entries that led to it are missing: its revision there. */
  readonly copiedRevision?: number;
}

/** A place in the log of a namespace, in a form in which another server that follows the same shared store understands it. */
export interface LogPlace {
  /** Names the log that the revision is of. */
  readonly log: string;
  readonly revision: number;
  /** Names the life of the shared store's log; empty where none is followed. */
  readonly epoch: string;
  /** Everything up to this revision of the shared store lies before the place. */
  readonly origin: number;
  /** The term that the revision was written in, which distinguishes it from that of a log that was lost; empty where it is not known. */
  readonly term: string;
}

export interface ChangeRead {
  readonly namespace: WatchedNamespace;
  readonly afterRevision: number;
  readonly limit: number;
  /** A page ends with the change that brings it to this size (`bytesOfChange`): the others are not read. */
  readonly bytesMax: number;
}

/** A namespace by what stays with it until it is deleted: another one of the same name is another one. */
export interface WatchedNamespace {
  readonly key: number;
  readonly name: string;
}

/** A namespace that is not there, for readers of the log alone. */
export const NOWHERE: WatchedNamespace = { key: 0, name: '' };

export interface ChangePage {
  readonly changes: readonly Change[];
  /** Everything up to here has been read; further than the last change where others' changes were passed over. */
  readonly throughRevision: number;
}

/** What is known of a stretch of the log without reading all of it. */
export interface LogStretch {
  readonly throughRevision: number;
  readonly count: number;
  readonly bytes: number;
  readonly newestAtUs: Micros;
}

export interface MeasureRead {
  readonly afterRevision: number;
  readonly limit: number;
  /** Sums up what there is, if there is anything. */
  readonly orFewer?: boolean;
}

/** Brings into the log what is written in another store first. */
export interface LogSource {
  /** Makes a namespace here that the other store has. Fails with NAMESPACE_NOT_FOUND, STORAGE_UNAVAILABLE. */
  adopt(namespace: string): Promise<void>;
  /** Changes of the namespace come into the log soon after they were made, until what it returns is called. */
  keep(namespace: string): () => void;
  /**
   * Resolves when the log has all that was acknowledged in a namespace before, and has come as far as the revision if that
   * was given to anybody. Fails with STORAGE_UNAVAILABLE when the other store does not answer.
   */
  reach(namespace: string, revision: number): Promise<void>;
}

/**
 * The change log as its readers see it: all entries after `compactedRevision`, in order, each of them durable.
 */
export interface ChangeLog {
  /** Newest durable revision. */
  readonly revision: number;
  /** Namespaces with entries after a revision; `undefined` when there are too many entries, or it is not known any more. */
  changedNamespaces(read: { afterRevision: number; limit: number }): Promise<readonly string[] | undefined>;
  /** Revisions up to this one are no longer kept; 0 when all are. */
  compactedRevision(): Promise<number>;
  /** The place behind a revision. */
  place(namespace: WatchedNamespace, revision: number): Promise<LogPlace>;
  /**
   * Names the term of a revision, or of one to come: what one opening of the log for writing writes. Copies of a log go on in
   * other terms.
   */
  termAt(revision: number): Promise<string>;
  /**
   * The revision of this log that a place lies behind; the place may be of another log. Fails with REVISION_COMPACTED when
   * not everything that comes after it is here, or something that came before it is not, because the log went back to an older
   * state; REVISION_AHEAD when the shared store has not come so far.
   */
  revisionAt(namespace: WatchedNamespace, place: LogPlace): Promise<number>;
  /** Fails with NAMESPACE_NOT_FOUND. */
  watchedNamespace(name: string): Promise<WatchedNamespace>;
  /** Fails with REVISION_COMPACTED when entries after `afterRevision` are gone. */
  readChanges(read: ChangeRead): Promise<ChangePage>;
  /** Changes of several namespaces at once, by the namespace's key; of the others nothing is read. */
  readTail(read: {
    namespaces: ReadonlyMap<number, string>;
    afterRevision: number;
    limit: number;
    bytesMax: number;
  }): Promise<{ readonly changes: ReadonlyMap<number, readonly Change[]>; readonly throughRevision: number }>;
  /** Calls the listener after every commit that made new revisions. Returns what ends that. */
  onCommit(listener: () => void): () => void;
  /** At most `limit` entries after a revision, summed up; nothing when there are fewer, unless `orFewer` is given. */
  measure(read: MeasureRead): Promise<LogStretch | undefined>;
  /** Forgets entries up to a revision, at most `limit` of them; false when there are more. What memories were is kept. */
  compact(write: { throughRevision: number; limit: number }): Promise<boolean>;
}
