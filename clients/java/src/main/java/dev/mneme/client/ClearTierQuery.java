package dev.mneme.client;

import dev.mneme.v1.ClearTierRequest;

/** Selects memories of a tier to erase: a scope or all, not both. */
public final class ClearTierQuery extends Query<ClearTierQuery, ClearTierRequest.Builder> {
  /** A query with its defaults. */
  public ClearTierQuery() {
    super(ClearTierRequest.newBuilder());
  }

  /** The memories of this scope. */
  public ClearTierQuery scope(Scope scope) { message.setScope(scope.message()); return this; }

  /** All of them. */
  public ClearTierQuery all(boolean all) { message.setAll(all); return this; }

  /** Only counts. */
  public ClearTierQuery dryRun(boolean dryRun) { message.setDryRun(dryRun); return this; }
}
