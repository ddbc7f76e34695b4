package dev.mneme.client;

import dev.mneme.v1.WatchMemoriesRequest;

/** Which changes are watched. */
public final class WatchQuery extends Query.Filtered<WatchQuery, WatchMemoriesRequest.Builder> {
  /** What to do when changes are no longer kept. */
  public enum OnCompacted {
    /** Tells all that is there and goes on from there. */
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

  /** First revision to tell of. Default: the first change after the call. */
  public WatchQuery startRevision(long revision) { message.setStartRevision(revision); return this; }

  /** {@code resumeToken} of an earlier event of the same query: goes on behind it. */
  public WatchQuery resumeToken(String token) { message.setResumeToken(token); return this; }

  /** Default {@code BASIC}; vectors are never told. */
  public WatchQuery view(MemoryView view) { this.view = view; message.setView(Values.code(dev.mneme.v1.MemoryView.class, "MEMORY_VIEW_", view)); return this; }

  /** Also tells that memories were read with {@code touch}. */
  public WatchQuery includeTouched(boolean include) { message.setIncludeTouched(include); return this; }

  /** Also tells moves between tiers that bring a memory neither into the filter nor out of it. */
  public WatchQuery includeMoved(boolean include) { message.setIncludeMoved(include); return this; }

  /** What to do when changes that are still to be told are no longer kept. Default {@code LIST}. */
  public WatchQuery onCompacted(OnCompacted then) { onCompacted = then; return this; }
}
