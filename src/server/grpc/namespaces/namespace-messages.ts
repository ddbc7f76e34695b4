import type {
  AgentStatistics as AgentStatisticsMessage,
  MemoryAccess as MemoryAccessMessage,
  MemoryStatistics,
  Namespace as NamespaceMessage,
  ScopeCount,
} from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import type { Scope } from '../../../memory/memory.ts';
import type { Namespace } from '../../../storage/records.ts';
import type { MemoryAccess, StoreStatistics } from '../../../storage/view.ts';
import type { AgentStatistics, NamespaceDraft } from '../../operations/namespaces/namespaces.ts';
import {
  memoryName,
  namespaceName,
  optionalTimestamp,
  type RequestChecks,
  timestampOf,
} from '../edge/request-checks.ts';
import { TIER_NUMBERS } from '../memories/memory-messages.ts';

const DESCRIPTION_BYTES = 1024;

export function namespaceMessage(namespace: Namespace): NamespaceMessage {
  return {
    name: namespaceName(namespace.name),
    description: namespace.description,
    createTime: timestampOf(namespace.createdAtUs),
    updateTime: timestampOf(namespace.updatedAtUs),
    embeddingModel: namespace.embeddingModel,
    embeddingDimension: namespace.embeddingDimension,
    memoryLimit: namespace.memoryLimit,
    settings: { ...namespace.settings },
    version: BigInt(namespace.revision),
  };
}

/** The fields of a namespace that the caller sets. */
export function namespaceDraftOf(checks: RequestChecks, message: NamespaceMessage | undefined): NamespaceDraft {
  return {
    name: checks.namespace('namespace.name', message?.name ?? ''),
    description: checks.text('namespace.description', message?.description ?? '', DESCRIPTION_BYTES),
    memoryLimit: checks.wholeWithin('namespace.memory_limit', BigInt(message?.memoryLimit ?? 0)),
    settings: Object.entries(message?.settings ?? {}).map(
      ([key, value]) => [key, value === '' ? null : value] as const,
    ),
  };
}

/** The fields of a draft that a mask names. */
export function maskedDraft(checks: RequestChecks, draft: NamespaceDraft, mask: readonly string[]) {
  const masked: { -readonly [K in keyof NamespaceDraft]?: NamespaceDraft[K] } = {};
  if (mask.length === 0) checks.add('update_mask', 'must name description, memory_limit or settings');
  for (const [at, path] of mask.entries()) {
    if (path === 'description') masked.description = draft.description;
    else if (path === 'memory_limit') masked.memoryLimit = draft.memoryLimit;
    else if (path === 'settings') masked.settings = draft.settings;
    else
      checks.add(
        `update_mask.paths[${at}]`,
        `must be description, memory_limit or settings, got ${JSON.stringify(path.slice(0, 40))}`,
      );
  }
  return masked;
}

function accessMessage({ namespace, id, retrievalCount, lastAccessedAtUs }: MemoryAccess): MemoryAccessMessage {
  return { name: memoryName(namespace, id), retrievalCount, lastAccessTime: optionalTimestamp(lastAccessedAtUs) };
}

export function scopeCountMessage(namespace: string, { scope, count }: { scope: Scope; count: number }): ScopeCount {
  return { scope: { namespace, ...scope }, memoryCount: count };
}

export function statisticsMessage(statistics: StoreStatistics, { simplified = false } = {}): MemoryStatistics {
  const { types, mostAccessed = [], leastAccessed = [] } = statistics;
  return {
    memoryCount: statistics.memoryCount,
    contentBytes: statistics.contentBytes,
    embeddedCount: statistics.embeddedCount,
    embeddingPendingCount: statistics.embeddingPendingCount,
    importanceMean: statistics.importanceMean,
    types: simplified ? [] : types.map(({ type, count }) => ({ type, memoryCount: count })),
    tiers: statistics.tiers.map(({ tier, count, contentBytes, storedBytes, importanceMean }) => ({
      tier: TIER_NUMBERS[tier],
      memoryCount: count,
      contentBytes,
      storedBytes: storedBytes ?? contentBytes,
      importanceMean: importanceMean ?? statistics.importanceMean,
    })),
    mostAccessed: simplified ? [] : mostAccessed.map(accessMessage),
    leastAccessed: simplified ? [] : leastAccessed.map(accessMessage),
    retrievalCount: statistics.retrievalCount,
  };
}

export function agentStatisticsMessage(
  { agent, types, tiers, memoryCount, contentBytes }: AgentStatistics,
  { simplified = false } = {},
): AgentStatisticsMessage {
  return {
    agent,
    memoryCount,
    contentBytes,
    types: simplified ? [] : types.map(({ type, count }) => ({ type, memoryCount: count })),
    tiers: tiers.map(({ tier, count, contentBytes: bytes }) => {
      return { tier: TIER_NUMBERS[tier], memoryCount: count, contentBytes: bytes };
    }),
  };
}
