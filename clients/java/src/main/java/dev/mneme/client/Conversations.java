package dev.mneme.client;

import dev.mneme.v1.ClearMessagesRequest;
import dev.mneme.v1.ConversationServiceGrpc;
import dev.mneme.v1.FlushRequest;
import dev.mneme.v1.GetExtractionStatusRequest;
import dev.mneme.v1.ListMessagesRequest;
import dev.mneme.v1.PopMessageRequest;
import dev.mneme.v1.RetryExtractionRequest;
import dev.mneme.v1.WatchExtractionRequest;
import dev.mneme.v1.WatchExtractionResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/**
 * Stores conversations message by message, and reports the extraction from them. A conversation is named by its id or its full resource
 * name. It needs no creation: it exists while it has messages.
 *
 * <p>A message is stored whole, as a memory of the type {@code message}, before a call returns. Extraction runs after that, on the server.
 */
public final class Conversations extends Calls {
  private static final int PAGE_SIZE = 200;

  Conversations(Connection connection, String namespace, Settings settings) {
    super(connection, namespace, settings);
  }

  /** Appends messages, all of them or none, and returns when they are durable. */
  public Appended append(String conversation, ConversationMessage... messages) {
    return append(conversation, Arrays.asList(messages), new ConversationQueries.Append());
  }

  /**
   * Appends 1 to 1,000 messages, all of them or none, and returns when they are durable. The namespace is created on first use. A message
   * that is stored already under its sequence number is not stored again; {@link MnemeException.AlreadyExists} when a different one has
   * that number.
   */
  public Appended append(String conversation, Collection<ConversationMessage> messages, ConversationQueries.Append query) {
    var request = query.copy().setConversation(nameOf(conversation));
    messages.forEach(each -> request.addMessages(each.message()));
    return Answers.read(call(ConversationServiceGrpc.getAppendMessagesMethod(), request.build()), Appended.class);
  }

  /** All messages by sequence number, page by page as they are asked for. */
  public Iterable<ConversationMessage> list(String conversation) {
    return list(conversation, new ConversationQueries.Messages());
  }

  /** Messages by sequence number, page by page as they are asked for. */
  public Iterable<ConversationMessage> list(String conversation, ConversationQueries.Messages query) {
    ListMessagesRequest.Builder request = query.copy().setConversation(nameOf(conversation));
    if (request.getPageSize() == 0) request.setPageSize(PAGE_SIZE);
    return Pages.of("messages", query.onDamaged, pinned -> token -> {
      var page = connection.unary(ConversationServiceGrpc.getListMessagesMethod(), request.clone().setPageToken(token).build(), pinned);
      return new Pages.Page<>(Answers.list(page.getMessagesList(), ConversationMessage.class), Answers.ids(page.getDamagedList()),
          page.getNextPageToken());
    }, this::pinned);
  }

  /** Removes the message with the highest sequence number and returns it. {@link MnemeException.NotFound} when there is none. */
  public ConversationMessage pop(String conversation) {
    return pop(PopMessageRequest.newBuilder().setConversation(nameOf(conversation)));
  }

  /** The same; {@link MnemeException.Aborted} when the message has another sequence number. */
  public ConversationMessage pop(String conversation, long expectedSequence) {
    return pop(PopMessageRequest.newBuilder().setConversation(nameOf(conversation)).setExpectedSequence(expectedSequence));
  }

  /**
   * Replaces the messages from a sequence number on, for example after the user has edited a turn. A call that was cut off is completed by
   * a repetition with the same {@link Mneme#withRequestId}.
   */
  public Replaced replaceSuffix(String conversation, ConversationQueries.Suffix query) {
    return Answers.read(call(ConversationServiceGrpc.getReplaceSuffixMethod(), query.copy().setConversation(nameOf(conversation)).build()),
        Replaced.class);
  }

  /** Removes all messages. Memories that were extracted from them stay. */
  public Cleared clear(String conversation) {
    return Answers.read(call(ConversationServiceGrpc.getClearMessagesMethod(),
        ClearMessagesRequest.newBuilder().setConversation(nameOf(conversation)).build()), Cleared.class);
  }

  /** Flushes all conversations of the namespace. */
  public Extraction.Flushed flush() {
    return flush("");
  }

  /**
   * Starts the extraction of everything that was accepted before the call, of one conversation (an empty id is all), and waits for it until
   * the timeout of the call. Messages that are pending or failed then are in the result, which is no error.
   */
  public Extraction.Flushed flush(String conversation) {
    return Answers.read(call(ConversationServiceGrpc.getFlushMethod(),
        FlushRequest.newBuilder().setParent(parent).setConversation(Names.conversationId(conversation)).build()), Extraction.Flushed.class);
  }

  /** How far extraction has come in the namespace. */
  public Extraction.Status getExtractionStatus() {
    return getExtractionStatus("");
  }

  /** How far extraction has come, of one conversation; an empty id is all. */
  public Extraction.Status getExtractionStatus(String conversation) {
    return Answers.required(call(ConversationServiceGrpc.getGetExtractionStatusMethod(), GetExtractionStatusRequest.newBuilder()
        .setParent(parent).setConversation(Names.conversationId(conversation)).build()), "status", Extraction.Status.class, "status");
  }

  /** How far extraction has come, and again after every change, for ever. A stream that is opened again begins with the status at that time. */
  public EventStream<Extraction.Status> watchExtraction(ConversationQueries.Watch query) {
    return new EventStream<>(connection, new Runs<WatchExtractionResponse, Extraction.Status>() {
      private final WatchExtractionRequest request = query.copy().setParent(parent).build();

      @Override
      Duplex<?, WatchExtractionResponse> open(Consumer<Extraction.Status> out) {
        return connection.stream(ConversationServiceGrpc.getWatchExtractionMethod(), settings).sendOnly(request);
      }

      @Override
      void take(WatchExtractionResponse message, Consumer<Extraction.Status> out) {
        out.accept(Answers.required(message, "status", Extraction.Status.class, "status"));
      }

      /** The server sends no heartbeats: pings detect a dead connection. */
      @Override
      Duration silence() {
        return null;
      }
    });
  }

  /** Serves the extractor {@code client} of the namespace, without a name and with four jobs at once. */
  public ServedExtractor serveExtractor(ServedExtractor.Handler handler) {
    return serveExtractor(new ConversationQueries.ServeExtractor(), handler);
  }

  /**
   * Serves the extractor {@code client} of the namespace: the handler gets messages as jobs, several at a time, and what it returns is
   * stored, until it is closed. Returns when the server gives jobs; a broken stream is reopened. Several clients of a namespace share its
   * jobs.
   */
  public ServedExtractor serveExtractor(ConversationQueries.ServeExtractor query, ServedExtractor.Handler handler) {
    return new ServedExtractor(connection, settings, parent, query, handler);
  }

  /** Tries again to extract from all conversations of the namespace whose extraction has failed for good. Returns the number of messages. */
  public long retryExtraction() {
    return retryExtraction("");
  }

  /** The same of one conversation; an empty id is all. */
  public long retryExtraction(String conversation) {
    return call(ConversationServiceGrpc.getRetryExtractionMethod(), RetryExtractionRequest.newBuilder()
        .setParent(parent).setConversation(Names.conversationId(conversation)).build()).getRetriedCount();
  }

  private ConversationMessage pop(PopMessageRequest.Builder request) {
    return Answers.required(call(ConversationServiceGrpc.getPopMessageMethod(), request.build()), "message", ConversationMessage.class,
        "message");
  }

  private String nameOf(String conversation) {
    return Names.conversation(namespace, conversation);
  }

  /**
   * Result of appending messages.
   *
   * @param messages in the order of the call
   * @param gaps sequence numbers that the call left out, at most 1,000
   * @param revision revision of the change log
   */
  public record Appended(List<AppendedMessage> messages, List<Extraction.SequenceRange> gaps, long revision) {}

  /**
   * Outcome of one message.
   *
   * @param sequence place in the conversation
   * @param memoryId id of the memory that stores it
   * @param alreadyStored whether the same message was stored before, and nothing was changed
   */
  public record AppendedMessage(long sequence, String memoryId, boolean alreadyStored) {}

  /**
   * Result of a replacement.
   *
   * @param replacedCount messages that were removed or replaced
   * @param lastSequence highest sequence number of the new messages, or null
   * @param revision revision of the change log
   */
  public record Replaced(int replacedCount, Long lastSequence, long revision) {}

  /**
   * Result of a removal.
   *
   * @param clearedCount number of messages
   * @param revision revision of the change log
   */
  public record Cleared(long clearedCount, long revision) {}
}
