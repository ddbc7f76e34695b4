import { admits, looksIntoBody, mayAdmit } from '../../memory/evaluate-filter.ts';
import type { Filter } from '../../memory/filter.ts';
import type { Memory, MemoryView } from '../../memory/memory.ts';
import type { ListOrder, ListPage, ListPosition, ListRead } from '../memory-store.ts';
import type { Entry, Room } from './draft.ts';
import { isExpired } from './memory-rules.ts';

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

export function listPage(room: Room, read: ListRead): ListPage {
  const order = ORDERS[read.order];
  const place = ({ memory, sequence }: Entry): ListPosition => ({ value: order.valueOf(memory), tie: sequence });
  const { after, filter, nowUs } = read;
  const entries = [...room.entries.values()]
    .filter((entry) => !isExpired(entry.memory, nowUs) && isMeant(entry, filter))
    .filter((entry) => !after || compare(place(entry), after, order.sign) > 0)
    .sort((a, b) => compare(place(a), place(b), order.sign));
  const taken = entries.slice(0, Math.min(read.limit, fitting(entries, read)));
  const page = pageOf(taken, read);
  const last = taken.at(-1);
  return last && taken.length < entries.length ? { ...page, next: place(last) } : page;
}

/** Whether a filter admits a memory, or may: of a damaged one only what lies outside of its bytes is known. */
export function isMeant({ memory, isDamaged }: Entry, filter: Filter | undefined): boolean {
  return !filter || (isDamaged ? mayAdmit : admits)(filter, memory);
}

/** The memories of a page, and apart from them those that cannot be read. */
export function pageOf(entries: readonly Entry[], { filter, view }: ListRead): ListPage {
  const isUndecided = filter !== undefined && looksIntoBody(filter);
  const isLost = ({ isDamaged = false, isUnreadable = false }: Entry): boolean =>
    isUnreadable || (isDamaged && (view !== 'metadata' || isUndecided));
  const memories = entries.filter((entry) => !isLost(entry)).map(({ memory }) => inView(memory, view));
  const damagedIds = entries.filter(isLost).map(({ memory }) => memory.id);
  return damagedIds.length > 0 ? { memories, damagedIds } : { memories };
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

export function inView(memory: Memory, view: MemoryView): Memory {
  if (view === 'full' || (view === 'basic' && !memory.embedding)) return memory;
  const { embedding: _, ...basic } = memory;
  if (view === 'basic') return basic;
  const { content: __, ...metadata } = basic;
  return { ...metadata, text: '' };
}
