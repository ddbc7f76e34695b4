package dev.mneme.langchain4j;

import static dev.langchain4j.internal.ValidationUtils.ensureNotNull;

import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.rag.content.Content;
import dev.langchain4j.rag.content.ContentMetadata;
import dev.langchain4j.rag.content.DefaultContent;
import dev.langchain4j.rag.content.retriever.ContentRetriever;
import dev.langchain4j.rag.query.Query;
import dev.mneme.client.Filter;
import dev.mneme.client.Hit;
import dev.mneme.client.Mneme;
import dev.mneme.client.RecallQuery;
import dev.mneme.client.Scope;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A content retriever of LangChain4j that recalls: the server finds memories by words and meaning with its own embedder. It finds every
 * memory of the namespace, such as facts, messages and segments. Safe to use from many threads.
 */
public final class MnemeContentRetriever implements ContentRetriever, AutoCloseable {
  private static final int QUERY_BYTES_MAX = 8_192;

  private final Mneme mneme;
  private final boolean closesClient;
  private final Scope scope;
  private final int maxResults;
  private final Double minScore;
  private final Filter filter;

  private MnemeContentRetriever(Builder builder) {
    mneme = builder.connection.open();
    closesClient = builder.connection.owned();
    scope = builder.scope;
    maxResults = builder.maxResults;
    minScore = builder.minScore;
    filter = builder.filter;
  }

  /** A builder with its defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * The most relevant memories that have a text, best first, with their ids and relevance, 0 to 1, as metadata. Metadata of each segment
   * have {@code _speaker}, where there is one, {@code _trust} and {@code _time}, which {@link QuotingContentInjector} writes. The server
   * searches for the first 8,192 bytes of a query.
   */
  @Override
  public List<Content> retrieve(Query query) {
    List<Content> contents = new ArrayList<>();
    Recalls.hits(mneme, recallOf(ensureNotNull(query, "query"))).forEach(hit -> add(hit, contents));
    return contents;
  }

  /** Closes the client, where the retriever opened it. */
  @Override
  public void close() {
    if (closesClient) mneme.close();
  }

  private RecallQuery recallOf(Query query) {
    RecallQuery recall = RecallQuery.of(searched(query.text())).limit(maxResults);
    if (minScore != null) recall.minRelevance(minScore);
    if (scope != null) recall.scope(scope);
    return filter == null ? recall : recall.filter(filter);
  }

  /** As much of a text as the server searches: its first bytes of UTF-8, without NULs and half a character. */
  private static String searched(String text) {
    byte[] bytes = text.replace("\0", "").getBytes(StandardCharsets.UTF_8);
    int end = Math.min(bytes.length, QUERY_BYTES_MAX);
    while (end < bytes.length && (bytes[end] & 0xC0) == 0x80) end--;
    return new String(bytes, 0, end, StandardCharsets.UTF_8);
  }

  private static void add(Hit hit, List<Content> into) {
    TextSegment segment = Segments.read(hit);
    if (segment == null) return;
    into.add(new DefaultContent(segment,
        Map.of(ContentMetadata.SCORE, hit.relevance(), ContentMetadata.EMBEDDING_ID, Segments.idOf(hit.memory()))));
  }

  /** Options of a retriever. A client or an address is required. */
  public static final class Builder {
    private final ClientChoice connection = new ClientChoice();
    private Scope scope;
    private int maxResults = 3;
    private Double minScore;
    private Filter filter;

    private Builder() {}

    /** Client to use; the retriever does not close it. */
    public Builder client(Mneme client) { connection.client(client); return this; }

    /** Address of the server, such as {@code 127.0.0.1:50051}; the retriever opens a client and closes it. */
    public Builder address(String address) { connection.address(address); return this; }

    /** Namespace of the memories. Default: that of the client, or {@code default}. */
    public Builder namespace(String namespace) { connection.namespace(namespace); return this; }

    /** Scope of the memories, with those that its ancestors share. Default: all. */
    public Builder scope(Scope scope) { this.scope = ensureNotNull(scope, "scope"); return this; }

    /** Most memories to retrieve, 1 to 1,000. Default 3, as that of LangChain4j. */
    public Builder maxResults(int count) {
      if (count < 1 || count > 1_000) throw new IllegalArgumentException("maxResults: must be 1 to 1,000, got " + count);
      maxResults = count;
      return this;
    }

    /** Lowest relevance, 0 to 1; 0 retrieves all. Default: the setting of the namespace (0.07). */
    public Builder minScore(double relevance) {
      if (!(relevance >= 0 && relevance <= 1)) throw new IllegalArgumentException("minScore: must be 0 to 1, got " + relevance);
      minScore = relevance;
      return this;
    }

    /** Memories that may be retrieved, as {@link dev.mneme.client.Where} says. Default: all. */
    public Builder filter(Filter filter) { this.filter = ensureNotNull(filter, "filter"); return this; }

    /** The retriever. Sends nothing. */
    public MnemeContentRetriever build() { return new MnemeContentRetriever(this); }
  }
}
