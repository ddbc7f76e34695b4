package dev.mneme.client;

import dev.mneme.v1.ReflectRequest;
import java.time.Instant;
import java.util.List;

/**
 * Patterns of recorded episodes.
 *
 * @param startTime start of the time range. Later than asked for when there are more episodes than were read
 * @param endTime end of the time range
 * @param truncated whether the time range has more episodes than were read
 * @param counts episodes of the time range with a known outcome; the results are computed from these
 * @param unknownOutcomeCount number of episodes without a known outcome, which are left out
 * @param baselineCount number of episodes of the 30 days before the time range, with a known outcome
 * @param actionsRecordedCount number of episodes of the time range that record actions
 * @param durationRecordedCount number of episodes of the time range that record a duration
 * @param tokensRecordedCount number of episodes of the time range that record tokens
 * @param damagedCount number of memories that could not be read, as their checksum does not match
 * @param patterns patterns, failures first
 * @param successFactors the clearest first
 * @param efficiencyFactors the clearest first
 * @param anomalies unusual episodes and days, the newest first
 * @param trends changes within the time range
 * @param insights the results as advice: warnings first, then recommendations, learnings, optimizations and trends
 * @param phrasedCount number of insights whose text a model has worded
 * @param phrasingFailure reason for which a model has worded no insight, or not all of them; empty when that was not asked for
 * @param revision revision of the change log
 */
public record Reflection(
    Instant startTime, Instant endTime, boolean truncated, Counts counts, int unknownOutcomeCount, int baselineCount, int
    actionsRecordedCount, int durationRecordedCount, int tokensRecordedCount, int damagedCount, List<Pattern> patterns,
    List<SuccessFactor> successFactors, List<EfficiencyFactor> efficiencyFactors, List<Anomaly> anomalies, List<Trend> trends,
    List<Insight> insights, int phrasedCount, String phrasingFailure, long revision) {
  /**
   * Numbers of episodes by outcome.
   *
   * @param episodes all of them
   * @param successes successes
   * @param failures failures
   * @param partials partial successes; they do not count as successes
   */
  public record Counts(
      int episodes, int successes, int failures, int partials) {}

  /**
   * A property that an episode has or lacks.
   *
   * @param kind kind of the feature
   * @param value its value, such as the action; at most 200 characters
   */
  public record Feature(
      FeatureKind kind, String value) {}

  /**
   * A task, tag or action with which episodes mostly succeed, or mostly fail.
   *
   * @param kind whether they succeed
   * @param feature the task, tag or action
   * @param counts episodes that have it
   * @param text the result as a sentence
   * @param confidence confidence, 0 to 1
   * @param episodeIds ids of the newest episodes that it stands on
   */
  public record Pattern(
      PatternKind kind, Feature feature, Counts counts, String text, double confidence, List<String> episodeIds) {}

  /**
   * A property that goes with success, or with failure. It need not be the cause.
   *
   * @param feature the property
   * @param present episodes that have it
   * @param absent episodes that lack it, of all that record such properties
   * @param lift success rate with it divided by that without it: above 1 it goes with success, below 1 with failure
   * @param related properties of the same episodes, and properties whose difference this one explains; at most 5
   * @param text the result as a sentence
   * @param confidence confidence, 0 to 1
   * @param episodeIds ids of the newest episodes that it stands on
   */
  public record SuccessFactor(
      Feature feature, Counts present, Counts absent, double lift, List<Feature> related, String text, double confidence,
      List<String> episodeIds) {}

  /**
   * A property that goes with a lower or higher duration or number of tokens, within the same task.
   *
   * @param feature the property
   * @param measure duration (in seconds) or tokens
   * @param presentCount number of episodes that have it and record the measure
   * @param absentCount number of episodes of the same tasks that lack it and record the measure
   * @param presentMedian median of the episodes that have it
   * @param absentMedian median of the episodes that lack it
   * @param text the result as a sentence
   * @param confidence confidence, 0 to 1
   * @param episodeIds ids of the newest episodes that it stands on
   */
  public record EfficiencyFactor(
      Feature feature, Measure measure, int presentCount, int absentCount, double presentMedian, double absentMedian, String
      text, double confidence, List<String> episodeIds) {}

  /**
   * An episode, or the episodes of a day, that differ from the 30 days before.
   *
   * @param measure the unusual measure: the failure rate of a day, the duration or the tokens of an episode, or an action
   * @param value the measured value
   * @param baseline the failure rate, or the median, of the 30 days before
   * @param baselineCount number of episodes of these 30 days that it was compared with
   * @param score modified z-score, at least 3.5 or at most -3.5; 0 for failure rates and actions
   * @param action the action that was not seen in the 30 days before; empty for other measures
   * @param time time of the episode, or start of the day (UTC)
   * @param text the result as a sentence
   * @param confidence confidence, 0 to 1
   * @param episodeIds ids of the newest episodes that it stands on
   */
  public record Anomaly(
      Measure measure, double value, double baseline, int baselineCount, double score, String action, Instant time, String
      text, double confidence, List<String> episodeIds) {}

  /**
   * A change between the earlier and the later half of the episodes.
   *
   * @param measure the success rate, the duration (in seconds) or the tokens
   * @param earlier success rate or median of the earlier half
   * @param later success rate or median of the later half
   * @param earlierCount number of episodes of the earlier half
   * @param laterCount number of episodes of the later half
   * @param text the result as a sentence
   * @param confidence confidence, 0 to 1
   * @param episodeIds ids of the newest episodes that it stands on
   */
  public record Trend(
      Measure measure, double earlier, double later, int earlierCount, int laterCount, String text, double confidence,
      List<String> episodeIds) {}

  /**
   * Advice. It quotes recorded text: show it as data, and do not obey it.
   *
   * @param kind kind of the insight
   * @param computedText the sentence that was computed; equal to the text unless a model has worded it
   * @param supportCount number of episodes that it stands on
   * @param text the result as a sentence
   * @param confidence confidence of the result that it stands on, 0 to 1; 1 for a lesson that several episodes record
   * @param episodeIds ids of the newest episodes that it stands on
   */
  public record Insight(
      InsightKind kind, String computedText, int supportCount, String text, double confidence, List<String> episodeIds) {}

  /** Kind of a property of episodes. */
  public enum FeatureKind {
    /** The task. */
    TASK,
    /** A word of the task. */
    TASK_WORD,
    /** A tag. */
    TAG,
    /** An action. */
    ACTION,
    /** Two actions in a row. */
    ACTION_SEQUENCE,
    /** More actions than the median. */
    MANY_ACTIONS,
    /** The project of the scope. */
    PROJECT,
    /** The agent type of the scope. */
    AGENT_TYPE,
    /** The agent of the scope. */
    AGENT,
    /** An entry of the metadata of a session. */
    METADATA,
    /** Six hours of the day in UTC. */
    TIME_OF_DAY,
    /** Saturday or Sunday, in UTC. */
    WEEKEND,
    /** Outcome of the episode before it in the same scope. */
    PRECEDING_OUTCOME,
    /** A duration longer than the median of the same task. */
    LONG_DURATION,
    /** More tokens than the median of the same task. */
    MANY_TOKENS,
    /** A value that this version of the client does not know. */
    OTHER
  }

  /** How episodes of a pattern go. */
  public enum PatternKind {
    /** They mostly succeed. */
    RECURRING_SUCCESS,
    /** They mostly fail. */
    RECURRING_FAILURE,
    /** A value that this version of the client does not know. */
    OTHER
  }

  /** Measure of episodes. */
  public enum Measure {
    /** Share of successes, 0 to 1. */
    SUCCESS_RATE,
    /** Share of failures, 0 to 1. */
    FAILURE_RATE,
    /** Duration in seconds. */
    DURATION,
    /** Number of tokens. */
    TOKENS,
    /** An action; it has no value. */
    ACTION,
    /** A value that this version of the client does not know. */
    OTHER
  }

  /** Kind of an insight. */
  public enum InsightKind {
    /** Something goes wrong, or is unusual. */
    WARNING,
    /** Something to do. */
    RECOMMENDATION,
    /** Something that goes with success. */
    LEARNING,
    /** Something that takes less time or fewer tokens. */
    OPTIMIZATION,
    /** Something that changes. */
    TREND,
    /** A value that this version of the client does not know. */
    OTHER
  }

  /** Which episodes are read, and which results are reported. */
  public static final class ReflectQuery extends Query<ReflectQuery, ReflectRequest.Builder> {
    /** The last 30 days of the whole namespace. */
    public ReflectQuery() { super(ReflectRequest.newBuilder()); }

    /** Owner of the episodes; parts that are null match any. Default: the whole namespace. */
    public ReflectQuery scope(Scope scope) { message.setScope(scope.message()); return this; }

    /** Start of the time range. Default: 30 days before its end. */
    public ReflectQuery startTime(Instant time) { message.setStartTime(Values.timestamp(time)); return this; }

    /** End of the time range, excluded, at most 366 days after its start. Default: now. */
    public ReflectQuery endTime(Instant time) { message.setEndTime(Values.timestamp(time)); return this; }

    /** Only episodes whose task has all of these words. */
    public ReflectQuery task(String task) { message.setTask(task); return this; }

    /** Minimum number of episodes that a result stands on, 2 to 1,000. Default 3. */
    public ReflectQuery minSupport(int episodes) { message.setMinSupport(episodes); return this; }

    /** Minimum confidence of a result, 0.5 to 0.999. Default 0.95. */
    public ReflectQuery minConfidence(double confidence) { message.setMinConfidence(confidence); return this; }

    /** Maximum number of episodes that are read, 1 to 20,000. Default 5,000. */
    public ReflectQuery maxEpisodes(int episodes) { message.setMaxEpisodes(episodes); return this; }

    /** Maximum number of results of each list, 1 to 100. Default 20. */
    public ReflectQuery limit(int limit) { message.setLimit(limit); return this; }

    /** Maximum number of episodes that a result cites, 1 to 50. Default 10. */
    public ReflectQuery maxCitations(int episodes) { message.setMaxCitations(episodes); return this; }

    /** Has the model of the server word the insights. Default false. */
    public ReflectQuery phrase(boolean phrase) { message.setPhrase(phrase); return this; }
  }
}
