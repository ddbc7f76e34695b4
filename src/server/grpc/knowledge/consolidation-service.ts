import {
  ConsolidatedKind,
  type ConsolidatedMemory as ConsolidatedMessage,
  ConsolidateRequest,
  ConsolidateResponse,
  ConsolidationServiceService as Service,
  UndoConsolidationRequest,
  UndoConsolidationResponse,
} from '../../../../gen/ts/mneme/v1/consolidation_service.ts';
import type { DerivationKind } from '../../../memory/consolidation/derivation.ts';
import {
  CONSOLIDATION_DEFAULTS,
  type ConsolidatedMemory,
  type ConsolidateRequest as Consolidation,
  consolidate,
  MADE_MAX,
} from '../../operations/consolidation/consolidate.ts';
import { type UndoDeps, undoConsolidation } from '../../operations/consolidation/undo-consolidation.ts';
import type { MemoryDeps } from '../../operations/memories/operation-deps.ts';
import { type Route, unary } from '../edge/handler.ts';
import { durationOf, memoryName, RequestChecks } from '../edge/request-checks.ts';
import { scopeOf } from '../memories/memory-fields.ts';

const IDLE_DAYS_MAX = 365;

const KINDS: Readonly<Record<DerivationKind, ConsolidatedKind>> = {
  merge: ConsolidatedKind.CONSOLIDATED_KIND_MERGE,
  episode: ConsolidatedKind.CONSOLIDATED_KIND_EPISODE,
};

/** `proto/mneme/v1/consolidation_service.proto`. `seen` has the store as visible to the caller, `deps` all memories. */
export function consolidationService(deps: UndoDeps, seen: MemoryDeps): Route[] {
  return [
    unary(Service.consolidate, ConsolidateRequest, ConsolidateResponse, async (message, call) => {
      const request = requestOf(message);
      const { id, made, skippedCount, hasMore } = await consolidate(seen, request, call);
      const { namespace } = request;
      return {
        report: id === undefined ? '' : memoryName(namespace, id),
        memories: made.map((memory) => consolidatedMessage(namespace, memory)),
        skippedCount,
        hasMore,
        revision: BigInt(deps.store.revision),
      };
    }),
    unary(Service.undoConsolidation, UndoConsolidationRequest, UndoConsolidationResponse, async ({ report }, call) => {
      const checks = new RequestChecks();
      const { namespace, id } = checks.memoryName('report', report);
      checks.finish();
      const { restoredIds, deletedIds, keptIds } = await undoConsolidation(deps, { namespace, id }, call);
      const names = (ids: readonly string[]) => ids.map((one) => memoryName(namespace, one));
      const revision = BigInt(deps.store.revision);
      return { restored: names(restoredIds), deleted: names(deletedIds), kept: names(keptIds), revision };
    }),
  ];
}

function requestOf(message: ConsolidateRequest): Consolidation {
  const checks = new RequestChecks();
  const request = {
    namespace: checks.namespace('parent', message.parent),
    scope: scopeOf(checks, 'scope', message.scope),
    idleUs: message.idleTime
      ? durationOf(checks, 'idle_time', message.idleTime, IDLE_DAYS_MAX)
      : CONSOLIDATION_DEFAULTS.idleUs,
    stepsMax: checks.pageSize(message.maxSteps, CONSOLIDATION_DEFAULTS.stepsMax, MADE_MAX, 'max_steps'),
    dryRun: message.dryRun,
  };
  checks.finish();
  return request;
}

function consolidatedMessage(namespace: string, memory: ConsolidatedMemory): ConsolidatedMessage {
  const { kind, id, text, sources, hiddenIds } = memory;
  return {
    kind: KINDS[kind],
    name: memoryName(namespace, id),
    text,
    sources: [...sources],
    hidden: hiddenIds.map((hidden) => memoryName(namespace, hidden)),
  };
}
