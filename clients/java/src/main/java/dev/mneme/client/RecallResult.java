package dev.mneme.client;

import java.util.List;

/**
 * The answer of a recall.
 *
 * @param hits best first
 * @param lanes lanes that were searched
 * @param degraded parts that could not be searched, or not in full
 * @param candidateCount how many memories were ranked before the limit was applied
 * @param lowRelevanceCount how many of the first {@code limit} memories are left out because they are less relevant than the query allows
 * @param passages with a budget of tokens: the hits as texts to read, best first
 * @param tokenCount tokens that the passages have together
 * @param promotedIds ids of the hits that were moved one tier up, with {@code focus}
 * @param damagedIds ids of hits, and of neighbours of hits, whose bytes are damaged: they are missing from the hits
 * @param revision revision of the change log that was read
 */
public record RecallResult(
    List<Hit> hits,
    List<RecallLane> lanes,
    List<Degradation> degraded,
    long candidateCount,
    int lowRelevanceCount,
    List<Passage> passages,
    int tokenCount,
    List<String> promotedIds,
    List<String> damagedIds,
    long revision) {
  /**
   * A part that could not be searched, or not in full.
   *
   * @param part its name
   * @param reason why
   */
  public record Degradation(String part, String reason) {}

  /**
   * A hit, or several of one session that follow one another, as one text.
   *
   * @param text the text
   * @param tokenCount tokens that it has
   * @param ids of the memories, in the order of the text
   * @param score score of the best of them
   */
  public record Passage(String text, int tokenCount, List<String> ids, double score) {}

  /**
   * A retrieval form that {@link RecallQuery#preset} takes.
   *
   * @param name its name
   * @param description its description
   * @param parameters its parameters
   */
  public record PresetDescription(String name, String description, List<PresetParameter> parameters) {}

  /**
   * A parameter of a preset.
   *
   * @param name its name
   * @param description its meaning
   * @param type its type
   * @param defaultJson its default as JSON; empty when there is none
   * @param limits its limits
   * @param required whether it is required
   */
  public record PresetParameter(
      String name, String description, String type, String defaultJson, String limits, boolean required) {}
}
