package dev.mneme.client;

import dev.mneme.v1.AppendMessagesRequest;
import dev.mneme.v1.ExtractorStart;
import dev.mneme.v1.ListMessagesRequest;
import dev.mneme.v1.ReplaceSuffixRequest;
import dev.mneme.v1.WatchExtractionRequest;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Options of the calls of {@link Conversations}. */
public final class ConversationQueries {
  private ConversationQueries() {}

  /** How messages are appended. */
  public static final class Append extends Query<Append, AppendMessagesRequest.Builder> {
    /** The messages have no owner; the triggers of the namespace start extraction. */
    public Append() { super(AppendMessagesRequest.newBuilder()); }

    /** Owner of the messages: project, agent type and agent. The session must be null. */
    public Append scope(Scope scope) { message.setScope(scope.message()); return this; }

    /** Starts extraction right after the answer, independent of the namespace's triggers. Default false. */
    public Append endOfInvocation(boolean isEnd) { message.setEndOfInvocation(isEnd); return this; }
  }

  /** How a client serves extraction. */
  public static final class ServeExtractor extends Query<ServeExtractor, ExtractorStart.Builder> {
    private static final Duration HEARTBEAT = Duration.ofSeconds(15);

    BiConsumer<ExtractionJob, String> onRejected = (job, reason) -> {};

    /** Without a name, four jobs at once. */
    public ServeExtractor() { super(ExtractorStart.newBuilder().setHeartbeatInterval(Values.duration(HEARTBEAT))); }

    /** Name in errors and in the origin of notes, such as that of the model. Default: none. */
    public ServeExtractor name(String name) { message.setName(name); return this; }

    /** Maximum number of jobs at once, 1 to 64. Default 4. */
    public ServeExtractor maxJobs(int jobs) { message.setMaxJobs(jobs); return this; }

    /** Called with the reason when the server refused an answer. The job comes again. */
    public ServeExtractor onRejected(BiConsumer<ExtractionJob, String> listener) { onRejected = listener; return this; }
  }

  /** Which messages are listed. */
  public static final class Messages extends Query<Messages, ListMessagesRequest.Builder> {
    Consumer<List<String>> onDamaged;

    /** All, from the first. */
    public Messages() { super(ListMessagesRequest.newBuilder()); }

    /** First sequence number to list. Default 0. */
    public Messages fromSequence(long sequence) { message.setFromSequence(sequence); return this; }

    /** Lists the highest sequence numbers first. Default false. */
    public Messages descending(boolean descending) { message.setDescending(descending); return this; }

    /** Maximum number of messages that are read at a time, 1 to 1,000. Default 200. */
    public Messages pageSize(int size) { message.setPageSize(size); return this; }

    /** Called with the ids of memories of messages that cannot be read. Default: {@link MnemeException.DataLoss} after all the others. */
    public Messages onDamaged(Consumer<List<String>> listener) { onDamaged = listener; return this; }
  }

  /** Which messages are replaced, and by which. */
  public static final class Suffix extends Query<Suffix, ReplaceSuffixRequest.Builder> {
    /** Replaces nothing by nothing: {@link #expectedCount} is 0. */
    public Suffix() { super(ReplaceSuffixRequest.newBuilder()); }

    /** Sequence number of the first message to replace. Default 0: the whole conversation. */
    public Suffix firstSequence(long sequence) { message.setFirstSequence(sequence); return this; }

    /** Number of messages that the conversation must have from there on: {@link MnemeException.Aborted} when it has not. */
    public Suffix expectedCount(int count) { message.setExpectedCount(count); return this; }

    /** Messages that take their place, without sequence numbers, at most 1,000. Default: none, which removes the suffix. */
    public Suffix messages(Collection<ConversationMessage> messages) {
      messages.forEach(each -> message.addMessages(each.message()));
      return this;
    }

    /** Owner of the messages. The session must be null. */
    public Suffix scope(Scope scope) { message.setScope(scope.message()); return this; }
  }

  /** The watched extractions. */
  public static final class Watch extends Query<Watch, WatchExtractionRequest.Builder> {
    /** All conversations of the namespace, at most once a second. */
    public Watch() { super(WatchExtractionRequest.newBuilder()); }

    /** One conversation. Default: all of the namespace. */
    public Watch conversation(String conversation) { message.setConversation(Names.conversationId(conversation)); return this; }

    /** Shortest time between two items, 100 ms to 60 s. Default 1 s. */
    public Watch interval(Duration interval) { message.setInterval(Values.duration(interval)); return this; }
  }
}
