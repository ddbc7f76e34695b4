package dev.mneme.langchain4j;

import static dev.langchain4j.internal.ValidationUtils.ensureNotBlank;
import static dev.langchain4j.internal.ValidationUtils.ensureNotNull;

import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.store.memory.chat.ChatMemoryStore;
import dev.mneme.client.ConversationMessage;
import dev.mneme.client.ConversationQueries;
import dev.mneme.client.Mneme;
import dev.mneme.client.MnemeException;
import dev.mneme.client.Scope;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A chat memory store of LangChain4j: the memory of an id is a conversation of Mneme. {@link #getMessages} returns what the last
 * {@link #updateMessages} stored. Messages that a chat memory evicts stay in the conversation, where they are recalled and extracted from,
 * until {@link #deleteMessages}. An update stores new messages only. Safe to use from many threads; of concurrent updates of one id the
 * last one counts.
 */
public final class MnemeChatMemoryStore implements ChatMemoryStore, AutoCloseable {
  private static final int ATTEMPTS = 5;
  private static final int PAGE_SIZE_MAX = 1_000;
  private static final int TAIL_PAGE_SIZE = 2;

  private final Mneme mneme;
  private final boolean closesClient;
  private final Scope scope;
  private final String prefix;

  private MnemeChatMemoryStore(Builder builder) {
    mneme = builder.connection.open();
    closesClient = builder.connection.owned();
    scope = builder.scope;
    prefix = builder.prefix;
  }

  /** A builder with its defaults. */
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public List<ChatMessage> getMessages(Object memoryId) {
    return new ArrayList<>(window(conversation(memoryId)).messages.values());
  }

  /** Stores the messages of a chat memory, at most 1,000 new ones, and returns when they are durable. */
  @Override
  public void updateMessages(Object memoryId, List<ChatMessage> messages) {
    String conversation = conversation(memoryId);
    ensureNotNull(messages, "messages").forEach(each -> ensureNotNull(each, "messages"));
    for (int attempt = 1; ; attempt++) {
      try {
        update(conversation, messages);
        return;
      } catch (MnemeException.Aborted | MnemeException.AlreadyExists faster) {
        if (attempt == ATTEMPTS) throw faster; // Another update has changed the conversation each time.
      }
    }
  }

  /** Removes the messages, evicted ones included. */
  @Override
  public void deleteMessages(Object memoryId) {
    try {
      mneme.conversations().clear(conversation(memoryId));
    } catch (MnemeException.NotFound fault) {
      return;
    }
  }

  /** Closes the client, where the store opened it. */
  @Override
  public void close() {
    if (closesClient) mneme.close();
  }

  private void update(String conversation, List<ChatMessage> messages) {
    Window before = window(conversation);
    List<Long> stored = new ArrayList<>(before.messages.keySet());
    List<Integer> kept = Alignment.of(ChatMessages.json(before.messages.values()), ChatMessages.json(messages));
    List<Long> window = new ArrayList<>();
    List<ChatMessage> added = new ArrayList<>();
    for (int i = 0; i < messages.size(); i++) {
      if (kept.get(i) == null) {
        window.add(before.nextSequence() + added.size());
        added.add(messages.get(i));
      } else {
        window.add(stored.get(kept.get(i)));
      }
    }
    if (!added.isEmpty()) append(conversation, before, added, window);
    else if (!window.equals(stored)) rewriteWindow(conversation, before, window);
  }

  private void append(String conversation, Window before, List<ChatMessage> added, List<Long> window) {
    List<ConversationMessage> messages = new ArrayList<>();
    for (int i = 0; i < added.size(); i++) {
      messages.add(ChatMessages.write(added.get(i), i == added.size() - 1 ? window : null).withSequence(before.nextSequence() + i));
    }
    ConversationQueries.Append query = new ConversationQueries.Append();
    if (scope != null) query.scope(scope);
    mneme.conversations().append(conversation, messages, query);
  }

  /** For a window that lost messages and got none: replaces the message that has the window, and keeps what others appended after it. */
  private void rewriteWindow(String conversation, Window before, List<Long> window) {
    ConversationMessage carrier = before.tail.get(0);
    List<ConversationMessage> tail = new ArrayList<>();
    tail.add(ChatMessages.write(ChatMessages.read(carrier), window).withEventTime(carrier.eventTime()));
    for (ConversationMessage each : before.tail.subList(1, before.tail.size())) {
      tail.add(new ConversationMessage(null, each.role(), each.name(), each.blocks(), each.eventTime(), null)); // The server numbers them.
    }
    ConversationQueries.Suffix query =
        new ConversationQueries.Suffix().firstSequence(carrier.sequence()).expectedCount(tail.size()).messages(tail);
    if (scope != null) query.scope(scope);
    mneme.conversations().replaceSuffix(conversation, query);
  }

  /** The messages of the chat memory by sequence number, in its order. Messages that other programs appended are not among them. */
  private Window window(String conversation) {
    List<ConversationMessage> tail = new ArrayList<>();
    try {
      for (ConversationMessage each : list(conversation, new ConversationQueries.Messages().descending(true).pageSize(TAIL_PAGE_SIZE))) {
        tail.add(0, each);
        List<Long> sequences = ChatMessages.window(each);
        if (sequences != null) return new Window(tail, read(conversation, sequences));
      }
    } catch (MnemeException.NotFound fault) {
      return new Window(List.of(), Map.of());
    }
    return new Window(tail, Map.of());
  }

  /** Reads each run of sequence numbers that follow one another with one list. */
  private Map<Long, ChatMessage> read(String conversation, List<Long> sequences) {
    Map<Long, ChatMessage> found = new LinkedHashMap<>();
    List<Long> sorted = sequences.stream().sorted(Comparator.naturalOrder()).toList();
    for (int start = 0; start < sorted.size(); ) {
      int end = start + 1;
      while (end < sorted.size() && sorted.get(end) == sorted.get(end - 1) + 1) end++;
      long lastOfRun = sorted.get(end - 1);
      var query = new ConversationQueries.Messages().fromSequence(sorted.get(start)).pageSize(Math.min(end - start, PAGE_SIZE_MAX));
      for (ConversationMessage each : list(conversation, query)) {
        if (each.sequence() > lastOfRun) break;
        ChatMessage message = ChatMessages.read(each);
        if (message != null) found.put(each.sequence(), message);
        if (each.sequence() == lastOfRun) break;
      }
      start = end;
    }
    Map<Long, ChatMessage> inOrder = new LinkedHashMap<>();
    sequences.stream().filter(found::containsKey).forEach(each -> inOrder.put(each, found.get(each)));
    return inOrder;
  }

  private Iterable<ConversationMessage> list(String conversation, ConversationQueries.Messages query) {
    return mneme.conversations().list(conversation, query);
  }

  private String conversation(Object memoryId) {
    return prefix + ensureNotBlank(ensureNotNull(memoryId, "memoryId").toString(), "memoryId");
  }

  /**
   * State of a chat memory.
   *
   * @param tail last messages of the conversation, from the one that has the window; all of them where none has
   * @param messages messages of the window by sequence number, in its order
   */
  private record Window(List<ConversationMessage> tail, Map<Long, ChatMessage> messages) {
    long nextSequence() {
      return tail.isEmpty() ? 0 : tail.get(tail.size() - 1).sequence() + 1;
    }
  }

  /** Options of a store. A client or an address is required. */
  public static final class Builder {
    private final ClientChoice connection = new ClientChoice();
    private Scope scope;
    private String prefix = "";

    private Builder() {}

    /** Client to use; the store does not close it. */
    public Builder client(Mneme client) { connection.client(client); return this; }

    /** Address of the server, such as {@code 127.0.0.1:50051}; the store opens a client and closes it. */
    public Builder address(String address) { connection.address(address); return this; }

    /** Namespace of the conversations. Default: that of the client, or {@code default}. */
    public Builder namespace(String namespace) { connection.namespace(namespace); return this; }

    /** Owner of the messages: project, agent type and agent; the session must be null. Default: none. */
    public Builder scope(Scope scope) { this.scope = ensureNotNull(scope, "scope"); return this; }

    /** Start of the conversation's id, before the id of the memory; both have at most 128 bytes. Default: empty. */
    public Builder prefix(String prefix) { this.prefix = ensureNotNull(prefix, "prefix"); return this; }

    /** The store. Sends nothing. */
    public MnemeChatMemoryStore build() { return new MnemeChatMemoryStore(this); }
  }
}
