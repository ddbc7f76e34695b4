package dev.mneme.client;

import java.time.Instant;
import java.util.List;

/**
 * How far the extraction of a conversation has come.
 *
 * @param conversation id of the conversation
 * @param state its state
 * @param pendingCount messages that are neither extracted nor failed
 * @param lastExtractedSequence highest sequence number extracted since the server started, or null
 * @param attemptCount attempts that have failed since the last success
 * @param nextAttemptTime time of the next attempt, or null
 * @param error why the last attempt failed; empty without a failure
 * @param failed messages whose extraction failed for good
 */
public record Extraction(@From("conversation") String conversation, State state, int pendingCount, Long lastExtractedSequence,
    int attemptCount, Instant nextAttemptTime, String error, List<SequenceRange> failed) {
  /** State of the extraction of a conversation. */
  public enum State {
    /** Everything is extracted. */
    IDLE,
    /** Messages wait for a trigger or for their turn. */
    PENDING,
    /** Messages are being extracted. */
    EXTRACTING,
    /** The last attempt failed; another one follows. */
    RETRYING,
    /** Extraction has failed for good; {@link Conversations#retryExtraction} tries again. */
    FAILED,
    /** A value that this version of the client does not know. */
    OTHER
  }

  /**
   * Consecutive sequence numbers, both ends included.
   *
   * @param first the first one
   * @param last the last one
   */
  public record SequenceRange(long first, long last) {}

  /**
   * How far extraction has come in a namespace.
   *
   * @param namespace the namespace
   * @param extractor extractor in use, such as {@code rules}
   * @param pendingCount messages that are neither extracted nor failed
   * @param failedCount messages whose extraction failed for good
   * @param conversations conversations that are not idle, at most 1,000; or the requested one
   * @param extractedRevision revision of the change log up to which every message is extracted or failed
   * @param revision newest revision of the change log
   * @param degraded why the namespace is not read at the moment; empty in the normal case
   */
  public record Status(String namespace, String extractor, long pendingCount, long failedCount, List<Extraction> conversations,
      long extractedRevision, long revision, String degraded) {}

  /**
   * Result of a flush.
   *
   * @param complete whether everything accepted before the call has been extracted, without failures
   * @param conversations conversations with pending, extracting or failed messages; at most 1,000
   * @param pendingCount messages accepted before the call that are not extracted
   * @param degraded why the namespace is not read at the moment; empty in the normal case
   */
  public record Flushed(boolean complete, List<Extraction> conversations, long pendingCount, String degraded) {}
}
