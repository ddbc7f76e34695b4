import type { Call } from '../../../memory/call.ts';
import { parsedContent } from '../../../memory/derive-text.ts';
import type { Filter } from '../../../memory/filter.ts';
import { isRawJson } from '../../../memory/json.ts';
import type { Memory, MemoryView, Scope } from '../../../memory/memory.ts';
import { listAll, listUpTo, statesFilter } from './list-memories.ts';
import type { MemoryDeps } from './operation-deps.ts';
import { waitForRevision } from './wait-for-revision.ts';

export interface ChangeHistoryRequest {
  readonly namespace: string;
  /** Keys and indexes from the root of the JSON content; arrays are not looked through. */
  readonly path: readonly string[];
  readonly scope?: Scope;
  readonly type: string;
  readonly startStep?: number;
  readonly endStep?: number;
  readonly filter?: Filter;
  readonly limit: number;
  /** 0 when any state will do. */
  readonly minRevision: number;
}

export interface AttributeChange {
  readonly memory: Memory;
  readonly kind: 'appeared' | 'changed' | 'disappeared';
  /** As JSON; absent when there was none. */
  readonly previous?: string;
  readonly next?: string;
}

export interface ChangeHistory {
  readonly changes: readonly AttributeChange[];
  readonly truncated: boolean;
  readonly revision: number;
}

/** Walks the states by step and returns each change of the value at the path from one state to the next. */
export async function changeHistory(
  { store, view, clock }: Pick<MemoryDeps, 'store' | 'view' | 'clock'>,
  request: ChangeHistoryRequest,
  call: Call,
): Promise<ChangeHistory> {
  await waitForRevision(store, request.minRevision, call);
  const { revision } = store;
  const changes: AttributeChange[] = [];
  let previous: string | undefined;
  const states = listAll(view, {
    namespace: request.namespace,
    filter: statesFilter(request),
    order: 'step_asc',
    view: 'basic',
    nowUs: clock.nowUs(),
  });
  for await (const memory of states) {
    call.signal.throwIfAborted();
    const next = jsonAt(parsedContent(memory.content), request.path);
    if (next === previous) continue;
    if (changes.length === request.limit) return { changes, truncated: true, revision };
    changes.push(changeOf(memory, previous, next));
    previous = next;
  }
  return { changes, truncated: false, revision };
}

function changeOf(memory: Memory, previous: string | undefined, next: string | undefined): AttributeChange {
  if (previous === undefined) return { memory, kind: 'appeared', next };
  return next === undefined ? { memory, kind: 'disappeared', previous } : { memory, kind: 'changed', previous, next };
}

/** The value at the path as JSON with its keys in one order, so that equal values are equal texts. */
function jsonAt(json: unknown, path: readonly string[]): string | undefined {
  let value = json;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as { readonly [key: string]: unknown })[part];
  }
  return value === undefined ? undefined : JSON.stringify(value, sorted);
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isRawJson(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

export interface SnapshotsRequest {
  readonly namespace: string;
  /** In the order of the answer, each once. */
  readonly steps: readonly number[];
  readonly carryForward: boolean;
  readonly scope?: Scope;
  readonly type: string;
  readonly filter?: Filter;
  readonly view: MemoryView;
  /** 0 when any state will do. */
  readonly minRevision: number;
}

export interface Snapshot {
  readonly step: number;
  readonly memory?: Memory;
}

/** The state at each step: of several at one step the one stored last. */
export async function snapshots(
  deps: Pick<MemoryDeps, 'store' | 'view' | 'clock'>,
  request: SnapshotsRequest,
  call: Call,
): Promise<{ readonly snapshots: readonly Snapshot[]; readonly revision: number }> {
  const { store, clock } = deps;
  await waitForRevision(store, request.minRevision, call);
  const { revision } = store;
  const nowUs = clock.nowUs();
  const { namespace, view } = request;
  const last = async (startStep: number, endStep: number): Promise<Memory | undefined> => {
    call.signal.throwIfAborted();
    const filter = statesFilter({ ...request, startStep, endStep });
    const [memory] = await listUpTo(deps.view, { namespace, filter, order: 'step_desc', limit: 1, view, nowUs });
    return memory;
  };
  const found: Snapshot[] = [];
  for (const step of request.steps) {
    const memory = await last(request.carryForward ? 0 : step, step);
    found.push(memory ? { step, memory } : { step });
  }
  return { snapshots: found, revision };
}
