package dev.mneme.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.langchain4j.data.document.Metadata;
import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.store.embedding.EmbeddingSearchRequest;
import dev.langchain4j.store.embedding.filter.Filter;
import dev.langchain4j.store.embedding.filter.MetadataFilterBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Random filters over random metadata select what LangChain4j's own {@link Filter#test} does. */
class FilterEquivalenceTest {
  private static final List<String> KEYS =
      List.of("plain", "a.b", "a\\b", "0", "__proto__", "with space", "schlüssel", "*", "a.b.c\\", "\"quoted\"", "constructor", "metadata");
  private static final List<Long> NUMBERS = List.of(-3L, 0L, 1L, 42L, (1L << 53) - 1, 1L << 53, (1L << 53) + 1, (1L << 53) + 2,
      -(1L << 53) - 1, 1746714878034235396L, 1746714878034235397L, Long.MAX_VALUE, Long.MAX_VALUE - 1, Long.MIN_VALUE, Long.MIN_VALUE + 1);
  private static final List<String> TEXTS = List.of("", " ", "a", "A", "b", "ab", "1", "a.b", "%", "ü", "\u0000", "\uD83D\uDE00");
  private static final int SEGMENTS = 120;
  private static final int FILTERS = 150;

  @Test
  void filters_select_what_langchain4j_selects() {
    String given = System.getenv("MNEME_TEST_SEED");
    long seed = given == null ? new Random().nextInt(1_000_000) : Long.parseLong(given);
    System.out.println("MNEME_TEST_SEED=" + seed);
    Random random = new Random(seed);
    MnemeEmbeddingStore store = MnemeEmbeddingStore.builder().client(Servers.client()).build();
    List<Metadata> metadata = new ArrayList<>();
    for (int i = 0; i < SEGMENTS; i++) metadata.add(metadata(random));
    List<String> ids = new ArrayList<>();
    List<Embedding> embeddings = new ArrayList<>();
    List<TextSegment> segments = new ArrayList<>();
    for (int i = 0; i < SEGMENTS; i++) {
      ids.add("s" + i);
      embeddings.add(Embedding.from(new float[] {1, random.nextFloat(), -random.nextFloat()}));
      segments.add(TextSegment.from("segment " + i, metadata.get(i)));
    }
    store.addAll(ids, embeddings, segments);
    for (int i = 0; i < FILTERS; i++) {
      Filter filter = filter(random, 3);
      Set<String> expected = new TreeSet<>();
      for (int j = 0; j < SEGMENTS; j++) {
        if (filter.test(metadata.get(j))) expected.add(ids.get(j));
      }
      Set<String> found = new TreeSet<>();
      store.search(EmbeddingSearchRequest.builder().queryEmbedding(embeddings.get(0)).maxResults(1_000).filter(filter).build()).matches()
          .forEach(each -> found.add(each.embeddingId()));
      assertThat(found).as("seed %d, filter %s", seed, filter).isEqualTo(expected);
    }
  }

  /** Keys of an even place are numbers, the others texts: LangChain4j refuses to compare values of different types. */
  private static Metadata metadata(Random random) {
    Metadata metadata = new Metadata();
    for (int i = 0; i < KEYS.size(); i++) {
      if (random.nextInt(3) == 0) continue;
      if (i % 2 == 1) metadata.put(KEYS.get(i), pick(random, TEXTS));
      else if (random.nextInt(4) == 0) metadata.put(KEYS.get(i), random.nextInt(-100, 100) / 8f + 0.1f);
      else metadata.put(KEYS.get(i), pick(random, NUMBERS));
    }
    return metadata;
  }

  private static Filter filter(Random random, int depth) {
    int kind = depth == 0 ? 3 : random.nextInt(6);
    if (kind == 0) return Filter.and(filter(random, depth - 1), filter(random, depth - 1));
    if (kind == 1) return Filter.or(filter(random, depth - 1), filter(random, depth - 1));
    if (kind == 2) return Filter.not(filter(random, depth - 1));
    int key = random.nextInt(KEYS.size());
    MetadataFilterBuilder on = MetadataFilterBuilder.metadataKey(KEYS.get(key));
    return key % 2 == 1 ? textual(random, on) : numeric(random, on);
  }

  private static Filter textual(Random random, MetadataFilterBuilder on) {
    String value = pick(random, TEXTS);
    return switch (random.nextInt(6)) {
      case 0 -> on.isEqualTo(value);
      case 1 -> on.isNotEqualTo(value);
      case 2 -> on.isIn(value, pick(random, TEXTS));
      case 3 -> on.isNotIn(value, pick(random, TEXTS));
      case 4 -> on.containsString(value);
      default -> on.isBetween(value, pick(random, TEXTS));
    };
  }

  private static Filter numeric(Random random, MetadataFilterBuilder on) {
    long value = pick(random, NUMBERS);
    return switch (random.nextInt(8)) {
      case 0 -> on.isEqualTo(value);
      case 1 -> on.isNotEqualTo(value);
      case 2 -> on.isIn(value, pick(random, NUMBERS));
      case 3 -> on.isNotIn(value, pick(random, NUMBERS));
      case 4 -> on.isGreaterThan(value);
      case 5 -> on.isGreaterThanOrEqualTo(value);
      case 6 -> on.isLessThan(value);
      default -> on.isLessThanOrEqualTo(value);
    };
  }

  private static <T> T pick(Random random, List<T> values) {
    return values.get(random.nextInt(values.size()));
  }
}
