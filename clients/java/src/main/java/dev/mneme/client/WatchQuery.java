package dev.mneme.client;

import dev.mneme.v1.WatchMemoriesRequest;

/** Which changes are watched. */
public final class WatchQuery extends Query.Filtered<WatchQuery, WatchMemoriesRequest.Builder> {
  /** Handling of compacted changes. */
  public enum OnCompacted {
    /** Lists all memories and continues from there. */
    LIST,
    /** Fails with {@link MnemeException.OutOfRange}. */
    FAIL
  }

  OnCompacted onCompacted = OnCompacted.LIST;
  Scope scope = Scope.NONE;
  MemoryView view = MemoryView.BASIC;

  /** A query with its defaults. */
  public WatchQuery() {
    super(WatchMemoriesRequest.newBuilder());
  }

  /** Whose memories. */
  public WatchQuery scope(Scope scope) { this.scope = scope; message.setScope(scope.message()); return this; }

  /** First revision. Default: the first change after the call. */
  public WatchQuery startRevision(long revision) { message.setStartRevision(revision); return this; }

  /** {@code resumeToken} of an earlier event of the same query: continues after it. */
  public WatchQuery resumeToken(String token) { message.setResumeToken(token); return this; }

  /** Default {@code BASIC}; vectors are never included. */
  public WatchQuery view(MemoryView view) { this.view = view; message.setView(Values.code(dev.mneme.v1.MemoryView.class, "MEMORY_VIEW_", view)); return this; }

  /** Includes reads with {@code touch}. */
  public WatchQuery includeTouched(boolean include) { message.setIncludeTouched(include); return this; }

  /** Includes moves between tiers that bring a memory neither into the filter nor out of it. */
  public WatchQuery includeMoved(boolean include) { message.setIncludeMoved(include); return this; }

  /** Handling of changes that are no longer retained. Default {@code LIST}. */
  public WatchQuery onCompacted(OnCompacted then) { onCompacted = then; return this; }
}
