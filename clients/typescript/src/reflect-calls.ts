import type { Timestamp } from '../../../gen/ts/google/protobuf/timestamp.ts';
import {
  EpisodeFeatureKind as FeatureCode,
  type EpisodeFeature as FeatureMessage,
  InsightKind as InsightCode,
  EpisodeMeasure as MeasureCode,
  KnowledgeServiceService as methods,
  type OutcomeCounts as OutcomeCountsMessage,
  EpisodePatternKind as PatternCode,
  type ReflectResponse,
} from '../../../gen/ts/mneme/v1/knowledge_service.ts';
import { incompleteAnswer } from './bad-input.ts';
import type { Connection } from './connection.ts';
import { scopeMessage } from './memory-to-message.ts';
import { namespaceName, partsOfName } from './names.ts';
import type { CallOptions } from './options.ts';
import { dateOf, timestampOf } from './precise-date.ts';
import type {
  EpisodeFeature,
  EpisodeFeatureKind,
  EpisodeMeasure,
  EpisodePattern,
  Insight,
  OutcomeCounts,
  Reflection,
  ReflectQuery,
} from './reflect-types.ts';

/** Patterns of the recorded episodes of the namespace. */
export async function reflectCall(
  connection: Connection,
  namespace: string,
  query: ReflectQuery,
  options: CallOptions,
): Promise<Reflection> {
  const { scope, startTime, endTime, task = '', minSupport = 0, minConfidence } = query;
  const { maxEpisodes = 0, limit = 0, maxCitations = 0, phrase = false } = query;
  const request = {
    parent: namespaceName(namespace),
    scope: scopeMessage(scope),
    startTime: timestampOf(startTime),
    endTime: timestampOf(endTime),
    ...{ task, minSupport, minConfidence, maxEpisodes, limit, maxCitations, phrase },
  };
  return reflectionOf(await connection.unary(methods.reflect, request, options), connection);
}

function reflectionOf(answer: ReflectResponse, connection: Connection): Reflection {
  const {
    startTime,
    endTime,
    counts,
    patterns,
    successFactors,
    efficiencyFactors,
    anomalies,
    trends,
    insights,
    revision,
  } = answer;
  return {
    startTime: presentTime(startTime),
    endTime: presentTime(endTime),
    truncated: answer.truncated,
    counts: countsOf(counts),
    unknownOutcomeCount: answer.unknownOutcomeCount,
    baselineCount: answer.baselineCount,
    actionsRecordedCount: answer.actionsRecordedCount,
    durationRecordedCount: answer.durationRecordedCount,
    tokensRecordedCount: answer.tokensRecordedCount,
    damagedCount: answer.damagedCount,
    patterns: patterns.map(({ kind, feature, counts: ofPattern, ...rest }) => ({
      kind: PATTERNS.get(kind) ?? 'other',
      feature: featureOf(feature),
      counts: countsOf(ofPattern),
      ...withIds(rest),
    })),
    successFactors: successFactors.map(({ feature, present, absent, related, ...rest }) => ({
      feature: featureOf(feature),
      present: countsOf(present),
      absent: countsOf(absent),
      related: related.map(featureOf),
      ...withIds(rest),
    })),
    efficiencyFactors: efficiencyFactors.map(({ feature, measure, ...rest }) => ({
      feature: featureOf(feature),
      measure: measureOf(measure),
      ...withIds(rest),
    })),
    anomalies: anomalies.map(({ measure, time, ...rest }) => ({
      measure: measureOf(measure),
      time: presentTime(time),
      ...withIds(rest),
    })),
    trends: trends.map(({ measure, ...rest }) => ({ measure: measureOf(measure), ...withIds(rest) })),
    insights: insights.map(({ kind, ...rest }) => ({ kind: insightKindOf(kind), ...withIds(rest) })),
    phrasedCount: answer.phrasedCount,
    phrasingFailure: answer.phrasingFailure,
    revision: connection.seen(revision),
  };
}

function withIds<T extends { readonly episodes: readonly string[] }>({ episodes, ...rest }: T) {
  return { ...rest, episodeIds: episodes.map((name) => partsOfName(name).id) };
}

function presentTime(time: Timestamp | undefined) {
  if (time === undefined) throw incompleteAnswer('time');
  return dateOf(time);
}

function countsOf(counts: OutcomeCountsMessage | undefined): OutcomeCounts {
  return counts ?? { episodes: 0, successes: 0, failures: 0, partials: 0 };
}

function featureOf(feature: FeatureMessage | undefined): EpisodeFeature {
  if (feature === undefined) throw incompleteAnswer('feature');
  return { kind: FEATURES.get(feature.kind) ?? 'other', value: feature.value };
}

export function insightKindOf(code: InsightCode): Insight['kind'] {
  return INSIGHTS.get(code) ?? 'other';
}

function measureOf(code: MeasureCode): EpisodeMeasure {
  return MEASURES.get(code) ?? 'other';
}

const PATTERNS: ReadonlyMap<PatternCode, EpisodePattern['kind']> = new Map([
  [PatternCode.EPISODE_PATTERN_KIND_RECURRING_SUCCESS, 'recurring_success'],
  [PatternCode.EPISODE_PATTERN_KIND_RECURRING_FAILURE, 'recurring_failure'],
]);

const MEASURES: ReadonlyMap<MeasureCode, EpisodeMeasure> = new Map([
  [MeasureCode.EPISODE_MEASURE_SUCCESS_RATE, 'success_rate'],
  [MeasureCode.EPISODE_MEASURE_FAILURE_RATE, 'failure_rate'],
  [MeasureCode.EPISODE_MEASURE_DURATION, 'duration'],
  [MeasureCode.EPISODE_MEASURE_TOKENS, 'tokens'],
  [MeasureCode.EPISODE_MEASURE_ACTION, 'action'],
]);

const INSIGHTS: ReadonlyMap<InsightCode, Insight['kind']> = new Map([
  [InsightCode.INSIGHT_KIND_WARNING, 'warning'],
  [InsightCode.INSIGHT_KIND_RECOMMENDATION, 'recommendation'],
  [InsightCode.INSIGHT_KIND_LEARNING, 'learning'],
  [InsightCode.INSIGHT_KIND_OPTIMIZATION, 'optimization'],
  [InsightCode.INSIGHT_KIND_TREND, 'trend'],
]);

const FEATURES: ReadonlyMap<FeatureCode, EpisodeFeatureKind> = new Map([
  [FeatureCode.EPISODE_FEATURE_KIND_TASK, 'task'],
  [FeatureCode.EPISODE_FEATURE_KIND_TASK_WORD, 'task_word'],
  [FeatureCode.EPISODE_FEATURE_KIND_TAG, 'tag'],
  [FeatureCode.EPISODE_FEATURE_KIND_ACTION, 'action'],
  [FeatureCode.EPISODE_FEATURE_KIND_ACTION_SEQUENCE, 'action_sequence'],
  [FeatureCode.EPISODE_FEATURE_KIND_MANY_ACTIONS, 'many_actions'],
  [FeatureCode.EPISODE_FEATURE_KIND_PROJECT, 'project'],
  [FeatureCode.EPISODE_FEATURE_KIND_AGENT_TYPE, 'agent_type'],
  [FeatureCode.EPISODE_FEATURE_KIND_AGENT, 'agent'],
  [FeatureCode.EPISODE_FEATURE_KIND_METADATA, 'metadata'],
  [FeatureCode.EPISODE_FEATURE_KIND_TIME_OF_DAY, 'time_of_day'],
  [FeatureCode.EPISODE_FEATURE_KIND_WEEKEND, 'weekend'],
  [FeatureCode.EPISODE_FEATURE_KIND_PRECEDING_OUTCOME, 'preceding_outcome'],
  [FeatureCode.EPISODE_FEATURE_KIND_LONG_DURATION, 'long_duration'],
  [FeatureCode.EPISODE_FEATURE_KIND_MANY_TOKENS, 'many_tokens'],
]);
