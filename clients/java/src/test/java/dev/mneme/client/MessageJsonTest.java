package dev.mneme.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mneme.client.ConversationMessage.Block;
import dev.mneme.client.ConversationMessage.Role;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MessageJsonTest {
  private static final Map<String, String> SHOWN = Map.ofEntries(
      Map.entry("{'role': 'user', 'content': 'Hi'}", "USER | Hi"),
      Map.entry("{'role': 'human', 'name': 'Ann', 'text': 'Hi', 'mood': 'up'}", "USER/Ann | Hi | unread:[mood]"),
      Map.entry("{'role': 'assistant', 'content': null, 'tool_calls': [{'id': 'c1', 'type': 'function', 'function': {'name': 'add', 'arguments': '{}'}}]}",
          "ASSISTANT | call:c1 add {}"),
      Map.entry("{'role': 'tool', 'tool_call_id': 'c1', 'content': '2'}", "TOOL | result:c1 2 false"),
      Map.entry("{'role': 'user', 'content': [{'type': 'text', 'text': 'See'}, {'type': 'image_url', 'image_url': {'url': 'data:x'}}]}",
          "USER | See | skipped:[image]"),
      Map.entry("{'role': 'assistant', 'content': [{'type': 'thinking', 'thinking': 'Hm'}, {'type': 'tool_use', 'id': 't', 'name': 'go', 'input': {'id': 1145678901234567891}}]}",
          "ASSISTANT | Hm | call:t go {'id':1145678901234567891}"),
      Map.entry("{'role': 'user', 'content': [{'type': 'tool_result', 'tool_use_id': 't', 'is_error': true, 'content': [{'type': 'text', 'text': 'no'}, {'type': 'image', 'source': {}}]}]}",
          "USER | result:t no true | skipped:[image]"),
      Map.entry("{'role': 'assistant', 'parts': [{'type': 'reasoning', 'text': 'Hm'}, {'type': 'tool-call', 'toolCallId': 't', 'toolName': 'go', 'args': {}}]}",
          "ASSISTANT | Hm | call:t go {}"),
      Map.entry("{'type': 'human', 'data': {'content': 'Hi', 'name': 'Ann'}}", "USER/Ann | Hi"),
      Map.entry("{'lc': 1, 'id': ['langchain', 'schema', 'AIMessageChunk'], 'kwargs': {'content': 'Ho'}}", "ASSISTANT | Ho"),
      Map.entry("{'type': 'function_call_output', 'call_id': 'c', 'output': {'ok': true}}", "TOOL | result:c {'ok':true} false"),
      Map.entry("{'role': 'model', 'parts': [{'functionCall': {'name': 'go', 'args': {'x': 1.5}}}, {'mimeType': 'audio/wav'}]}",
          "ASSISTANT | call: go {'x':1.5} | skipped:[audio]"),
      Map.entry("{'role': 'user', 'blocks': [{'text': 'a'}, {'tool_call': {'id': 'c', 'name': 'n', 'arguments_json': '{}'}}]}",
          "USER | a | call:c n {}"));

  /** A message in one line. */
  private static String shown(MessageJson read) {
    List<String> parts = new ArrayList<>();
    parts.add(read.message().role() + (read.message().name().isEmpty() ? "" : "/" + read.message().name()));
    for (Block block : read.message().blocks()) {
      if (block.toolCall() != null) parts.add("call:" + block.toolCall().id() + " " + block.toolCall().name() + " " + block.toolCall().argumentsJson());
      else if (block.toolResult() != null) parts.add("result:" + block.toolResult().callId() + " " + block.toolResult().text() + " " + block.toolResult().isError());
      else parts.add(block.text());
    }
    if (!read.skipped().isEmpty()) parts.add("skipped:" + read.skipped());
    if (!read.unreadKeys().isEmpty()) parts.add("unread:" + read.unreadKeys());
    return String.join(" | ", parts).replace('"', '\'');
  }

  private static MessageJson read(String json) {
    return MessageJson.of(json.replace('\'', '"'));
  }

  @Test
  void c5MessagesOfOtherPrograms() {
    SHOWN.forEach((given, expected) -> assertEquals(expected, shown(read(given)), given));
  }

  @Test
  void c5TimesOfMessages() {
    for (String written : List.of("'2026-05-01T09:00:00Z'", "'2026-05-01 11:00:00+02:00'", "1777626000", "'1777626000'", "1777626000000",
        "1777626000000000", "1777626000000000000", "1777626000.0", "'Fri, 01 May 2026 09:00:00 GMT'", "'2026-05-01T09:00'")) {
      MessageJson message = read("{'role': 'user', 'text': 'Hi', 'timestamp': " + written + "}");
      assertEquals(Instant.parse("2026-05-01T09:00:00Z"), message.message().eventTime(), written);
    }
    assertEquals(Instant.parse("2026-05-01T00:00:00Z"), read("{'role': 'user', 'text': 'Hi', 'date': '2026-05-01'}").message().eventTime());
    assertEquals("\"soon\"", read("{'role': 'user', 'text': 'Hi', 'ts': 'soon'}").unreadableTime());
  }

  @Test
  void c5NothingIsStoredEmptyInSilence() {
    for (String bad : List.of("[]", "{'content': 'x'}", "{'role': 'usr'}", "{")) {
      assertThrows(MnemeException.InvalidArgument.class, () -> read(bad), bad);
    }
    MessageJson image = read("{'role': 'user', 'content': [{'type': 'image_url'}]}");
    assertEquals(List.of("image"), image.skipped());
    Block both = new Block("a", null, new ConversationMessage.ToolResult("", "b", false), null);
    for (ConversationMessage bad : List.of(image.message(), ConversationMessage.user(""), ConversationMessage.of(Role.USER),
        ConversationMessage.of(Role.USER, both))) {
      assertTrue(assertThrows(MnemeException.InvalidArgument.class, bad::message).getMessage().matches("(messages|blocks): a .*"));
    }
  }
}
