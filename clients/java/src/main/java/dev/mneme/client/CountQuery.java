package dev.mneme.client;

import dev.mneme.v1.CountMemoriesRequest;
import java.time.Instant;

/** Which memories are counted. */
public final class CountQuery extends Query.Filtered<CountQuery, CountMemoriesRequest.Builder> {
  /** A query with its defaults. */
  public CountQuery() {
    super(CountMemoriesRequest.newBuilder());
  }

  /** False: only memories that are valid now and not superseded. Default true. Must be absent with {@code asOf}. */
  public CountQuery includeInvalid(boolean include) { message.setIncludeInvalid(include); return this; }

  /** Only memories that were valid at this instant, whether or not superseded since. */
  public CountQuery asOf(Instant time) { message.setAsOf(Values.timestamp(time)); return this; }
}
