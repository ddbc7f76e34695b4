import type { Call } from '../../../memory/call.ts';
import { MnemeError, memoryNotFound } from '../../../memory/errors.ts';
import { DEFAULT_IMPORTANCE, DEFAULT_PRIORITY, type Memory, type Scope } from '../../../memory/memory.ts';
import {
  EXPERIENCE_LIMITS,
  mergedSteps,
  PROCEDURE_SCHEMA,
  PROCEDURE_TYPE,
  PROCEDURES_ORIGIN,
  type Procedure,
  procedureContent,
  procedureId,
  procedureOf,
  procedureText,
  successRate,
  type TaskOutcome,
  withOutcome,
} from '../../../memory/procedure.ts';
import type { Degradation } from '../../../search/recall/recall-engine.ts';
import type { WriteOutcome } from '../../../storage/records.ts';
import { getAll } from '../facts/change-keys.ts';
import { content } from '../facts/fact-filters.ts';
import { type MemoryDeps, onceFor } from '../memories/operation-deps.ts';
import { storedOutcome, storeWriteOf } from '../memories/store-memories.ts';
import { type AnswerRecallDeps, answerRecall } from '../recall/answer-recall.ts';
import { type RecallRequest, TEXT_RECALL } from '../recall/recall-request.ts';
import { checkScopeAllowed } from '../visibility/visibility.ts';

export interface ProcedureRequest {
  readonly namespace: string;
  readonly scope: Scope;
  readonly title: string;
  readonly situation: string;
  readonly steps: readonly string[];
}

/** A procedure and the memory that has it. */
export interface StoredProcedure {
  readonly procedure: Procedure;
  readonly memory: Memory;
}

interface ChangedProcedure extends StoredProcedure {
  /** Of the first write, however often the call is repeated. */
  readonly revision: number;
}

/** Each time another writer of the procedure gets through. */
const TRIES = 16;

/** Stores a procedure, or merges it with the one that has the same title in the same scope. */
export async function recordProcedure(
  deps: MemoryDeps,
  request: ProcedureRequest,
  call: Call,
): Promise<ChangedProcedure & { readonly isNew: boolean }> {
  const { namespace, scope, title, situation, steps } = request;
  checkScopeAllowed(namespace, scope);
  const id = procedureId(scope, title);
  let isNew = false;
  const stored = await change(deps, { namespace, id }, call, (before) => {
    isNew = before === undefined;
    if (!before)
      return { id, scope, title, situation, steps, counts: { success: 0, failure: 0, partial: 0 }, notes: [] };
    const merged = mergedSteps(before.steps, steps, EXPERIENCE_LIMITS.steps);
    return { ...before, situation: situation || before.situation, steps: merged };
  });
  const earlier = call.idempotency && (await deps.store.outcomeOf(namespace, call.idempotency));
  return { ...stored, isNew: earlier ? await wasNew(deps, namespace, earlier as WriteOutcome) : isNew };
}

/** True where a write stored the first state of its memory. */
async function wasNew({ store, clock }: MemoryDeps, namespace: string, { memories }: WriteOutcome): Promise<boolean> {
  const [{ id, revision } = { id: '', revision: 0 }] = memories;
  const former = await store.revisions({ namespace, id, limit: 1, beforeRevision: revision, nowUs: clock.nowUs() });
  return former.length === 0;
}

/** Counts an outcome of a procedure. */
export function recordOutcome(
  deps: MemoryDeps,
  { namespace, id, outcome, note }: { namespace: string; id: string; outcome: TaskOutcome; note: string },
  call: Call,
): Promise<ChangedProcedure> {
  // An outcome creates no namespace: NAMESPACE_NOT_FOUND.
  return change({ ...deps, autoCreateNamespaces: false }, { namespace, id }, call, (before) => {
    if (!before) throw memoryNotFound(namespace, id);
    return withOutcome(before, outcome, note);
  });
}

/** Changes a procedure as one step; made again where another writer came first. */
async function change(
  deps: MemoryDeps,
  { namespace, id }: { readonly namespace: string; readonly id: string },
  call: Call,
  edit: (before: Procedure | undefined) => Procedure,
): Promise<ChangedProcedure> {
  const earlier = call.idempotency && (await deps.store.outcomeOf(namespace, call.idempotency));
  let outcome = earlier as WriteOutcome | undefined;
  for (let attempt = 1; !outcome; attempt++) {
    const [memory] = await getAll(deps, namespace, [id], deps.clock.nowUs());
    const before = memory && procedureOf(memory);
    if (memory && !before) throw memoryNotFound(namespace, id);
    const write = await writeOf(deps, namespace, edit(before), memory, call);
    try {
      outcome = await storedOutcome(deps, write);
    } catch (error) {
      const isRace = error instanceof MnemeError && error.reason === 'VERSION_MISMATCH';
      if (!isRace || attempt === TRIES) throw error;
      call.signal.throwIfAborted();
    }
  }
  const [memory] = await deps.store.get({ namespace, ids: [id], view: 'basic', nowUs: deps.clock.nowUs() });
  const procedure = memory && procedureOf(memory);
  if (!procedure) throw memoryNotFound(namespace, id);
  return { procedure, memory, revision: outcome.revision };
}

async function writeOf(
  deps: MemoryDeps,
  namespace: string,
  procedure: Procedure,
  before: Memory | undefined,
  call: Call,
) {
  const text = procedureText(procedure);
  const draft = {
    id: procedure.id,
    scope: procedure.scope,
    type: PROCEDURE_TYPE,
    text,
    textDerived: false,
    content: procedureContent(procedure, deps.clock.nowUs()),
    tags: before?.tags ?? [],
    importance: before?.importance ?? DEFAULT_IMPORTANCE,
    priority: before?.priority ?? DEFAULT_PRIORITY,
    source: before?.source ?? { speaker: '', uri: '', origin: PROCEDURES_ORIGIN },
    eventAtUs: before?.eventAtUs,
    ...(before?.embedding && before.text === text && { embedding: before.embedding }),
    past: before && {
      createdAtUs: before.createdAtUs,
      updatedAtUs: deps.clock.nowUs(),
      retrievalCount: before.retrievalCount,
    },
  };
  const write = await storeWriteOf(deps, { namespace, memories: [draft], onConflict: 'replace' }, call);
  return { ...write, expectedRevisions: { [procedure.id]: before?.revision ?? 0 }, ...onceFor(call) };
}

export interface FoundProcedure extends StoredProcedure {
  readonly relevance: number;
  /** Relevance times success rate. */
  readonly score: number;
}

/** Candidates of recall for each procedure that is asked for: one that fits less may succeed more often. */
const CANDIDATES = 4;
const HALF_LIFE_US = 365 * 86_400_000_000;

export interface SituationQuery {
  readonly namespace: string;
  readonly scope?: Scope;
  /** The situation in words. */
  readonly situation: Pick<RecallRequest, 'text' | 'cutTextBytes'>;
  readonly limit: number;
}

/** The procedures that fit a situation, the best first, and why some may be missing. */
export async function findProcedures(
  deps: AnswerRecallDeps,
  { namespace, scope, situation, limit }: SituationQuery,
  call: Call,
): Promise<{ readonly found: readonly FoundProcedure[]; readonly degraded: readonly Degradation[] }> {
  const { hits, degraded } = await answerRecall(
    deps,
    {
      ...TEXT_RECALL,
      namespace,
      ...situation,
      filter: content('schema', [PROCEDURE_SCHEMA]),
      scope,
      limit: limit * CANDIDATES,
      halfLifeUs: HALF_LIFE_US,
    },
    call,
  );
  const found = hits.flatMap(({ memory, relevance }): FoundProcedure[] => {
    const procedure = procedureOf(memory);
    return procedure ? [{ procedure, memory, relevance, score: relevance * successRate(procedure.counts) }] : [];
  });
  return { found: found.sort((one, other) => other.score - one.score).slice(0, limit), degraded };
}
