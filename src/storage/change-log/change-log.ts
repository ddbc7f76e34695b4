import type { Memory, Micros, Tier } from '../../memory/memory.ts';

/** `gap`: earlier changes of another server are missing here; its `origin` is the first that may be missing. */
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

/** An entry of the change log with the resulting state. */
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
  /** For `moved`: the former tier; `memory` has the new one, wherever it was moved afterwards. */
  readonly formerTier?: Tier;
  /** For a change that came from another server or through a shared store: its revision in that log. */
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
  /** The place lies after everything up to this revision of the shared store. */
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

/**
 * A namespace with its key, which never changes: one that is deleted and created again under the same name has another
 * key.
 */
export interface WatchedNamespace {
  readonly key: number;
  readonly name: string;
}

/** A namespace that is not there, for readers of the log alone. */
export const NOWHERE: WatchedNamespace = { key: 0, name: '' };

export interface ChangePage {
  readonly changes: readonly Change[];
  /** Everything up to here has been read; later than the last change where changes of other namespaces were skipped. */
  readonly throughRevision: number;
}

/** Summary of a stretch of the log, obtained without reading all of it. */
export interface LogStretch {
  readonly throughRevision: number;
  readonly count: number;
  readonly bytes: number;
  readonly newestAtUs: Micros;
}

export interface MeasureRead {
  readonly afterRevision: number;
  readonly limit: number;
  /** Also summarizes fewer entries than `limit`, if there are any. */
  readonly orFewer?: boolean;
}

/** Copies changes that are first written to another store into the log. */
export interface LogSource {
  /** Makes a namespace here that the other store has. Fails with NAMESPACE_NOT_FOUND, STORAGE_UNAVAILABLE. */
  adopt(namespace: string): Promise<void>;
  /**
   * Copies changes of the namespace into the log soon after they are made, and keeps it there, until the returned function
   * is called. The namespace may be missing.
   */
  keep(namespace: string): () => void;
  /**
   * Resolves when the log has every write acknowledged in a namespace before the call and, if the revision was
   * acknowledged to a caller, has reached it. Fails with STORAGE_UNAVAILABLE when the other store does not answer.
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
   * Names the term of a revision, existing or future: a term is the revisions that one opening of the log writes.
   * Copies of a log continue in other terms.
   */
  termAt(revision: number): Promise<string>;
  /**
   * The revision of this log after which a place lies; the place may be of another log. Fails with REVISION_COMPACTED
   * when changes after it are not all here, or a change before it is missing because the log was restored to an older
   * state; REVISION_AHEAD when the shared store has not reached it.
   */
  revisionAt(namespace: WatchedNamespace, place: LogPlace): Promise<number>;
  /** Fails with NAMESPACE_NOT_FOUND. */
  watchedNamespace(name: string): Promise<WatchedNamespace>;
  /** Fails with REVISION_COMPACTED when entries after `afterRevision` have been compacted. */
  readChanges(read: ChangeRead): Promise<ChangePage>;
  /** Changes of several namespaces at once, by the namespace's key; no other namespace is read. */
  readTail(read: {
    namespaces: ReadonlyMap<number, string>;
    afterRevision: number;
    limit: number;
    bytesMax: number;
  }): Promise<{ readonly changes: ReadonlyMap<number, readonly Change[]>; readonly throughRevision: number }>;
  /** Calls the listener after every commit that made new revisions. Returns the function that removes the listener. */
  onCommit(listener: () => void): () => void;
  /** Summary of at most `limit` entries after a revision; `undefined` when there are fewer, unless `orFewer` is set. */
  measure(read: MeasureRead): Promise<LogStretch | undefined>;
  /**
   * Deletes log entries up to a revision, at most `limit` of them; false when more remain. Earlier states of memories
   * are kept.
   */
  compact(write: { throughRevision: number; limit: number }): Promise<boolean>;
}
