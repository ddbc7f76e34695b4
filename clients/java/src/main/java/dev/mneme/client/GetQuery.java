package dev.mneme.client;

import dev.mneme.v1.GetMemoryRequest;

/** How a memory is read. */
public final class GetQuery extends Query<GetQuery, GetMemoryRequest.Builder> {
  /** A query with its defaults. */
  public GetQuery() {
    super(GetMemoryRequest.newBuilder());
  }

  /** How much of each memory. Default {@code BASIC}: all fields except the vector. */
  public GetQuery view(MemoryView view) { message.setView(Values.code(dev.mneme.v1.MemoryView.class, "MEMORY_VIEW_", view)); return this; }

  /** Counts the read: raises the count of retrievals. */
  public GetQuery touch(boolean touch) { message.setTouch(touch); return this; }

  /** As {@code touch}, and moves the memory one tier up when it has earned it. */
  public GetQuery focus(boolean focus) { message.setFocus(focus); return this; }
}
