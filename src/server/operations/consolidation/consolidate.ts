import type { Call, Idempotency } from '../../../memory/call.ts';
import { type DerivationKind, derivationOf } from '../../../memory/consolidation/derivation.ts';
import { REPORT_TYPE, type ReportRecord, reportOf } from '../../../memory/consolidation/report-record.ts';
import { MnemeError } from '../../../memory/errors.ts';
import type { Filter } from '../../../memory/filter.ts';
import type { Memory, Micros, Scope } from '../../../memory/memory.ts';
import { isWithin } from '../../../memory/scope.ts';
import type { NewMemory, WriteOutcome } from '../../../storage/records.ts';
import { content } from '../facts/fact-filters.ts';
import { vectorsFor } from '../memories/embed-texts.ts';
import { compare } from '../memories/list-memories.ts';
import { type MemoryDeps, onceFor } from '../memories/operation-deps.ts';
import { derivationBy, memoryBy, reportMemory, textBy } from './derived-memories.ts';
import { plannedSteps, type Step, scopesWithin } from './plan-steps.ts';

/** Steps of one call, and time without a new message after which a conversation is finished, where none is asked for. */
export const CONSOLIDATION_DEFAULTS = { stepsMax: 200, idleUs: 86_400_000_000 } as const;

export interface ConsolidateRequest {
  readonly namespace: string;
  /** Parts that are not empty must be equal. */
  readonly scope: Scope;
  readonly idleUs: Micros;
  readonly stepsMax: number;
  readonly dryRun: boolean;
  /** Id of a new report. Default: a new one. Servers that make the same call at once share the report. */
  readonly reportId?: string;
}

/** A memory that was made, or would be. */
export interface ConsolidatedMemory {
  readonly kind: DerivationKind;
  readonly id: string;
  readonly text: string;
  readonly sources: readonly string[];
  readonly hiddenIds: readonly string[];
}

export interface ConsolidationReport {
  /** Absent: nothing was made, or it was a dry run. */
  readonly id?: string;
  readonly made: readonly ConsolidatedMemory[];
  /** Steps left out because a memory changed meanwhile, or must not be changed. */
  readonly skippedCount: number;
  /** True when the limit of steps was reached: another call goes on. */
  readonly hasMore: boolean;
}

/**
 * Makes fewer memories of many. Each step is one write with the new memory and the marks of the memories that it hides, so
 * that a process that dies leaves whole steps; the next call goes on with the same report. Nothing is deleted. A call with
 * the request id of a finished one has its answer.
 */
export async function consolidate(
  deps: MemoryDeps,
  request: ConsolidateRequest,
  call: Call,
): Promise<ConsolidationReport> {
  const { namespace, stepsMax, dryRun, scope } = request;
  const earlier = call.idempotency && (await deps.store.outcomeOf(namespace, call.idempotency));
  if (earlier) return reportedBy(deps, namespace, earlier as WriteOutcome);
  const known = await reportsOf(deps, namespace, call);
  const undoneIds = new Set(known.flatMap(({ record }) => record.undoneIds));
  const open = dryRun
    ? undefined
    : known.find(({ record }) => record.state === 'running' && isSame(record.scope, scope));
  const run = new Run(deps, request, open, call);
  const planned: ConsolidatedMemory[] = [];
  // What the report has already counts, so that undo finds all of it.
  let stepCount = open ? (await madeBy(deps, namespace, open.memory.id)).length : 0;
  let hasMore = false;
  const nowUs = deps.clock.nowUs();
  for await (const exact of scopesWithin(deps, namespace, (one) => isWithin(one, scope))) {
    const query = { namespace, scope: exact, idleUs: request.idleUs, nowUs, undoneIds, signal: call.signal };
    for (const step of await plannedSteps(deps, query)) {
      hasMore = stepCount >= stepsMax;
      if (hasMore) break;
      if (dryRun) planned.push(plannedMemory(step));
      else await run.carryOut(step);
      stepCount++;
    }
    if (hasMore) break;
  }
  if (dryRun) return { made: planned, skippedCount: 0, hasMore };
  return run.finished(hasMore);
}

/** The answer of a call whose last write stored its report. */
async function reportedBy(
  deps: MemoryDeps,
  namespace: string,
  { memories }: WriteOutcome,
): Promise<ConsolidationReport> {
  const [{ id } = { id: '' }] = memories;
  const record = await recordOf(deps, namespace, id);
  if (!record) return { made: [], skippedCount: 0, hasMore: false };
  const { skippedCount, hasMore } = record;
  return { id, made: await consolidatedBy(deps, namespace, id), skippedCount, hasMore };
}

async function recordOf(deps: MemoryDeps, namespace: string, id: string): Promise<ReportRecord | undefined> {
  const [memory] = await deps.store.get({ namespace, ids: [id], view: 'full', nowUs: deps.clock.nowUs() });
  return memory && reportOf(memory);
}

async function consolidatedBy(deps: MemoryDeps, namespace: string, report: string): Promise<ConsolidatedMemory[]> {
  return (await madeBy(deps, namespace, report)).flatMap(consolidatedMemory);
}

function plannedMemory(step: Step): ConsolidatedMemory {
  const { kind, sources, hidden } = derivationBy(step, '');
  return { kind, id: step.id, text: textBy(step), sources, hiddenIds: hidden.map(({ id }) => id) };
}

export interface StoredReport {
  readonly memory: Memory;
  readonly record: ReportRecord;
}

const REPORTS_MAX = 1000;
export const MADE_MAX = 1000;

/** The newest thousand reports of a namespace. */
async function reportsOf(deps: MemoryDeps, namespace: string, call: Call): Promise<StoredReport[]> {
  call.signal.throwIfAborted();
  const { memories } = await listed(deps, namespace, compare('type', 'equals', REPORT_TYPE), REPORTS_MAX);
  return memories.flatMap((memory) => {
    const record = reportOf(memory);
    return record ? [{ memory, record }] : [];
  });
}

/** Memories that the consolidation of a report has made and that are there, the oldest first. */
export async function madeBy(deps: MemoryDeps, namespace: string, report: string): Promise<Memory[]> {
  const { memories } = await listed(deps, namespace, content('report', [report]), MADE_MAX);
  return memories.filter((memory) => derivationOf(memory)?.report === report).reverse();
}

function listed(deps: MemoryDeps, namespace: string, filter: Filter, limit: number) {
  const order = 'create_time_desc';
  const nowUs = deps.clock.nowUs();
  return deps.view.list({
    ...{ namespace, filter, order, limit, nowUs },
    bytesMax: Number.MAX_SAFE_INTEGER,
    view: 'basic',
  });
}

function isSame(one: Scope, other: Scope): boolean {
  return isWithin(one, other) && isWithin(other, one);
}

/** Failures of one step that leave the others possible. */
const STEP_FAILURES: ReadonlySet<string> = new Set(['VERSION_MISMATCH', 'SCOPE_READ_ONLY', 'SCOPE_PRIVATE']);

/** The report is stored as running before the first step, and as done after the last one. */
class Run {
  private readonly deps: MemoryDeps;
  private readonly namespace: string;
  private readonly scope: Scope;
  private readonly reportId: string | undefined;
  private readonly call: Call;
  private report: { readonly id: string; readonly createdAtUs: Micros } | undefined;
  /** Of the report before this run. */
  private undoneIds: readonly string[] = [];
  private skippedCount = 0;

  constructor(deps: MemoryDeps, request: ConsolidateRequest, open: StoredReport | undefined, call: Call) {
    this.deps = deps;
    this.namespace = request.namespace;
    this.scope = request.scope;
    this.reportId = request.reportId;
    this.call = call;
    this.report = open?.memory;
  }

  async carryOut(step: Step): Promise<void> {
    this.call.signal.throwIfAborted();
    const { id: report } = await this.begun();
    const sources = await this.unchanged(step);
    if (!sources) {
      this.skippedCount++;
      return;
    }
    const atUs = this.deps.clock.nowUs();
    const made = memoryBy(step, report, atUs);
    const marks = step.kind === 'merge' ? sources.map((memory) => markedBy(made.id, memory, atUs)) : [];
    const revisions = step.kind === 'merge' ? sources.map(({ id, revision }) => [id, revision] as const) : [];
    const expectedRevisions = Object.fromEntries([[made.id, 0] as const, ...revisions]);
    try {
      await storeAll(this.deps, this.namespace, { memories: [made, ...marks], expectedRevisions, atUs }, this.call);
    } catch (error) {
      if (!(error instanceof MnemeError) || !STEP_FAILURES.has(error.reason)) throw error;
      this.skippedCount++;
    }
  }

  /** The sources as they are now; `undefined` where one of them is no longer what the step was planned from. */
  private async unchanged({ kind, sources }: Step): Promise<Memory[] | undefined> {
    const found = await this.deps.store.get({
      namespace: this.namespace,
      ids: sources.map(({ id }) => id),
      view: kind === 'merge' ? 'full' : 'metadata',
      nowUs: this.deps.clock.nowUs(),
    });
    const same = found.filter((memory, at) => memory?.revision === sources[at]?.revision);
    return same.length === sources.length ? same.filter((memory) => memory !== undefined) : undefined;
  }

  async finished(hasMore: boolean): Promise<ConsolidationReport> {
    const { deps, namespace, report, skippedCount } = this;
    if (!report) return { made: [], skippedCount, hasMore };
    await this.save('done', hasMore, onceFor(this.call));
    return { id: report.id, made: await consolidatedBy(deps, namespace, report.id), skippedCount, hasMore };
  }

  private async begun(): Promise<{ readonly id: string }> {
    if (!this.report) {
      const id = this.reportId ?? this.deps.newId();
      this.report = { id, createdAtUs: this.deps.clock.nowUs() };
      try {
        await this.save('running', false, { expectedRevisions: { [id]: 0 } });
      } catch (error) {
        if (!(error instanceof MnemeError) || error.reason !== 'VERSION_MISMATCH') throw error;
        // The same call was begun before, by another server or in an answer that is no longer kept: its report is that of this
        // one too.
        this.undoneIds = (await recordOf(this.deps, this.namespace, id))?.undoneIds ?? [];
      }
    }
    return this.report;
  }

  private async save(
    state: ReportRecord['state'],
    hasMore = false,
    how: Pick<Write, 'idempotency' | 'expectedRevisions'> = {},
  ) {
    if (!this.report) return;
    const { id, createdAtUs } = this.report;
    const atUs = this.deps.clock.nowUs();
    const { undoneIds, skippedCount, scope } = this;
    const record = { state, scope, undoneIds, skippedCount, hasMore };
    const memory = reportMemory(id, record, { createdAtUs, atUs });
    await storeAll(this.deps, this.namespace, { memories: [memory], atUs, ...how }, this.call);
  }
}

function consolidatedMemory(memory: Memory): ConsolidatedMemory[] {
  const derivation = derivationOf(memory);
  if (!derivation) return [];
  const { kind, sources, hidden } = derivation;
  return [{ kind, id: memory.id, text: memory.text, sources, hiddenIds: hidden.map(({ id }) => id) }];
}

/** A stored memory as it is written again. */
export function asWritten({ namespace: _, revision: __, ...fields }: Memory): NewMemory {
  return { ...fields, embeddingPending: false };
}

function markedBy(supersededBy: string, memory: Memory, atUs: Micros): NewMemory {
  return { ...asWritten(memory), supersededBy, updatedAtUs: atUs };
}

interface Write {
  readonly memories: readonly NewMemory[];
  readonly expectedRevisions?: Readonly<Record<string, number>>;
  readonly atUs: Micros;
  readonly idempotency?: Idempotency;
}

/** Writes memories as one step, with the vectors that they have or are to have. */
export async function storeAll(deps: MemoryDeps, namespace: string, write: Write, call: Call): Promise<void> {
  const plans = await vectorsFor(deps, namespace, write.memories, () => call.signal);
  const memories = write.memories.map(({ embedding: _, ...rest }, at): NewMemory => {
    const { embedding, pending = false } = plans[at] ?? {};
    return { ...rest, embedding, embeddingPending: pending };
  });
  await deps.store.write({
    kind: 'store',
    namespace,
    createNamespace: false,
    onConflict: 'replace',
    ...write,
    memories,
  });
  if (memories.some(({ embeddingPending }) => embeddingPending)) deps.onEmbeddingPending();
}
