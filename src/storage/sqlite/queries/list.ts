import { admits, looksIntoBody, mayAdmit } from '../../../memory/evaluate-filter.ts';
import type { Memory, MemoryView } from '../../../memory/memory.ts';
import type { ListPage, ListPosition, ListRead } from '../../memory-store.ts';
import type { SqliteDatabase } from '../database.ts';
import { namespaceOf } from '../namespace-rows.ts';
import { type MemoryRow, memoryOrRest } from '../rows.ts';
import { positionOf, type Stretch, stretchesOf } from './list-order.ts';
import { filteredRows, plainRows } from './list-rows.ts';

/** Memories that a page with a filter looks at: a filter that admits few gives short pages instead of slow ones. */
const LOOKED_AT_MAX = 20_000;

/** One page. Fails with NAMESPACE_NOT_FOUND. */
export function listMemories(database: SqliteDatabase, read: ListRead): ListPage {
  const page = new Page(read);
  const rowsOf = rowSource(database, read);
  for (const stretch of stretchesOf(read.order, read.after)) {
    for (const row of rowsOf(stretch)) {
      if (!page.take(row)) return page.withNext();
    }
  }
  const last = page.asLast();
  // Only an empty page leaves open whether the namespace is there.
  if (last.memories.length === 0 && !last.damagedIds) namespaceOf(database, read.namespace);
  return last;
}

function rowSource(database: SqliteDatabase, read: ListRead): (stretch: Stretch) => Iterable<MemoryRow> {
  const { filter, namespace } = read;
  if (!filter) return (stretch) => plainRows(database, read, stretch);
  const { key } = namespaceOf(database, namespace);
  return (stretch) => filteredRows(database, key, filter, read, stretch);
}

/** A page while it fills. */
class Page {
  readonly memories: Memory[] = [];
  private readonly read: ListRead;
  private bytes = 0;
  private lookedAt = 0;
  private readonly damagedIds: string[] = [];
  private last: MemoryRow | undefined;

  constructor(read: ListRead) {
    this.read = read;
  }

  /** False when the row, and what follows it, is for another page. */
  take(row: MemoryRow): boolean {
    const { limit, bytesMax, filter, view, namespace } = this.read;
    if (this.memories.length + this.damagedIds.length >= limit || this.lookedAt >= LOOKED_AT_MAX) return false;
    const { memory, isDamaged } = memoryOrRest(namespace, row);
    const isUndecided = isDamaged && filter !== undefined && looksIntoBody(filter);
    const isMeant = !filter || (isDamaged ? mayAdmit : admits)(filter, memory);
    if (isMeant && isDamaged && (isUndecided || view !== 'metadata')) this.damagedIds.push(memory.id);
    else if (isMeant) {
      const bytes = view === 'metadata' ? 0 : row.content_bytes;
      if (this.memories.length > 0 && this.bytes + bytes > bytesMax) return false;
      this.bytes += bytes;
      this.memories.push(inView(memory, view));
    }
    if (filter) this.lookedAt++;
    this.last = row;
    return true;
  }

  asLast(): ListPage {
    const { memories, damagedIds } = this;
    return damagedIds.length > 0 ? { memories, damagedIds } : { memories };
  }

  withNext(): ListPage {
    const next: ListPosition | undefined = this.last && positionOf(this.read.order, this.last);
    return next ? { ...this.asLast(), next } : this.asLast();
  }
}

/** Rows that a filter was tried on carry more than the view shows. */
function inView(memory: Memory, view: MemoryView): Memory {
  if (view !== 'metadata' || (memory.text === '' && !memory.content)) return memory;
  const { content: _, ...rest } = memory;
  return { ...rest, text: '' };
}
