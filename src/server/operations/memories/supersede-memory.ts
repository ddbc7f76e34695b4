import type { Call } from '../../../memory/call.ts';
import {
  checkRevision,
  type FieldViolation,
  invalidFields,
  MnemeError,
  memoryNotFound,
} from '../../../memory/errors.ts';
import type { Memory, MemoryDraft, Micros } from '../../../memory/memory.ts';
import type { NewMemory, WriteOutcome } from '../../../storage/records.ts';
import { vectorsFor } from './embed-texts.ts';
import { type MemoryDeps, onceFor } from './operation-deps.ts';
import { newMemory } from './store-memories.ts';

export interface SupersedeRequest {
  readonly namespace: string;
  /** Of the memory that is superseded. */
  readonly id: string;
  /** The version that this memory must have; absent: any. */
  readonly ifVersion?: number;
  /** The replacement. */
  readonly memory: MemoryDraft;
  /** Unset fields of the new memory that are copied from the old one. */
  readonly inherits: readonly ('scope' | 'type' | 'source')[];
}

/** Maximum attempts when concurrent changes interfere. */
const TRIES = 8;

/**
 * Stores a memory that replaces another one. The validity of the old memory ends, in the same transaction, when that of
 * the new one begins: at its `valid_from`, or else at its event time. The receipt of the new one comes first in the
 * outcome.
 */
export async function supersedeMemory(deps: MemoryDeps, request: SupersedeRequest, call: Call): Promise<WriteOutcome> {
  const { store } = deps;
  const { namespace, id, ifVersion, inherits } = request;
  const newId = request.memory.id ?? deps.newId();
  for (let attempt = 1; ; attempt++) {
    const earlier = call.idempotency && (await store.outcomeOf(namespace, call.idempotency));
    if (earlier) return earlier as WriteOutcome;
    const atUs = deps.clock.nowUs();
    const [old] = await store.get({ namespace, ids: [id], view: 'metadata', nowUs: atUs });
    if (!old) throw memoryNotFound(namespace, id);
    checkRevision(`namespaces/${namespace}/memories/${id}`, ifVersion, old.revision);
    if (old.supersededBy !== undefined) throw superseded(old, old.supersededBy);
    const inherited = Object.fromEntries(inherits.map((name) => [name, old[name]]));
    const successor = await successorOf(deps, namespace, { ...request.memory, ...inherited, id: newId }, atUs, call);
    const startUs = successor.validFromUs ?? atUs;
    checkTimes(old, startUs);
    const changes = { supersededBy: newId, validUntilUs: Math.min(old.validUntilUs ?? startUs, startUs) };
    try {
      const expectedRevision = old.revision;
      const outcome = await store.write({
        kind: 'update',
        namespace,
        id,
        expectedRevision,
        changes,
        successor,
        atUs,
        ...onceFor(call),
      });
      if (successor.embeddingPending) deps.onEmbeddingPending();
      return outcome;
    } catch (error) {
      const isRace = error instanceof MnemeError && error.reason === 'VERSION_MISMATCH' && ifVersion === undefined;
      if (!isRace || attempt === TRIES) throw error;
      call.signal.throwIfAborted();
    }
  }
}

async function successorOf(
  deps: MemoryDeps,
  namespace: string,
  draft: MemoryDraft,
  atUs: Micros,
  call: Call,
): Promise<NewMemory> {
  const [plan] = await vectorsFor(deps, namespace, [draft], () => call.signal);
  const memory = newMemory(draft, plan ?? { pending: false }, deps.newId, atUs);
  return { ...memory, validFromUs: memory.validFromUs ?? memory.eventAtUs };
}

/** The old one must have been valid for a while. */
function checkTimes(old: Memory, startUs: Micros): void {
  const faults: FieldViolation[] = [];
  if (old.validFromUs !== undefined && old.validFromUs >= startUs) {
    faults.push({
      field: 'memory.valid_from',
      description: `must be after the valid_from of the memory that is superseded, ${new Date(old.validFromUs / 1000).toISOString()}`,
    });
  }
  if (faults.length > 0) throw invalidFields(faults);
}

function superseded({ namespace, id }: Memory, successorId: string): MnemeError {
  const [name, successor] = [id, successorId].map((one) => `namespaces/${namespace}/memories/${one}`);
  return new MnemeError('MEMORY_SUPERSEDED', `${name} is already superseded by ${successor}: supersede that memory`, {
    metadata: { name: name ?? '', superseded_by: successor ?? '' },
  });
}
