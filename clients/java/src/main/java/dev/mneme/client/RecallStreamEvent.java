package dev.mneme.client;

import java.util.List;

/** Events of a streamed recall, in this order for each tier: its hits, again when they have changed, or its failure; at last all. */
public sealed interface RecallStreamEvent {
  /**
   * All hits of a tier that are known by now; they replace those of earlier events.
   *
   * @param tier the tier
   * @param hits best first
   */
  record Hits(Tier tier, List<Hit> hits) implements RecallStreamEvent {}

  /**
   * A tier that cannot be searched or read, or not in time.
   *
   * @param tier the tier
   * @param error why
   */
  record Failure(Tier tier, MnemeException error) implements RecallStreamEvent {}

  /**
   * The answer of {@code recall}. Last.
   *
   * @param answer the answer
   */
  record Merged(RecallResult answer) implements RecallStreamEvent {}
}
