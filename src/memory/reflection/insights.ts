import { comparable, type EpisodeRecord } from './episode-record.ts';
import type { Feature, FeatureMembers } from './features.ts';
import {
  type Anomaly,
  cited,
  type EfficiencyFactor,
  type EpisodePattern,
  type Finding,
  type History,
  type Insight,
  type InsightKind,
  type ReflectionOptions,
  type SuccessFactor,
  type Trend,
  without,
} from './findings.ts';
import { counted, quoted } from './sentences.ts';

export interface Findings {
  readonly patterns: readonly EpisodePattern[];
  readonly successFactors: readonly SuccessFactor[];
  readonly efficiencyFactors: readonly EfficiencyFactor[];
  readonly anomalies: readonly Anomaly[];
  readonly trends: readonly Trend[];
}

const LESSONS_MAX = 5;
/** Share of the insights that the newest anomalies may be: others are not to be lost among them. */
const ANOMALY_SHARE = 0.25;
const KIND_ORDER: readonly InsightKind[] = ['warning', 'recommendation', 'learning', 'optimization', 'trend'];

/** Results as advice: warnings first, then the most certain. */
export function insightsOf(
  history: History,
  findings: Findings,
  features: readonly FeatureMembers[],
  options: ReflectionOptions,
): Insight[] {
  const insights = [
    ...warnings(findings, options),
    ...missingActions(history, findings, features, options),
    ...repeatedLessons(history, options),
    ...findings.successFactors.flatMap((factor) =>
      factor.lift >= 1 ? [insight('learning', factor, factor.present.episodes)] : [],
    ),
    ...findings.efficiencyFactors.map((factor) => insight('optimization', factor, factor.presentCount)),
    ...findings.trends.map((trend) =>
      insight(isWorse(trend) ? 'warning' : 'trend', trend, trend.earlierCount + trend.laterCount),
    ),
  ];
  const order = (one: Insight, other: Insight) =>
    KIND_ORDER.indexOf(one.kind) - KIND_ORDER.indexOf(other.kind) || other.confidence - one.confidence;
  return insights.sort(order).slice(0, options.limit);
}

function insight(kind: InsightKind, { text, confidence, episodes }: Finding, supportCount: number): Insight {
  return { kind, text, confidence, episodes, supportCount };
}

function isWorse({ measure, earlier, later }: Trend): boolean {
  return measure === 'success_rate' && later < earlier;
}

function isSame(one: Feature, other: Feature): boolean {
  return one.kind === other.kind && one.value === other.value;
}

/** A feature that is both a pattern and a factor is one warning: that of the factor, which has the comparison. */
function warnings({ patterns, successFactors, anomalies }: Findings, { limit }: ReflectionOptions): Insight[] {
  const factors = successFactors.filter(({ lift }) => lift < 1);
  const isKnown = (feature: Feature) =>
    factors.some((factor) => [factor.feature, ...factor.related].some((known) => isSame(known, feature)));
  return [
    ...factors.map((factor) => insight('warning', factor, factor.present.episodes)),
    ...patterns.flatMap((pattern) =>
      pattern.kind === 'recurring_failure' && !isKnown(pattern.feature)
        ? [insight('warning', pattern, pattern.counts.episodes)]
        : [],
    ),
    ...anomalies
      .slice(0, Math.ceil(ANOMALY_SHARE * limit))
      .map((anomaly) => insight('warning', anomaly, anomaly.count)),
  ];
}

/** Actions that go with success and that episodes without success lack. */
function missingActions(
  history: History,
  { successFactors }: Findings,
  features: readonly FeatureMembers[],
  options: ReflectionOptions,
): Insight[] {
  const isLost = ({ outcome }: EpisodeRecord) => outcome !== 'success';
  return successFactors.flatMap(({ feature, lift, confidence }): Insight[] => {
    const members = features.find((one) => isSame(one, feature));
    if (feature.kind !== 'action' || lift < 1 || !members) return [];
    const lost = members.universe.members.filter((at) => isLost(history.records[at] as EpisodeRecord));
    const lacking = without(lost, members.members);
    if (lacking.length < options.supportMin || 2 * lacking.length <= lost.length) return [];
    const share = lacking.length === lost.length ? `all ${lost.length}` : `${lacking.length} of the ${lost.length}`;
    const text = `Consider the action ${quoted(feature.value)}: ${share} episodes that did not succeed lack it.`;
    const episodes = cited(history, lacking, options);
    return [{ kind: 'recommendation', text, confidence, episodes, supportCount: lacking.length }];
  });
}

/** Lessons that several episodes record, the most frequent first, the newest of equally frequent ones. */
function repeatedLessons(history: History, options: ReflectionOptions): Insight[] {
  const repeated = lessonsOf(history).filter(({ places }) => places.length >= options.supportMin);
  return repeated.slice(0, LESSONS_MAX).map(({ text, places }) => {
    const failures = places.filter((at) => history.records[at]?.outcome === 'failure').length;
    const failed =
      failures === 0 ? '' : failures === places.length ? ', all failures' : `, ${failures} of them failures`;
    return {
      kind: 'recommendation',
      text: `Remember the lesson ${quoted(text)}: ${counted(places.length, 'episode')} recorded it${failed}.`,
      // A count is certain: nothing is inferred.
      confidence: 1,
      episodes: cited(history, places, options),
      supportCount: places.length,
    };
  });
}

interface Lesson {
  readonly text: string;
  readonly places: readonly number[];
}

function lessonsOf({ records, from }: History): Lesson[] {
  const lessons = new Map<string, { text: string; readonly places: number[] }>();
  for (let at = from; at < records.length; at++) {
    for (const text of records[at]?.lessons ?? []) {
      const form = comparable(text);
      const lesson = lessons.get(form) ?? { text, places: [] };
      lesson.text = text;
      if (lesson.places.at(-1) !== at) lesson.places.push(at);
      lessons.set(form, lesson);
    }
  }
  const newestOf = (lesson: Lesson) => lesson.places.at(-1) ?? -1;
  return [...lessons.values()].sort(
    (one, other) => other.places.length - one.places.length || newestOf(other) - newestOf(one),
  );
}
