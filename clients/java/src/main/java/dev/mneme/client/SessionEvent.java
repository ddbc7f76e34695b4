package dev.mneme.client;

import dev.mneme.v1.WatchSessionRequest;
import java.time.Instant;

/**
 * A change of a session.
 *
 * @param kind kind of the change
 * @param revision revision of the session
 * @param key the key, or the id of the checkpoint; empty where it is about neither
 * @param time when
 * @param entry where values were asked for, of a key that was set and not set again since; otherwise null
 */
public record SessionEvent(Kind kind, long revision, String key, Instant time, WorkingValues.Entry entry) {
  /** A change of a session. */
  public enum Kind {
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
    /** A value that this version of the client does not know. */
    OTHER
  }

  /** Selects the events of a session. */
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
}
