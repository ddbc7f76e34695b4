package dev.mneme.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.memory.ChatMemory;
import dev.langchain4j.memory.chat.MessageWindowChatMemory;
import dev.langchain4j.store.memory.chat.ChatMemoryStore;
import dev.langchain4j.store.memory.chat.InMemoryChatMemoryStore;
import dev.mneme.client.ConversationMessage;
import dev.mneme.client.Mneme;
import dev.mneme.client.MnemeException;
import dev.mneme.client.Scope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ChatMemoryStoreTest {
  private final Mneme client = Servers.client();
  private final MnemeChatMemoryStore store = MnemeChatMemoryStore.builder().client(client).build();

  private List<ConversationMessage> conversation(String id) {
    List<ConversationMessage> messages = new ArrayList<>();
    client.conversations().list(id).forEach(messages::add);
    return messages;
  }

  private static ChatMemory window(ChatMemoryStore store, Object id, int size) {
    return MessageWindowChatMemory.builder().id(id).maxMessages(size).chatMemoryStore(store).build();
  }

  @Test
  void c5_messages_become_blocks_of_a_conversation() {
    ChatMessage answer = AiMessage.builder().text("A cat.").thinking("It has fur.")
        .toolExecutionRequests(List.of(ToolExecutionRequest.builder().id("1").name("look").arguments("{}").build())).build();
    ConversationMessage made = ChatMessages.of(answer);
    assertThat(made.text()).isEqualTo("It has fur.\n\nA cat.");
    assertThat(made.blocks().get(2).toolCall().name()).isEqualTo("look");
    ConversationMessage image = ChatMessages.of(UserMessage.from(ImageContent.from("aGVsbG8=", "image/png")));
    client.conversations().append("blocks", made, image);
    assertThat(ChatMessages.read(conversation("blocks").get(1))).isEqualTo(UserMessage.from(ImageContent.from("aGVsbG8=", "image/png")));
  }

  @Test
  void every_kind_of_message_is_returned_as_it_was() {
    List<ChatMessage> messages = List.of(
        SystemMessage.from("Answer briefly."),
        UserMessage.from("ann", List.of(TextContent.from("What is this?"), ImageContent.from("aGVsbG8=", "image/png"))),
        AiMessage.from("I look.", List.of(ToolExecutionRequest.builder().id("1").name("look").arguments("{\"at\": [1, 2]}").build())),
        ToolExecutionResultMessage.from("1", "look", "a cat"),
        AiMessage.from("A cat."),
        UserMessage.from(" "));
    assertThat(store.getMessages("all")).isEmpty();
    store.updateMessages("all", messages);
    assertThat(store.getMessages("all")).isEqualTo(messages);
    assertThat(conversation("all").get(1).text()).isEqualTo("What is this?");
    assertThat(conversation("all")).extracting(ConversationMessage::role).containsExactly(ConversationMessage.Role.SYSTEM,
        ConversationMessage.Role.USER, ConversationMessage.Role.ASSISTANT, ConversationMessage.Role.TOOL, ConversationMessage.Role.ASSISTANT,
        ConversationMessage.Role.USER);
  }

  @Test
  void a_window_is_that_of_the_store_in_memory_and_evicted_messages_stay() {
    ChatMemory expected = window(new InMemoryChatMemoryStore(), 1, 5);
    for (int turn = 0; turn < 9; turn++) {
      // A new store each time, as after a restart.
      ChatMemory memory = window(MnemeChatMemoryStore.builder().client(client).prefix("user-").build(), 1, 5);
      List<ChatMessage> said = List.of(SystemMessage.from("Today is day " + turn / 3), UserMessage.from("again"), AiMessage.from("no " + turn));
      said.forEach(expected::add);
      said.forEach(memory::add);
      assertThat(memory.messages()).isEqualTo(expected.messages());
    }
    assertThat(conversation("user-1")).hasSize(3 + 2 * 9); // Each system message once.
    expected.clear();
    window(MnemeChatMemoryStore.builder().client(client).prefix("user-").build(), 1, 5).clear();
    assertThat(conversation("user-1")).isEmpty();
    store.updateMessages("user-1", List.of(UserMessage.from("after")));
    assertThat(store.getMessages("user-1")).containsExactly(UserMessage.from("after"));
  }

  @Test
  void any_list_of_messages_may_follow_any_other() {
    Random random = new Random(5);
    for (int i = 0; i < 60; i++) {
      List<ChatMessage> messages = new ArrayList<>(store.getMessages("any"));
      while (messages.size() > 6 || (!messages.isEmpty() && random.nextInt(3) == 0)) messages.remove(random.nextInt(messages.size()));
      for (int added = random.nextInt(3); added > 0; added--) {
        messages.add(random.nextInt(messages.size() + 1), UserMessage.from("message " + random.nextInt(4)));
      }
      store.updateMessages("any", messages);
      assertThat(store.getMessages("any")).as("update %d", i).isEqualTo(messages);
    }
  }

  @Test
  void messages_that_other_programs_append_are_kept_and_not_in_the_window() {
    client.conversations().append("mixed", ConversationMessage.user("from elsewhere"));
    assertThat(store.getMessages("mixed")).isEmpty();
    store.updateMessages("mixed", List.of(UserMessage.from("a"), AiMessage.from("b")));
    client.conversations().append("mixed", ConversationMessage.user("1"), ConversationMessage.assistant("2"), ConversationMessage.user("3"));
    assertThat(store.getMessages("mixed")).containsExactly(UserMessage.from("a"), AiMessage.from("b"));
    store.updateMessages("mixed", List.of(AiMessage.from("b")));
    assertThat(store.getMessages("mixed")).containsExactly(AiMessage.from("b"));
    store.updateMessages("mixed", List.of(AiMessage.from("b"), UserMessage.from("c")));
    assertThat(store.getMessages("mixed")).containsExactly(AiMessage.from("b"), UserMessage.from("c"));
    assertThat(conversation("mixed")).extracting(ConversationMessage::text).containsExactly("from elsewhere", "a", "b", "1", "2", "3", "c");
  }

  @Test
  void an_update_without_news_writes_nothing() {
    List<ChatMessage> messages = List.of(UserMessage.from("a"), AiMessage.from("b"));
    store.updateMessages("same", messages);
    long revision = client.count().revision();
    store.updateMessages("same", messages);
    assertThat(client.count().revision()).isEqualTo(revision);
  }

  @Test
  void concurrent_updates_leave_a_whole_window() {
    List<List<ChatMessage>> updates = IntStream.range(0, 4)
        .mapToObj(i -> List.<ChatMessage>of(UserMessage.from("question " + i), AiMessage.from("answer " + i))).toList();
    CompletableFuture.allOf(updates.stream().map(each -> CompletableFuture.runAsync(() -> store.updateMessages("shared", each)))
        .toArray(CompletableFuture[]::new)).join();
    assertThat(updates).contains(store.getMessages("shared"));
  }

  @Test
  void bad_input_is_refused() {
    assertThatThrownBy(() -> store.getMessages(null)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.getMessages(" ")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.updateMessages("a", null)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.updateMessages("a", Arrays.asList(UserMessage.from("x"), null))).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.updateMessages("x".repeat(200), List.of(UserMessage.from("x"))))
        .isInstanceOf(MnemeException.InvalidArgument.class);
    MnemeChatMemoryStore ofSession = MnemeChatMemoryStore.builder().client(client).scope(Scope.ofSession("s")).build();
    assertThatThrownBy(() -> ofSession.updateMessages("a", List.of(UserMessage.from("x")))).isInstanceOf(MnemeException.InvalidArgument.class);
    store.deleteMessages("never there");
    store.updateMessages("never there", List.of());
    assertThat(store.getMessages("never there")).isEmpty();
    try (Mneme away = Mneme.connect("127.0.0.1:1")) {
      MnemeChatMemoryStore lost = MnemeChatMemoryStore.builder().client(away.withTimeout(Duration.ofMillis(200))).build();
      assertThatThrownBy(() -> lost.getMessages("a")).isInstanceOf(MnemeException.class);
    }
  }
}
