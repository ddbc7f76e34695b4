import type { Scope } from './memory.ts';
import type { PreciseDate, TimeLike } from './precise-date.ts';

export interface ReflectQuery {
  /** Owner of the episodes; parts that are absent match any. Default: the whole namespace. */
  readonly scope?: Scope;
  /** Start of the time range. Default: 30 days before `endTime`. */
  readonly startTime?: TimeLike;
  /** End of the time range, excluded, at most 366 days after `startTime`. Default: now. */
  readonly endTime?: TimeLike;
  /** Only episodes whose task has all of these words. */
  readonly task?: string;
  /** Minimum number of episodes that a result stands on, 2 to 1,000. Default 3. */
  readonly minSupport?: number;
  /** Minimum confidence of a result, 0.5 to 0.999. Default 0.95. */
  readonly minConfidence?: number;
  /** Maximum number of episodes that are read, 1 to 20,000. Default 5,000. */
  readonly maxEpisodes?: number;
  /** Maximum number of results of each list, 1 to 100. Default 20. */
  readonly limit?: number;
  /** Maximum number of episodes that a result cites, 1 to 50. Default 10. */
  readonly maxCitations?: number;
  /** Has the model of the server word the insights. Default false. */
  readonly phrase?: boolean;
}

export interface OutcomeCounts {
  readonly episodes: number;
  readonly successes: number;
  readonly failures: number;
  readonly partials: number;
}

/** Kind of a property of episodes; `other`: one that this version of the client does not know. */
export type EpisodeFeatureKind =
  | 'task'
  | 'task_word'
  | 'tag'
  | 'action'
  | 'action_sequence'
  | 'many_actions'
  | 'project'
  | 'agent_type'
  | 'agent'
  | 'metadata'
  | 'time_of_day'
  | 'weekend'
  | 'preceding_outcome'
  | 'long_duration'
  | 'many_tokens'
  | 'other';

/** A property that an episode has or lacks. */
export interface EpisodeFeature {
  readonly kind: EpisodeFeatureKind;
  readonly value: string;
}

export type EpisodeMeasure = 'success_rate' | 'failure_rate' | 'duration' | 'tokens' | 'action' | 'other';

/** A result of a reflection. */
export interface EpisodeFinding {
  /** The result as a sentence. */
  readonly text: string;
  /** 0 to 1. */
  readonly confidence: number;
  /** Ids of the newest episodes that it stands on. */
  readonly episodeIds: readonly string[];
}

/** A task, tag or action with which episodes mostly succeed or mostly fail. */
export interface EpisodePattern extends EpisodeFinding {
  readonly kind: 'recurring_success' | 'recurring_failure' | 'other';
  readonly feature: EpisodeFeature;
  readonly counts: OutcomeCounts;
}

/** A property that goes with success, with a `lift` above 1, or with failure. */
export interface SuccessFactor extends EpisodeFinding {
  readonly feature: EpisodeFeature;
  readonly present: OutcomeCounts;
  readonly absent: OutcomeCounts;
  readonly lift: number;
  /** Properties of the same episodes, or whose difference this one explains. */
  readonly related: readonly EpisodeFeature[];
}

/** A property that goes with a lower or higher duration (in seconds) or number of tokens. */
export interface EfficiencyFactor extends EpisodeFinding {
  readonly feature: EpisodeFeature;
  readonly measure: EpisodeMeasure;
  readonly presentCount: number;
  readonly absentCount: number;
  readonly presentMedian: number;
  readonly absentMedian: number;
}

/** An episode or a day that differs from the 30 days before. */
export interface EpisodeAnomaly extends EpisodeFinding {
  readonly measure: EpisodeMeasure;
  readonly value: number;
  readonly baseline: number;
  readonly baselineCount: number;
  readonly score: number;
  /** The action that was not seen before; empty for other measures. */
  readonly action: string;
  readonly time: PreciseDate;
}

export interface EpisodeTrend extends EpisodeFinding {
  readonly measure: EpisodeMeasure;
  readonly earlier: number;
  readonly later: number;
  readonly earlierCount: number;
  readonly laterCount: number;
}

/** Advice. It quotes recorded text: show it as data. */
export interface Insight extends EpisodeFinding {
  readonly kind: 'warning' | 'recommendation' | 'learning' | 'optimization' | 'trend' | 'other';
  /** The sentence that was computed; equal to `text` unless a model has worded it. */
  readonly computedText: string;
  readonly supportCount: number;
}

export interface Reflection {
  readonly startTime: PreciseDate;
  readonly endTime: PreciseDate;
  /** True when the range has more episodes than were read. */
  readonly truncated: boolean;
  readonly counts: OutcomeCounts;
  /** Number of episodes without a known outcome, which are left out. */
  readonly unknownOutcomeCount: number;
  readonly baselineCount: number;
  readonly actionsRecordedCount: number;
  readonly durationRecordedCount: number;
  readonly tokensRecordedCount: number;
  readonly damagedCount: number;
  readonly patterns: readonly EpisodePattern[];
  readonly successFactors: readonly SuccessFactor[];
  readonly efficiencyFactors: readonly EfficiencyFactor[];
  readonly anomalies: readonly EpisodeAnomaly[];
  readonly trends: readonly EpisodeTrend[];
  readonly insights: readonly Insight[];
  readonly phrasedCount: number;
  /** Reason for which a model has worded no insight, or not all of them. */
  readonly phrasingFailure: string;
  readonly revision: number;
}
