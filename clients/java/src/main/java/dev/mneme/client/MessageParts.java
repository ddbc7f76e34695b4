package dev.mneme.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mneme.client.ConversationMessage.Block;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What the parts of a message hold, in any of the shapes that programs write.
 *
 * @param blocks the blocks, in order
 * @param skipped kinds of the parts that hold no text
 */
record MessageParts(List<Block> blocks, List<String> skipped) {
  private static final int TEXTS_DEPTH_MAX = 12;
  private static final String PART_WITHOUT_TEXT = "part without text";
  /** Keys under which parts have their text, in the order in which it is read. */
  private static final List<String> TEXT_KEYS = List.of("text", "thinking", "reasoning", "refusal", "transcript", "transcription",
      "extracted_content", "extractedContent", "content", "parts", "summary", "thoughts", "snippet", "result", "output", "value", "body",
      "markdown", "caption", "description", "alt", "reasoningContent", "reasoningText", "user_profile", "user_instructions");
  private static final List<String> TITLE_KEYS = List.of("title", "url");
  private static final Set<String> TOOL_CALLS = Set.of("tool_use", "server_tool_use", "mcp_tool_use", "tool-call", "tool_call",
      "function_call", "custom_tool_call", "function", "custom", "mcp_call");
  private static final Set<String> TOOL_RESULTS =
      Set.of("tool-result", "function_call_output", "custom_tool_call_output", "computer_call_output");
  private static final Set<String> MARKS = Set.of("step-start", "step-finish", "start-step", "finish-step");
  /** Kinds without text, by words of their type. */
  private static final List<Map.Entry<Pattern, String>> KINDS = List.of(kind("image|photo|picture", "image"), kind("audio|voice", "audio"),
      kind("video", "video"), kind("sticker", "sticker"), kind("redacted", "redacted thinking"),
      kind("thinking|reasoning|thoughts", "thinking"), kind("source|citation", "source"), kind("file|document|pdf|attachment", "file"));
  private static final Pattern NOT_OF_SENTENCE = Pattern.compile("(?i)(?:^|_)id$|type$");

  private static Map.Entry<Pattern, String> kind(String words, String kind) {
    return Map.entry(Pattern.compile("(?i)" + words), kind);
  }

  /** Of parts in order: nothing that holds a text is left out. */
  static MessageParts of(JsonNode parts) {
    MessageParts read = new MessageParts(new ArrayList<>(), new ArrayList<>());
    for (JsonNode part : parts.isArray() ? parts : List.of(parts)) {
      if (isNone(part) || (part.isTextual() && part.textValue().isEmpty())) continue;
      if (part.isObject()) read.addPart(part);
      else read.blocks.add(Block.of(toolText(part)));
    }
    return read;
  }

  void add(MessageParts other) {
    blocks.addAll(other.blocks);
    skipped.addAll(other.skipped);
  }

  private void addPart(JsonNode part) {
    String type = kindOf(part);
    if (!isNone(part.path("data")) && !part.path("type").isTextual()) {
      blocks.add(Block.data(part.path("data")));
      return;
    }
    if (MARKS.contains(type)) return;
    List<Block> tools = toolBlocks(part, type);
    if (tools != null) {
      blocks.addAll(tools);
      if (tools.stream().anyMatch(each -> each.toolResult() != null)) skipped.addAll(skippedInResult(part));
      return;
    }
    String text = textOf(part);
    if (text.isEmpty()) skipped.add(wordOf(part, type));
    else blocks.add(Block.of(text));
  }

  /** Kinds of the parts of a tool's answer that hold no text. */
  private static List<String> skippedInResult(JsonNode part) {
    JsonNode output = valueAt(orElse(objectAt(part, List.of("toolResult", "tool_result")), part), List.of("content", "output"));
    return output.isArray() ? of(output).skipped.stream().filter(each -> !each.equals(PART_WITHOUT_TEXT)).toList() : List.of();
  }

  private static String kindOf(JsonNode part) {
    for (String key : List.of("type", "content_type", "block_type", "kind")) {
      if (part.path(key).isTextual()) return part.path(key).textValue();
    }
    return "";
  }

  private static String wordOf(JsonNode part, String type) {
    StringBuilder words = new StringBuilder(type);
    part.fieldNames().forEachRemaining(key -> words.append(' ').append(key));
    for (String key : List.of("mediaType", "media_type", "mimeType", "mime_type")) words.append(' ').append(firstText(part, List.of(key)));
    String about = words.toString();
    for (String each : List.of(type.equals("file") ? about.replace("file", "") : type, about)) {
      for (Map.Entry<Pattern, String> known : KINDS) {
        if (known.getKey().matcher(each).find()) return known.getValue();
      }
    }
    return type.isEmpty() ? PART_WITHOUT_TEXT : type;
  }

  /** A call of a tool, its result, or both; null where the part is about no tool. */
  private static List<Block> toolBlocks(JsonNode part, String type) {
    JsonNode invocation = part.path("toolInvocation");
    if (type.equals("tool-invocation") && invocation.isObject()) return invocationBlocks(invocation);
    if (type.equals("dynamic-tool") || (type.startsWith("tool-") && part.path("toolCallId").isTextual() && part.has("state"))) {
      ObjectNode whole = Values.MAPPER.createObjectNode().put("toolName", type.replaceFirst("^tool-", ""));
      return invocationBlocks(whole.setAll((ObjectNode) part));
    }
    JsonNode result = objectAt(part, List.of("toolResult", "tool_result", "functionResponse", "function_response"));
    if (result != null) return List.of(toolResult(result));
    if (TOOL_RESULTS.contains(type) || type.endsWith("tool_result")) return List.of(toolResult(part));
    JsonNode call = objectAt(part, List.of("toolCall", "tool_call", "toolUse", "functionCall"));
    if (call != null) return List.of(toolCall(call));
    return TOOL_CALLS.contains(type) ? List.of(toolCall(part)) : null;
  }

  /** A call and, once there is one, its result. */
  private static List<Block> invocationBlocks(JsonNode part) {
    boolean isAnswered = !isNone(valueAt(part, List.of("output", "result", "errorText")));
    return isAnswered ? List.of(toolCall(part), toolResult(part)) : List.of(toolCall(part));
  }

  /** A call of a tool, in the shape of any provider. */
  static Block toolCall(JsonNode call) {
    JsonNode named = orElse(objectAt(call, List.of("function", "custom")), call);
    String name = firstText(named, List.of("name", "toolName", "tool_name"));
    JsonNode input = valueAt(named, List.of("argumentsJson", "arguments_json", "arguments", "input", "args", "rawInput"));
    return Block.toolCall(firstText(call, List.of("id", "toolUseId", "toolCallId", "call_id", "tool_call_id")), name.isEmpty() ? "tool" : name,
        raw(input));
  }

  /** The answer of a tool, in the shape of any provider. */
  static Block toolResult(JsonNode result) {
    String callId = firstText(result, List.of("callId", "call_id", "toolUseId", "tool_use_id", "toolCallId", "tool_call_id", "id"));
    boolean isError = result.path("isError").asBoolean() || result.path("is_error").asBoolean()
        || result.path("status").asText().equals("error") || !firstText(result, List.of("errorText")).isEmpty();
    return Block.toolResult(callId, toolText(valueAt(result, List.of("text", "content", "output", "result", "response", "errorText"))), isError);
  }

  /** Output of a tool as text: texts of its parts, or JSON where it is other data. */
  private static String toolText(JsonNode output) {
    if (output.isObject() && output.path("type").isTextual() && output.has("value")) return toolText(output.path("value"));
    if (!output.isArray()) return raw(output);
    List<String> texts = new ArrayList<>();
    for (JsonNode item : output) {
      boolean isPart = item.isTextual() || !kindOf(item).isEmpty() || item.path("text").isTextual();
      String text = isPart ? textOf(item) : raw(item);
      if (!text.isEmpty()) texts.add(text);
    }
    return String.join("\n\n", texts);
  }

  /** All texts of a value, with blank lines between them; empty when it has none. */
  static String textOf(JsonNode value) {
    return String.join("\n\n", textsIn(value, 0));
  }

  private static List<String> textsIn(JsonNode value, int depth) {
    if (value.isTextual()) return value.textValue().isBlank() ? List.of() : List.of(value.textValue());
    if (depth > TEXTS_DEPTH_MAX) return List.of();
    List<String> texts = new ArrayList<>();
    if (value.isArray()) value.forEach(item -> texts.addAll(textsIn(item, depth + 1)));
    if (!value.isObject()) return texts;
    TEXT_KEYS.forEach(key -> texts.addAll(textsIn(value.path(key), depth + 1)));
    JsonNode source = value.path("source");
    // A document of Anthropic: its data are a text, the content of a block, or bytes.
    if (source.isObject()) texts.addAll(textsIn(source.path(source.path("type").asText().equals("text") ? "data" : "content"), depth + 1));
    if (texts.isEmpty()) return sentencesIn(value, depth);
    List<String> titled = new ArrayList<>();
    TITLE_KEYS.forEach(key -> titled.addAll(textsIn(value.path(key), depth + 1)));
    titled.addAll(texts);
    return titled;
  }

  /** Of a part of a kind of its own, what reads like a sentence is its text. */
  private static List<String> sentencesIn(JsonNode part, int depth) {
    String type = kindOf(part);
    List<String> texts = new ArrayList<>();
    if (KINDS.stream().anyMatch(each -> each.getKey().matcher(type).find())) return texts;
    part.properties().forEach(each -> {
      JsonNode value = each.getValue();
      if (value.isContainerNode()) texts.addAll(textsIn(value, depth + 1));
      boolean isSentence = value.isTextual() && value.textValue().strip().contains(" ") && !NOT_OF_SENTENCE.matcher(each.getKey()).find();
      if (isSentence) texts.add(value.textValue());
    });
    return texts;
  }

  static boolean isNone(JsonNode value) {
    return value.isMissingNode() || value.isNull();
  }

  /** The first of these keys with a text; empty without one. */
  static String firstText(JsonNode fields, List<String> keys) {
    for (String key : keys) {
      String text = fields.path(key).isTextual() ? fields.path(key).textValue() : "";
      if (!text.isEmpty()) return text;
    }
    return "";
  }

  private static JsonNode objectAt(JsonNode fields, List<String> keys) {
    return keys.stream().map(fields::path).filter(JsonNode::isObject).findFirst().orElse(null);
  }

  private static JsonNode valueAt(JsonNode fields, List<String> keys) {
    return keys.stream().map(fields::path).filter(each -> !isNone(each)).findFirst().orElse(MissingNode.getInstance());
  }

  private static JsonNode orElse(JsonNode value, JsonNode other) {
    return value == null ? other : value;
  }

  /** A text as it is, and the JSON of other data. */
  private static String raw(JsonNode value) {
    if (isNone(value)) return "";
    return value.isTextual() ? value.textValue() : value.toString();
  }
}
