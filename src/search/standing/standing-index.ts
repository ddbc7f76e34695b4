import { namespaceNotFound } from '../../memory/errors.ts';
import type { Embedding } from '../../memory/memory.ts';
import type { LogEntry, NamespaceEntry, NamespaceSource } from '../recall/namespace-source.ts';
import type { NamespaceState } from '../recall/namespace-state.ts';
import { QueryGroup } from './query-group.ts';
import type { NearQuery } from './query-vectors.ts';
import { SCANNED_AT_ONCE } from './row-memory.ts';
import type { AffectedQueries, LastingQuery, StandingQuery } from './standing-query.ts';

/** Entries of the log that are read at a time, and how long one call looks at them: others wait for the thread meanwhile. */
const ENTRIES_AT_ONCE = 128;
const SLICE_MS = 4;

type AskedQuery = LastingQuery & { readonly embedding: Embedding };

interface NamespaceQueries {
  readonly entry: NamespaceEntry;
  readonly group: QueryGroup;
}

/** All standing queries, in the search thread: follows the change log and finds the queries that it affects. */
export class StandingIndex {
  private readonly source: NamespaceSource;
  private readonly namespaces = new Map<number, NamespaceQueries>();
  private readonly keys = new Map<number, number>();
  private readonly lasting = new Map<number, AskedQuery>();
  /** Looked at up to here. */
  private revision = 0;
  /** Since `affected` was last asked. */
  private found = nothingFound();

  constructor(source: NamespaceSource) {
    this.source = source;
  }

  /** Changes after the revision count. Fails with NAMESPACE_NOT_FOUND. */
  put(id: number, query: StandingQuery, afterRevision: number): void {
    this.inOneState(() => {
      const entry = this.source.namespace(query.namespace);
      if (!entry) throw namespaceNotFound(query.namespace);
      if (this.keys.size === 0) this.startAfter(afterRevision);
      const space = this.namespaces.get(entry.key) ?? { entry, group: new QueryGroup() };
      this.namespaces.set(entry.key, space);
      space.group.put(id, query);
      this.keys.set(id, entry.key);
    });
  }

  remove(id: number): void {
    const key = this.keys.get(id);
    const space = key === undefined ? undefined : this.namespaces.get(key);
    this.keys.delete(id);
    this.lasting.delete(id);
    space?.group.remove(id);
    if (space?.group.size === 0) this.namespaces.delete(space.entry.key);
  }

  affected({ afterRevision, count }: { readonly afterRevision: number; readonly count: number }): AffectedQueries {
    this.inOneState(() => {
      if (this.keys.size < count) this.startAfter(this.source.revision(), true);
      else if (this.keys.size === 0) this.startAfter(Math.max(afterRevision, this.source.revision()));
      this.follow(performance.now() + SLICE_MS);
    });
    const { urgent, settling, settlingNamespaces, changed, isEverything } = this.found;
    this.found = nothingFound();
    return {
      throughRevision: this.revision,
      urgent: [...urgent],
      settling: [...settling],
      settlingNamespaces: [...settlingNamespaces],
      changed: [...changed.values()],
      isEverything,
    };
  }

  /** Of the log. */
  get newestRevision(): number {
    return this.source.revision();
  }

  /** All that is asked meanwhile sees one state of the source. */
  inOneState<R>(run: () => R): R {
    this.source.begin();
    try {
      return run();
    } finally {
      this.source.end();
    }
  }

  /** Reads the log for some milliseconds; true when more remains up to the revision. */
  catchUp(throughRevision: number): boolean {
    return this.inOneState(() => {
      this.follow(performance.now() + SLICE_MS);
      return this.revision < Math.min(throughRevision, this.source.revision());
    });
  }

  /** A `near` query as it was asked last, or is now; `undefined` when it is not known. */
  lastingQuery(id: number, provided: LastingQuery | undefined): AskedQuery | undefined {
    const key = this.keys.get(id);
    const embedding = key === undefined ? undefined : this.namespaces.get(key)?.group.query(id)?.embedding;
    if (provided && embedding) this.lasting.set(id, { ...provided, embedding });
    return this.lasting.get(id);
  }

  /**
   * The memories near to a `near` query in the state that the source is in, nearest first; `undefined` when there are too
   * many. To be called between `begin` and `end` of the source.
   */
  nearTo(id: number, { entry, index }: NamespaceState, vector: Float32Array, exact: boolean) {
    const space = this.namespaces.get(entry.key);
    if (!space || this.keys.get(id) !== entry.key) return undefined;
    this.follow(Number.POSITIVE_INFINITY);
    return space.group.nearTo(id, (limit) => index?.search(vector, limit, { exact }) ?? []);
  }

  private startAfter(revision: number, isEverything = false): void {
    this.revision = revision;
    this.found = { ...nothingFound(), isEverything };
    for (const { group } of this.namespaces.values()) group.forgetNear();
  }

  private follow(untilMs: number): void {
    if (this.revision < this.source.compactedRevision()) this.startAfter(this.source.revision(), true);
    while (this.revision < this.source.revision()) {
      const entries = this.source.changes(this.revision, ENTRIES_AT_ONCE);
      const near = new NearAhead(this.source, entries);
      for (const [at, entry] of entries.entries()) {
        this.look(entry, (group) => near.of(at, group));
        this.revision = entry.revision;
        if (performance.now() > untilMs) return;
      }
      // Revisions without an entry in the source are skipped.
      if (entries.length < ENTRIES_AT_ONCE) this.revision = Math.max(this.revision, this.source.revision());
    }
  }

  private look({ kind, namespaceKey, key, id }: LogEntry, nearIn: (group: QueryGroup) => readonly NearQuery[]): void {
    const space = this.namespaces.get(namespaceKey);
    if (!space) return;
    const { group, entry } = space;
    const { found } = this;
    if (kind === 'namespace_erased' || kind === 'vectors_replaced') {
      group.forgetNear();
      for (const query of group.ids()) found.urgent.add(query);
      return;
    }
    if (key === 0) return;
    if (kind === 'other') {
      for (const query of group.touched()) found.urgent.add(query);
      return;
    }
    if (kind === 'moved' || kind === 'resized' || kind === 'vector_resized') {
      this.lookAtMove(space, { kind, key }, nearIn);
      return;
    }
    if (kind !== 'stored') found.changed.set(`${namespaceKey}/${id}`, { namespace: entry.name, id });
    if (group.hasRanked) found.settlingNamespaces.add(entry.name);
    // The former state of a changed memory is not available here: other memories may move up in its place.
    if (kind !== 'stored') for (const query of group.unkeptIds) found.settling.add(query);
    const read = kind === 'erased' ? () => undefined : this.readerOf(entry, key);
    group.look(key, { read, near: nearIn(group) }, found.urgent, found.settling);
  }

  /** The memory itself is unchanged: only its tier, and the form of its scoring data there, can differ. */
  private lookAtMove(
    { group, entry }: NamespaceQueries,
    { kind, key }: Pick<LogEntry, 'kind' | 'key'>,
    nearIn: (group: QueryGroup) => readonly NearQuery[],
  ): void {
    const { found } = this;
    for (const query of group.moved()) found.urgent.add(query);
    if (group.hasRanked) found.settlingNamespaces.add(entry.name);
    if (kind === 'moved') return;
    for (const query of group.unkeptIds) found.settling.add(query);
    group.reform(key, nearIn(group), found.urgent);
  }

  private readerOf(entry: NamespaceEntry, key: number) {
    let memory: { readonly value: ReturnType<NamespaceSource['read']> } | undefined;
    return () => {
      memory ??= { value: this.source.read(entry, key) };
      return memory.value;
    };
  }
}

/** Effect of changes of memories on standing queries, by their ids. */
export interface FoundQueries {
  readonly urgent: Set<number>;
  readonly settling: Set<number>;
  readonly settlingNamespaces: Set<string>;
  readonly changed: Map<string, { readonly namespace: string; readonly id: string }>;
  isEverything: boolean;
}

const nothingFound = (): FoundQueries => ({
  urgent: new Set(),
  settling: new Set(),
  settlingNamespaces: new Set(),
  changed: new Map(),
  isEverything: false,
});

const BEARING: ReadonlySet<LogEntry['kind']> = new Set(['stored', 'updated', 'embedded', 'resized', 'vector_resized']);

/**
 * The queries that the memories of some entries of the log are near to, computed in one batch with those of the next
 * entries, which are processed soon. Valid while the source shows one state.
 */
class NearAhead {
  private readonly source: Pick<NamespaceSource, 'vector'>;
  private readonly entries: readonly LogEntry[];
  private readonly near = new Map<number, readonly NearQuery[]>();

  constructor(source: Pick<NamespaceSource, 'vector'>, entries: readonly LogEntry[]) {
    this.source = source;
    this.entries = entries;
  }

  /** For the memory of an entry, as it is now, the queries of the entry's namespace. */
  of(at: number, group: QueryGroup): readonly NearQuery[] {
    const entry = this.entries[at];
    if (!entry || entry.kind === 'erased' || !group.hasNear) return [];
    if (!this.near.has(entry.key)) this.lookFrom(at, entry, group);
    return this.near.get(entry.key) ?? [];
  }

  private lookFrom(at: number, { namespaceKey, key }: LogEntry, group: QueryGroup): void {
    const keys = new Set([key]);
    for (let next = at + 1; next < this.entries.length && keys.size < SCANNED_AT_ONCE; next++) {
      const other = this.entries[next];
      if (other?.namespaceKey !== namespaceKey || other.key === 0 || !BEARING.has(other.kind)) continue;
      if (!this.near.has(other.key)) keys.add(other.key);
    }
    const found = group.queriesNear(Array.from(keys, (known) => this.source.vector(known)));
    for (const [place, known] of [...keys].entries()) this.near.set(known, found[place] ?? []);
  }
}
