package dev.mneme.client;

import java.time.Instant;
import java.util.List;

/**
 * A memory as stored by the server. Parts outside of the view are empty or null; times have microseconds.
 *
 * @param name resource name, {@code namespaces/{namespace}/memories/{id}}
 * @param namespace namespace that it is in
 * @param id last part of the name
 * @param scope whose memory it is
 * @param type {@code message}, {@code fact}, {@code episode} or any word
 * @param step step of the agent's run in which it happened, or null
 * @param eventTime when it happened
 * @param createTime when it was stored
 * @param updateTime when it was changed last
 * @param text the searched text, in plain language
 * @param content the content, or null
 * @param tags its tags
 * @param embedding its vector, with the view {@code FULL}, or null
 * @param place where it happened, or null
 * @param importance how much it matters, 0 to 1
 * @param priority the caller's own priority, 0 to 1
 * @param source where it comes from
 * @param tier the tier that it is in
 * @param retrievalCount how often it was recalled with {@code touch}
 * @param lastAccessTime when it was recalled so last, or null
 * @param expireTime when it is to be forgotten, or null
 * @param validFrom first instant at which it is true, or null
 * @param validUntil first instant at which it is true no longer, or null
 * @param supersededBy id of the memory that replaces it, or null
 * @param checksum SHA-256 of text and content, as lower-case hexadecimal
 * @param version greater after each change
 * @param compaction its lost detail, or null
 */
public record Memory(
    String name,
    String namespace,
    String id,
    Scope scope,
    String type,
    Long step,
    Instant eventTime,
    Instant createTime,
    Instant updateTime,
    String text,
    Content content,
    List<String> tags,
    Embedding embedding,
    Place place,
    double importance,
    double priority,
    Source source,
    Tier tier,
    long retrievalCount,
    Instant lastAccessTime,
    Instant expireTime,
    Instant validFrom,
    Instant validUntil,
    @From(value = "superseded_by", optional = true) String supersededBy,
    String checksum,
    long version,
    Compaction compaction) {
  /**
   * Data that a memory lost when it entered a tier that drops keys or rounds fractions of JSON contents.
   *
   * @param checksum checksum of the memory the original memory
   * @param contentBytes bytes of the content the original memory
   * @param droppedKeys keys that were dropped
   * @param decimals decimals that fractions were rounded to; null when none was changed
   */
  public record Compaction(String checksum, long contentBytes, List<String> droppedKeys, Integer decimals) {
    dev.mneme.v1.Compaction message() {
      dev.mneme.v1.Compaction.Builder message =
          dev.mneme.v1.Compaction.newBuilder().setChecksum(checksum).setContentBytes(contentBytes).addAllDroppedKeys(droppedKeys);
      if (decimals != null) message.setDecimals(decimals);
      return message.build();
    }
  }
}
