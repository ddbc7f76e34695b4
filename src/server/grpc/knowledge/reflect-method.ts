import {
  EpisodeFeatureKind,
  EpisodeMeasure,
  EpisodePatternKind,
  InsightKind as InsightKindNumber,
  ReflectRequest,
  ReflectResponse,
  KnowledgeServiceService as Service,
} from '../../../../gen/ts/mneme/v1/knowledge_service.ts';
import { EXPERIENCE_LIMITS } from '../../../memory/procedure.ts';
import type { Feature, FeatureKind } from '../../../memory/reflection/features.ts';
import type { EpisodePattern, Finding, InsightKind, Measure } from '../../../memory/reflection/findings.ts';
import { type PhraseDeps, type PhrasedInsights, phraseInsights } from '../../operations/experience/phrase-insights.ts';
import { type Reflected, type ReflectRequest as Reflecting, reflect } from '../../operations/experience/reflect.ts';
import type { MemoryDeps } from '../../operations/memories/operation-deps.ts';
import { type Route, unary } from '../edge/handler.ts';
import { instantOf, memoryName, RequestChecks, timestampOf } from '../edge/request-checks.ts';
import { scopeOf } from '../memories/memory-fields.ts';

const DAY_US = 86_400_000_000;
const RANGE_DAYS = { fallback: 30, max: 366 };
const SUPPORT = { fallback: 3, min: 2, max: 1000 };
const CONFIDENCE = { fallback: 0.95, min: 0.5, max: 0.999 };
const EPISODES = { fallback: 5000, max: 20_000 };
const LIMIT = { fallback: 20, max: 100 };
const CITATIONS = { fallback: 10, max: 50 };

const FEATURE_KINDS: Readonly<Record<FeatureKind, EpisodeFeatureKind>> = {
  task: EpisodeFeatureKind.EPISODE_FEATURE_KIND_TASK,
  task_word: EpisodeFeatureKind.EPISODE_FEATURE_KIND_TASK_WORD,
  tag: EpisodeFeatureKind.EPISODE_FEATURE_KIND_TAG,
  action: EpisodeFeatureKind.EPISODE_FEATURE_KIND_ACTION,
  action_sequence: EpisodeFeatureKind.EPISODE_FEATURE_KIND_ACTION_SEQUENCE,
  many_actions: EpisodeFeatureKind.EPISODE_FEATURE_KIND_MANY_ACTIONS,
  project: EpisodeFeatureKind.EPISODE_FEATURE_KIND_PROJECT,
  agent_type: EpisodeFeatureKind.EPISODE_FEATURE_KIND_AGENT_TYPE,
  agent: EpisodeFeatureKind.EPISODE_FEATURE_KIND_AGENT,
  metadata: EpisodeFeatureKind.EPISODE_FEATURE_KIND_METADATA,
  time_of_day: EpisodeFeatureKind.EPISODE_FEATURE_KIND_TIME_OF_DAY,
  weekend: EpisodeFeatureKind.EPISODE_FEATURE_KIND_WEEKEND,
  preceding_outcome: EpisodeFeatureKind.EPISODE_FEATURE_KIND_PRECEDING_OUTCOME,
  long_duration: EpisodeFeatureKind.EPISODE_FEATURE_KIND_LONG_DURATION,
  many_tokens: EpisodeFeatureKind.EPISODE_FEATURE_KIND_MANY_TOKENS,
};

const PATTERN_KINDS: Readonly<Record<EpisodePattern['kind'], EpisodePatternKind>> = {
  recurring_success: EpisodePatternKind.EPISODE_PATTERN_KIND_RECURRING_SUCCESS,
  recurring_failure: EpisodePatternKind.EPISODE_PATTERN_KIND_RECURRING_FAILURE,
};

const MEASURES: Readonly<Record<Measure, EpisodeMeasure>> = {
  success_rate: EpisodeMeasure.EPISODE_MEASURE_SUCCESS_RATE,
  failure_rate: EpisodeMeasure.EPISODE_MEASURE_FAILURE_RATE,
  duration: EpisodeMeasure.EPISODE_MEASURE_DURATION,
  tokens: EpisodeMeasure.EPISODE_MEASURE_TOKENS,
  action: EpisodeMeasure.EPISODE_MEASURE_ACTION,
};

const INSIGHT_KINDS: Readonly<Record<InsightKind, InsightKindNumber>> = {
  warning: InsightKindNumber.INSIGHT_KIND_WARNING,
  recommendation: InsightKindNumber.INSIGHT_KIND_RECOMMENDATION,
  learning: InsightKindNumber.INSIGHT_KIND_LEARNING,
  optimization: InsightKindNumber.INSIGHT_KIND_OPTIMIZATION,
  trend: InsightKindNumber.INSIGHT_KIND_TREND,
};

/** Reflection on episodes, of KnowledgeService. `deps` has the store as the caller may see it. */
export function reflectMethods(deps: MemoryDeps & PhraseDeps): Route[] {
  return [
    unary(Service.reflect, ReflectRequest, ReflectResponse, async (message, call) => {
      const request = requestOf(message, deps.clock.nowUs());
      const reflected = await reflect(deps, request, call);
      const { revision } = deps.store;
      const phrased = message.phrase ? await phraseInsights(deps, reflected.insights, call) : COMPUTED;
      return responseOf(request, reflected, phrased, revision);
    }),
  ];
}

const COMPUTED: PhrasedInsights = { phrases: [], failure: '' };

function requestOf(message: ReflectRequest, nowUs: number): Reflecting {
  const checks = new RequestChecks();
  const { startTime, endTime, minConfidence } = message;
  const namespace = checks.namespace('parent', message.parent);
  const endUs = endTime ? instantOf(checks, 'end_time', endTime) : nowUs;
  const startUs = startTime ? instantOf(checks, 'start_time', startTime) : endUs - RANGE_DAYS.fallback * DAY_US;
  if (startUs >= endUs) checks.add('start_time', `must be before ${endTime ? 'end_time' : 'now'}`);
  else if (endUs - startUs > RANGE_DAYS.max * DAY_US) {
    checks.add('start_time', `must be at most ${RANGE_DAYS.max} days before ${endTime ? 'end_time' : 'now'}`);
  }
  const { minSupport } = message;
  const support = minSupport === 0 ? SUPPORT.fallback : minSupport;
  const request = {
    ...{ namespace, startUs, endUs },
    scope: scopeOf(checks, 'scope', message.scope),
    task: checks.text('task', message.task, EXPERIENCE_LIMITS.sentenceBytes),
    supportMin: checks.within('min_support', support, SUPPORT.min, SUPPORT.max),
    confidenceMin: checks.within(
      'min_confidence',
      minConfidence ?? CONFIDENCE.fallback,
      CONFIDENCE.min,
      CONFIDENCE.max,
    ),
    episodesMax: checks.pageSize(message.maxEpisodes, EPISODES.fallback, EPISODES.max, 'max_episodes'),
    limit: checks.pageSize(message.limit, LIMIT.fallback, LIMIT.max, 'limit'),
    citationsMax: checks.pageSize(message.maxCitations, CITATIONS.fallback, CITATIONS.max, 'max_citations'),
  };
  checks.finish();
  return request;
}

function responseOf(
  { namespace, endUs }: Reflecting,
  reflected: Reflected,
  { phrases, failure }: PhrasedInsights,
  revision: number,
): ReflectResponse {
  const cited = <T extends Finding>(finding: T) => ({
    ...finding,
    episodes: finding.episodes.map((id) => memoryName(namespace, id)),
  });
  const { startUs, isTruncated, patterns, successFactors, efficiencyFactors, anomalies, trends, insights } = reflected;
  return {
    startTime: timestampOf(startUs),
    endTime: timestampOf(endUs),
    truncated: isTruncated,
    counts: reflected.counts,
    unknownOutcomeCount: reflected.unknownOutcomeCount,
    baselineCount: reflected.baselineCount,
    actionsRecordedCount: reflected.actionsRecordedCount,
    durationRecordedCount: reflected.durationRecordedCount,
    tokensRecordedCount: reflected.tokensRecordedCount,
    damagedCount: reflected.damagedCount,
    patterns: patterns.map(({ kind, feature, ...rest }) => ({
      ...cited(rest),
      kind: PATTERN_KINDS[kind],
      feature: featureMessage(feature),
    })),
    successFactors: successFactors.map(({ feature, related, ...rest }) => ({
      ...cited(rest),
      feature: featureMessage(feature),
      related: related.map(featureMessage),
    })),
    efficiencyFactors: efficiencyFactors.map(({ feature, measure, ...rest }) => ({
      ...cited(rest),
      feature: featureMessage(feature),
      measure: MEASURES[measure],
    })),
    anomalies: anomalies.map(({ measure, atUs, ...rest }) => ({
      ...cited(rest),
      measure: MEASURES[measure],
      time: timestampOf(atUs),
    })),
    trends: trends.map(({ measure, ...rest }) => ({ ...cited(rest), measure: MEASURES[measure] })),
    insights: insights.map(({ kind, ...rest }, at) => ({
      ...cited(rest),
      kind: INSIGHT_KINDS[kind],
      text: phrases[at] ?? rest.text,
      computedText: rest.text,
    })),
    phrasedCount: phrases.filter((phrase) => phrase !== undefined).length,
    phrasingFailure: failure,
    revision: BigInt(revision),
  };
}

function featureMessage({ kind, value }: Feature) {
  return { kind: FEATURE_KINDS[kind], value };
}
