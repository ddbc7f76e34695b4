package dev.mneme.client;

import java.util.List;

/** Events of a streamed recall: the hits of each tier, and last the answer. */
public sealed interface RecallStreamEvent {
  /**
   * All hits of a tier that are known by now; they replace those of earlier events.
   *
   * @param tier the tier
   * @param hits best first
   */
  record Hits(Tier tier, List<Hit> hits) implements RecallStreamEvent {}

  /**
   * The answer of {@code recall}. Last.
   *
   * @param answer the answer
   */
  record Merged(RecallResult answer) implements RecallStreamEvent {}
}
