package dev.mneme.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mneme.client.Content;
import dev.mneme.client.Delivery;
import dev.mneme.client.Filter;
import dev.mneme.client.MnemeException;
import dev.mneme.client.RecallStreamEvent;
import dev.mneme.client.Statistics;
import dev.mneme.client.WatchEvent;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Results of the client in the form of the protocol. */
final class Results {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);
  private static final Map<String, String> OTHER_NAMES = Map.of("stream_statistics", "streams", "pressure", "memory_pressure");

  private Results() {}

  static JsonNode of(Object value) {
    if (value == null) return JSON.nullNode();
    if (value instanceof JsonNode node) return node;
    if (value instanceof Optional<?> optional) return optional.isPresent() ? of(optional.get()) : JSON.nullNode();
    if (value instanceof String text) return JSON.textNode(text);
    if (value instanceof Boolean flag) return JSON.booleanNode(flag);
    if (value instanceof Integer number) return JSON.numberNode(number);
    if (value instanceof Long number) return JSON.numberNode(number);
    if (value instanceof Double number) {
      boolean isWhole = number == Math.rint(number) && Math.abs(number) < 1e15;
      return isWhole ? JSON.numberNode(number.longValue()) : JSON.numberNode(number);
    }
    if (value instanceof Enum<?> word) return JSON.textNode(word.name().toLowerCase(Locale.ROOT));
    if (value instanceof Instant time) return JSON.textNode(TIME.format(time));
    if (value instanceof Duration duration) return of(duration.toNanos() / 1e6);
    if (value instanceof Content content) return contentOf(content);
    if (value instanceof MnemeException error) return errorOf(error);
    if (value instanceof Filter filter) return JSON.textNode(filter.toString());
    if (value instanceof Delivery delivery) return of(delivery.change());
    if (value instanceof float[] values) {
      ArrayNode list = JSON.arrayNode();
      for (float each : values) list.add((double) each);
      return list;
    }
    if (value instanceof Map<?, ?> map) {
      ObjectNode object = JSON.objectNode();
      map.forEach((key, each) -> object.set((String) key, of(each)));
      return object;
    }
    if (value instanceof Iterable<?> items) {
      ArrayNode list = JSON.arrayNode();
      items.forEach(each -> list.add(of(each)));
      return list;
    }
    if (value instanceof Record fields) return recordOf(fields);
    throw new IllegalArgumentException("no result: " + value.getClass());
  }

  private static ObjectNode recordOf(Record fields) {
    ObjectNode object = JSON.objectNode();
    if (fields instanceof WatchEvent || fields instanceof RecallStreamEvent) {
      object.put("kind", snakeCase(fields.getClass().getSimpleName()).substring(1));
    }
    for (RecordComponent component : fields.getClass().getRecordComponents()) {
      Object value;
      try {
        component.getAccessor().setAccessible(true);
        value = component.getAccessor().invoke(fields);
      } catch (ReflectiveOperationException fault) {
        throw new IllegalStateException(fault);
      }
      String name = snakeCase(component.getName());
      boolean isAbsent = value == null || value instanceof Optional<?> optional && optional.isEmpty()
          || name.equals("degraded") && value instanceof Iterable<?> list && !list.iterator().hasNext() && !isAlwaysThere(fields);
      if (isAbsent) continue;
      if (value instanceof Duration) name += "_ms";
      if (value instanceof Statistics) object.setAll((ObjectNode) of(value));
      else object.set(OTHER_NAMES.getOrDefault(name, name), of(value));
    }
    return object;
  }

  /** Of writes it is absent in normal operation. */
  private static boolean isAlwaysThere(Record fields) {
    return !fields.getClass().getSimpleName().matches("Receipt|IngestProgress|ImportResult|Appended");
  }

  private static JsonNode contentOf(Content content) {
    ObjectNode object = JSON.objectNode().put("media_type", content.mediaType());
    if (content.mediaType().equals("application/json")) return object.set("json", content.json());
    if (content.mediaType().startsWith("text/")) return object.put("text", content.text());
    object.putObject("data").put("$bytes", Base64.getEncoder().encodeToString(content.data()));
    return object;
  }

  static ObjectNode errorOf(MnemeException error) {
    ObjectNode object = JSON.objectNode().put("code", error.code().name());
    error.reason().ifPresent(reason -> object.put("reason", reason));
    object.set("metadata", of(error.metadata()));
    object.set("violations", of(error.violations()));
    object.put("retryable", error.retryable());
    error.retryDelay().ifPresent(delay -> object.set("retry_delay_ms", of(delay)));
    return object.put("family", error.family().name().toLowerCase(Locale.ROOT)).put("message", error.getMessage());
  }

  private static String snakeCase(String name) {
    return name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }
}
