package dev.mneme.client;

import java.time.Instant;

/**
 * What a session held at an instant.
 *
 * @param id its id
 * @param description what it is for
 * @param kind who made it
 * @param parentCheckpointId the one that the session was at before; empty for the first
 * @param createTime when it was made
 * @param expireTime when it is deleted; null: it is kept
 * @param sessionRevision revision of the session
 * @param memoryRevision revision of the change log
 * @param keyCount values
 * @param noteCount notes of the scratchpad
 * @param hasTaskState whether it has a task state
 * @param bytes bytes of what it holds
 * @param storedBytes compressed, and without what it shares with others
 * @param checksum checksum of what it holds
 */
public record Checkpoint(String id, String description, Kind kind, String parentCheckpointId, Instant createTime, Instant expireTime,
    long sessionRevision, long memoryRevision, int keyCount, int noteCount, boolean hasTaskState, long bytes, long storedBytes,
    String checksum) {
  /** Who made a checkpoint. */
  public enum Kind {
    /** A caller. */
    MANUAL,
    /** A pause of the session. */
    LIFECYCLE
  }

  /** What becomes of what a session has when a checkpoint is restored. */
  public enum RestoreMode {
    /** The session has what the checkpoint holds and nothing else. */
    REPLACE,
    /** Other keys stay. */
    MERGE
  }
}
