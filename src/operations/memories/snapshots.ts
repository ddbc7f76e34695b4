import type { Call } from '../../memory/call.ts';
import type { Filter } from '../../memory/filter.ts';
import type { Memory, MemoryView, Scope } from '../../memory/memory.ts';
import { listUpTo } from './list-up-to.ts';
import type { MemoryDeps } from './operation-deps.ts';
import { statesFilter } from './states-filter.ts';
import { waitForRevision } from './wait-for-revision.ts';

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
  { store, clock }: Pick<MemoryDeps, 'store' | 'clock'>,
  request: SnapshotsRequest,
  call: Call,
): Promise<{ readonly snapshots: readonly Snapshot[]; readonly revision: number }> {
  await waitForRevision(store, request.minRevision, call);
  const { revision } = store;
  const nowUs = clock.nowUs();
  const { namespace, view } = request;
  const last = async (startStep: number, endStep: number): Promise<Memory | undefined> => {
    call.signal.throwIfAborted();
    const filter = statesFilter({ ...request, startStep, endStep });
    const [memory] = await listUpTo(store, { namespace, filter, order: 'step_desc', limit: 1, view, nowUs });
    return memory;
  };
  const found: Snapshot[] = [];
  for (const step of request.steps) {
    const memory = await last(request.carryForward ? 0 : step, step);
    found.push(memory ? { step, memory } : { step });
  }
  return { snapshots: found, revision };
}
