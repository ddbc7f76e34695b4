package dev.mneme.client;

import dev.mneme.v1.ListMemoriesRequest;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

/** Which memories are listed, and how. */
public final class ListQuery extends Query.Filtered<ListQuery, ListMemoriesRequest.Builder> {
  /** Order of a list. Memories of the same value are ordered by when they were stored. */
  public enum Order {
    /** Newest stored first. */
    CREATE_TIME_DESC,
    /** Oldest stored first. */
    CREATE_TIME_ASC,
    /** Newest event first. */
    EVENT_TIME_DESC,
    /** Oldest event first. */
    EVENT_TIME_ASC,
    /** Most important first. */
    IMPORTANCE_DESC,
    /** By step. */
    STEP_ASC,
    /** By step, the last one first. */
    STEP_DESC
  }

  Consumer<List<String>> onDamaged;

  /** A query with its defaults. */
  public ListQuery() {
    super(ListMemoriesRequest.newBuilder());
    order(Order.CREATE_TIME_DESC);
  }

  /** Default: newest stored first. */
  public ListQuery order(Order order) { message.setOrder(Values.code(dev.mneme.v1.MemoryOrder.class, "MEMORY_ORDER_", order)); return this; }

  /** How much of each memory. Default {@code BASIC}: all fields except the vector. */
  public ListQuery view(MemoryView view) { message.setView(Values.code(dev.mneme.v1.MemoryView.class, "MEMORY_VIEW_", view)); return this; }

  /** Most memories per page, 1 to 1,000. */
  public ListQuery pageSize(int size) { message.setPageSize(size); return this; }

  /** Where a page begins: {@code nextPageToken} of the one before, with the same query. */
  public ListQuery pageToken(String token) { message.setPageToken(token); return this; }

  /** False: only memories that are valid now and not superseded. Default true. Must be absent with {@code asOf}. */
  public ListQuery includeInvalid(boolean include) { message.setIncludeInvalid(include); return this; }

  /** Only memories that were valid at this instant, whether or not superseded since. */
  public ListQuery asOf(Instant time) { message.setAsOf(Values.timestamp(time)); return this; }

  /** For {@code list}: receives ids of memories that cannot be read. Default: {@link MnemeException.DataLoss} after all the others. */
  public ListQuery onDamaged(Consumer<List<String>> listener) { onDamaged = listener; return this; }
}
