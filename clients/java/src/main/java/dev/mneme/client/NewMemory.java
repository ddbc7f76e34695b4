package dev.mneme.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A memory to be stored, or changes of one. To be stored it needs a text, a content or an embedding. Each setter
 * changes this object and returns it; it is not to be changed by several threads at once.
 */
public final class NewMemory {
  private final dev.mneme.v1.Memory.Builder message = dev.mneme.v1.Memory.newBuilder();
  /** Fields that were set, as paths of a field mask. */
  private final Set<String> mask = new LinkedHashSet<>();
  private String id = "";
  private String supersededBy = "";

  /** A memory without fields. */
  public NewMemory() {}

  /** A memory with a text. */
  public static NewMemory of(String text) { return new NewMemory().text(text); }

  /** All of a memory of another server, for an import: it keeps its id, times and counts. */
  public static NewMemory copyOf(Memory memory) {
    NewMemory copy = new NewMemory().id(memory.id()).scope(memory.scope()).type(memory.type()).text(memory.text()).tags(memory.tags())
        .importance(memory.importance()).priority(memory.priority()).source(memory.source()).retrievalCount(memory.retrievalCount());
    if (memory.step() != null) copy.step(memory.step());
    if (memory.eventTime() != null) copy.eventTime(memory.eventTime());
    if (memory.createTime() != null) copy.createTime(memory.createTime());
    if (memory.updateTime() != null) copy.updateTime(memory.updateTime());
    if (memory.lastAccessTime() != null) copy.lastAccessTime(memory.lastAccessTime());
    if (memory.expireTime() != null) copy.expireTime(memory.expireTime());
    if (memory.validFrom() != null) copy.validFrom(memory.validFrom());
    if (memory.validUntil() != null) copy.validUntil(memory.validUntil());
    if (memory.content() != null) copy.content(memory.content());
    if (memory.embedding() != null) copy.embedding(memory.embedding());
    if (memory.place() != null) copy.place(memory.place());
    if (memory.supersededBy() != null) copy.supersededBy(memory.supersededBy());
    if (memory.compaction() != null) copy.compaction(memory.compaction());
    return copy;
  }

  /** Last part of the resource name. Default: a new UUID version 7. */
  public NewMemory id(String id) { this.id = id; return this; }

  /** Whose memory it is. */
  public NewMemory scope(Scope scope) {
    message.setScope(scope.message());
    if (scope.project() != null) mask.add("scope.project");
    if (scope.agentType() != null) mask.add("scope.agent_type");
    if (scope.agent() != null) mask.add("scope.agent");
    if (scope.session() != null) mask.add("scope.session");
    return this;
  }

  /** {@code message}, {@code fact}, {@code episode} or any word. Default: {@code message} when there is a speaker, otherwise {@code fact}. */
  public NewMemory type(String type) { message.setType(type); return set("type"); }

  /** Step of the agent's run in which it happened, 0 to 2^53 - 1. */
  public NewMemory step(long step) { message.setStep(step); return set("step"); }

  /** When it happened. Default: when it is stored. Microseconds are kept. */
  public NewMemory eventTime(Instant time) { message.setEventTime(Values.timestamp(time)); return set("event_time"); }

  /** When it happened, in any zone. */
  public NewMemory eventTime(OffsetDateTime time) { return eventTime(time.toInstant()); }

  /** Searched text, in plain language. Derived from the content when absent. */
  public NewMemory text(String text) { message.setText(text); return set("text"); }

  /**
   * The content: a {@link Content}, or a value that is stored as JSON: a map, a list, a {@link JsonNode}, a record.
   * {@link MnemeException.InvalidArgument} for values that JSON cannot represent, such as NaN.
   */
  public NewMemory content(Object content) { message.setContent(Content.from(content, "content").message()); return set("content"); }

  /** Tags, in place of those that were given before. */
  public NewMemory tags(String... tags) { return tags(Arrays.asList(tags)); }

  /** Tags, in place of those that were given before. */
  public NewMemory tags(Collection<String> tags) { message.clearTags().addAllTags(tags); return set("tags"); }

  /** Its vector and the model that it was made with. */
  public NewMemory embedding(Embedding embedding) { message.setEmbedding(embedding.message()); return set("embedding"); }

  /** Its vector and the model that it was made with. */
  public NewMemory embedding(float[] values, String model) { return embedding(new Embedding(values, model)); }

  /** Where it happened. */
  public NewMemory place(Place place) { message.setPlace(place.message()); return set("place"); }

  /** How much it matters, 0 to 1. Default 0.5. */
  public NewMemory importance(double importance) { message.setImportance(importance); return set("importance"); }

  /** The caller's own priority, 0 to 1. Default 1. */
  public NewMemory priority(double priority) { message.setPriority(priority); return set("priority"); }

  /** Where it comes from. */
  public NewMemory source(Source source) { message.setSource(source.message()); return set("source"); }

  /** When it is to be forgotten. */
  public NewMemory expireTime(Instant time) { message.setExpireTime(Values.timestamp(time)); return set("expire_time"); }

  /** First instant of its validity. */
  public NewMemory validFrom(Instant time) { message.setValidFrom(Values.timestamp(time)); return set("valid_from"); }

  /** First instant after its validity. */
  public NewMemory validUntil(Instant time) { message.setValidUntil(Values.timestamp(time)); return set("valid_until"); }

  /** Id of the memory that replaces this one. */
  public NewMemory supersededBy(String id) { supersededBy = id; return set("superseded_by"); }

  /** When it was stored, of an imported memory. */
  public NewMemory createTime(Instant time) { message.setCreateTime(Values.timestamp(time)); return this; }

  /** When it was changed last, of an imported memory. */
  public NewMemory updateTime(Instant time) { message.setUpdateTime(Values.timestamp(time)); return this; }

  /** When it was recalled last, of an imported memory. */
  public NewMemory lastAccessTime(Instant time) { message.setLastAccessTime(Values.timestamp(time)); return this; }

  /** How often it was recalled, of an imported memory. */
  public NewMemory retrievalCount(long count) { message.setRetrievalCount(count); return this; }

  /** Detail lost to compaction, of an imported memory. */
  public NewMemory compaction(Memory.Compaction compaction) { message.setCompaction(compaction.message()); return this; }

  String id() { return id; }

  /** Another one with the same fields. */
  NewMemory copy() {
    NewMemory copy = new NewMemory().id(id);
    copy.message.mergeFrom(message.clone().buildPartial());
    copy.mask.addAll(mask);
    copy.supersededBy = supersededBy;
    return copy;
  }

  /** Without its name, for requests that carry the id beside it. */
  dev.mneme.v1.Memory message(String namespace) {
    dev.mneme.v1.Memory.Builder copy = message.clone();
    if (!supersededBy.isEmpty()) copy.setSupersededBy(Names.memory(namespace, supersededBy));
    return copy.build();
  }

  /** What was set, and what is to be cleared, as the mask of an update. */
  List<String> mask(String... cleared) {
    List<String> paths = new ArrayList<>(mask);
    for (String each : cleared) {
      if (each.equals("scope")) paths.addAll(List.of("scope.project", "scope.agent_type", "scope.agent", "scope.session"));
      else paths.add(Answers.snakeCase(each));
    }
    return paths;
  }

  /** Bytes on the wire. */
  int size() { return message.clone().buildPartial().getSerializedSize() + id.length() + supersededBy.length() + 64; }

  private NewMemory set(String field) { mask.add(field); return this; }
}
