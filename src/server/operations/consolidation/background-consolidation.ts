import type { Call } from '../../../memory/call.ts';
import { consolidationIntervalOf } from '../../../memory/consolidation/consolidation-settings.ts';
import { derivedId } from '../../../memory/derived-id.ts';
import { isNamespaceMissing } from '../../../memory/errors.ts';
import { SERVER_ITSELF } from '../../../memory/principal.ts';
import { WHOLE_NAMESPACE } from '../../../memory/scope.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';
import { namespaceNames } from '../namespaces/namespaces.ts';
import { CONSOLIDATION_DEFAULTS, type ConsolidationReport, consolidate } from './consolidate.ts';

/** A consolidation of one namespace, or why there was none. */
export interface BackgroundRun {
  readonly namespace: string;
  readonly report?: ConsolidationReport;
  readonly error?: unknown;
}

/** Consolidations of one namespace in one round; the next round goes on. */
const CALLS_MAX = 5;

interface Progress {
  /** Number of the interval since 1970 in which the namespace was consolidated last. */
  readonly period: number;
  readonly callCount: number;
  readonly isDone: boolean;
}

/**
 * Consolidates namespaces whose settings ask for it, once in each interval. A call has a request id that depends on the interval alone,
 * so that after a restart a finished call is not repeated, and one that was cut off is completed in the same report.
 * Servers that make the same call at once make one report.
 */
export class BackgroundConsolidation {
  private readonly deps: MemoryDeps;
  private readonly progress = new Map<string, Progress>();

  constructor(deps: MemoryDeps) {
    this.deps = deps;
  }

  /** Consolidates what is due. A namespace that cannot be consolidated does not hold up the others. */
  async *round(signal: AbortSignal): AsyncGenerator<BackgroundRun> {
    const { store } = this.deps;
    const server = await store.tierSettings('');
    for await (const namespace of namespaceNames(store)) {
      try {
        const intervalUs = consolidationIntervalOf(server, await store.tierSettings(namespace));
        if (intervalUs === undefined) this.progress.delete(namespace);
        else yield* this.ofNamespace(namespace, intervalUs, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (isNamespaceMissing(error)) this.progress.delete(namespace);
        else yield { namespace, error };
      }
    }
  }

  private async *ofNamespace(
    namespace: string,
    intervalUs: number,
    signal: AbortSignal,
  ): AsyncGenerator<BackgroundRun> {
    const period = Math.floor(this.deps.clock.nowUs() / intervalUs);
    const before = this.progress.get(namespace);
    let { callCount, isDone } = before?.period === period ? before : { callCount: 0, isDone: false };
    for (let left = CALLS_MAX; left > 0 && !isDone; left--) {
      const number = `${intervalUs} ${period} ${callCount}`;
      const reportId = derivedId(`consolidation\n${number}`);
      const request = { namespace, scope: WHOLE_NAMESPACE, dryRun: false, reportId, ...CONSOLIDATION_DEFAULTS };
      const call = callOf(number, signal);
      const isRepeated = (await this.deps.store.outcomeOf(namespace, call.idempotency)) !== undefined;
      const report = await consolidate(this.deps, request, call);
      callCount++;
      isDone = !report.hasMore;
      this.progress.set(namespace, { period, callCount, isDone });
      if (report.id !== undefined && !isRepeated) yield { namespace, report };
    }
  }
}

/** A call of the server itself. */
function callOf(number: string, signal: AbortSignal): Call & Required<Pick<Call, 'idempotency'>> {
  const idempotency = { requestId: `~consolidation ${number}`, fingerprint: number };
  return {
    signal,
    deadlineAtMs: Number.POSITIVE_INFINITY,
    callId: 'consolidation',
    principal: SERVER_ITSELF,
    caller: '',
    idempotency,
  };
}
