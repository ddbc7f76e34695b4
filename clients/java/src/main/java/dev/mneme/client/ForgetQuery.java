package dev.mneme.client;

import dev.mneme.v1.ForgetMemoriesRequest;

/** Selects memories to erase: by a filter, or all. */
public final class ForgetQuery extends Query.Filtered<ForgetQuery, ForgetMemoriesRequest.Builder> {
  /** A query with its defaults. */
  public ForgetQuery() {
    super(ForgetMemoriesRequest.newBuilder());
  }

  /** Erases every memory of the namespace. */
  public ForgetQuery all(boolean all) { message.setAll(all); return this; }

  /** Only counts. */
  public ForgetQuery dryRun(boolean dryRun) { message.setDryRun(dryRun); return this; }
}
