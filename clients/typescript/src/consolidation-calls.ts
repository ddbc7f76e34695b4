import { randomUUID } from 'node:crypto';
import {
  ConsolidatedKind,
  ConsolidationServiceService as methods,
} from '../../../gen/ts/mneme/v1/consolidation_service.ts';
import type { Connection } from './connection.ts';
import type { Scope } from './memory.ts';
import { scopeMessage } from './memory-to-message.ts';
import { memoryName, namespaceName, partsOfName } from './names.ts';
import type { WriteOptions } from './options.ts';
import { durationOfMs } from './precise-date.ts';

export interface ConsolidateQuery {
  /** Owner of the memories; parts that are absent match any. Default: the whole namespace. */
  readonly scope?: Scope;
  /** Says what would be made, and makes nothing. Default false. */
  readonly dryRun?: boolean;
  /** A conversation is finished when it had no message for this long; at most 365 days. Default 24 hours. */
  readonly idleMs?: number;
  /** Maximum number of memories that the call makes, 1 to 1,000. Default 200. */
  readonly maxSteps?: number;
}

/** A memory that consolidation made. */
export interface ConsolidatedMemory {
  readonly kind: 'merge' | 'episode' | 'other';
  readonly id: string;
  readonly text: string;
  /** Ids of the memories that it cites. */
  readonly sourceIds: readonly string[];
  /** Ids of the memories that recall does not return by default any more. */
  readonly hiddenIds: readonly string[];
}

export interface ConsolidateResult {
  /** Id of the report, for `undo`. Absent when nothing was made. */
  readonly reportId?: string;
  readonly memories: readonly ConsolidatedMemory[];
  /** Number of memories that were not made because a source changed meanwhile or must not be changed. */
  readonly skippedCount: number;
  /** True when `maxSteps` was reached. */
  readonly hasMore: boolean;
  readonly revision: number;
}

export interface UndoConsolidationResult {
  /** Ids of memories that recall returns again. */
  readonly restoredIds: readonly string[];
  readonly deletedIds: readonly string[];
  /** Ids of memories that the consolidation made and that were changed since. */
  readonly keptIds: readonly string[];
  readonly revision: number;
}

/** Fewer memories of many: notes that say the same are merged, finished conversations get an episode. */
export interface ConsolidationCalls {
  /** Consolidates the memories of the namespace, or with `dryRun` says what that would make. Deletes nothing. */
  run(query?: ConsolidateQuery, options?: WriteOptions): Promise<ConsolidateResult>;
  /** Takes back what the consolidation of a report made. */
  undo(reportId: string, options?: WriteOptions): Promise<UndoConsolidationResult>;
}

const KINDS: ReadonlyMap<ConsolidatedKind, ConsolidatedMemory['kind']> = new Map([
  [ConsolidatedKind.CONSOLIDATED_KIND_MERGE, 'merge'],
  [ConsolidatedKind.CONSOLIDATED_KIND_EPISODE, 'episode'],
]);

export function consolidationCalls(connection: Connection, namespace: string): ConsolidationCalls {
  const parent = namespaceName(namespace);
  return {
    async run(query = {}, { requestId = randomUUID(), ...options } = {}) {
      const { scope, dryRun = false, idleMs, maxSteps = 0 } = query;
      const idleTime = idleMs === undefined ? undefined : durationOfMs(idleMs);
      const request = { parent, scope: scopeMessage(scope), dryRun, idleTime, maxSteps, requestId };
      const answer = await connection.unary(methods.consolidate, request, options);
      return {
        ...(answer.report && { reportId: partsOfName(answer.report).id }),
        memories: answer.memories.map(({ kind, name, text, sources, hidden }) => ({
          kind: KINDS.get(kind) ?? 'other',
          id: partsOfName(name).id,
          text,
          sourceIds: idsOf(sources),
          hiddenIds: idsOf(hidden),
        })),
        skippedCount: answer.skippedCount,
        hasMore: answer.hasMore,
        revision: connection.seen(answer.revision),
      };
    },

    async undo(reportId, { requestId = randomUUID(), ...options } = {}) {
      const request = { report: memoryName(namespace, reportId), requestId };
      const answer = await connection.unary(methods.undoConsolidation, request, options);
      return {
        restoredIds: idsOf(answer.restored),
        deletedIds: idsOf(answer.deleted),
        keptIds: idsOf(answer.kept),
        revision: connection.seen(answer.revision),
      };
    },
  };
}

function idsOf(names: readonly string[]): string[] {
  return names.map((name) => partsOfName(name).id);
}
