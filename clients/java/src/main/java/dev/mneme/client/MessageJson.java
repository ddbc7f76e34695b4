package dev.mneme.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mneme.client.ConversationMessage.Block;
import dev.mneme.client.ConversationMessage.Role;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A message that was read from the JSON of another program.
 *
 * @param message the message, to be appended
 * @param skipped kinds of the parts that hold no text, one for each part, such as {@code image}
 * @param unreadKeys keys with a value that are not read
 * @param unreadableTime a time that cannot be read, as it is written, or null; the message has none then
 */
public record MessageJson(ConversationMessage message, List<String> skipped, List<String> unreadKeys, String unreadableTime) {
  private static final Map<String, Role> ROLES = Map.ofEntries(Map.entry("user", Role.USER), Map.entry("human", Role.USER),
      Map.entry("assistant", Role.ASSISTANT), Map.entry("ai", Role.ASSISTANT), Map.entry("model", Role.ASSISTANT),
      Map.entry("bot", Role.ASSISTANT), Map.entry("chatbot", Role.ASSISTANT), Map.entry("gpt", Role.ASSISTANT),
      Map.entry("system", Role.SYSTEM), Map.entry("developer", Role.SYSTEM), Map.entry("tool", Role.TOOL), Map.entry("function", Role.TOOL));
  private static final String KNOWN_ROLES = "user, human, assistant, ai, model, bot, chatbot, gpt, system, developer, tool, function";
  /** Roles of items of the Responses API, which have a type alone. */
  private static final Map<String, Role> ROLES_OF_TYPES = Map.of("function_call", Role.ASSISTANT, "custom_tool_call", Role.ASSISTANT,
      "reasoning", Role.ASSISTANT, "function_call_output", Role.TOOL, "custom_tool_call_output", Role.TOOL);
  private static final Set<String> KEYS_OF_ITEMS = Set.of("call_id", "arguments", "output", "summary", "input", "content");
  private static final Set<String> KEYS_OF_WRAPPING = Set.of("lc", "id", "type", "data", "kwargs");
  private static final List<String> AUTHOR_KEYS = List.of("speaker", "username", "author", "sender", "from");
  /** Parts come first: a program that writes both repeats the texts of its parts in {@code content}. */
  private static final List<String> BODY_KEYS = List.of("blocks", "parts", "content", "text", "value", "message");
  private static final List<String> TIME_KEYS = List.of("time", "timestamp", "eventTime", "event_time", "created_at", "createdAt",
      "create_time", "createTime", "created", "ts", "date", "datetime", "sent_at", "sentAt");
  private static final Set<String> OTHER_KEYS = Set.of("role", "name", "sequence", "type", "data", "kwargs", "refusal", "audio",
      "attachments", "files", "tool_calls", "toolInvocations", "function_call", "tool_call_id", "toolCallId");
  private static final Pattern ABOUT_TOOLS = Pattern.compile("(?i)tool|function");

  /**
   * Reads a message in the shape of Mneme, OpenAI (chat completions and Responses), Anthropic, Google, Bedrock, the AI SDK of Vercel or
   * LangChain. {@link MnemeException.InvalidArgument} for a value that is no message.
   */
  public static MessageJson of(String json) {
    try {
      return of(Values.MAPPER.readTree(json));
    } catch (JsonProcessingException fault) {
      throw Errors.badInput("message", "must be JSON: " + fault.getOriginalMessage());
    }
  }

  /** The same of JSON that is parsed already. */
  public static MessageJson of(JsonNode outer) {
    if (!outer.isObject()) throw Errors.badInput("message", "must be an object with role and text, got " + outer);
    JsonNode fields = unwrapped(outer);
    String type = typeOf(outer);
    Role role = roleOf(fields, type);
    MessageParts parts = partsOf(fields, type, role);
    String timeKey = firstFilled(fields, TIME_KEYS);
    Instant time = timeKey == null ? null : MessageTime.of(fields.path(timeKey));
    List<String> unread = new ArrayList<>();
    if (fields != outer) outer.fieldNames().forEachRemaining(key -> { if (!KEYS_OF_WRAPPING.contains(key)) unread.add(key); });
    fields.fieldNames().forEachRemaining(key -> { if (isUnread(fields, key, type, parts)) unread.add(key); });
    ConversationMessage message = new ConversationMessage(fields.path("sequence").isIntegralNumber() ? fields.path("sequence").longValue() : null,
        role, ROLES_OF_TYPES.containsKey(type) ? "" : nameOf(fields), List.copyOf(parts.blocks()), time, null);
    return new MessageJson(message, List.copyOf(parts.skipped()), List.copyOf(unread),
        timeKey == null || time != null ? null : fields.path(timeKey).toString());
  }

  /** Message of LangChain: in {@code data} or in {@code kwargs} of what it serializes. */
  private static JsonNode unwrapped(JsonNode outer) {
    if (outer.path("kwargs").isObject()) return outer.path("kwargs");
    return outer.path("data").isObject() && MessageParts.isNone(outer.path("role")) ? outer.path("data") : outer;
  }

  /** Its class or its type, which may be the role. */
  private static String typeOf(JsonNode outer) {
    JsonNode path = outer.path("id");
    JsonNode last = path.isArray() && !path.isEmpty() ? path.get(path.size() - 1) : MissingNode.getInstance();
    String type = last.isTextual() ? last.textValue() : MessageParts.firstText(outer, List.of("type"));
    String word = type.replaceFirst("Message(?:Chunk)?$", "").toLowerCase(Locale.ROOT);
    return word.isEmpty() ? type : word;
  }

  private static Role roleOf(JsonNode fields, String type) {
    JsonNode written = MessageParts.isNone(fields.path("role")) ? fields.path("author").path("role") : fields.path("role");
    if (!MessageParts.isNone(written)) {
      Role role = written.isTextual() ? roleOf(written.textValue()) : null;
      if (role != null) return role;
      throw Errors.badInput("role", "expected one of " + KNOWN_ROLES + ", got " + written);
    }
    String word = MessageParts.firstText(fields, List.of("sender", "from", "author", "speaker"));
    if (roleOf(word) != null) return roleOf(word);
    if (roleOf(type) != null) return roleOf(type);
    if (ROLES_OF_TYPES.containsKey(type)) return ROLES_OF_TYPES.get(type);
    if (!word.isEmpty()) return Role.USER; // A person who is named without a role.
    throw Errors.badInput("role", "expected one of " + KNOWN_ROLES + ", got none");
  }

  private static Role roleOf(String word) {
    return ROLES.get(word.toLowerCase(Locale.ROOT));
  }

  private static String nameOf(JsonNode fields) {
    String name = MessageParts.firstText(fields, List.of("name"));
    if (!name.isEmpty()) return name;
    String author = MessageParts.firstText(fields, AUTHOR_KEYS);
    return roleOf(author) == null ? author : "";
  }

  private static MessageParts partsOf(JsonNode fields, String type, Role role) {
    if (ROLES_OF_TYPES.containsKey(type)) return MessageParts.of(fields);
    String key = firstFilled(fields, BODY_KEYS);
    JsonNode body = key == null ? MissingNode.getInstance() : fields.path(key);
    String callId = MessageParts.firstText(fields, List.of("tool_call_id", "toolCallId"));
    if (role == Role.TOOL && key != null && (!callId.isEmpty() || body.isTextual()) && !hasTools(body)) {
      ObjectNode result = ((ObjectNode) fields).deepCopy().put("id", callId);
      result.remove(List.of("text", "callId"));
      result.set("content", body);
      return new MessageParts(new ArrayList<>(List.of(MessageParts.toolResult(result))),
          body.isArray() ? MessageParts.of(body).skipped() : List.of());
    }
    MessageParts read = MessageParts.of(body);
    read.add(MessageParts.of(fields.path("refusal")));
    // An audio answer of OpenAI with its transcript.
    if (fields.path("audio").isObject() && !fields.path("audio").isEmpty()) read.add(MessageParts.of(typed("audio", fields.path("audio"), "data")));
    for (String files : List.of("attachments", "files")) {
      listIn(fields.path(files)).forEach(each -> read.add(MessageParts.of(typed("file", each, ""))));
    }
    read.blocks().addAll(toolCallsBeside(fields, List.copyOf(read.blocks())));
    return read;
  }

  private static boolean hasTools(JsonNode body) {
    for (JsonNode part : body.isArray() ? body : MissingNode.getInstance()) {
      String text = part.toString();
      if (ABOUT_TOOLS.matcher(text.substring(0, Math.min(text.length(), 99))).find()) return true;
    }
    return false;
  }

  /** A part with a type where it has none, and without one of its keys. */
  private static JsonNode typed(String type, JsonNode part, String without) {
    ObjectNode made = Values.MAPPER.createObjectNode().put("type", type);
    if (part instanceof ObjectNode fields) made.setAll(fields);
    made.remove(without);
    return made;
  }

  /** Calls beside the content; those that the content has already are not read twice. */
  private static List<Block> toolCallsBeside(JsonNode fields, List<Block> inContent) {
    Set<String> known = inContent.stream().filter(each -> each.toolCall() != null).map(each -> each.toolCall().id()).collect(Collectors.toSet());
    List<Block> blocks = new ArrayList<>();
    for (String key : List.of("tool_calls", "function_call", "toolInvocations")) {
      for (JsonNode call : listIn(fields.path(key))) {
        if (!call.isObject()) continue;
        Block block = MessageParts.toolCall(call);
        if (block.toolCall().id().isEmpty() || !known.contains(block.toolCall().id())) blocks.add(block);
        if (call.has("result")) blocks.add(MessageParts.toolResult(call));
      }
    }
    return blocks;
  }

  private static boolean isUnread(JsonNode fields, String key, String type, MessageParts parts) {
    if (isEmpty(fields.path(key)) || (ROLES_OF_TYPES.containsKey(type) && KEYS_OF_ITEMS.contains(key))) return false;
    if (BODY_KEYS.contains(key)) { // Of two bodies one is read: the other must say nothing else.
      String said = parts.blocks().stream().map(Block::text).filter(each -> each != null).collect(Collectors.joining("\n\n"));
      return !key.equals(firstFilled(fields, BODY_KEYS)) && !said.contains(MessageParts.textOf(fields.path(key)));
    }
    return !OTHER_KEYS.contains(key) && !AUTHOR_KEYS.contains(key) && !TIME_KEYS.contains(key);
  }

  private static String firstFilled(JsonNode fields, List<String> keys) {
    return keys.stream().filter(key -> !isEmpty(fields.path(key))).findFirst().orElse(null);
  }

  private static boolean isEmpty(JsonNode value) {
    if (MessageParts.isNone(value)) return true;
    return value.isTextual() ? value.textValue().isEmpty() : value.isContainerNode() && value.isEmpty();
  }

  private static List<JsonNode> listIn(JsonNode value) {
    List<JsonNode> list = new ArrayList<>();
    if (value.isArray()) value.forEach(list::add);
    else if (value.isObject() && !value.isEmpty()) list.add(value);
    return list;
  }
}
