package dev.mneme.client;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * A session and what has become of it.
 *
 * @param name resource name
 * @param id its id
 * @param scope whose session it is
 * @param state what it is now
 * @param version for changes on condition
 * @param metadata notes of callers and hooks
 * @param createTime when it was made
 * @param updateTime when it was changed last
 * @param activeDuration how long it has been active
 * @param frozen whether working memory takes no writes
 * @param checkpointId the checkpoint that its pause made, or null
 * @param agentSnapshotId the snapshot of memories that its pause took along, or null
 * @param outcome how it ended, or null
 * @param episodeId id of the memory that tells of it, or null
 * @param expireTime when it is deleted, or null
 * @param defaultTtl time to live of values that are set without an expiry, or null
 * @param idleTtl time without a write after which it ends by itself, or null
 * @param idleExpireTime when it ends by itself if nothing is written to it, or null
 */
public record Session(String name, String id, Scope scope, State state, long version, Map<String, String> metadata, Instant createTime,
    Instant updateTime, Duration activeDuration, boolean frozen, @From(optional = true) String checkpointId,
    @From(optional = true) String agentSnapshotId, Outcome outcome, @From(value = "episode", optional = true) String episodeId,
    Instant expireTime, @From(optional = true) Duration defaultTtl, @From(optional = true) Duration idleTtl, Instant idleExpireTime) {
  /** State of a session. */
  public enum State {
    /** At work. */
    ACTIVE,
    /** At rest, with a checkpoint of all that it has. */
    PAUSED,
    /** At its end. */
    TERMINATED
  }

  /** How a session ended. */
  public enum Outcome {
    /** It did what it was for. */
    SUCCESS,
    /** It did not. */
    FAILURE,
    /** It did some of it. */
    PARTIAL,
    /** It was not written to for too long. */
    EXPIRED
  }
}
