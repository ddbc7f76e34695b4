package dev.mneme.client;

import dev.mneme.v1.GetAttributeHistoryRequest;

/** Which states a history is made of. */
public final class AttributeHistoryQuery extends Query.Filtered<AttributeHistoryQuery, GetAttributeHistoryRequest.Builder> {
  /** A query with its defaults. */
  public AttributeHistoryQuery() {
    super(GetAttributeHistoryRequest.newBuilder());
  }

  /** Whose: parts that are set must be equal. Default: all. */
  public AttributeHistoryQuery scope(Scope scope) { message.setScope(scope.message()); return this; }

  /** Type of the memories that are states. Default {@code state}. */
  public AttributeHistoryQuery type(String type) { message.setType(type); return this; }

  /** First step. Default: the first that there is. */
  public AttributeHistoryQuery startStep(long step) { message.setStartStep(step); return this; }

  /** Last step. Default: the last that there is. */
  public AttributeHistoryQuery endStep(long step) { message.setEndStep(step); return this; }

  /** Most changes, 1 to 10,000. Default 1,000. */
  public AttributeHistoryQuery limit(int limit) { message.setLimit(limit); return this; }
}
