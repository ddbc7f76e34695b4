package dev.mneme.client;

import java.util.List;

/**
 * Text for the context window of a model, and its sources.
 *
 * @param text the context; empty when nothing went in
 * @param messages with {@link ContextQuery#fold} those of the query with the context in the last one of the user, otherwise one message of
 *     the role {@code user}, or none when nothing went in
 * @param entries in the order of the text
 * @param omitted memories that were found and did not go in, best first, at most 100
 * @param omittedTotal number of all memories that were found and did not go in
 * @param tokens number of tokens of the context; at most {@code budget}
 * @param budget budget in tokens that applied
 * @param tokenizer tokenizer that counted
 * @param degraded parts that failed, were late or worked only partly
 * @param complete whether every part was read in full
 * @param query the searched text; empty without a query
 * @param revision revision that the memories reflect; 0 when no memory was searched
 */
public record BuiltContext(String text, List<Message> messages, List<Entry> entries, List<Omission> omitted, int omittedTotal, int tokens,
    int budget, String tokenizer, List<RecallResult.Degradation> degraded, boolean complete, String query, long revision) {
  /**
   * One message of a conversation.
   *
   * @param role {@code user}, {@code assistant}, {@code system} or {@code tool}
   * @param text its text
   */
  public record Message(String role, String text) {}

  /**
   * An entry of a context.
   *
   * @param name resource name of the memory, or of the session for working memory
   * @param kind kind of the memory
   * @param relevance relevance to the query, 0 to 1; 1 for working memory
   * @param tokens number of tokens of the entry
   * @param reason why it went in, in a sentence
   * @param trust trust in the source of the memory; null when this version of the client does not know it
   * @param part part of the working memory, such as {@code task}; empty for memories
   */
  public record Entry(String name, ContextKind kind, double relevance, int tokens, String reason, TrustLevel trust, String part) {}

  /**
   * A memory that was found and did not go in.
   *
   * @param name resource name of the memory, or of the session for working memory
   * @param reason why it did not go in
   * @param duplicateOf resource name of the memory that says the same; empty without one
   * @param part part of the working memory, such as {@code task}; empty for memories
   */
  public record Omission(String name, OmissionReason reason, String duplicateOf, String part) {}

  /** Why a memory did not go in. */
  public enum OmissionReason {
    /** It did not fit into the budget. */
    BUDGET,
    /** Its kind had reached its limit. */
    KIND_LIMIT,
    /** It repeats another entry. */
    DUPLICATE,
    /** It is one of the messages of the query. */
    IN_CONVERSATION,
    /** Its key names a secret. */
    SECRET,
    /** It has no text. */
    NO_TEXT,
    /** Its relevance is below the lowest that the query allows. */
    LOW_RELEVANCE,
    /** A value that this version of the client does not know. */
    OTHER
  }
}
