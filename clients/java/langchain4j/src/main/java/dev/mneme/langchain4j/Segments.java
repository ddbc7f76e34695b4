package dev.mneme.langchain4j;

import com.fasterxml.jackson.databind.JsonNode;
import dev.langchain4j.data.document.Metadata;
import dev.langchain4j.data.segment.TextSegment;
import dev.mneme.client.Content;
import dev.mneme.client.Hit;
import dev.mneme.client.Memory;
import dev.mneme.client.NewMemory;
import dev.mneme.client.Where;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Text segments as memories. The text is that of the memory; the content is a JSON object with {@code metadata}, {@code types} of the
 * values whose type JSON does not say, {@code exact} forms of integers that are no doubles, {@code id} where Mneme does not accept the
 * caller's, and {@code segment: false} where there is no segment but the content.
 */
final class Segments {
  static final String METADATA = "metadata";
  static final String EXACT = "exact";
  /** Keys of the metadata of a hit: speaker, trust of the source, and time of the event. */
  static final String SPEAKER = "_speaker";
  static final String TRUST = "_trust";
  static final String TIME = "_time";
  private static final String TYPES = "types";
  private static final String ID = "id";
  private static final String SEGMENT = "segment";
  private static final Pattern ACCEPTED_ID = Pattern.compile("[A-Za-z0-9_~:-][A-Za-z0-9._~:-]{0,127}");
  private static final long DOUBLE_EXACT_MAX = (1L << 53) - 1;

  private Segments() {}

  /** Sets id, text and content; {@code segment} may be null. */
  static NewMemory write(String id, TextSegment segment) {
    NewMemory memory = new NewMemory().id(memoryId(id));
    Map<String, Object> content = new TreeMap<>();
    if (segment != null) {
      memory.text(segment.text());
      writeMetadata(segment.metadata().toMap(), content);
    }
    if (!memoryId(id).equals(id)) content.put(ID, id);
    if (segment == null && !content.isEmpty()) content.put(SEGMENT, false);
    return content.isEmpty() ? memory : memory.content(content);
  }

  /** A bound of the bytes of a segment on the wire. */
  static long bytesMax(TextSegment segment) {
    return segment == null ? 0 : 3L * (segment.text().length() + 2L * segment.metadata().toMap().toString().length());
  }

  /** The segment of a memory, or null. Memories that other programs have stored are segments of their text and scalar metadata. */
  static TextSegment read(Memory memory) {
    JsonNode content = contentOf(memory);
    if (memory.text() == null || memory.text().isBlank() || content.path(SEGMENT).isBoolean()) return null;
    return TextSegment.from(memory.text(), readMetadata(content.path(METADATA), content.path(TYPES)));
  }

  /** The segment of a hit, or null, with speaker, trust and time in place of the memory's own metadata at these keys. */
  static TextSegment read(Hit hit) {
    Memory memory = hit.memory();
    TextSegment segment = read(memory);
    if (segment == null) return null;
    Metadata metadata = segment.metadata().remove(SPEAKER);
    String speaker = memory.source().speaker();
    if (speaker != null && !speaker.isEmpty()) metadata.put(SPEAKER, speaker);
    metadata.put(TRUST, hit.trust() == null ? "other" : hit.trust().name().toLowerCase(Locale.ROOT));
    metadata.put(TIME, memory.eventTime().toString());
    return segment;
  }

  /** The id by which LangChain4j knows a memory. */
  static String idOf(Memory memory) {
    JsonNode id = contentOf(memory).path(ID);
    return id.isTextual() && memoryId(id.textValue()).equals(memory.id()) ? id.textValue() : memory.id();
  }

  /** The id of the memory for an id of LangChain4j: the same where Mneme accepts it, otherwise its hash. */
  static String memoryId(String id) {
    if (ACCEPTED_ID.matcher(id).matches()) return id;
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(id.getBytes(StandardCharsets.UTF_8));
      return "sha256-" + HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException fault) {
      throw new IllegalStateException(fault); // Every Java has SHA-256.
    }
  }

  /** A key below a member of the content. */
  static Where.ContentField path(String member, String key) {
    return Where.path(member + "." + key.replace("\\", "\\\\").replace(".", "\\."));
  }

  /** Whether a value is an integer that a double does not represent, so that its {@link #sortable} form is compared. */
  static boolean beyondDouble(Object value) {
    return value instanceof Long number && (number > DOUBLE_EXACT_MAX || number < -DOUBLE_EXACT_MAX);
  }

  /** Twenty digits in the order of the numbers. */
  static String sortable(long value) {
    String digits = Long.toUnsignedString(value ^ Long.MIN_VALUE);
    return "0".repeat(20 - digits.length()) + digits;
  }

  private static void writeMetadata(Map<String, Object> metadata, Map<String, Object> content) {
    if (metadata.isEmpty()) return;
    Map<String, Object> values = new TreeMap<>();
    Map<String, String> types = new TreeMap<>();
    Map<String, String> exact = new TreeMap<>();
    metadata.forEach((key, value) -> {
      values.put(key, value instanceof UUID uuid ? uuid.toString() : value);
      if (value instanceof UUID) types.put(key, "uuid");
      if (value instanceof Float) types.put(key, "float");
      if (value instanceof Long number && number.intValue() == number) types.put(key, "long");
      if (beyondDouble(value)) exact.put(key, sortable((Long) value));
    });
    content.put(METADATA, values);
    if (!types.isEmpty()) content.put(TYPES, types);
    if (!exact.isEmpty()) content.put(EXACT, exact);
  }

  private static Metadata readMetadata(JsonNode values, JsonNode types) {
    Map<String, Object> metadata = new HashMap<>();
    values.properties().forEach(each -> {
      Object value = valueOf(each.getValue(), types.path(each.getKey()).asText());
      if (value != null && !each.getKey().isBlank()) metadata.put(each.getKey(), value);
    });
    return Metadata.from(metadata);
  }

  private static Object valueOf(JsonNode node, String type) {
    if (node.isTextual()) return type.equals("uuid") ? UUID.fromString(node.textValue()) : node.textValue();
    if (!node.isNumber()) return node.isBoolean() ? node.asText() : null;
    if (type.equals("float")) return node.floatValue();
    if (node.isInt() && !type.equals("long")) return node.intValue();
    return node.canConvertToExactIntegral() && node.isIntegralNumber() && node.canConvertToLong() ? (Object) node.longValue()
        : (Object) node.doubleValue();
  }

  private static JsonNode contentOf(Memory memory) {
    Content content = memory.content();
    boolean isJson = content != null && content.mediaType().startsWith("application/json");
    return isJson ? content.json() : com.fasterxml.jackson.databind.node.MissingNode.getInstance();
  }
}
