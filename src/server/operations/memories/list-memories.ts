import type { Call } from '../../../memory/call.ts';
import { memoryDamaged } from '../../../memory/errors.ts';
import type { Filter, MemoryField, Operator, Scalar } from '../../../memory/filter.ts';
import type { Memory, MemoryView, Scope, Tier } from '../../../memory/memory.ts';
import { type ValidityView, validFilter } from '../../../memory/validity.ts';
import type { ListOrder, ListPage, ListPosition, ListRead, PastState, Records } from '../../../storage/records.ts';
import type { View } from '../../../storage/view.ts';
import type { MemoryDeps } from './operation-deps.ts';
import { waitForRevision } from './wait-for-revision.ts';

export interface ListRequest {
  readonly namespace: string;
  readonly filter?: Filter;
  readonly validity: ValidityView;
  readonly order: ListOrder;
  readonly limit: number;
  readonly bytesMax: number;
  readonly after?: ListPosition;
  readonly view: MemoryView;
  /** 0 when any state will do. */
  readonly minRevision: number;
}

/** Reads one page; the revision is one whose changes the page includes completely. */
export async function listMemories(
  { store, view, clock }: Pick<MemoryDeps, 'store' | 'view' | 'clock'>,
  { minRevision, filter, validity, ...read }: ListRequest,
  call: Call,
): Promise<ListPage & { readonly revision: number }> {
  if (minRevision > store.revision) await waitForRevision(store, minRevision, call);
  const revision = await view.reached(read.namespace);
  const nowUs = clock.nowUs();
  const listed = validFilter(filter, validity, nowUs);
  return { ...(await view.list({ ...read, filter: listed, nowUs, asker: call })), revision };
}

export interface CountRequest {
  readonly namespace: string;
  readonly filter?: Filter;
  readonly validity: ValidityView;
  /** 0 when any state will do. */
  readonly minRevision: number;
}

export interface MemoryCount {
  readonly count: number;
  readonly tiers: readonly (readonly [Tier, number])[];
  readonly revision: number;
}

/** The number of memories that listing them would give, exactly, at a revision that it has in full. */
export async function countMemories(
  { store, view, clock }: Pick<MemoryDeps, 'store' | 'view' | 'clock'>,
  { namespace, filter, validity, minRevision }: CountRequest,
  call: Call,
): Promise<MemoryCount> {
  if (minRevision > store.revision) await waitForRevision(store, minRevision, call);
  const revision = await view.reached(namespace);
  const nowUs = clock.nowUs();
  const counted = validFilter(filter, validity, nowUs);
  const read = { namespace, filter: counted, nowUs, deadlineAtMs: call.deadlineAtMs };
  const tiers = [...(await view.count({ ...read, asker: call }))];
  return { count: tiers.reduce((sum, [, count]) => sum + count, 0), tiers, revision };
}

export interface ListRevisionsRequest {
  readonly namespace: string;
  readonly id: string;
  readonly limit: number;
  /** A page ends before its texts and contents pass this size, but holds at least one state. */
  readonly bytesMax: number;
  readonly beforeRevision?: number;
}

/**
 * Reads revisions of a memory, newest first; `nextBefore` continues with older ones and is absent at the end.
 * Unreadable revisions are counted.
 */
export async function listRevisions(
  { store, clock }: Pick<MemoryDeps, 'store' | 'clock'>,
  { limit, bytesMax, ...read }: ListRevisionsRequest,
): Promise<{ states: readonly PastState[]; damagedCount: number; nextBefore?: number }> {
  const found = await store.revisions({ ...read, limit: limit + 1, nowUs: clock.nowUs() });
  const page = found.slice(0, Math.min(limit, countWithin(found, bytesMax)));
  const states = page.filter(({ isDamaged }) => !isDamaged);
  const last = page.length < found.length ? page.at(-1) : undefined;
  return { states, damagedCount: page.length - states.length, nextBefore: last?.memory.revision };
}

function countWithin(states: Awaited<ReturnType<Records['revisions']>>, bytesMax: number): number {
  let bytes = 0;
  for (const [at, { memory }] of states.entries()) {
    bytes += Buffer.byteLength(memory.text) + (memory.content?.data.byteLength ?? 0);
    if (at > 0 && bytes > bytesMax) return at;
  }
  return states.length;
}

/** Maximum bytes of one read of the store. */
export const PAGE_BYTES = 3_145_728;
const PAGE_MEMORIES = 500;

/** The first memories of a list, over as many pages as necessary. */
export async function listUpTo(
  view: View,
  { limit, ...read }: Omit<ListRead, 'after' | 'bytesMax'>,
): Promise<Memory[]> {
  const memories: Memory[] = [];
  for await (const memory of listAll(view, read, limit)) memories.push(memory);
  return memories;
}

/** Fails with CHECKSUM_MISMATCH where a page omits a damaged memory: for results that must be complete. */
export function checkWhole(namespace: string, { damagedIds: [damaged] = [] }: ListPage): void {
  if (damaged !== undefined) throw memoryDamaged(namespace, damaged);
}

/** The memories of a list one by one, at most `limit`. Fails with CHECKSUM_MISMATCH. */
export async function* listAll(
  view: View,
  read: Omit<ListRead, 'after' | 'bytesMax' | 'limit'>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<Memory, void, undefined> {
  let left = limit;
  let after: ListPosition | undefined;
  while (left > 0) {
    const page = await view.list({
      ...read,
      limit: Math.min(left, PAGE_MEMORIES),
      bytesMax: PAGE_BYTES,
      after,
    });
    checkWhole(read.namespace, page);
    yield* page.memories;
    left -= page.memories.length;
    if (!page.next) return;
    after = page.next;
  }
}

export interface States {
  /** Parts that are not empty must be equal. */
  readonly scope?: Scope;
  readonly type: string;
  readonly startStep?: number;
  readonly endStep?: number;
  readonly filter?: Filter;
}

/** The states of a run that have a step. */
export function statesFilter({ scope, type, startStep = 0, endStep, filter }: States): Filter {
  const filters: Filter[] = [compare('type', 'equals', type), compare('step', 'greater_or_equal', startStep)];
  if (endStep !== undefined) filters.push(compare('step', 'less_or_equal', endStep));
  if (scope) filters.push(...scopeFilters(scope));
  if (filter) filters.push(filter);
  return { kind: 'all', filters };
}

/** One condition for each part of the scope that is set. */
export function scopeFilters(scope: Scope): Filter[] {
  const parts = [
    ['project', scope.project],
    ['agent_type', scope.agentType],
    ['agent', scope.agent],
    ['session', scope.session],
  ] as const;
  return parts.flatMap(([field, value]) => (value === '' ? [] : [compare(field, 'equals', value)]));
}

export function compare(field: MemoryField, operator: Operator, value: Scalar): Filter {
  return { kind: 'comparison', target: { kind: 'field', field }, operator, values: [value], ignoreCase: false };
}
