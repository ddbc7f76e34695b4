import { type RawBuilder, sql } from 'kysely';
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

interface PageValues {
  namespace_key: number;
  now_us: number;
  value: number | null;
  tie: number;
}

/** Where rows come from: the whole namespace, or the few of it that a filter may admit. */
interface Source {
  readonly from: RawBuilder<unknown>;
  readonly condition: RawBuilder<unknown>;
}

const everything: Source = { from: sql`memory`, condition: sql`1` };
const plainPages = new Map<string, (database: SqliteDatabase) => Prepared<PageValues, MemoryRow>>();

/** Rows of a stretch in order, those that the filter may admit or more. */
export function listRows(
  database: SqliteDatabase,
  namespaceKey: number,
  read: ListRead,
  stretch: Stretch,
): Iterable<MemoryRow> {
  const { filter, view, nowUs, after } = read;
  const values = { namespace_key: namespaceKey, now_us: nowUs, value: after?.value ?? null, tie: after?.tie ?? 0 };
  if (!filter) return plainPage(view, stretch)(database).iterate(values);
  const source = sourceOf(database, namespaceKey, filter, stretch);
  // The filter may need what the view leaves out.
  const wideView = view === 'metadata' ? 'basic' : view;
  return prepareOnce(database, pageQuery(source, wideView, stretch, values)).iterate({});
}

/** The query of an unfiltered page, built once for each order and view. */
function plainPage(view: MemoryView, stretch: Stretch): (database: SqliteDatabase) => Prepared<PageValues, MemoryRow> {
  const name = `${view} ${stretch.order} ${stretch.hasValue} ${stretch.isAfter}`;
  const known = plainPages.get(name);
  if (known) return known;
  const made = prepared((values: PageValues) => pageQuery(everything, view, stretch, values));
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

function pageQuery(source: Source, view: MemoryView, stretch: Stretch, values: PageValues): RawBuilder<MemoryRow> {
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
    WHERE memory.namespace_key = ${values.namespace_key} AND ${source.condition} AND ${condition}
      AND (memory.expires_at_us IS NULL OR memory.expires_at_us > ${values.now_us})
    ORDER BY ${order}`;
}
