package dev.mneme.client;

import dev.mneme.v1.GetMemorySequenceRequest;
import java.time.Duration;

/** Selects memories before and after a memory. */
public final class SequenceQuery extends Query.Filtered<SequenceQuery, GetMemorySequenceRequest.Builder> {
  /** A query with its defaults. */
  public SequenceQuery() {
    super(GetMemorySequenceRequest.newBuilder());
  }

  /** Most memories before it. Default 2, and 1,000 with a window. */
  public SequenceQuery beforeCount(int count) { message.setBeforeCount(count); return this; }

  /** Most memories after it. Default 2, and 1,000 with a window. */
  public SequenceQuery afterCount(int count) { message.setAfterCount(count); return this; }

  /** Only events at most this long before or after it. */
  public SequenceQuery timeWindow(Duration window) { message.setTimeWindow(Values.duration(window)); return this; }

  /** Only memories of its type. */
  public SequenceQuery sameType(boolean same) { message.setSameType(same); return this; }

  /** Only memories of its scope. */
  public SequenceQuery sameScope(boolean same) { message.setSameScope(same); return this; }

  /** How much of each memory. Default {@code BASIC}: all fields except the vector. */
  public SequenceQuery view(MemoryView view) { message.setView(Values.code(dev.mneme.v1.MemoryView.class, "MEMORY_VIEW_", view)); return this; }
}
