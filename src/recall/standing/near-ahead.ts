import type { LogEntry, NamespaceSource } from '../namespace-source.ts';
import type { QueryGroup } from './query-group.ts';
import type { NearQuery } from './query-vectors.ts';
import { SCANNED_AT_ONCE } from './row-memory.ts';

const BEARING: ReadonlySet<LogEntry['kind']> = new Set(['stored', 'updated', 'embedded', 'resized', 'vector_resized']);

/**
 * The queries that the memories of some entries of the log are near to: looked for together with those of the next entries, whose
 * turn comes soon. To be used while the source shows one state.
 */
export class NearAhead {
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
