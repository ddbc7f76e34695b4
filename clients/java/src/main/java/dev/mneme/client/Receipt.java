package dev.mneme.client;

import java.time.Instant;
import java.util.HashMap;
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
    Receipt superseded,
    Long sequence) {
  static Receipt of(dev.mneme.v1.WriteReceipt message, long revision) {
    return of(message, revision, new HashMap<>());
  }

  static Receipt of(dev.mneme.v1.WriteReceipt message, long revision, Map<String, Object> more) {
    if (message.getName().isEmpty()) throw Errors.incompleteAnswer("receipt");
    more.put("revision", revision);
    return Answers.read(message, Receipt.class, more);
  }
}
