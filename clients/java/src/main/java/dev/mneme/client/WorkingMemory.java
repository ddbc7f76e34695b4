package dev.mneme.client;

import dev.mneme.v1.AppendScratchpadRequest;
import dev.mneme.v1.BatchGetValuesRequest;
import dev.mneme.v1.ClearScratchpadRequest;
import dev.mneme.v1.ClearWorkingMemoryRequest;
import dev.mneme.v1.CreateCheckpointRequest;
import dev.mneme.v1.DeleteCheckpointRequest;
import dev.mneme.v1.DeleteValueRequest;
import dev.mneme.v1.DiffCheckpointsRequest;
import dev.mneme.v1.ForkCheckpointRequest;
import dev.mneme.v1.GetAllValuesRequest;
import dev.mneme.v1.GetCheckpointRequest;
import dev.mneme.v1.GetTaskStateRequest;
import dev.mneme.v1.GetValueRequest;
import dev.mneme.v1.GetWorkingMemoryStatisticsRequest;
import dev.mneme.v1.HasValueRequest;
import dev.mneme.v1.KeepCheckpointRequest;
import dev.mneme.v1.ListCheckpointsRequest;
import dev.mneme.v1.ListKeysRequest;
import dev.mneme.v1.ListScratchpadRequest;
import dev.mneme.v1.RestoreCheckpointRequest;
import dev.mneme.v1.ScratchpadOrder;
import dev.mneme.v1.SetTaskStateRequest;
import dev.mneme.v1.TransactValuesRequest;
import dev.mneme.v1.WatchSessionRequest;
import dev.mneme.v1.WatchSessionResponse;
import dev.mneme.v1.WorkingMemoryServiceGrpc;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Working memory of a session. For writes on condition see {@link Mneme#ifVersion}. */
public final class WorkingMemory extends Calls {
  private final String session;

  WorkingMemory(Connection connection, String namespace, Settings settings, String id) {
    super(connection, namespace, settings);
    session = Names.session(namespace, id);
  }

  /** Sets a value: a {@link Content}, or a value that is stored as JSON. It expires as the session says. */
  public WorkingValues.Key set(String key, Object value) {
    return set(key, value, new WorkingValues.SetQuery());
  }

  /** Sets a value: a {@link Content}, or a value that is stored as JSON. */
  public WorkingValues.Key set(String key, Object value, WorkingValues.SetQuery query) {
    return Answers.required(call(WorkingMemoryServiceGrpc.getSetValueMethod(), query.copy().setSession(session).setKey(key)
        .setValue(Content.from(value, "value").message()).build()), "entry", WorkingValues.Key.class, "key");
  }

  /** A value, when the key is there. */
  public Optional<WorkingValues.Entry> get(String key) {
    var answer = call(WorkingMemoryServiceGrpc.getGetValueMethod(), GetValueRequest.newBuilder().setSession(session).setKey(key).build());
    return answer.hasEntry() ? Optional.of(Answers.read(answer.getEntry(), WorkingValues.Entry.class)) : Optional.empty();
  }

  /** Values of several keys. */
  public WorkingValues.Found batchGet(Collection<String> keys) {
    return Answers.read(call(WorkingMemoryServiceGrpc.getBatchGetValuesMethod(),
        BatchGetValuesRequest.newBuilder().setSession(session).addAllKeys(keys).build()), WorkingValues.Found.class);
  }

  /** Whether a key is there. */
  public boolean has(String key) {
    return call(WorkingMemoryServiceGrpc.getHasValueMethod(), HasValueRequest.newBuilder().setSession(session).setKey(key).build())
        .getExists();
  }

  /** Deletes a key; false when it was not there. */
  public boolean delete(String key) {
    return call(WorkingMemoryServiceGrpc.getDeleteValueMethod(), DeleteValueRequest.newBuilder().setSession(session).setKey(key).build())
        .getDeleted();
  }

  /** Keys without their values, of a glob; an empty one is all. */
  public Iterable<WorkingValues.Key> listKeys(String pattern) {
    return Pages.of(token -> {
      var page = call(WorkingMemoryServiceGrpc.getListKeysMethod(),
          ListKeysRequest.newBuilder().setSession(session).setPattern(pattern).setPageToken(token).build());
      return Pages.page(Answers.list(page.getEntriesList(), WorkingValues.Key.class), page.getNextPageToken());
    });
  }

  /** All values. */
  public Iterable<WorkingValues.Entry> getAll() {
    return getAll("", "");
  }

  /** All values of a glob (an empty one is all), as they are or as a checkpoint has them (an empty id is now). */
  public Iterable<WorkingValues.Entry> getAll(String pattern, String checkpointId) {
    return Pages.of(token -> {
      var page = call(WorkingMemoryServiceGrpc.getGetAllValuesMethod(), GetAllValuesRequest.newBuilder()
          .setSession(session).setPattern(pattern).setCheckpointId(checkpointId).setPageToken(token).build());
      return Pages.page(Answers.list(page.getEntriesList(), WorkingValues.Entry.class), page.getNextPageToken());
    });
  }

  /** Deletes all values. */
  public WorkingValues.Cleared clear() {
    return clear(false, false, false);
  }

  /** Deletes all values unless they are kept, and the task state and the scratchpad where requested. */
  public WorkingValues.Cleared clear(boolean keepValues, boolean clearTaskState, boolean clearScratchpad) {
    return Answers.read(call(WorkingMemoryServiceGrpc.getClearWorkingMemoryMethod(), ClearWorkingMemoryRequest.newBuilder()
        .setSession(session).setKeepValues(keepValues).setClearTaskState(clearTaskState).setClearScratchpad(clearScratchpad).build()),
        WorkingValues.Cleared.class);
  }

  /** Does several steps, all or none. Gives the keys that they left, empty for those that are gone. */
  public List<Optional<WorkingValues.Key>> transact(List<WorkingValues.Operation> operations) {
    TransactValuesRequest.Builder request = TransactValuesRequest.newBuilder().setSession(session);
    operations.forEach(each -> request.addOperations(each.message()));
    return call(WorkingMemoryServiceGrpc.getTransactValuesMethod(), request.build()).getResultsList().stream()
        .map(each -> each.hasEntry() ? Optional.of(Answers.read(each.getEntry(), WorkingValues.Key.class))
            : Optional.<WorkingValues.Key>empty()).toList();
  }

  /** Sets the task state; what is not said has its default. */
  public Task setTaskState(Task.Progress task) {
    return Answers.required(call(WorkingMemoryServiceGrpc.getSetTaskStateMethod(),
        SetTaskStateRequest.newBuilder().setSession(session).setTask(task.state()).build()), "task", Task.class, "task state");
  }

  /** The task state, when there is one. */
  public Optional<Task> getTaskState() {
    var answer = call(WorkingMemoryServiceGrpc.getGetTaskStateMethod(), GetTaskStateRequest.newBuilder().setSession(session).build());
    return answer.hasTask() ? Optional.of(Answers.read(answer.getTask(), Task.class)) : Optional.empty();
  }

  /** Changes fields of the task state. */
  public Task updateTaskProgress(Task.Progress progress) {
    return Answers.required(call(WorkingMemoryServiceGrpc.getUpdateTaskProgressMethod(), progress.update().setSession(session).build()),
        "task", Task.class, "task state");
  }

  /** Appends notes to the scratchpad: texts, contents, or values that are stored as JSON. */
  public Note.Appended appendScratchpad(Object... notes) {
    return appendScratchpad(Arrays.asList(notes));
  }

  /** Appends notes to the scratchpad: texts, contents, or values that are stored as JSON. */
  public Note.Appended appendScratchpad(Collection<?> notes) {
    AppendScratchpadRequest.Builder request = AppendScratchpadRequest.newBuilder().setSession(session);
    notes.forEach(each ->
        request.addNotes((each instanceof String text ? Content.text(text) : Content.from(each, "content")).message()));
    return Answers.read(call(WorkingMemoryServiceGrpc.getAppendScratchpadMethod(), request.build()), Note.Appended.class);
  }

  /** Notes of the scratchpad, oldest first. */
  public Iterable<Note> listScratchpad() {
    return listScratchpad(false);
  }

  /** Notes of the scratchpad, oldest first or newest first. */
  public Iterable<Note> listScratchpad(boolean newestFirst) {
    ScratchpadOrder order =
        newestFirst ? ScratchpadOrder.SCRATCHPAD_ORDER_NEWEST_FIRST : ScratchpadOrder.SCRATCHPAD_ORDER_OLDEST_FIRST;
    return Pages.of(token -> {
      var page = call(WorkingMemoryServiceGrpc.getListScratchpadMethod(),
          ListScratchpadRequest.newBuilder().setSession(session).setOrder(order).setPageToken(token).build());
      return Pages.page(Answers.list(page.getNotesList(), Note.class), page.getNextPageToken());
    });
  }

  /** Deletes all notes. Returns how many. */
  public int clearScratchpad() {
    return call(WorkingMemoryServiceGrpc.getClearScratchpadMethod(), ClearScratchpadRequest.newBuilder().setSession(session).build())
        .getNoteCount();
  }

  /** Makes a checkpoint with a new id. */
  public Checkpoint createCheckpoint() {
    return createCheckpoint("", "", null);
  }

  /** Makes a checkpoint; an empty id is a new one; null keeps it until it is deleted. */
  public Checkpoint createCheckpoint(String checkpointId, String description, Duration ttl) {
    CreateCheckpointRequest.Builder request =
        CreateCheckpointRequest.newBuilder().setSession(session).setCheckpointId(checkpointId).setDescription(description);
    if (ttl != null) request.setTtl(Values.duration(ttl));
    return checkpointOf(call(WorkingMemoryServiceGrpc.getCreateCheckpointMethod(), request.build()));
  }

  /** Restores exactly the contents of a checkpoint. */
  public Checkpoint.Restored restoreCheckpoint(String id) {
    return restoreCheckpoint(id, Checkpoint.RestoreMode.REPLACE);
  }

  /** Restores the contents of a checkpoint. */
  public Checkpoint.Restored restoreCheckpoint(String id, Checkpoint.RestoreMode mode) {
    var answer = call(WorkingMemoryServiceGrpc.getRestoreCheckpointMethod(), RestoreCheckpointRequest.newBuilder().setSession(session)
        .setCheckpointId(id).setMode(Values.code(dev.mneme.v1.RestoreMode.class, "RESTORE_MODE_", mode)).build());
    if (!answer.hasCheckpoint()) throw Errors.incompleteAnswer("checkpoint");
    return Answers.read(answer, Checkpoint.Restored.class);
  }

  /** Checkpoints of all kinds, newest first. */
  public Iterable<Checkpoint> listCheckpoints() {
    return listCheckpoints(null);
  }

  /** Checkpoints of a kind (null: of all), newest first. */
  public Iterable<Checkpoint> listCheckpoints(Checkpoint.Kind kind) {
    return Pages.of(token -> {
      ListCheckpointsRequest.Builder request = ListCheckpointsRequest.newBuilder().setSession(session).setPageToken(token);
      if (kind != null) request.setKind(Values.code(dev.mneme.v1.CheckpointKind.class, "CHECKPOINT_KIND_", kind));
      var page = call(WorkingMemoryServiceGrpc.getListCheckpointsMethod(), request.build());
      return Pages.page(Answers.list(page.getCheckpointsList(), Checkpoint.class), page.getNextPageToken());
    });
  }

  /** A checkpoint. */
  public Checkpoint getCheckpoint(String id) {
    return checkpointOf(call(WorkingMemoryServiceGrpc.getGetCheckpointMethod(),
        GetCheckpointRequest.newBuilder().setSession(session).setCheckpointId(id).build()));
  }

  /** Sets how long a checkpoint is kept from now on; null: until it is deleted. */
  public Checkpoint keepCheckpoint(String id, Duration ttl) {
    KeepCheckpointRequest.Builder request = KeepCheckpointRequest.newBuilder().setSession(session).setCheckpointId(id);
    if (ttl != null) request.setTtl(Values.duration(ttl));
    return checkpointOf(call(WorkingMemoryServiceGrpc.getKeepCheckpointMethod(), request.build()));
  }

  /** Deletes a checkpoint. */
  public void deleteCheckpoint(String id) {
    call(WorkingMemoryServiceGrpc.getDeleteCheckpointMethod(),
        DeleteCheckpointRequest.newBuilder().setSession(session).setCheckpointId(id).build());
  }

  /** Creates a session with the contents of a checkpoint. {@link MnemeException.AlreadyExists} when it is there. */
  public Checkpoint.Forked forkCheckpoint(String id, String target) {
    return Answers.read(call(WorkingMemoryServiceGrpc.getForkCheckpointMethod(), ForkCheckpointRequest.newBuilder().setSession(session)
        .setCheckpointId(id).setTargetSession(Names.session(namespace, target)).build()), Checkpoint.Forked.class);
  }

  /** Compares a checkpoint with another one of this session (an empty id is now) or of another session (null is this one). */
  public Checkpoint.Diff diffCheckpoints(String from, String toCheckpointId, String toSession) {
    return Answers.read(call(WorkingMemoryServiceGrpc.getDiffCheckpointsMethod(), DiffCheckpointsRequest.newBuilder().setSession(session)
        .setCheckpointId(from).setToCheckpointId(toCheckpointId)
        .setToSession(toSession == null ? "" : Names.session(namespace, toSession)).build()), Checkpoint.Diff.class);
  }

  /** Totals of the session. */
  public WorkingValues.Statistics getStatistics() {
    return Answers.read(call(WorkingMemoryServiceGrpc.getGetWorkingMemoryStatisticsMethod(),
        GetWorkingMemoryStatisticsRequest.newBuilder().setSession(session).build()), WorkingValues.Statistics.class);
  }

  /** Changes of the session, as an endless stream. */
  public EventStream<SessionEvent> watch(SessionEvent.WatchQuery query) {
    return new EventStream<>(connection, new Runs<WatchSessionResponse, SessionEvent>() {
      private final WatchSessionRequest.Builder request = query.copy().setSession(session);

      @Override
      Duplex<?, WatchSessionResponse> open(Consumer<SessionEvent> out) {
        return connection.stream(WorkingMemoryServiceGrpc.getWatchSessionMethod(), settings).sendOnly(request.build());
      }

      @Override
      void take(WatchSessionResponse message, Consumer<SessionEvent> out) {
        message.getEvents().getEventsList().forEach(each -> out.accept(Answers.read(each, SessionEvent.class)));
        request.setAfterRevision(message.getRevision());
      }
    });
  }

  private static Checkpoint checkpointOf(com.google.protobuf.Message answer) {
    return Answers.required(answer, "checkpoint", Checkpoint.class, "checkpoint");
  }
}
