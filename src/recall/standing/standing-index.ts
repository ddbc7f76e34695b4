import { namespaceNotFound } from '../../memory/errors.ts';
import type { Embedding } from '../../memory/memory.ts';
import type { LogEntry, NamespaceEntry, NamespaceSource } from '../namespace-source.ts';
import type { NamespaceState } from '../namespace-state.ts';
import { nothingFound } from './found-queries.ts';
import { NearAhead } from './near-ahead.ts';
import { QueryGroup } from './query-group.ts';
import type { NearQuery } from './query-vectors.ts';
import type { AffectedQueries, LastingQuery, StandingQuery } from './standing-query.ts';

/** Entries of the log that are read at a time, and how long one call looks at them: others wait for the thread meanwhile. */
const ENTRIES_AT_ONCE = 128;
const SLICE_MS = 4;

type AskedQuery = LastingQuery & { readonly embedding: Embedding };

interface Room {
  readonly entry: NamespaceEntry;
  readonly group: QueryGroup;
}

/** All standing queries, in the thread that recalls: follows the change log and finds those that it affects. */
export class StandingIndex {
  private readonly source: NamespaceSource;
  private readonly rooms = new Map<number, Room>();
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
      const room = this.rooms.get(entry.key) ?? { entry, group: new QueryGroup() };
      this.rooms.set(entry.key, room);
      room.group.put(id, query);
      this.keys.set(id, entry.key);
    });
  }

  remove(id: number): void {
    const key = this.keys.get(id);
    const room = key === undefined ? undefined : this.rooms.get(key);
    this.keys.delete(id);
    this.lasting.delete(id);
    room?.group.remove(id);
    if (room?.group.size === 0) this.rooms.delete(room.entry.key);
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

  /** Looks at the log for some milliseconds; true when there is more up to the revision given. */
  catchUp(throughRevision: number): boolean {
    return this.inOneState(() => {
      this.follow(performance.now() + SLICE_MS);
      return this.revision < Math.min(throughRevision, this.source.revision());
    });
  }

  /** A `near` query as it was asked last, or is now; `undefined` when it is not known. */
  lastingQuery(id: number, given: LastingQuery | undefined): AskedQuery | undefined {
    const key = this.keys.get(id);
    const embedding = key === undefined ? undefined : this.rooms.get(key)?.group.query(id)?.embedding;
    if (given && embedding) this.lasting.set(id, { ...given, embedding });
    return this.lasting.get(id);
  }

  /**
   * The memories near to a `near` query in the state that the source is in, nearest first; `undefined` when there are too
   * many. To be called between `begin` and `end` of the source.
   */
  nearTo(id: number, { entry, index }: NamespaceState, vector: Float32Array, exact: boolean) {
    const room = this.rooms.get(entry.key);
    if (!room || this.keys.get(id) !== entry.key) return undefined;
    this.follow(Number.POSITIVE_INFINITY);
    return room.group.nearTo(id, (limit) => index?.search(vector, limit, { exact }) ?? []);
  }

  private startAfter(revision: number, isEverything = false): void {
    this.revision = revision;
    this.found = { ...nothingFound(), isEverything };
    for (const { group } of this.rooms.values()) group.forgetNear();
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
      // What the source has no entries of does not count.
      if (entries.length < ENTRIES_AT_ONCE) this.revision = Math.max(this.revision, this.source.revision());
    }
  }

  private look({ kind, namespaceKey, key, id }: LogEntry, nearIn: (group: QueryGroup) => readonly NearQuery[]): void {
    const room = this.rooms.get(namespaceKey);
    if (!room) return;
    const { group, entry } = room;
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
      this.lookAtMove(room, { kind, key }, nearIn);
      return;
    }
    if (kind !== 'stored') found.changed.set(`${namespaceKey}/${id}`, { namespace: entry.name, id });
    if (group.hasRanked) found.settlingNamespaces.add(entry.name);
    // What a memory was like before it was changed is not known here: others may move up in its place.
    if (kind !== 'stored') for (const query of group.unkeptIds) found.settling.add(query);
    const read = kind === 'erased' ? () => undefined : this.readerOf(entry, key);
    group.look(key, { read, near: nearIn(group) }, found.urgent, found.settling);
  }

  /** The memory is as it was: what can be other is its tier, and in which form that keeps what scores go by. */
  private lookAtMove(
    { group, entry }: Room,
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
