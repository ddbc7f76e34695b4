package dev.mneme.client;

import com.google.protobuf.Message;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The properties of a written memory.
 *
 * @param name resource name
 * @param id last part of the name
 * @param version version of the memory
 * @param createTime when it was stored
 * @param checksum SHA-256 of text and content
 * @param embeddingPending true when its vector is still to be computed: until then it is found by keywords and filters
 *     only
 * @param revision revision of the change log at which it was written
 * @param degraded tiers that could not take it, and where it is instead; empty when it was stored as usual
 * @param superseded of {@code supersede}: the memory that it takes the place of; otherwise null
 * @param sequence of {@code ingest}: its number in the stream; otherwise null
 */
public record Receipt(
    String name,
    String id,
    long version,
    Instant createTime,
    String checksum,
    boolean embeddingPending,
    long revision,
    List<Degradation> degraded,
    Receipt superseded,
    Long sequence) {
  /**
   * A tier that could not store new memories, and the tier that stores them instead.
   *
   * @param part such as {@code short_term}
   * @param reason why
   * @param storedIn where they are
   */
  public record Degradation(String part, String reason, Tier storedIn) {}

  static Receipt of(dev.mneme.v1.WriteReceipt message, long revision, List<? extends Message> degraded) {
    return of(message, revision, degraded, new HashMap<>());
  }

  static Receipt of(
      dev.mneme.v1.WriteReceipt message, long revision, List<? extends Message> degraded, Map<String, Object> more) {
    if (message.getName().isEmpty()) throw Errors.incompleteAnswer("receipt");
    more.put("revision", revision);
    more.put("degraded", Answers.list(degraded, Degradation.class));
    return Answers.read(message, Receipt.class, more);
  }
}
