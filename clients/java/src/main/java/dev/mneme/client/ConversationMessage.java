package dev.mneme.client;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One message of a conversation.
 *
 * @param sequence place in the conversation, 0 to 2^53 - 1; null in requests: one more than the highest that the conversation has. All
 *     messages of a call have one, or none has.
 * @param role author
 * @param name name of the author, such as {@code Caroline}, at most 128 bytes; empty: none
 * @param blocks parts in order, 1 to 64; {@link MessageJson} reads messages of other programs
 * @param eventTime when it was said; null in requests: when it is stored
 * @param memoryId id of the memory that stores it; ignored in requests
 */
public record ConversationMessage(Long sequence, Role role, String name, List<Block> blocks, Instant eventTime, String memoryId) {
  /** Author of a message. */
  public enum Role {
    /** Instructions of the application. */
    SYSTEM,
    /** The user. */
    USER,
    /** The agent, or the model that speaks for it. */
    ASSISTANT,
    /** A tool that answers a call of the agent. */
    TOOL
  }

  /** A message of these blocks. */
  public static ConversationMessage of(Role role, Block... blocks) {
    return new ConversationMessage(null, role, "", Arrays.asList(blocks), null, null);
  }

  /** A message of the user with one block of text. */
  public static ConversationMessage user(String text) {
    return of(Role.USER, Block.of(text));
  }

  /** A message of the agent with one block of text. */
  public static ConversationMessage assistant(String text) {
    return of(Role.ASSISTANT, Block.of(text));
  }

  /** The same at another place. */
  public ConversationMessage withSequence(long other) {
    return new ConversationMessage(other, role, name, blocks, eventTime, memoryId);
  }

  /** The same with another name of the author. */
  public ConversationMessage withName(String other) {
    return new ConversationMessage(sequence, role, other, blocks, eventTime, memoryId);
  }

  /** The same, said at another time. */
  public ConversationMessage withEventTime(Instant other) {
    return new ConversationMessage(sequence, role, name, blocks, other, memoryId);
  }

  /** The text blocks, joined by an empty line. */
  public String text() {
    return blocks.stream().filter(each -> each.text != null).map(Block::text).collect(Collectors.joining("\n\n"));
  }

  dev.mneme.v1.ConversationMessage message() {
    if (blocks.stream().allMatch(each -> each.toolCall == null && each.toolResult == null && each.data == null && (each.text == null || each.text.isEmpty()))) {
      throw Errors.badInput("messages", "a message has no text, tool call, tool result or data: leave it out");
    }
    dev.mneme.v1.ConversationMessage.Builder message = dev.mneme.v1.ConversationMessage.newBuilder()
        .setRole(Values.code(dev.mneme.v1.MessageRole.class, "MESSAGE_ROLE_", role)).setName(name == null ? "" : name);
    if (sequence != null) message.setSequence(sequence);
    if (eventTime != null) message.setEventTime(Values.timestamp(eventTime));
    blocks.forEach(each -> message.addBlocks(each.message()));
    return message.build();
  }

  /**
   * One part of a message; all components but one are null.
   *
   * @param text text in natural language; all texts of a message have at most 1,048,576 bytes
   * @param toolCall call of a tool by the agent
   * @param toolResult answer of a tool
   * @param data any other content, such as an image
   */
  public record Block(String text, ToolCall toolCall, ToolResult toolResult, Content data) {
    /** A text. */
    public static Block of(String text) {
      return new Block(text, null, null, null);
    }

    /** A call of a tool; {@code argumentsJson} is JSON text, empty: none. */
    public static Block toolCall(String id, String name, String argumentsJson) {
      return new Block(null, new ToolCall(id, name, argumentsJson), null, null);
    }

    /** An answer of a tool. */
    public static Block toolResult(String callId, String text, boolean isError) {
      return new Block(null, null, new ToolResult(callId, text, isError), null);
    }

    /** Any other content: a {@link Content}, or a value that is stored as JSON. */
    public static Block data(Object value) {
      return new Block(null, null, null, Content.from(value, "data"));
    }

    dev.mneme.v1.MessageBlock message() {
      if (Stream.of(text, toolCall, toolResult, data).filter(Objects::nonNull).count() != 1) {
        throw Errors.badInput("blocks", "a block has one of text, tool call, tool result and data: make one block of each");
      }
      dev.mneme.v1.MessageBlock.Builder message = dev.mneme.v1.MessageBlock.newBuilder();
      if (toolCall != null) {
        return message.setToolCall(dev.mneme.v1.ToolCall.newBuilder()
            .setId(toolCall.id).setName(toolCall.name).setArgumentsJson(toolCall.argumentsJson)).build();
      }
      if (toolResult != null) {
        return message.setToolResult(dev.mneme.v1.ToolResult.newBuilder()
            .setCallId(toolResult.callId).setText(toolResult.text).setIsError(toolResult.isError)).build();
      }
      return data != null ? message.setData(data.message()).build() : message.setText(text).build();
    }
  }

  /**
   * Call of a tool.
   *
   * @param id id of the call, at most 128 bytes
   * @param name name of the tool, 1 to 128 bytes
   * @param argumentsJson arguments as JSON text; empty: none
   */
  public record ToolCall(String id, String name, String argumentsJson) {}

  /**
   * Answer of a tool.
   *
   * @param callId id of the call that it answers, at most 128 bytes
   * @param text what the tool returned
   * @param isError whether the tool failed
   */
  public record ToolResult(String callId, String text, boolean isError) {}
}
