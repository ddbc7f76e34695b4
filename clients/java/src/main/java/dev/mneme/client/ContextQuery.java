package dev.mneme.client;

import dev.mneme.v1.BuildContextRequest;
import dev.mneme.v1.ContextKindLimit;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Collection;

/** Which context to build. */
public final class ContextQuery extends Query<ContextQuery, BuildContextRequest.Builder> {
  /** Format of a context. */
  public enum Format {
    /** {@code <memory source="mneme">} with one {@code <entry>} for each memory. */
    XML,
    /** A heading, and a list item with a block quote for each memory. */
    MARKDOWN,
    /** JSON array of one chat message; its content has one JSON object a line for each memory. */
    JSON_MESSAGES
  }

  /** A query with its defaults: only working memory goes in. */
  public ContextQuery() {
    super(BuildContextRequest.newBuilder());
  }

  /** A query in natural language. */
  public static ContextQuery of(String query) {
    return new ContextQuery().query(query);
  }

  /** In natural language. Default: the text of the last of {@link #messages}. */
  public ContextQuery query(String query) { message.setQuery(query); return this; }

  /** Last messages of the conversation, oldest first, at most 100. A memory with the text of one of them is omitted. */
  public ContextQuery messages(Collection<BuiltContext.Message> messages) {
    messages.forEach(each ->
        message.addMessages(dev.mneme.v1.ContextMessage.newBuilder().setRole(each.role()).setText(each.text())));
    return this;
  }

  /** Whose memories may go in, with its ancestors. Default: all memories of the namespace. */
  public ContextQuery scope(Scope scope) { message.setScope(scope.message()); return this; }

  /** Id of the session whose working memory goes in. Default: that of the scope. */
  public ContextQuery session(String id) { message.setSession(id); return this; }

  /** Maximum number of tokens, 1 to 100,000, in place of {@link #modelTokens}. Default 1,500. */
  public ContextQuery tokenBudget(int tokens) { message.setTokenBudget(tokens); return this; }

  /** Size of the context window of the model in tokens, in place of {@link #tokenBudget}: the budget is its {@link #share}. */
  public ContextQuery modelTokens(int tokens) { message.getWindowBuilder().setModelTokens(tokens); return this; }

  /** Share of {@link #modelTokens} for the context. Default 0.15. */
  public ContextQuery share(double share) { message.getWindowBuilder().setShare(share); return this; }

  /** Limits of one kind: its number of entries, 0 to 1,000, and its share of the budget, 0 to 1. Null is the default of the kind. */
  public ContextQuery kindLimit(ContextKind kind, Integer maxEntries, Double maxShare) {
    ContextKindLimit.Builder limit = ContextKindLimit.newBuilder().setKind(code(kind));
    if (maxEntries != null) limit.setMaxEntries(maxEntries);
    if (maxShare != null) limit.setMaxShare(maxShare);
    message.addKindLimits(limit);
    return this;
  }

  /** Default {@code XML}. */
  public ContextQuery format(Format format) {
    message.setFormat(Values.code(dev.mneme.v1.ContextFormat.class, "CONTEXT_FORMAT_", format));
    return this;
  }

  /** Tokenizer that counts: {@code o200k_base} (the default), {@code cl100k_base} or {@code wordpiece}. */
  public ContextQuery tokenizer(String name) { message.setTokenizer(name); return this; }

  /** Kinds that may go in. Default: all. */
  public ContextQuery kinds(ContextKind... kinds) { return kinds(Arrays.asList(kinds)); }

  /** Kinds that may go in. Default: all. */
  public ContextQuery kinds(Collection<ContextKind> kinds) {
    kinds.forEach(each -> message.addKinds(code(each)));
    return this;
  }

  /** Time of the question. Default: now. */
  public ContextQuery referenceTime(Instant time) { message.setReferenceTime(Values.timestamp(time)); return this; }

  /** Time zone of the user: "yesterday" is a day there. Default: UTC. */
  public ContextQuery timeZone(ZoneId zone) { message.setTimeZone(Values.zone(zone)); return this; }

  /** Lowest relevance of a memory, 0 to 1. Default: the setting of the namespace (0.07). */
  public ContextQuery minRelevance(double relevance) { message.setMinRelevance(relevance); return this; }

  /** Appends the context to the last message of the user, in {@link BuiltContext#messages}. Default false. */
  public ContextQuery fold(boolean fold) { message.setFold(fold); return this; }

  private static dev.mneme.v1.ContextKind code(ContextKind kind) {
    return Values.code(dev.mneme.v1.ContextKind.class, "CONTEXT_KIND_", kind);
  }
}
