import {
  type RecallHit as HitMessage,
  RankingMode,
  RecallGrouping,
  type RecallRequest,
  ScopeView,
} from '../../../gen/ts/mneme/v1/recall_service.ts';
import { jsonOf } from './bad-input.ts';
import { tierCode, viewCode } from './enums.ts';
import { filterFields } from './filter.ts';
import { embeddingMessage, messageOfMemory, scopeMessage } from './memory-to-message.ts';
import { memoryOfMessage } from './message-to-memory.ts';
import { memoryName, namespaceName } from './names.ts';
import { nearPlaceMessage, nearTimeMessage, timeWindowMessage } from './nearness.ts';
import { durationOfMs, offsetOf, timestampOf } from './precise-date.ts';
import type { RecallHit, RecallQuery } from './recall-types.ts';
import { trustOf } from './trust.ts';

/** The request as it is sent. */
export function requestOf(query: RecallQuery, namespace: string): Omit<RecallRequest, 'minRevision'> {
  const { weights = {}, recencyHalfLifeMs } = query;
  return {
    parent: namespaceName(namespace),
    text: query.text ?? '',
    embedding: query.embedding && embeddingMessage(query.embedding),
    example: query.example && messageOfMemory(query.example, namespace),
    similarTo: query.similarTo === undefined ? '' : memoryName(namespace, query.similarTo),
    ...filterFields(query.filter),
    scope: scopeMessage(query.scope),
    scopeView: query.scopeView === 'own' ? ScopeView.SCOPE_VIEW_OWN : ScopeView.SCOPE_VIEW_UNSPECIFIED,
    limit: query.limit ?? 0,
    minScore: query.minScore,
    minRelevance: query.minRelevance,
    minSimilarity: query.minSimilarity,
    diversity: query.diversity ?? 0,
    groupBy:
      query.groupBy === 'session' ? RecallGrouping.RECALL_GROUPING_SESSION : RecallGrouping.RECALL_GROUPING_UNSPECIFIED,
    ranking: query.ranking === 'fusion' ? RankingMode.RANKING_MODE_FUSION : RankingMode.RANKING_MODE_UNSPECIFIED,
    weights: query.weights && {
      keyword: weights.keyword,
      vector: weights.vector,
      recency: weights.recency,
      importance: weights.importance,
      session: weights.session,
      time: weights.time,
      place: weights.place,
    },
    referenceTime: timestampOf(query.referenceTime),
    timeZone: query.timeZone ?? offsetOf(query.referenceTime),
    recencyHalfLife: recencyHalfLifeMs === undefined ? undefined : durationOfMs(recencyHalfLifeMs),
    includeInvalid: query.includeInvalid ?? false,
    asOf: timestampOf(query.asOf),
    explain: query.explain ?? false,
    view: viewCode(query.view),
    touch: query.touch ?? false,
    focus: query.focus ?? false,
    tiers: (query.tiers ?? []).map(tierCode),
    neighborCount: query.neighborCount ?? 0,
    exact: query.exact ?? false,
    nearTime: query.nearTime && nearTimeMessage(query.nearTime),
    nearPlace: query.nearPlace && nearPlaceMessage(query.nearPlace),
    timeWindow: query.timeWindow && timeWindowMessage(query.timeWindow),
    tokenBudget: query.tokenBudget ?? 0,
    preset: query.preset && {
      name: query.preset.name,
      parameters: query.preset.parameters === undefined ? '' : jsonOf(query.preset.parameters, 'preset.parameters'),
      now: timestampOf(query.preset.now),
    },
  };
}

export function hitOf(hit: HitMessage): RecallHit {
  return {
    memory: memoryOfMessage(hit.memory),
    score: hit.score,
    relevance: hit.relevance,
    equalCount: hit.equalCount,
    ...(hit.outdatedBy && { outdatedBy: hit.outdatedBy }),
    components: hit.components,
    features: hit.features,
    matchedTerms: hit.matchedTerms,
    restored: hit.restored,
    trust: trustOf(hit.trust),
    ...(hit.passage && { passage: hit.passage }),
    before: hit.before.map(memoryOfMessage),
    after: hit.after.map(memoryOfMessage),
  };
}
