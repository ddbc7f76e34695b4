import { type RawBuilder, type SqlBool, sql } from '#kysely';
import { admits, looksIntoBody, mayAdmit } from '../../../memory/evaluate-filter.ts';
import type { Filter } from '../../../memory/filter.ts';
import type { Memory, MemoryView } from '../../../memory/memory.ts';
import { SEARCH_SLICE_MS, type Steps } from '../../../memory/slices.ts';
import type { ListOrder, ListPage, ListPosition, ListRead } from '../../records.ts';
import { type Prepared, prepared, prepareOnce, type SqliteDatabase } from '../database.ts';
import { namespaceOf } from '../namespace-rows.ts';
import { narrowFilter, narrowKeys } from '../narrow-filter.ts';
import {
  BODY_COLUMNS,
  isSettled,
  MEMORY_COLUMNS,
  type MemoryRow,
  memoryOrRest,
  storedVector,
  vectorKey,
  WIDE_COLUMNS,
} from '../rows.ts';
import { SEQUENCES, sequenceOf } from '../schema.ts';

/** Memories that a page with a filter examines: a selective filter gives short pages instead of slow ones. */
const LOOKED_AT_MAX = 20_000;

/** Makes a read in one transaction. */
export type InOneState = <T>(read: () => T) => T;

/** One page. Fails with NAMESPACE_NOT_FOUND. */
export function listMemories(database: SqliteDatabase, read: ListRead): ListPage {
  return filled(database, read, new Page(read)) as ListPage;
}

/**
 * One page in steps of some milliseconds, each in one state of the store. A memory that changes its place meanwhile is in
 * the page once at most. Fails with NAMESPACE_NOT_FOUND.
 */
export function* listSteps(
  database: SqliteDatabase,
  read: ListRead,
  inOneState: InOneState,
  nowMs = () => performance.now(),
): Steps<ListPage> {
  const page = new Page(read);
  for (let from = read; ; from = { ...read, ...(page.position && { after: page.position }) }) {
    const untilMs = nowMs() + SEARCH_SLICE_MS;
    const isLate = read.filter ? () => nowMs() >= untilMs : never;
    const done = inOneState(() => filled(database, from, page, isLate));
    if (done) return done;
    yield;
  }
}

/** The page, filled on from `read.after`; `undefined` where it is not full in time. */
function filled(
  database: SqliteDatabase,
  read: ListRead,
  page: Page,
  isLate: () => boolean = never,
): ListPage | undefined {
  const rowsOf = rowSource(database, read);
  for (const stretch of stretchesOf(read.order, read.after)) {
    for (const row of rowsOf(stretch)) {
      if (!page.take(row)) return page.withNext();
      if (isLate()) return undefined;
    }
  }
  const last = page.asLast();
  // Only an empty page makes it necessary to check that the namespace exists.
  if (last.memories.length === 0 && !last.damagedIds) namespaceOf(database, read.namespace);
  return last;
}

const never = (): boolean => false;

function rowSource(database: SqliteDatabase, read: ListRead): (stretch: Stretch) => Iterable<MemoryRow> {
  const { filter, namespace } = read;
  if (!filter) return (stretch) => plainRows(database, read, stretch);
  const { key } = namespaceOf(database, namespace);
  return (stretch) => filteredRows(database, key, filter, read, stretch);
}

/** A page while it fills. */
export class Page {
  readonly memories: Memory[] = [];
  private readonly read: ListRead;
  private bytes = 0;
  private lookedAt = 0;
  private readonly damagedIds: string[] = [];
  /** Row keys of its memories. */
  private readonly keys = new Set<number>();
  private last: MemoryRow | undefined;

  constructor(read: ListRead) {
    this.read = read;
  }

  /** False when the row belongs to the next page. */
  take(row: MemoryRow): boolean {
    const { limit, bytesMax, filter, view, namespace } = this.read;
    if (this.memories.length + this.damagedIds.length >= limit || this.lookedAt >= LOOKED_AT_MAX) return false;
    const { memory, isDamaged } = memoryOrRest(namespace, row);
    const isWithoutBody = isDamaged && memory.checksum === '';
    const isUndecided = isWithoutBody || (isDamaged && filter !== undefined && looksIntoBody(filter));
    const isMeant =
      !this.keys.has(row.pk) && (!filter || isWithoutBody || (isDamaged ? mayAdmit : admits)(filter, memory));
    if (isMeant && isDamaged && (isUndecided || view !== 'metadata')) this.damagedIds.push(memory.id);
    else if (isMeant) {
      const bytes = view === 'metadata' ? 0 : row.content_bytes;
      if (this.memories.length > 0 && this.bytes + bytes > bytesMax) return false;
      this.bytes += bytes;
      this.memories.push(inView(memory, view));
      this.keys.add(row.pk);
    }
    if (filter) this.lookedAt++;
    this.last = row;
    return true;
  }

  /** Names a memory of the page that cannot be read. False when it belongs to the next page. */
  name(id: string): boolean {
    if (this.memories.length + this.damagedIds.length >= this.read.limit) return false;
    this.damagedIds.push(id);
    return true;
  }

  /** Position of the last row that was taken. */
  get position(): ListPosition | undefined {
    return this.last && positionOf(this.read.order, this.last);
  }

  asLast(): ListPage {
    const { memories, damagedIds } = this;
    return damagedIds.length > 0 ? { memories, damagedIds } : { memories };
  }

  withNext(): ListPage {
    const next = this.position;
    return next ? { ...this.asLast(), next } : this.asLast();
  }
}

/** Rows for a filter have more columns than the view needs. */
function inView(memory: Memory, view: MemoryView): Memory {
  if (view !== 'metadata' || (memory.text === '' && !memory.content)) return memory;
  const { content: _, ...rest } = memory;
  return { ...rest, text: '' };
}

/** Up to this number of candidates the rows are sorted; above it, the order's index is scanned. */
const SORTED_MAX = 5000;
/** Rows that are read at once. More are read one by one: a page of large memories ends before its limit. */
const READ_AT_ONCE = 8;

interface PageValues {
  now_us: number;
  value: number | null;
  tie: number;
}

interface PlainPageValues extends PageValues {
  namespace: string;
  limit: number;
}

/** Source of rows: the whole namespace, or the candidates of a filter. */
interface Source {
  readonly from: RawBuilder<unknown>;
  readonly condition: RawBuilder<unknown>;
}

const everything: Source = { from: sql`memory`, condition: sql`1` };
type PlainPage = (database: SqliteDatabase) => Prepared<PlainPageValues, MemoryRow>;
const plainPages = new Map<string, PlainPage>();

/** Rows of a stretch in order, at most one more than the page takes; none when the namespace is missing. */
function plainRows(database: SqliteDatabase, read: ListRead, stretch: Stretch): Iterable<MemoryRow> {
  const { namespace, view, nowUs, after, limit } = read;
  const page = plainPage(view, stretch)(database);
  const position = { value: after?.value ?? null, tie: after?.tie ?? 0 };
  const values = { namespace, now_us: nowUs, ...position, limit: limit + 1 };
  return limit < READ_AT_ONCE ? page.all(values) : page.iterate(values);
}

/** Rows of a stretch in order: all that the filter may admit, possibly more. */
function filteredRows(
  database: SqliteDatabase,
  namespaceKey: number,
  filter: Filter,
  { view, nowUs, after }: ListRead,
  stretch: Stretch,
): Iterable<MemoryRow> {
  const values = { now_us: nowUs, value: after?.value ?? null, tie: after?.tie ?? 0 };
  const source = sourceOf(database, namespaceKey, filter, stretch);
  // The filter may read columns outside the view.
  const wideView = view === 'metadata' ? 'basic' : view;
  const key = sql`${namespaceKey}`;
  return prepareOnce(database, pageQuery(source, wideView, stretch, key, values)).iterate({});
}

/** The query of an unfiltered page, built once for each order and view. */
function plainPage(view: MemoryView, stretch: Stretch): PlainPage {
  const name = `${view} ${stretch.order} ${stretch.hasValue} ${stretch.isAfter}`;
  const known = plainPages.get(name);
  if (known) return known;
  const made = prepared((values: PlainPageValues) => {
    const key = sql`(SELECT key FROM namespace WHERE name = ${values.namespace})`;
    return sql<MemoryRow>`${pageQuery(everything, view, stretch, key, values)} LIMIT ${values.limit}`;
  });
  plainPages.set(name, made);
  return made;
}

function sourceOf(database: SqliteDatabase, namespaceKey: number, filter: Filter, stretch: Stretch): Source {
  const { may } = narrowFilter(filter, namespaceKey);
  if (!may) return everything;
  const keys = narrowKeys(database, namespaceKey, filter, SORTED_MAX);
  // Without the index hint, the planner may look up and sort all memories for one page.
  const index = indexOfStretch(stretch);
  const walked = index ? sql`memory INDEXED BY ${sql.id(index)}` : sql`memory`;
  if (!keys) return { from: walked, condition: may };
  const from = sql`json_each(${JSON.stringify(keys)}) AS chosen CROSS JOIN memory ON memory.pk = chosen.value`;
  return { from, condition: sql`1` };
}

function pageQuery(
  source: Source,
  view: MemoryView,
  stretch: Stretch,
  namespaceKey: RawBuilder<unknown>,
  values: PageValues,
): RawBuilder<MemoryRow> {
  const tie = sql`(${namespaceKey} * ${sql.raw(String(SEQUENCES))} + ${values.tie})`;
  const { condition, order } = stretchClauses(stretch, values.value, tie);
  const isFull = view === 'full';
  const columns = [
    ...MEMORY_COLUMNS.map((name) => sql.ref(`memory.${name}`)),
    ...BODY_COLUMNS.map((name) => sql.ref(`memory_body.${name}`)),
    ...(view === 'metadata' ? [] : WIDE_COLUMNS.map((name) => sql.ref(`memory_body.${name}`))),
    ...(isFull ? [storedVector, sql`memory_vector.small`, sql`namespace.embedding_model AS model`] : []),
  ];
  const vectors = sql`
    LEFT JOIN namespace ON namespace.key = memory.namespace_key
    LEFT JOIN memory_vector ON memory_vector.pk = ${vectorKey}`;
  return sql<MemoryRow>`
    SELECT ${sql.join(columns)} FROM ${source.from}
    LEFT JOIN memory_body ON memory_body.pk = memory.pk ${isFull ? vectors : sql``}
    WHERE memory.namespace_key = ${namespaceKey} AND ${isSettled} AND ${source.condition} AND ${condition}
      AND (memory.expires_at_us IS NULL OR memory.expires_at_us > ${values.now_us})
    ORDER BY ${order}`;
}

type Column = 'created_at_us' | 'event_at_us' | 'importance' | 'step';

/**
 * Sort column and direction of each order. Rows with equal values are in the order of row keys, in the same direction,
 * as in the indexes.
 */
export const ORDERS: { readonly [O in ListOrder]: { readonly column: Column; readonly descending: boolean } } = {
  create_time_desc: { column: 'created_at_us', descending: true },
  create_time_asc: { column: 'created_at_us', descending: false },
  event_time_desc: { column: 'event_at_us', descending: true },
  event_time_asc: { column: 'event_at_us', descending: false },
  importance_desc: { column: 'importance', descending: true },
  step_asc: { column: 'step', descending: false },
  step_desc: { column: 'step', descending: true },
};

/**
 * A part of an order that one index serves: the memories with a value, then the memories without a value, from a
 * position on.
 */
interface Stretch {
  readonly order: ListOrder;
  readonly hasValue: boolean;
  readonly isAfter: boolean;
}

const INDEXES: { readonly [C in Column]: string } = {
  created_at_us: 'memory_created',
  event_at_us: 'memory_event',
  importance: 'memory_importance',
  step: 'memory_step',
};

/** The index in the order of the stretch; memories without a value have none. */
function indexOfStretch({ order, hasValue }: Stretch): string | undefined {
  return hasValue ? INDEXES[ORDERS[order].column] : undefined;
}

function stretchesOf(order: ListOrder, after: ListPosition | undefined): Stretch[] {
  const withValue = { order, hasValue: true, isAfter: after !== undefined };
  if (ORDERS[order].column !== 'step') return [withValue];
  if (after?.value === null) return [{ order, hasValue: false, isAfter: true }];
  return [withValue, { order, hasValue: false, isAfter: false }];
}

/** The conditions of a stretch on rows of `memory`, and their sort order. */
function stretchClauses(
  { order, hasValue, isAfter }: Stretch,
  afterValue: number | null,
  afterKey: RawBuilder<unknown>,
): { condition: RawBuilder<SqlBool>; order: RawBuilder<unknown> } {
  const { column, descending } = ORDERS[order];
  const value = sql.ref(`memory.${column}`);
  const beyond = sql.raw(descending ? '<' : '>');
  const direction = sql.raw(descending ? 'DESC' : 'ASC');
  if (hasValue) {
    const position = isAfter ? sql`AND (${value}, memory.pk) ${beyond} (${afterValue}, ${afterKey})` : sql``;
    return {
      condition: sql`${value} IS NOT NULL ${position}`,
      order: sql`${value} ${direction}, memory.pk ${direction}`,
    };
  }
  const position = isAfter ? sql`AND memory.pk ${beyond} ${afterKey}` : sql``;
  return { condition: sql`${value} IS NULL ${position}`, order: sql`memory.pk ${direction}` };
}

function positionOf(
  order: ListOrder,
  row: { readonly pk: number } & { readonly [C in Column]: number | null },
): ListPosition {
  return { value: row[ORDERS[order].column], tie: sequenceOf(row.pk) };
}
