import { admits } from '../../../src/memory/evaluate-filter.ts';
import type { Memory } from '../../../src/memory/memory.ts';
import type { ListOrder, ListPage, ListPosition, ListRead } from '../../../src/storage/records.ts';
import { type Entry, inView, type NamespaceContents } from '../../../src/storage/rules/draft.ts';
import { isExpired } from '../../../src/storage/rules/memory-rules.ts';

type Order = { readonly valueOf: (memory: Memory) => number | null; readonly sign: 1 | -1 };

const ORDERS: { readonly [O in ListOrder]: Order } = {
  create_time_desc: { valueOf: (memory) => memory.createdAtUs, sign: -1 },
  create_time_asc: { valueOf: (memory) => memory.createdAtUs, sign: 1 },
  event_time_desc: { valueOf: (memory) => memory.eventAtUs, sign: -1 },
  event_time_asc: { valueOf: (memory) => memory.eventAtUs, sign: 1 },
  importance_desc: { valueOf: (memory) => memory.importance, sign: -1 },
  step_asc: { valueOf: (memory) => memory.step ?? null, sign: 1 },
  step_desc: { valueOf: (memory) => memory.step ?? null, sign: -1 },
};

export function listPage(contents: NamespaceContents, read: ListRead): ListPage {
  const order = ORDERS[read.order];
  const place = ({ memory, sequence }: Entry): ListPosition => ({ value: order.valueOf(memory), tie: sequence });
  const { after, filter, nowUs } = read;
  const entries = [...contents.entries.values()]
    .filter(({ memory }) => !isExpired(memory, nowUs) && (!filter || admits(filter, memory)))
    .filter((entry) => !after || compare(place(entry), after, order.sign) > 0)
    .sort((a, b) => compare(place(a), place(b), order.sign));
  const taken = entries.slice(0, Math.min(read.limit, fitting(entries, read)));
  const page = { memories: taken.map(({ memory }) => inView(memory, read.view)) };
  const last = taken.at(-1);
  return last && taken.length < entries.length ? { ...page, next: place(last) } : page;
}

/** Memories without a value come last in both directions. */
function compare(one: ListPosition, other: ListPosition, sign: 1 | -1): number {
  if ((one.value === null) !== (other.value === null)) return one.value === null ? 1 : -1;
  const byValue = (one.value ?? 0) - (other.value ?? 0);
  return sign * (byValue === 0 ? one.tie - other.tie : byValue);
}

/** Number of entries whose texts and contents stay within the page; at least one. */
function fitting(entries: readonly Entry[], { view, bytesMax }: ListRead): number {
  if (view === 'metadata') return entries.length;
  let bytes = 0;
  for (const [at, { memory }] of entries.entries()) {
    bytes += Buffer.byteLength(memory.text) + (memory.content?.data.byteLength ?? 0);
    if (at > 0 && bytes > bytesMax) return at;
  }
  return entries.length;
}
