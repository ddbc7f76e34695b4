import type { Call } from '../../memory/call.ts';
import { memoryNotFound } from '../../memory/errors.ts';
import type { Filter } from '../../memory/filter.ts';
import type { Memory, MemoryView, Micros } from '../../memory/memory.ts';
import type { MemoryDeps } from './operation-deps.ts';
import { sequenceAround } from './sequence-around.ts';
import { compare, scopeFilters } from './states-filter.ts';
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

/** What happened before and after a memory. */
export async function getSequence(
  { store, clock }: Pick<MemoryDeps, 'store' | 'clock'>,
  { id, minRevision, sameType, sameScope, filter, ...request }: SequenceRequest,
  call: Call,
): Promise<Sequence> {
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
  const around = await sequenceAround(store, memory, { ...request, ...narrowing, nowUs });
  return { ...around, memory, revision };
}
