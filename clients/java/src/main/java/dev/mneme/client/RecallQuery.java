package dev.mneme.client;

import dev.mneme.v1.RecallGrouping;
import dev.mneme.v1.RecallRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;

/**
 * The query. At least one of {@code text}, {@code embedding}, {@code example}, {@code similarTo}, {@code filter},
 * {@code nearTime}, {@code nearPlace}, {@code timeWindow} and {@code preset} is required.
 */
public final class RecallQuery extends Query.Filtered<RecallQuery, RecallRequest.Builder> {
  /** Whether memories shared by ancestors of a scope are visible. */
  public enum ScopeView {
    /** It is. */
    INHERITED,
    /** It is not. */
    OWN
  }

  /** Order of keyword candidates. */
  public enum Ranking {
    /** As was learned. */
    LEARNED,
    /** By the lanes' own scores. */
    FUSION
  }

  /** Memories of which only the best is a hit. */
  public enum Grouping {
    /** Those of a session. */
    SESSION
  }

  private NewMemory example;
  private String similarTo;

  /** Query in plain language. */
  public static RecallQuery of(String text) { return new RecallQuery().text(text); }

  RecallRequest request(String namespace) {
    RecallRequest.Builder request = copy().setParent(Names.namespace(namespace));
    if (example != null) {
      dev.mneme.v1.Memory.Builder memory = example.message(namespace).toBuilder();
      if (!example.id().isEmpty()) memory.setName(Names.memory(namespace, example.id()));
      request.setExample(memory);
    }
    if (similarTo != null) request.setSimilarTo(Names.memory(namespace, similarTo));
    return request.build();
  }

  /** A query with its defaults. */
  public RecallQuery() {
    super(RecallRequest.newBuilder());
  }

  /** Query in plain language. */
  public RecallQuery text(String text) { message.setText(text); return this; }

  /** Vector of the query. Default: computed from the text by the server's embedder. */
  public RecallQuery embedding(Embedding embedding) { message.setEmbedding(embedding.message()); return this; }

  /** Vector of the query. */
  public RecallQuery embedding(float[] values, String model) { message.setEmbedding(new Embedding(values, model).message()); return this; }

  /** A memory as it might be: its text and the texts of its content are looked for. */
  public RecallQuery example(NewMemory memory) { example = memory; return this; }

  /** Id of a memory that others are to be like; it is not returned itself. */
  public RecallQuery similarTo(String id) { similarTo = id; return this; }

  /** Scope of the memories, including memories shared by its ancestors, such as its project. Default: all. */
  public RecallQuery scope(Scope scope) { message.setScope(scope.message()); return this; }

  /** {@code OWN}: only memories within the scope. Default: memories of its ancestors are visible as well. */
  public RecallQuery scopeView(ScopeView view) { message.setScopeView(Values.code(dev.mneme.v1.ScopeView.class, "SCOPE_VIEW_", view)); return this; }

  /** Most hits to return, 1 to 1,000. Default 10. */
  public RecallQuery limit(int limit) { message.setLimit(limit); return this; }

  /** Minimum score of hits. Scores are comparable within one answer only. */
  public RecallQuery minScore(double score) { message.setMinScore(score); return this; }

  /** Minimum relevance of hits, 0 to 1; 0 leaves none out. Default with a text: the setting of the namespace (0.07). */
  public RecallQuery minRelevance(double relevance) { message.setMinRelevance(relevance); return this; }

  /** Memories less near to the vector asked for (cosine, -1 to 1) are not candidates of the vector lane. */
  public RecallQuery minSimilarity(double similarity) { message.setMinSimilarity(similarity); return this; }

  /** Penalty for similarity to preceding hits (MMR), 0 to 1. Default 0: none. Must be absent with a preset. */
  public RecallQuery diversity(double diversity) { message.setDiversity(diversity); return this; }

  /** Of the memories of a session only the best is a hit. Must be absent with a preset. */
  public RecallQuery groupBy(Grouping group) { message.setGroupBy(Values.code(RecallGrouping.class, "RECALL_GROUPING_", group)); return this; }

  /** Order of keyword candidates: learned (the default), or by the lanes' own scores. */
  public RecallQuery ranking(Ranking ranking) { message.setRanking(Values.code(dev.mneme.v1.RankingMode.class, "RANKING_MODE_", ranking)); return this; }

  /** How much each part of a score counts. */
  public RecallQuery weights(Weights weights) { message.setWeights(weights.message()); return this; }

  /** Age at which recency has halved. Default 7 days. */
  public RecallQuery recencyHalfLife(Duration age) { message.setRecencyHalfLife(Values.duration(age)); return this; }

  /** When the question is asked: times in the text ("yesterday") and recency are counted from it. Default: now. */
  public RecallQuery referenceTime(Instant time) { message.setReferenceTime(Values.timestamp(time)); return this; }

  /** Time zone of the user: "yesterday" is a day there. Default: UTC. */
  public RecallQuery timeZone(ZoneId zone) { message.setTimeZone(Values.zone(zone)); return this; }

  /**
   * Includes memories that are not valid now: superseded, or outside of their validity. Must be absent with {@code
   * asOf}.
   */
  public RecallQuery includeInvalid(boolean include) { message.setIncludeInvalid(include); return this; }

  /** Only memories that were valid at this instant, whether or not superseded since. */
  public RecallQuery asOf(Instant time) { message.setAsOf(Values.timestamp(time)); return this; }

  /** Fills components, features and matched terms of each hit. */
  public RecallQuery explain(boolean explain) { message.setExplain(explain); return this; }

  /** How much of each memory. Default {@code BASIC}: all fields except the vector. */
  public RecallQuery view(MemoryView view) { message.setView(Values.code(dev.mneme.v1.MemoryView.class, "MEMORY_VIEW_", view)); return this; }

  /** Counts the recall: raises the count of retrievals of every hit. */
  public RecallQuery touch(boolean touch) { message.setTouch(touch); return this; }

  /** As {@code touch}, and moves each hit one tier up that has earned it. */
  public RecallQuery focus(boolean focus) { message.setFocus(focus); return this; }

  /** Tiers that hits may be in. Default: all. */
  public RecallQuery tiers(Tier... tiers) { return tiers(Arrays.asList(tiers)); }

  /** Tiers that hits may be in. Default: all. */
  public RecallQuery tiers(List<Tier> tiers) {
    message.clearTiers();
    tiers.forEach(each -> message.addTiers(Values.code(dev.mneme.v1.Tier.class, "TIER_", each)));
    return this; }

  /** Returns with each hit this many memories of its session before and after it, 0 to 5. */
  public RecallQuery neighborCount(int count) { message.setNeighborCount(count); return this; }

  /** Searches vectors exactly, whatever the size of the scope. */
  public RecallQuery exact(boolean exact) { message.setExact(exact); return this; }

  /** A retrieval form by name, in place of text, embedding, example, similarTo, weights and minSimilarity. */
  public RecallQuery preset(Preset preset) { message.setPreset(preset.message()); return this; }

  /** Nearness in time raises the score; the nearest memories are candidates. */
  public RecallQuery nearTime(NearTime near) { message.setNearTime(near.message()); return this; }

  /** Nearness in place raises the score; the nearest memories are candidates. */
  public RecallQuery nearPlace(NearPlace near) { message.setNearPlace(near.message()); return this; }

  /** Event times of the memories that may be returned; may be relative to the server's clock. */
  public RecallQuery timeWindow(TimeWindow window) { message.setTimeWindow(window.message()); return this; }

  /** Most tokens that the texts of the hits may have together, 1 to 100,000; fills the passages. */
  public RecallQuery tokenBudget(int tokens) { message.setTokenBudget(tokens); return this; }
}
