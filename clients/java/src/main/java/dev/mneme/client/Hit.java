package dev.mneme.client;

import java.util.List;

/**
 * A memory that was found.
 *
 * @param memory the memory
 * @param score what the order is by: higher is better
 * @param relevance probability that the memory answers the query, 0 to 1: comparable between queries and namespaces
 * @param equalCount further memories that are equal to this one, and therefore no hits of their own
 * @param outdatedBy name of the hit that states a newer value of what this one states; empty without one
 * @param components parts of the score, with {@code explain}
 * @param features what the learned order looked at, heaviest first, with {@code explain}
 * @param matchedTerms words that matched, with {@code explain}
 * @param restored with {@code explain}: whether text and content come from the compressed form of a lower tier
 * @param trust trust in the source of the memory, of a derived memory the least of its sources; null when this version of the
 *     client does not know it
 * @param passage of a text of more than 2,400 characters, the part that answers best; otherwise null
 * @param before memories of its session before it, nearest last
 * @param after memories of its session after it, nearest first
 */
public record Hit(
    Memory memory,
    double score,
    double relevance,
    int equalCount,
    String outdatedBy,
    List<Component> components,
    List<Component> features,
    List<String> matchedTerms,
    boolean restored,
    TrustLevel trust,
    MatchedPassage passage,
    List<Memory> before,
    List<Memory> after) {
  /**
   * A part of a score.
   *
   * @param name its name
   * @param value unweighted value of the part, in its own unit
   * @param contribution its contribution to the score
   * @param rank place in its lane, from 1; 0 for none
   */
  public record Component(String name, double value, double contribution, int rank) {}

  /**
   * A part of a text.
   *
   * @param text the part
   * @param offsetBytes where it begins in the text, in bytes of UTF-8
   */
  public record MatchedPassage(String text, int offsetBytes) {}

  static Hit of(dev.mneme.v1.RecallHit message) {
    if (!message.hasMemory()) throw Errors.incompleteAnswer("memory");
    return Answers.read(message, Hit.class);
  }

  Hit in(double otherScore, Tier tier) {
    Memory m = memory;
    Memory moved = new Memory(m.name(), m.namespace(), m.id(), m.scope(), m.type(), m.step(), m.eventTime(), m.createTime(),
        m.updateTime(), m.text(), m.content(), m.tags(), m.embedding(), m.place(), m.importance(), m.priority(), m.source(), tier,
        m.retrievalCount(), m.lastAccessTime(), m.expireTime(), m.validFrom(), m.validUntil(), m.supersededBy(), m.checksum(),
        m.version(), m.compaction());
    return new Hit(moved, otherScore, relevance, equalCount, outdatedBy, components, features, matchedTerms, restored, trust,
        passage, before, after);
  }
}
