package dev.mneme.client;

import java.time.Instant;

/**
 * A note of the scratchpad.
 *
 * @param sequence from 1; never used again in a session
 * @param time when it was written
 * @param content its content
 */
public record Note(long sequence, Instant time, Content content) {
  /**
   * Where notes were put.
   *
   * @param firstSequence number of the first of them
   * @param droppedCount notes that gave way to them, in all
   */
  public record Appended(long firstSequence, long droppedCount) {}
}
