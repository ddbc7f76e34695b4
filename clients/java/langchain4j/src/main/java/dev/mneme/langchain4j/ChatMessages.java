package dev.mneme.langchain4j;

import com.fasterxml.jackson.databind.JsonNode;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ChatMessageDeserializer;
import dev.langchain4j.data.message.ChatMessageSerializer;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.mneme.client.Content;
import dev.mneme.client.ConversationMessage;
import dev.mneme.client.ConversationMessage.Block;
import dev.mneme.client.ConversationMessage.Role;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Messages of LangChain4j as messages of a conversation: blocks that extraction reads, and a block with LangChain4j's own JSON of the
 * message, from which it is read. That block of the last message also has the window: the sequence numbers of the messages that the chat
 * memory has, in its order.
 */
public final class ChatMessages {
  private static final String MESSAGE = "langchain4j";
  private static final String WINDOW = "window";

  private ChatMessages() {}

  /**
   * A message of LangChain4j, to be appended to a conversation: texts, thinking, calls and results of tools as blocks, and all of it,
   * images too, as LangChain4j's own JSON.
   */
  public static ConversationMessage of(ChatMessage message) {
    return write(message, null);
  }

  /** A message; {@code window} may be null. */
  static ConversationMessage write(ChatMessage message, List<Long> window) {
    List<Block> blocks = blocks(message);
    String json = ChatMessageSerializer.messageToJson(message);
    blocks.add(Block.data(window == null ? Map.of(MESSAGE, json) : Map.of(MESSAGE, json, WINDOW, window)));
    return new ConversationMessage(null, role(message), name(message), blocks, null, null);
  }

  /** The message, or null where another program has stored it. */
  static ChatMessage read(ConversationMessage message) {
    JsonNode json = own(message).path(MESSAGE);
    return json.isTextual() ? ChatMessageDeserializer.messageFromJson(json.textValue()) : null;
  }

  /** The window that a message has, or null. */
  static List<Long> window(ConversationMessage message) {
    JsonNode window = own(message).path(WINDOW);
    if (!window.isArray()) return null;
    List<Long> sequences = new ArrayList<>();
    window.forEach(each -> sequences.add(each.longValue()));
    return sequences;
  }

  /** Messages as they are stored, to be compared: attributes of messages need not have an equality of their own. */
  static List<String> json(Collection<ChatMessage> messages) {
    return messages.stream().map(ChatMessageSerializer::messageToJson).toList();
  }

  private static JsonNode own(ConversationMessage message) {
    for (Block block : message.blocks()) {
      Content data = block.data();
      if (data != null && data.mediaType().startsWith("application/json") && data.json().has(MESSAGE)) return data.json();
    }
    return com.fasterxml.jackson.databind.node.MissingNode.getInstance();
  }

  private static List<Block> blocks(ChatMessage message) {
    List<Block> blocks = new ArrayList<>();
    if (message instanceof SystemMessage system) text(system.text(), blocks);
    if (message instanceof UserMessage user) {
      user.contents().forEach(each -> text(each instanceof TextContent content ? content.text() : null, blocks));
    }
    if (message instanceof AiMessage ai) {
      text(ai.thinking(), blocks);
      text(ai.text(), blocks);
      ai.toolExecutionRequests().forEach(each -> blocks.add(
          Block.toolCall(orEmpty(each.id()), each.name(), orEmpty(each.arguments()))));
    }
    if (message instanceof ToolExecutionResultMessage result) {
      blocks.add(Block.toolResult(orEmpty(result.id()), orEmpty(result.text()), Boolean.TRUE.equals(result.isError())));
    }
    return blocks;
  }

  private static void text(String text, List<Block> into) {
    if (text != null && !text.isEmpty()) into.add(Block.of(text));
  }

  private static Role role(ChatMessage message) {
    return switch (message.type()) {
      case SYSTEM -> Role.SYSTEM;
      case AI -> Role.ASSISTANT;
      case TOOL_EXECUTION_RESULT -> Role.TOOL;
      case USER, CUSTOM -> Role.USER;
    };
  }

  private static String name(ChatMessage message) {
    return message instanceof UserMessage user ? orEmpty(user.name()) : "";
  }

  private static String orEmpty(String text) {
    return text == null ? "" : text;
  }
}
