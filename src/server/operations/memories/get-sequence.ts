import type { Call } from '../../../memory/call.ts';
import { memoryNotFound } from '../../../memory/errors.ts';
import type { Filter, Operator } from '../../../memory/filter.ts';
import type { Memory, MemoryView, Micros } from '../../../memory/memory.ts';
import type { ListOrder } from '../../../storage/records.ts';
import type { View } from '../../../storage/view.ts';
import { compare, listUpTo, scopeFilters } from './list-memories.ts';
import type { MemoryDeps } from './operation-deps.ts';
import { waitForRevision } from './wait-for-revision.ts';

export interface SequenceRequest {
  readonly namespace: string;
  readonly id: string;
  readonly beforeCount: number;
  readonly afterCount: number;
  /** Farthest before or after. */
  readonly windowUs?: Micros;
  readonly sameType: boolean;
  readonly sameScope: boolean;
  readonly filter?: Filter;
  readonly view: MemoryView;
  /** 0 when any state will do. */
  readonly minRevision: number;
}

export interface Sequence {
  readonly before: readonly Memory[];
  readonly memory: Memory;
  readonly after: readonly Memory[];
  readonly revision: number;
}

/** The events before and after a memory. */
export async function getSequence(
  deps: Pick<MemoryDeps, 'store' | 'view' | 'clock'>,
  { id, minRevision, sameType, sameScope, filter, ...request }: SequenceRequest,
  call: Call,
): Promise<Sequence> {
  const { store, clock } = deps;
  await waitForRevision(store, minRevision, call);
  const { revision } = store;
  const { namespace, view } = request;
  const nowUs = clock.nowUs();
  const [memory] = await store.get({ namespace, ids: [id], view, nowUs });
  if (!memory) throw memoryNotFound(namespace, id);
  const conditions: Filter[] = [
    ...(sameType ? [compare('type', 'equals', memory.type)] : []),
    ...(sameScope ? scopeFilters(memory.scope) : []),
    ...(filter ? [filter] : []),
  ];
  const narrowing = conditions.length > 0 ? { filter: { kind: 'all', filters: conditions } as const } : {};
  const around = await sequenceAround(deps.view, memory, { ...request, ...narrowing, nowUs });
  return { ...around, memory, revision };
}

/** Memories with the same event time; the ones next to the middle are distinguished by sequence. */
const TIES_MAX = 1000;

export interface Around {
  readonly beforeCount: number;
  readonly afterCount: number;
  /** Farthest before or after. */
  readonly windowUs?: Micros;
  readonly filter?: Filter;
  readonly view: MemoryView;
  readonly nowUs: Micros;
}

/** The events around a memory by event time, oldest first; ties in the order of storing. */
export async function sequenceAround(
  memories: View,
  { namespace, id, eventAtUs }: Memory,
  { beforeCount, afterCount, windowUs = Number.POSITIVE_INFINITY, filter, view, nowUs }: Around,
): Promise<{ readonly before: Memory[]; readonly after: Memory[] }> {
  const read = (operator: Operator, edgeUs: Micros | undefined, order: ListOrder, limit: number) => {
    const edge =
      edgeUs === undefined
        ? []
        : [eventTime(order === 'event_time_desc' ? 'greater_or_equal' : 'less_or_equal', edgeUs)];
    const conditions = [eventTime(operator, eventAtUs), ...edge, ...(filter ? [filter] : [])];
    return listUpTo(memories, { namespace, filter: { kind: 'all', filters: conditions }, order, limit, view, nowUs });
  };
  const [earliest, latest] = Number.isFinite(windowUs) ? [eventAtUs - windowUs, eventAtUs + windowUs] : [];
  const [earlier, same, later] = await Promise.all([
    read('less', earliest, 'event_time_desc', beforeCount),
    read('equals', undefined, 'event_time_asc', TIES_MAX),
    read('greater', latest, 'event_time_asc', afterCount),
  ]);
  const at = same.findIndex((memory) => memory.id === id);
  const sameBefore = at < 0 ? [] : same.slice(0, at);
  const sameAfter = same.slice(at + 1);
  const before = [...earlier.reverse(), ...sameBefore];
  return {
    before: before.slice(Math.max(0, before.length - beforeCount)),
    after: [...sameAfter, ...later].slice(0, afterCount),
  };
}

function eventTime(operator: Operator, timeUs: Micros): Filter {
  return compare('event_time', operator, { timeUs: Math.round(timeUs) });
}
