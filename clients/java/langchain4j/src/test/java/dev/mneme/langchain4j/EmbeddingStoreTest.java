package dev.mneme.langchain4j;

import static dev.langchain4j.store.embedding.filter.MetadataFilterBuilder.metadataKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.langchain4j.data.document.Metadata;
import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.store.embedding.CosineSimilarity;
import dev.langchain4j.store.embedding.EmbeddingMatch;
import dev.langchain4j.store.embedding.EmbeddingSearchRequest;
import dev.langchain4j.store.embedding.filter.Filter;
import dev.mneme.client.Mneme;
import dev.mneme.client.MnemeException;
import dev.mneme.client.NewMemory;
import dev.mneme.client.Scope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class EmbeddingStoreTest {
  private static final Embedding EAST = Embedding.from(new float[] {1, 0, 0});
  private static final Embedding NORTH = Embedding.from(new float[] {0, 1, 0});

  private final Mneme client = Servers.client();
  private final MnemeEmbeddingStore store = MnemeEmbeddingStore.builder().client(client).build();

  private static List<EmbeddingMatch<TextSegment>> search(MnemeEmbeddingStore store, Embedding query, int maxResults, Filter filter) {
    return store.search(EmbeddingSearchRequest.builder().queryEmbedding(query).maxResults(maxResults).filter(filter).build()).matches();
  }

  @Test
  void metadata_keeps_values_and_types() {
    Metadata metadata = new Metadata().put("int", 7).put("small long", 7L).put("long", Long.MAX_VALUE).put("float", 1.23f)
        .put("whole float", 2f).put("double", 1.23d).put("whole double", 2d).put("tiny", Double.MIN_VALUE).put("negative zero", -0d)
        .put("uuid", UUID.randomUUID()).put("text", "7").put("nul", "\u0000").put("__proto__", "x");
    store.add(EAST, TextSegment.from("  text with spaces \n", metadata));
    TextSegment found = search(store, EAST, 1, null).get(0).embedded();
    assertThat(found).isEqualTo(TextSegment.from("  text with spaces \n", metadata));
  }

  @Test
  void an_id_that_is_there_is_replaced() {
    store.addAll(List.of("a"), List.of(EAST), List.of(TextSegment.from("old")));
    store.addAll(List.of("a"), List.of(NORTH), List.of(TextSegment.from("new")));
    List<EmbeddingMatch<TextSegment>> matches = search(store, NORTH, 10, null);
    assertThat(matches).hasSize(1);
    assertThat(matches.get(0).embedded().text()).isEqualTo("new");
    assertThat(matches.get(0).score()).isEqualTo(1.0);
    store.add("a", EAST);
    assertThat(search(store, EAST, 10, null).get(0).embedded()).isNull();
    store.addAll(List.of("a", "b", "b"), List.of(EAST, EAST, EAST), List.of(TextSegment.from("a"), TextSegment.from("1"), TextSegment.from("2")));
    assertThat(search(store, EAST, 10, null)).extracting(each -> each.embedded().text()).containsExactly("a", "2");
  }

  @Test
  void ids_may_be_any_text() {
    List<String> ids = List.of("doc/1#chunk 2", "x".repeat(500), "ünïcode", ".", "..", "a:b~c", "\n");
    ids.stream().filter(id -> !id.isBlank()).forEach(id -> store.add(id, EAST));
    assertThat(search(store, EAST, 10, null)).extracting(EmbeddingMatch::embeddingId).containsExactlyInAnyOrder(ids.stream()
        .filter(id -> !id.isBlank()).toArray(String[]::new));
    assertThat(search(store, EAST, 10, null)).extracting(EmbeddingMatch::embedded).containsOnlyNulls();
    store.removeAll(List.of("doc/1#chunk 2", "x".repeat(500), "not there"));
    assertThat(search(store, EAST, 10, null)).hasSize(4);
  }

  @Test
  void other_memories_and_other_scopes_are_left_alone() {
    client.store(NewMemory.of("a fact").embedding(new float[] {1, 0, 0}, "langchain4j"));
    MnemeEmbeddingStore mine = MnemeEmbeddingStore.builder().client(client).scope(Scope.ofProject("mine")).build();
    MnemeEmbeddingStore other = MnemeEmbeddingStore.builder().client(client).scope(Scope.ofProject("other").withAgent("a")).build();
    String id = mine.add(EAST, TextSegment.from("mine"));
    other.add(EAST, TextSegment.from("other"));
    assertThat(search(mine, EAST, 10, null)).extracting(EmbeddingMatch::embeddingId).containsExactly(id);
    assertThat(search(store, EAST, 10, null)).hasSize(2);
    other.removeAll(List.of(id));
    assertThat(search(mine, EAST, 10, null)).hasSize(1);
    mine.removeAll();
    assertThat(search(store, EAST, 10, null)).extracting(each -> each.embedded().text()).containsExactly("other");
    store.removeAll();
    assertThat(client.count().count()).isEqualTo(1);
  }

  /** More segments than any search returns, in vectors of more than one batch. */
  @Test
  void search_is_that_of_comparing_all() {
    Random random = new Random(11);
    List<Embedding> embeddings = new ArrayList<>();
    List<TextSegment> segments = new ArrayList<>();
    for (int i = 0; i < 1_500; i++) {
      float[] values = new float[24];
      for (int j = 0; j < values.length; j++) values[j] = (float) random.nextGaussian();
      embeddings.add(Embedding.from(values));
      segments.add(TextSegment.from("segment " + i, new Metadata().put("shard", i % 10)));
    }
    MnemeEmbeddingStore exact = MnemeEmbeddingStore.builder().client(client).exact(true).build();
    List<String> ids = exact.addAll(embeddings, segments);
    for (int limit : new int[] {1, 10, 1_000}) {
      assertThat(search(exact, embeddings.get(3), limit, null)).extracting(EmbeddingMatch::embeddingId)
          .containsExactlyElementsOf(nearest(ids, embeddings, embeddings.get(3), limit, 1));
      assertThat(search(store, embeddings.get(3), limit, metadataKey("shard").isEqualTo(0))).extracting(EmbeddingMatch::embeddingId)
          .containsExactlyElementsOf(nearest(ids, embeddings, embeddings.get(3), limit, 10));
    }
    store.removeAll(metadataKey("shard").isLessThan(9));
    assertThat(search(store, embeddings.get(3), 1_000, null)).hasSize(150);
    store.removeAll(ids);
    assertThat(search(store, embeddings.get(3), 1_000, null)).isEmpty();
  }

  @Test
  void segments_of_many_megabytes_are_stored_in_batches() {
    String page = "word ".repeat(100_000);
    List<Embedding> embeddings = java.util.Collections.nCopies(12, EAST);
    List<String> ids = store.addAll(embeddings, embeddings.stream().map(each -> TextSegment.from(page, Metadata.from("page", page))).toList());
    assertThat(search(store, EAST, 10, null)).hasSize(10);
    store.removeAll(ids);
    assertThatThrownBy(() -> store.add(EAST, TextSegment.from("x".repeat((1 << 20) + 1)))).isInstanceOf(MnemeException.InvalidArgument.class);
  }

  private static List<String> nearest(List<String> ids, List<Embedding> embeddings, Embedding query, int limit, int every) {
    return java.util.stream.IntStream.range(0, ids.size()).filter(i -> i % every == 0).boxed()
        .sorted(Comparator.comparing((Integer i) -> -CosineSimilarity.between(embeddings.get(i), query)).thenComparing(ids::get))
        .limit(limit).map(ids::get).toList();
  }

  @Test
  void min_score_is_inclusive() {
    store.add("east", EAST);
    store.add("north", NORTH);
    store.add("west", Embedding.from(new float[] {-1, 0, 0}));
    for (double minScore : new double[] {0, 0.5, 1}) {
      var request = EmbeddingSearchRequest.builder().queryEmbedding(EAST).maxResults(10).minScore(minScore).build();
      assertThat(store.search(request).matches()).as("minScore %s", minScore).hasSize((int) (3 - 2 * minScore));
    }
  }

  @Test
  void a_vector_of_another_dimension_is_refused() {
    Embedding flat = Embedding.from(new float[] {1, 0});
    MnemeEmbeddingStore strict = MnemeEmbeddingStore.builder().client(client).dimension(3).build();
    assertThatThrownBy(() -> strict.add(flat)).isInstanceOf(IllegalArgumentException.class)
        .hasMessage("embeddings[0]: must have dimension 3, got 2");
    assertThatThrownBy(() -> search(strict, flat, 1, null)).isInstanceOf(IllegalArgumentException.class)
        .hasMessage("queryEmbedding: must have dimension 3, got 2");
    store.add(EAST);
    assertThatThrownBy(() -> store.add(flat)).isInstanceOf(MnemeException.class).hasMessageContaining("dimension");
    assertThatThrownBy(() -> search(store, flat, 1, null)).isInstanceOf(MnemeException.class).hasMessageContaining("dimension");
    assertThatThrownBy(() -> store.add(Embedding.from(new float[] {0, 0, 0}))).isInstanceOf(MnemeException.InvalidArgument.class);
    assertThatThrownBy(() -> store.add(Embedding.from(new float[] {Float.NaN, 0, 0}))).isInstanceOf(MnemeException.InvalidArgument.class);
    assertThat(search(store, EAST, 10, null)).hasSize(1);
  }

  @Test
  void arguments_outside_of_the_contract_are_refused_before_anything_is_sent() {
    TextSegment segment = TextSegment.from("x");
    refused(() -> store.add((Embedding) null), "embedding cannot be null");
    refused(() -> store.add(" ", EAST), "id cannot be null or blank");
    refused(() -> store.add(null, EAST), "id cannot be null or blank");
    refused(() -> store.add(EAST, null), "embedded cannot be null");
    refused(() -> store.addAll(null), "embeddings cannot be null");
    refused(() -> store.addAll(List.of("a", " "), List.of(EAST, EAST), List.of(segment, segment)), "ids[1] cannot be null or blank");
    refused(() -> store.addAll(List.of("a"), List.of(EAST, EAST), null), "embeddings: must have as many elements as ids, 1, got 2");
    refused(() -> store.addAll(List.of(EAST), List.of(segment, segment)), "embedded: must have as many elements as ids, 1, got 2");
    refused(() -> store.addAll(Arrays.asList(EAST, null)), "embeddings[1] cannot be null");
    refused(() -> store.removeAll(Arrays.asList("a", null)), "id cannot be null or blank");
    refused(() -> store.search(null), "request cannot be null");
    refused(() -> search(store, EAST, 1_001, null), "maxResults: must be 1 to 1,000, got 1001");
    refused(() -> MnemeEmbeddingStore.builder().build(), "client, address: exactly one is required");
    MnemeEmbeddingStore odd = MnemeEmbeddingStore.builder().client(client).namespace("Ünï/..").build();
    assertThatThrownBy(() -> odd.add(EAST)).isInstanceOf(MnemeException.InvalidArgument.class);
    refused(() -> MnemeEmbeddingStore.builder().namespace(" "), "namespace cannot be null or blank");
    refused(() -> MnemeEmbeddingStore.builder().dimension(0), "dimension: must be 1 to 4,096, got 0");
    assertThat(store.addAll(List.of())).isEmpty();
    assertThatThrownBy(() -> client.namespaces().get()).isInstanceOf(MnemeException.NotFound.class);
  }

  @Test
  void filters_without_an_equivalent_are_refused() {
    Filter own = metadata -> true;
    assertThatThrownBy(() -> search(store, EAST, 1, own)).isInstanceOf(UnsupportedOperationException.class).hasMessageStartingWith("filter: ");
    assertThatThrownBy(() -> store.removeAll(metadataKey("a").isEqualTo(1).and(own))).isInstanceOf(UnsupportedOperationException.class);
    store.add(EAST, TextSegment.from("x", Metadata.from("a", "b")));
    Filter deep = metadataKey("a").isEqualTo("b");
    for (int i = 0; i < 20; i++) deep = Filter.not(deep);
    Filter tooDeep = deep;
    assertThatThrownBy(() -> search(store, EAST, 1, tooDeep)).isInstanceOf(MnemeException.InvalidArgument.class);
    assertThatThrownBy(() -> search(store, EAST, 1, metadataKey("k".repeat(600)).isEqualTo(1)))
        .isInstanceOf(MnemeException.InvalidArgument.class);
    Filter chain = metadataKey("a").isEqualTo("b");
    for (int i = 0; i < 60; i++) chain = chain.and(metadataKey("a").isNotEqualTo("c" + i));
    assertThat(search(store, EAST, 1, chain)).hasSize(1);
  }

  @Test
  void a_server_that_is_away_is_said() {
    try (Mneme away = Mneme.connect("127.0.0.1:1")) {
      MnemeEmbeddingStore lost = MnemeEmbeddingStore.builder().client(away.withTimeout(Duration.ofMillis(200))).build();
      assertThatThrownBy(() -> lost.add(EAST)).isInstanceOf(MnemeException.class);
      assertThatThrownBy(() -> search(lost, EAST, 1, null)).isInstanceOf(MnemeException.class);
      assertThatThrownBy(() -> lost.remove("a")).isInstanceOf(MnemeException.class);
    }
  }

  private static void refused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }
}
