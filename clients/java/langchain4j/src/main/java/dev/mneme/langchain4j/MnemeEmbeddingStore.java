package dev.mneme.langchain4j;

import static dev.langchain4j.internal.ValidationUtils.ensureNotBlank;
import static dev.langchain4j.internal.ValidationUtils.ensureNotEmpty;
import static dev.langchain4j.internal.ValidationUtils.ensureNotNull;

import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.store.embedding.CosineSimilarity;
import dev.langchain4j.store.embedding.EmbeddingMatch;
import dev.langchain4j.store.embedding.EmbeddingSearchRequest;
import dev.langchain4j.store.embedding.EmbeddingSearchResult;
import dev.langchain4j.store.embedding.EmbeddingStore;
import dev.langchain4j.store.embedding.RelevanceScore;
import dev.langchain4j.store.embedding.filter.Filter;
import dev.mneme.client.ConflictPolicy;
import dev.mneme.client.ForgetQuery;
import dev.mneme.client.Hit;
import dev.mneme.client.ImportOptions;
import dev.mneme.client.MemoryView;
import dev.mneme.client.Mneme;
import dev.mneme.client.MnemeException;
import dev.mneme.client.NewMemory;
import dev.mneme.client.RecallQuery;
import dev.mneme.client.Scope;
import dev.mneme.client.Weights;
import dev.mneme.client.Where;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An embedding store of LangChain4j: text segments are memories of one type, and search is by vector alone. Other memories of the
 * namespace are neither found nor removed. Adding a segment under an id that is there replaces it. Safe to use from many threads.
 *
 * <p>Failed calls throw {@link MnemeException}; arguments outside of the contract of {@link EmbeddingStore} throw
 * {@link IllegalArgumentException} before anything is sent.
 */
public final class MnemeEmbeddingStore implements EmbeddingStore<TextSegment>, AutoCloseable {
  private static final int MAX_RESULTS = 1_000;
  private static final int IDS_PER_CALL = 500;
  private static final int BATCH_COUNT = 256;
  private static final long BATCH_BYTES = 2L << 20;
  /** The server compares in single precision; what it lets through is compared again here. */
  private static final double SIMILARITY_MARGIN = 1e-5;

  private final Mneme mneme;
  private final boolean closesClient;
  private final Scope scope;
  private final String type;
  private final String modelName;
  private final Integer dimension;
  private final boolean exact;
  private final dev.mneme.client.Filter own;

  private MnemeEmbeddingStore(Builder builder) {
    mneme = builder.connection.open();
    closesClient = builder.connection.owned();
    scope = builder.scope;
    type = builder.type;
    modelName = builder.modelName;
    dimension = builder.dimension;
    exact = builder.exact;
    own = Scopes.filter(scope, type);
  }

  /** A builder with its defaults. */
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public String add(Embedding embedding) {
    return addAll(List.of(ensureNotNull(embedding, "embedding"))).get(0);
  }

  @Override
  public void add(String id, Embedding embedding) {
    addAll(List.of(ensureNotBlank(id, "id")), List.of(ensureNotNull(embedding, "embedding")), null);
  }

  @Override
  public String add(Embedding embedding, TextSegment segment) {
    return addAll(List.of(ensureNotNull(embedding, "embedding")), List.of(ensureNotNull(segment, "embedded"))).get(0);
  }

  @Override
  public List<String> addAll(List<Embedding> embeddings) {
    List<String> ids = generateIds(ensureNotNull(embeddings, "embeddings").size());
    addAll(ids, embeddings, null);
    return ids;
  }

  @Override
  public List<String> addAll(List<Embedding> embeddings, List<TextSegment> segments) {
    List<String> ids = generateIds(ensureNotNull(embeddings, "embeddings").size());
    addAll(ids, embeddings, segments);
    return ids;
  }

  /**
   * Adds embeddings, each with its segment where {@code segments} is not null, and returns when they are durable. Every argument is
   * checked before the first is sent; they are stored in batches of up to 256 and about 2 MiB, each wholly or not at all. Of equal ids the
   * last one counts.
   */
  @Override
  public void addAll(List<String> ids, List<Embedding> embeddings, List<TextSegment> segments) {
    ensureNotNull(ids, "ids");
    ensureSize("embeddings", ensureNotNull(embeddings, "embeddings"), ids);
    if (segments != null) ensureSize("embedded", segments, ids);
    Map<String, Entry> entries = new LinkedHashMap<>();
    for (int i = 0; i < ids.size(); i++) {
      String id = ensureNotBlank(ids.get(i), "ids[" + i + "]");
      TextSegment segment = segments == null ? null : segments.get(i);
      float[] vector = vector("embeddings[" + i + "]", embeddings.get(i));
      NewMemory memory = Segments.write(id, segment).type(type).embedding(vector, modelName);
      if (scope != null) memory.scope(scope);
      entries.put(id, new Entry(memory, vector.length * Float.BYTES + Segments.bytesMax(segment)));
    }
    List<NewMemory> batch = new ArrayList<>();
    long bytes = 0;
    for (Entry each : entries.values()) {
      if (batch.size() == BATCH_COUNT || (!batch.isEmpty() && bytes + each.bytesMax > BATCH_BYTES)) {
        store(batch);
        batch.clear();
        bytes = 0;
      }
      batch.add(each.memory);
      bytes += each.bytesMax;
    }
    if (!batch.isEmpty()) store(batch);
  }

  /** Removes embeddings by their ids; ids without one are ignored. */
  @Override
  public void removeAll(Collection<String> ids) {
    ensureNotEmpty(ids, "ids");
    List<String> memoryIds = ids.stream().map(id -> Segments.memoryId(ensureNotBlank(id, "id"))).distinct().toList();
    for (int start = 0; start < memoryIds.size(); start += IDS_PER_CALL) {
      forget(own.and(Where.ID.isIn(memoryIds.subList(start, Math.min(start + IDS_PER_CALL, memoryIds.size())))));
    }
  }

  @Override
  public void removeAll(Filter filter) {
    forget(own.and(Filters.of(ensureNotNull(filter, "filter"))));
  }

  /** Removes all embeddings of this store: of its type and scope in its namespace. */
  @Override
  public void removeAll() {
    forget(own);
  }

  /**
   * The nearest embeddings, best first; equal scores by id. {@code maxResults} is at most 1,000. {@link EmbeddingSearchRequest#query} has
   * no effect.
   */
  @Override
  public EmbeddingSearchResult<TextSegment> search(EmbeddingSearchRequest request) {
    ensureNotNull(request, "request");
    if (request.maxResults() > MAX_RESULTS) {
      throw new IllegalArgumentException("maxResults: must be 1 to 1,000, got " + request.maxResults());
    }
    Embedding asked = request.queryEmbedding();
    RecallQuery query = new RecallQuery().embedding(vector("queryEmbedding", asked), modelName).limit(request.maxResults())
        .weights(new Weights().vector(1).keyword(0).recency(0).importance(0).session(0)).exact(exact).view(MemoryView.FULL)
        .filter(request.filter() == null ? own : own.and(Filters.of(request.filter())));
    if (scope != null) query.scope(scope).scopeView(RecallQuery.ScopeView.OWN);
    double similarity = 2 * request.minScore() - 1 - SIMILARITY_MARGIN;
    if (similarity > -1) query.minSimilarity(similarity);
    return new EmbeddingSearchResult<>(Recalls.hits(mneme, query).stream().map(hit -> match(asked, hit)).filter(each -> each.score() >= request.minScore())
        .sorted(Comparator.comparing((EmbeddingMatch<TextSegment> each) -> -each.score()).thenComparing(EmbeddingMatch::embeddingId))
        .toList());
  }

  /** Closes the client, where the store opened it. */
  @Override
  public void close() {
    if (closesClient) mneme.close();
  }

  private void store(List<NewMemory> batch) {
    try {
      mneme.batchStore(batch);
    } catch (MnemeException.AlreadyExists fault) {
      mneme.importMemories(batch, new ImportOptions().conflictPolicy(ConflictPolicy.REPLACE));
    }
  }

  private void forget(dev.mneme.client.Filter filter) {
    try {
      mneme.forget(new ForgetQuery().filter(filter));
    } catch (MnemeException.NotFound fault) {
      return; // The namespace exists from the first write on.
    }
  }

  private static EmbeddingMatch<TextSegment> match(Embedding asked, Hit hit) {
    Embedding found = Embedding.from(hit.memory().embedding().values());
    double score = RelevanceScore.fromCosineSimilarity(CosineSimilarity.between(found, asked));
    return new EmbeddingMatch<>(score, Segments.idOf(hit.memory()), found, Segments.read(hit.memory()));
  }

  private float[] vector(String name, Embedding embedding) {
    float[] values = ensureNotNull(embedding, name).vector();
    if (dimension != null && values.length != dimension) {
      throw new IllegalArgumentException(name + ": must have dimension " + dimension + ", got " + values.length);
    }
    return values;
  }

  private static void ensureSize(String name, List<?> list, List<String> ids) {
    if (list.size() != ids.size()) {
      throw new IllegalArgumentException(name + ": must have as many elements as ids, " + ids.size() + ", got " + list.size());
    }
  }

  /** A memory to store, and a bound of its bytes on the wire. */
  private record Entry(NewMemory memory, long bytesMax) {}

  /** Options of a store. A client or an address is required. */
  public static final class Builder {
    private final ClientChoice connection = new ClientChoice();
    private Scope scope;
    private String type = "segment";
    private String modelName = "langchain4j";
    private Integer dimension;
    private boolean exact;

    private Builder() {}

    /** Client to use; the store does not close it. */
    public Builder client(Mneme client) { connection.client(client); return this; }

    /** Address of the server, such as {@code 127.0.0.1:50051}; the store opens a client and closes it. */
    public Builder address(String address) { connection.address(address); return this; }

    /** Namespace of the segments. Default: that of the client, or {@code default}. One namespace has vectors of one model. */
    public Builder namespace(String namespace) { connection.namespace(namespace); return this; }

    /** Scope of the segments, such as a project or an agent. Default: none, and segments of every scope are found. */
    public Builder scope(Scope scope) { this.scope = ensureNotNull(scope, "scope"); return this; }

    /** Type of the memories that are segments: letters, digits and {@code _}, at most 64. Default {@code segment}. */
    public Builder type(String type) { this.type = ensureNotBlank(type, "type"); return this; }

    /** Name of the embedding model, at most 128 bytes; a namespace accepts vectors of one. Default {@code langchain4j}. */
    public Builder embeddingModelName(String name) { modelName = ensureNotBlank(name, "embeddingModelName"); return this; }

    /** Dimension of the vectors, 1 to 4,096: others are refused before anything is sent. Default: that of the first vector. */
    public Builder dimension(int dimension) {
      if (dimension < 1 || dimension > 4_096) throw new IllegalArgumentException("dimension: must be 1 to 4,096, got " + dimension);
      this.dimension = dimension;
      return this;
    }

    /** Searches vectors exactly, without the approximate index. Default false. */
    public Builder exact(boolean exact) { this.exact = exact; return this; }

    /** The store. Sends nothing. */
    public MnemeEmbeddingStore build() { return new MnemeEmbeddingStore(this); }
  }
}
