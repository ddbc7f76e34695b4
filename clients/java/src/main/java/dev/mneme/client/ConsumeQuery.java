package dev.mneme.client;

import dev.mneme.v1.ConsumeStart;

/** How changes are delivered. */
public final class ConsumeQuery extends Query<ConsumeQuery, ConsumeStart.Builder> {
  /** Handling of undelivered changes that are no longer retained. */
  public enum OnCompacted {
    /** Fails with {@link MnemeException.OutOfRange}. */
    FAIL,
    /** Continues with the oldest retained one. */
    SKIP
  }

  OnCompacted onCompacted = OnCompacted.FAIL;

  /** A query with its defaults. */
  public ConsumeQuery() {
    super(ConsumeStart.newBuilder());
  }

  /** Most changes that are delivered and not acknowledged. Default 1,000. */
  public ConsumeQuery maxOutstanding(int count) { message.setMaxOutstanding(count); return this; }

  /** Default {@code BASIC}; vectors are never included. */
  public ConsumeQuery view(MemoryView view) { message.setView(Values.code(dev.mneme.v1.MemoryView.class, "MEMORY_VIEW_", view)); return this; }

  /** Moves the cursor: the next revision to be delivered. Default: after its last acknowledgement. */
  public ConsumeQuery startRevision(long revision) { message.setStartRevision(revision); return this; }

  /** Default {@code FAIL}. */
  public ConsumeQuery onCompacted(OnCompacted then) { onCompacted = then; return this; }
}
