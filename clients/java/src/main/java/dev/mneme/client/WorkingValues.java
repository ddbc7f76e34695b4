package dev.mneme.client;

import dev.mneme.v1.Expiry;
import dev.mneme.v1.KeyOperation;
import dev.mneme.v1.SetOperation;
import dev.mneme.v1.SetValueRequest;
import dev.mneme.v1.TouchOperation;
import dev.mneme.v1.ValueOperation;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Requests and results of keys and values of {@link WorkingMemory}. */
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

    /** When it expires. Default: the session's default. */
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

    /** Sets a value. A null expiry is the session's default. */
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
   * @param entries existing entries
   * @param missing keys that are not
   */
  public record Found(List<Entry> entries, List<String> missing) {}

  /**
   * Result of a deletion.
   *
   * @param keyCount values
   * @param noteCount notes
   */
  public record Cleared(int keyCount, int noteCount) {}

  /**
   * The contents of a session.
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
   * @param usingFallback true while the server serves it from its own copy, because Redis is unavailable
   */
  public record Statistics(int keyCount, long valueBytes, int noteCount, long noteBytes, long droppedNoteCount, boolean hasTaskState,
      int checkpointCount, long checkpointBytes, Instant createTime, Instant updateTime, long revision, Scope scope,
      boolean usingFallback) {}
}
