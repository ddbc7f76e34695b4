import { namespaceNotFound } from '../../memory/errors.ts';
import type { LogEntry, NamespaceEntry, NamespaceSource } from '../namespace-source.ts';
import { QueryGroup } from './query-group.ts';
import type { NearestRows } from './query-rows.ts';
import type { AffectedQueries, StandingQuery } from './standing-query.ts';

/** Entries of the log that one call looks at, and how long it looks: others wait for the thread meanwhile. */
const ENTRIES_AT_ONCE = 128;
const SLICE_MS = 4;

interface Room {
  readonly entry: NamespaceEntry;
  readonly group: QueryGroup;
}

interface Found {
  readonly urgent: Set<number>;
  readonly settling: Map<string, boolean>;
  readonly changed: Map<string, { readonly namespace: string; readonly id: string }>;
}

/** All standing queries, in the thread that recalls: finds those that a stretch of the change log affects. */
export class StandingIndex {
  private readonly source: NamespaceSource;
  private readonly nearest: NearestRows;
  private readonly rooms = new Map<number, Room>();
  private readonly keys = new Map<number, number>();

  constructor(source: NamespaceSource, nearest: NearestRows) {
    this.source = source;
    this.nearest = nearest;
  }

  /** Fails with NAMESPACE_NOT_FOUND. */
  put(id: number, query: StandingQuery): void {
    this.source.begin();
    try {
      const entry = this.source.namespace(query.namespace);
      if (!entry) throw namespaceNotFound(query.namespace);
      const room = this.rooms.get(entry.key) ?? { entry, group: new QueryGroup(this.nearest) };
      this.rooms.set(entry.key, room);
      room.group.put(id, query);
      this.keys.set(id, entry.key);
    } finally {
      this.source.end();
    }
  }

  remove(id: number): void {
    const key = this.keys.get(id);
    const room = key === undefined ? undefined : this.rooms.get(key);
    this.keys.delete(id);
    room?.group.remove(id);
    if (room?.group.size === 0) this.rooms.delete(room.entry.key);
  }

  affected({ afterRevision, count }: { readonly afterRevision: number; readonly count: number }): AffectedQueries {
    this.source.begin();
    try {
      const newest = this.source.revision();
      const isLost = afterRevision < this.source.compactedRevision() || this.keys.size < count;
      if (isLost) return { throughRevision: newest, urgent: [], settling: [], changed: [], isEverything: true };
      const entries = this.source.changes(afterRevision, ENTRIES_AT_ONCE);
      const found: Found = { urgent: new Set(), settling: new Map(), changed: new Map() };
      const untilMs = performance.now() + SLICE_MS;
      let throughRevision = entries.length === 0 ? Math.max(newest, afterRevision) : afterRevision;
      for (const entry of entries) {
        this.look(entry, found);
        throughRevision = entry.revision;
        if (performance.now() > untilMs) break;
      }
      return {
        throughRevision,
        urgent: [...found.urgent],
        settling: [...found.settling].map(([namespace, isNearToo]) => ({ namespace, isNearToo })),
        changed: [...found.changed.values()],
        isEverything: false,
      };
    } finally {
      this.source.end();
    }
  }

  private look({ kind, namespaceKey, key, id }: LogEntry, found: Found): void {
    const room = this.rooms.get(namespaceKey);
    if (!room) return;
    const { group, entry } = room;
    if (kind === 'namespace_erased' || kind === 'vectors_replaced') {
      for (const query of group.ids()) found.urgent.add(query);
      return;
    }
    if (key === 0) return;
    if (kind === 'other') {
      for (const query of group.touched()) found.urgent.add(query);
      return;
    }
    if (kind !== 'stored') found.changed.set(`${namespaceKey}/${id}`, { namespace: entry.name, id });
    // What a memory was like before it was changed is not known here: others may move up in its place.
    const isNearToo = group.hasNear && (kind === 'updated' || kind === 'erased');
    if (group.hasRanked || isNearToo) {
      found.settling.set(entry.name, isNearToo || (found.settling.get(entry.name) ?? false));
    }
    if (kind === 'erased') return;
    let memory: ReturnType<NamespaceSource['read']> | null = null;
    const read = () => {
      memory = memory === null ? this.source.read(entry, key) : memory;
      return memory;
    };
    group.match(read, () => this.source.vector(key), found.urgent);
  }
}
