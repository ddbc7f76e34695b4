package dev.mneme.client;

import dev.mneme.v1.Expiry;
import dev.mneme.v1.KeyOperation;
import dev.mneme.v1.SetOperation;
import dev.mneme.v1.SetValueRequest;
import dev.mneme.v1.TouchOperation;
import dev.mneme.v1.UpdateTaskProgressRequest;
import dev.mneme.v1.ValueOperation;
import dev.mneme.v1.WatchSessionRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** What {@link WorkingMemory} is told and tells. */
public final class WorkingValues {
  private WorkingValues() {}

  /** When a key expires. */
  public static final class KeyExpiry {
    private final Expiry message;

    private KeyExpiry(Expiry.Builder message) { this.message = message.build(); }

    /** After so long. */
    public static KeyExpiry after(Duration ttl) { return new KeyExpiry(Expiry.newBuilder().setTtl(Values.duration(ttl))); }

    /** Never. */
    public static KeyExpiry never() { return new KeyExpiry(Expiry.newBuilder().setNever(true)); }

    /** When it would have before. */
    public static KeyExpiry keep() { return new KeyExpiry(Expiry.newBuilder().setKeep(true)); }
  }

  /** How a value is set. */
  public static final class SetQuery extends Query<SetQuery, SetValueRequest.Builder> {
    /** With its defaults. */
    public SetQuery() { super(SetValueRequest.newBuilder()); }

    /** When it expires. Default: as the session says. */
    public SetQuery expiry(KeyExpiry expiry) { message.setExpiry(expiry.message); return this; }

    /**
     * Time to live that keys of the session have from now on which are set without an expiry, this one included; null: they stay.
     * Default: it stays as it is.
     */
    public SetQuery sessionDefaultTtl(Duration ttl) {
      if (ttl == null) message.setNoSessionDefaultTtl(true);
      else message.setSessionDefaultTtl(Values.duration(ttl));
      return this;
    }
  }

  /** One step of a transaction. An {@code ifVersion} must be the version of the key; 0: it must not be there; null: any. */
  public static final class Operation {
    private final ValueOperation message;

    private Operation(ValueOperation.Builder message) { this.message = message.build(); }

    /** Sets a value. A null expiry is as the session says. */
    public static Operation set(String key, Object value, KeyExpiry expiry, Long ifVersion) {
      SetOperation.Builder set = SetOperation.newBuilder().setKey(key).setValue(Content.from(value, "value").message());
      if (expiry != null) set.setExpiry(expiry.message);
      if (ifVersion != null) set.setIfVersion(ifVersion);
      return new Operation(ValueOperation.newBuilder().setSet(set));
    }

    /** Sets a value. */
    public static Operation set(String key, Object value) { return set(key, value, null, null); }

    /** Deletes a key. */
    public static Operation remove(String key, Long ifVersion) {
      return new Operation(ValueOperation.newBuilder().setRemove(keyOperation(key, ifVersion)));
    }

    /** Changes when a key expires. */
    public static Operation touch(String key, KeyExpiry expiry, Long ifVersion) {
      TouchOperation.Builder touch = TouchOperation.newBuilder().setKey(key).setExpiry(expiry.message);
      if (ifVersion != null) touch.setIfVersion(ifVersion);
      return new Operation(ValueOperation.newBuilder().setTouch(touch));
    }

    /** Changes nothing: the key must have this version. */
    public static Operation check(String key, long ifVersion) {
      return new Operation(ValueOperation.newBuilder().setCheck(keyOperation(key, ifVersion)));
    }

    private static KeyOperation.Builder keyOperation(String key, Long ifVersion) {
      KeyOperation.Builder operation = KeyOperation.newBuilder().setKey(key);
      if (ifVersion != null) operation.setIfVersion(ifVersion);
      return operation;
    }

    ValueOperation message() { return message; }
  }

  /** What is said of a task. */
  public static final class Progress {
    private final UpdateTaskProgressRequest.Builder message = UpdateTaskProgressRequest.newBuilder();
    private String taskId = "";

    /** Nothing is said yet. */
    public Progress() {}

    /** Id of the task; only for {@code setTaskState}. */
    public Progress taskId(String id) { taskId = id; return this; }

    /** What is to be done. */
    public Progress description(String text) { message.setDescription(text); return this; }

    /** How it stands. Default {@code PENDING}. */
    public Progress status(TaskStatus status) { message.setStatus(Values.code(dev.mneme.v1.TaskStatus.class, "TASK_STATUS_", status)); return this; }

    /** What the status does not say. */
    public Progress detail(String text) { message.setDetail(text); return this; }

    /** The step that it is at. */
    public Progress currentStep(long step) { message.setCurrentStep(step); return this; }

    /** How many steps there are; 0: not known. */
    public Progress totalSteps(long steps) { message.setTotalSteps(steps); return this; }

    /** 0 to 100; what lies outside is brought to the nearer end. */
    public Progress progressPercent(double percent) { message.setProgressPercent(percent); return this; }

    UpdateTaskProgressRequest.Builder update() { return message.clone(); }

    dev.mneme.v1.TaskState state() {
      return dev.mneme.v1.TaskState.newBuilder().setTaskId(taskId).setDescription(message.getDescription())
          .setStatus(message.getStatusValue() == 0 ? dev.mneme.v1.TaskStatus.TASK_STATUS_PENDING : message.getStatus())
          .setDetail(message.getDetail()).setCurrentStep(message.getCurrentStep()).setTotalSteps(message.getTotalSteps())
          .setProgressPercent(message.getProgressPercent()).build();
    }
  }

  /** What of a session is watched. */
  public static final class WatchQuery extends Query<WatchQuery, WatchSessionRequest.Builder> {
    /** All of it, from now on, without values. */
    public WatchQuery() { super(WatchSessionRequest.newBuilder()); }

    /** Revision after which to begin. Default: from now on. */
    public WatchQuery afterRevision(long revision) { message.setAfterRevision(revision); return this; }

    /** Which keys, as a glob. Default: all. */
    public WatchQuery pattern(String glob) { message.setPattern(glob); return this; }

    /** Sends values along. */
    public WatchQuery includeValues(boolean include) { message.setIncludeValues(include); return this; }
  }

  /**
   * A key of a session, without its value.
   *
   * @param key the key
   * @param version for changes on condition; never used again for another value
   * @param bytes bytes of key and value
   * @param createTime when it was set first
   * @param updateTime when it was set last
   * @param expireTime when it expires; null: it does not
   */
  public record Key(String key, long version, long bytes, Instant createTime, Instant updateTime, Instant expireTime) {}

  /**
   * A key of a session with its value.
   *
   * @param key the key
   * @param value the value
   * @param version for changes on condition; never used again for another value
   * @param bytes bytes of key and value
   * @param createTime when it was set first
   * @param updateTime when it was set last
   * @param expireTime when it expires; null: it does not
   */
  public record Entry(String key, Content value, long version, long bytes, Instant createTime, Instant updateTime, Instant expireTime) {}

  /**
   * Values that were asked for by their keys.
   *
   * @param entries those that are there
   * @param missing keys that are not
   */
  public record Found(List<Entry> entries, List<String> missing) {}

  /**
   * What was deleted.
   *
   * @param keyCount values
   * @param noteCount notes
   */
  public record Cleared(int keyCount, int noteCount) {}

  /** How a task stands. */
  public enum TaskStatus {
    /** To be begun. */
    PENDING,
    /** Under way. */
    IN_PROGRESS,
    /** Held up. */
    BLOCKED,
    /** Done. */
    COMPLETED,
    /** Not done. */
    FAILED,
    /** Given up. */
    CANCELLED
  }

  /**
   * A task.
   *
   * @param taskId its id
   * @param description what is to be done
   * @param status how it stands
   * @param detail what the status does not say
   * @param currentStep the step that it is at
   * @param totalSteps how many steps there are; 0: not known
   * @param progressPercent 0 to 100
   * @param startTime when it was set
   * @param updateTime when it was changed last
   * @param version for changes on condition
   */
  public record TaskState(String taskId, String description, TaskStatus status, String detail, long currentStep, long totalSteps,
      double progressPercent, Instant startTime, Instant updateTime, long version) {}

  /**
   * Where notes were put.
   *
   * @param firstSequence number of the first of them
   * @param droppedCount notes that gave way to them, in all
   */
  public record Appended(long firstSequence, long droppedCount) {}

  /**
   * A note of the scratchpad.
   *
   * @param sequence from 1; never used again in a session
   * @param time when it was written
   * @param content what it says
   */
  public record Note(long sequence, Instant time, Content content) {}

  /**
   * What a checkpoint brought back.
   *
   * @param checkpoint the checkpoint
   * @param restoredCount keys that were brought back
   * @param expiredCount keys of the checkpoint that have expired since and were left out
   * @param removedCount keys that were deleted
   * @param noteCount notes that were brought back
   * @param revision revision of the session
   */
  public record Restored(Checkpoint checkpoint, int restoredCount, int expiredCount, int removedCount, int noteCount, long revision) {}

  /**
   * What a new session holds.
   *
   * @param keyCount keys
   * @param noteCount notes
   * @param expiredCount keys of the checkpoint that have expired since and were left out
   */
  public record Forked(int keyCount, int noteCount, int expiredCount) {}

  /** How a key differs. */
  public enum Difference {
    /** It is new. */
    ADDED,
    /** It is gone. */
    REMOVED,
    /** It has another value. */
    CHANGED
  }

  /**
   * A key that differs.
   *
   * @param key the key
   * @param difference how
   * @param fromBytes bytes before
   * @param toBytes bytes after
   */
  public record KeyDiff(String key, Difference difference, long fromBytes, long toBytes) {}

  /**
   * How two checkpoints differ.
   *
   * @param keys up to 1,000 keys that differ
   * @param differingCount all keys that differ
   * @param equalCount keys that do not
   * @param taskDiffers whether the task state does
   * @param fromTask task state before, or null
   * @param toTask task state after, or null
   * @param addedNoteCount notes that are new
   * @param removedNoteCount notes that are gone
   */
  public record CheckpointDiff(List<KeyDiff> keys, int differingCount, int equalCount, boolean taskDiffers, TaskState fromTask,
      TaskState toTask, int addedNoteCount, int removedNoteCount) {}

  /**
   * What a session holds.
   *
   * @param keyCount keys
   * @param valueBytes bytes of keys and values
   * @param noteCount notes
   * @param noteBytes bytes of notes
   * @param droppedNoteCount notes that gave way to others
   * @param hasTaskState whether it has a task state
   * @param checkpointCount checkpoints
   * @param checkpointBytes bytes of checkpoints
   * @param createTime when it was made
   * @param updateTime when it was changed last
   * @param revision revision of the session
   * @param scope whose session it is
   * @param usingFallback true while the server serves it from what it has kept itself, because Redis is away
   */
  public record Statistics(int keyCount, long valueBytes, int noteCount, long noteBytes, long droppedNoteCount, boolean hasTaskState,
      int checkpointCount, long checkpointBytes, Instant createTime, Instant updateTime, long revision, Scope scope,
      boolean usingFallback) {}

  /** What happened in a session. */
  public enum EventKind {
    /** A value was set. */
    SET,
    /** A value was deleted. */
    DELETED,
    /** A value has expired. */
    EXPIRED,
    /** The expiry of a value was changed. */
    TOUCHED,
    /** All was deleted. */
    CLEARED,
    /** A checkpoint was restored. */
    RESTORED,
    /** The task state was changed. */
    TASK_STATE,
    /** Notes were appended. */
    SCRATCHPAD_APPENDED,
    /** All notes were deleted. */
    SCRATCHPAD_CLEARED,
    /** A checkpoint was made. */
    CHECKPOINT_CREATED,
    /** A checkpoint was deleted. */
    CHECKPOINT_DELETED,
    /** The session was paused, resumed or ended. */
    LIFECYCLE,
    /** What this version of the client does not know. */
    OTHER
  }

  /**
   * A change of a session.
   *
   * @param kind what happened
   * @param revision revision of the session
   * @param key the key, or the id of the checkpoint; empty where it is about neither
   * @param time when
   * @param entry where values were asked for, of a key that was set and not set again since; otherwise null
   */
  public record Event(EventKind kind, long revision, String key, Instant time, Entry entry) {}
}
