import { type RawBuilder, sql } from '#kysely';
import type { Filter } from '../../../memory/filter.ts';
import type { MemoryView } from '../../../memory/memory.ts';
import type { ListRead } from '../../memory-store.ts';
import type { SqliteDatabase } from '../database.ts';
import { narrowFilter } from '../narrow-filter.ts';
import { narrowKeys } from '../narrow-keys.ts';
import { type Prepared, prepared, prepareOnce } from '../prepared.ts';
import { BODY_COLUMNS, MEMORY_COLUMNS, type MemoryRow, WIDE_COLUMNS } from '../rows.ts';
import { vectorKey } from '../vector-spaces.ts';
import { indexOfStretch, type Stretch, stretchClauses } from './list-order.ts';

/** With no more than these, the memories that a filter may admit are sorted; with more, the order is walked. */
const SORTED_MAX = 5000;
/** Rows that are read at once. More come one by one: a page of large memories ends before its limit. */
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

/** Where rows come from: the whole namespace, or the few of it that a filter may admit. */
interface Source {
  readonly from: RawBuilder<unknown>;
  readonly condition: RawBuilder<unknown>;
}

const everything: Source = { from: sql`memory`, condition: sql`1` };
type PlainPage = (database: SqliteDatabase) => Prepared<PlainPageValues, MemoryRow>;
const plainPages = new Map<string, PlainPage>();

/** Rows of a stretch in order, at most one more than the page takes; none when there is no such namespace. */
export function plainRows(database: SqliteDatabase, read: ListRead, stretch: Stretch): Iterable<MemoryRow> {
  const { namespace, view, nowUs, after, limit } = read;
  const page = plainPage(view, stretch)(database);
  const position = { value: after?.value ?? null, tie: after?.tie ?? 0 };
  const values = { namespace, now_us: nowUs, ...position, limit: limit + 1 };
  return limit < READ_AT_ONCE ? page.all(values) : page.iterate(values);
}

/** Rows of a stretch in order, those that the filter may admit or more. */
export function filteredRows(
  database: SqliteDatabase,
  namespaceKey: number,
  filter: Filter,
  { view, nowUs, after }: ListRead,
  stretch: Stretch,
): Iterable<MemoryRow> {
  const values = { now_us: nowUs, value: after?.value ?? null, tie: after?.tie ?? 0 };
  const source = sourceOf(database, namespaceKey, filter, stretch);
  // The filter may need what the view leaves out.
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
  // Left to itself the planner may look up all the many memories and sort them for the sake of one page.
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
  const { condition, order } = stretchClauses(stretch, values);
  const isFull = view === 'full';
  const columns = [
    ...MEMORY_COLUMNS.map((name) => sql.ref(`memory.${name}`)),
    ...BODY_COLUMNS.map((name) => sql.ref(`memory_body.${name}`)),
    ...(view === 'metadata' ? [] : WIDE_COLUMNS.map((name) => sql.ref(`memory_body.${name}`))),
    ...(isFull
      ? [sql`memory_vector.data AS vector, memory_vector.small`, sql`namespace.embedding_model AS model`]
      : []),
  ];
  const vectors = sql`
    LEFT JOIN namespace ON namespace.key = memory.namespace_key
    LEFT JOIN memory_vector ON memory_vector.pk = ${vectorKey}`;
  return sql<MemoryRow>`
    SELECT ${sql.join(columns)} FROM ${source.from}
    CROSS JOIN memory_body ON memory_body.pk = memory.pk ${isFull ? vectors : sql``}
    WHERE memory.namespace_key = ${namespaceKey} AND ${source.condition} AND ${condition}
      AND (memory.expires_at_us IS NULL OR memory.expires_at_us > ${values.now_us})
    ORDER BY ${order}`;
}
