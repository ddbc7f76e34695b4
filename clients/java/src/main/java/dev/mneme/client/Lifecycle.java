package dev.mneme.client;

import com.google.protobuf.Message;
import dev.mneme.v1.AcknowledgeLifecycleEventsRequest;
import dev.mneme.v1.CheckpointKind;
import dev.mneme.v1.GetSessionRequest;
import dev.mneme.v1.LifecycleServiceGrpc;
import dev.mneme.v1.ListCheckpointsRequest;
import dev.mneme.v1.WatchLifecycleEventsRequest;
import dev.mneme.v1.WatchLifecycleEventsResponse;
import dev.mneme.v1.WorkingMemoryServiceGrpc;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/** The lives of sessions. A session is named by its id or its full resource name. For changes on condition see {@link Mneme#ifVersion}. */
public final class Lifecycle extends Calls {
  Lifecycle(Connection connection, String namespace, Settings settings) {
    super(connection, namespace, settings);
  }

  /** Makes a session that is active, with the values it starts with. */
  public SpawnResult spawn(LifecycleQueries.Spawn query) {
    return read(call(LifecycleServiceGrpc.getSpawnSessionMethod(), query.copy().setParent(parent).build()), SpawnResult.class);
  }

  /** Pauses a session, with a checkpoint of its contents. */
  public PauseResult pause(String session) {
    return pause(session, new LifecycleQueries.Pause());
  }

  /** Pauses a session, with a checkpoint of its contents. */
  public PauseResult pause(String session, LifecycleQueries.Pause query) {
    return read(call(LifecycleServiceGrpc.getPauseSessionMethod(), query.copy().setSession(nameOf(session)).build()), PauseResult.class);
  }

  /** Resumes a session from the checkpoint of its pause. */
  public ResumeResult resume(String session) {
    return resume(session, new LifecycleQueries.Resume());
  }

  /** Resumes a session with the contents of a checkpoint. */
  public ResumeResult resume(String session, LifecycleQueries.Resume query) {
    return read(call(LifecycleServiceGrpc.getResumeSessionMethod(), query.copy().setSession(nameOf(session)).build()), ResumeResult.class);
  }

  /** Ends a session: its history becomes a memory of type {@code episode}, and its contents are deleted. */
  public TerminateResult terminate(String session, LifecycleQueries.Terminate query) {
    var answer = call(LifecycleServiceGrpc.getTerminateSessionMethod(), query.copy().setSession(nameOf(session)).build());
    connection.seen(answer.getMemoryRevision());
    return read(answer, TerminateResult.class);
  }

  /** Deletes a session that is not active, with all that it holds; its id is free then. */
  public DeleteResult delete(String session) {
    return delete(session, new LifecycleQueries.Delete());
  }

  /** Deletes a session with all that it holds; its id is free then. */
  public DeleteResult delete(String session, LifecycleQueries.Delete query) {
    return Answers.read(call(LifecycleServiceGrpc.getDeleteSessionMethod(), query.copy().setSession(nameOf(session)).build()),
        DeleteResult.class);
  }

  /** A session. */
  public Session get(String session) {
    return get(session, null);
  }

  /** A session; with a scope it fails if the session belongs to another scope. */
  public Session get(String session, Scope scope) {
    GetSessionRequest.Builder request = GetSessionRequest.newBuilder().setSession(nameOf(session));
    if (scope != null) request.setScope(scope.message());
    return Answers.required(call(LifecycleServiceGrpc.getGetSessionMethod(), request.build()), "session", Session.class, "session");
  }

  /** Sessions, in the order of their ids. */
  public Iterable<Session> list(LifecycleQueries.Sessions query) {
    return Pages.of(token -> {
      var page = call(LifecycleServiceGrpc.getListSessionsMethod(), query.copy().setParent(parent).setPageToken(token).build());
      return Pages.page(Answers.list(page.getSessionsList(), Session.class), page.getNextPageToken());
    });
  }

  /** Checkpoints that pauses have made, newest first. */
  public Iterable<Checkpoint> listCheckpoints(String session) {
    return Pages.of(token -> {
      var page = call(WorkingMemoryServiceGrpc.getListCheckpointsMethod(), ListCheckpointsRequest.newBuilder()
          .setSession(nameOf(session)).setKind(CheckpointKind.CHECKPOINT_KIND_LIFECYCLE).setPageToken(token).build());
      return Pages.page(Answers.list(page.getCheckpointsList(), Checkpoint.class), page.getNextPageToken());
    });
  }

  /** Notes that a consumer is done with an event and all before it. */
  public void acknowledgeEvents(String consumer, LifecycleEvent event) {
    acknowledgeEvents(consumer, event.resumeToken());
  }

  /** Notes that a consumer is done with the event of this resume token and all before it. */
  public void acknowledgeEvents(String consumer, String resumeToken) {
    call(LifecycleServiceGrpc.getAcknowledgeLifecycleEventsMethod(), AcknowledgeLifecycleEventsRequest.newBuilder()
        .setParent(parent).setConsumer(consumer).setResumeToken(resumeToken).build());
  }

  /** Events in order, each at least once, for ever. */
  public EventStream<LifecycleEvent> watchEvents(LifecycleQueries.Events query) {
    return new EventStream<>(connection, new Runs<WatchLifecycleEventsResponse, LifecycleEvent>() {
      private final WatchLifecycleEventsRequest.Builder request = query.copy().setParent(parent);

      @Override
      Duplex<?, WatchLifecycleEventsResponse> open(Consumer<LifecycleEvent> out) {
        return connection.stream(LifecycleServiceGrpc.getWatchLifecycleEventsMethod(), settings).sendOnly(request.build());
      }

      @Override
      void take(WatchLifecycleEventsResponse message, Consumer<LifecycleEvent> out) {
        request.setResumeToken(message.getResumeToken());
        if (message.hasEvent()) out.accept(LifecycleEvent.of(message.getEvent(), message.getResumeToken()));
      }
    });
  }

  /**
   * Offers a hook and answers its questions with the handler, several at a time, until it is closed. Returns when the
   * server asks the hook; a broken stream is reopened. An error thrown by the handler is reported as the hook's
   * failure.
   */
  public Hook serveHook(LifecycleQueries.HookRegistration query, Function<LifecycleEvent, HookAnswer> handler) {
    return new Hook(connection, settings, query.copy().setParent(parent).build(), handler);
  }

  private String nameOf(String session) {
    return Names.session(namespace, session);
  }

  private static <T extends Record> T read(Message answer, Class<T> type) {
    for (String field : List.of("session", "checkpoint")) {
      var descriptor = answer.getDescriptorForType().findFieldByName(field);
      if (descriptor != null && !answer.hasField(descriptor)) throw Errors.incompleteAnswer(field);
    }
    return Answers.read(answer, type);
  }

  /** Answer of a hook to a transition. */
  public sealed interface HookAnswer {
    /**
     * It may take place.
     *
     * @param metadata notes that are added
     */
    record Proceed(Map<String, String> metadata) implements HookAnswer {}

    /**
     * It is refused.
     *
     * @param reason why
     */
    record Veto(String reason) implements HookAnswer {}
  }

  /**
   * Result of calling a hook.
   *
   * @param hook its name
   * @param phase when it was asked
   * @param result its outcome
   * @param reason why
   * @param duration how long it took
   */
  public record HookReport(String hook, LifecycleEvent.Phase phase, HookResult result, String reason, Duration duration) {}

  /** Result of calling a hook. */
  public enum HookResult {
    /** It allowed the transition. */
    OK,
    /** It refused it. */
    VETOED,
    /** It failed. */
    FAILED,
    /** It did not answer in time. */
    TIMED_OUT
  }

  /**
   * A session that was made.
   *
   * @param session the session
   * @param valueCount values that it starts with
   * @param hookReports reports of the hooks
   * @param duration duration until it was durable
   */
  public record SpawnResult(Session session, int valueCount, List<HookReport> hookReports, Duration duration) {}

  /**
   * A paused session.
   *
   * @param session the session
   * @param checkpoint the contents saved
   * @param hookReports reports of the hooks
   * @param duration duration until it was durable
   */
  public record PauseResult(Session session, Checkpoint checkpoint, List<HookReport> hookReports, Duration duration) {}

  /**
   * A resumed session.
   *
   * @param session the session
   * @param checkpoint checkpoint that it was resumed from
   * @param restoredCount restored values
   * @param expiredCount values of the checkpoint that have expired since and were left out
   * @param hookReports reports of the hooks
   * @param duration duration until it was durable
   */
  public record ResumeResult(Session session, Checkpoint checkpoint, int restoredCount, int expiredCount, List<HookReport> hookReports,
      Duration duration) {}

  /**
   * A session that has ended.
   *
   * @param session the session
   * @param episodeId id of the memory that tells of it, or null
   * @param consolidatedCount values that the memory tells of
   * @param truncated true when something was left out of the episode for its size
   * @param clearedCount values that were erased
   * @param clearedCheckpointCount checkpoints that were erased
   * @param hookReports reports of the hooks
   * @param duration duration until it was durable
   */
  public record TerminateResult(Session session, @From(value = "episode", optional = true) String episodeId, int consolidatedCount,
      boolean truncated, int clearedCount, int clearedCheckpointCount, List<HookReport> hookReports, Duration duration) {}

  /**
   * Deleted contents of a session.
   *
   * @param clearedCount values
   * @param clearedNoteCount notes
   * @param clearedCheckpointCount checkpoints
   * @param hookReports reports of the hooks
   * @param duration duration until it was durable
   */
  public record DeleteResult(int clearedCount, int clearedNoteCount, int clearedCheckpointCount, List<HookReport> hookReports,
      Duration duration) {}
}
