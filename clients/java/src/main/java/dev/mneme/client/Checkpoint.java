package dev.mneme.client;

import java.time.Instant;
import java.util.List;

/**
 * Copy of the working memory of a session at an instant.
 *
 * @param id its id
 * @param description its purpose
 * @param kind its origin
 * @param parentCheckpointId the session's preceding checkpoint; empty for the first
 * @param createTime when it was made
 * @param expireTime when it is deleted; null: it is kept
 * @param sessionRevision revision of the session
 * @param memoryRevision revision of the change log
 * @param keyCount values
 * @param noteCount notes of the scratchpad
 * @param hasTaskState whether it has a task state
 * @param bytes bytes of its contents
 * @param storedBytes compressed, and without bytes shared with other checkpoints
 * @param checksum checksum of its contents
 */
public record Checkpoint(String id, String description, Kind kind, String parentCheckpointId, Instant createTime, Instant expireTime,
    long sessionRevision, long memoryRevision, int keyCount, int noteCount, boolean hasTaskState, long bytes, long storedBytes,
    String checksum) {
  /** The creator of a checkpoint. */
  public enum Kind {
    /** A caller. */
    MANUAL,
    /** A pause of the session. */
    LIFECYCLE
  }

  /** Handling of present keys when a checkpoint is restored. */
  public enum RestoreMode {
    /** The session has exactly the contents of the checkpoint. */
    REPLACE,
    /** Other keys stay. */
    MERGE
  }

  /**
   * Result of restoring a checkpoint.
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
   * Contents of a new session.
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
  public record Diff(List<KeyDiff> keys, int differingCount, int equalCount, boolean taskDiffers, Task fromTask,
      Task toTask, int addedNoteCount, int removedNoteCount) {}
}
