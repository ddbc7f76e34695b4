package dev.mneme.client;

import dev.mneme.v1.GetStatesAtStepsRequest;

/** Which states are looked at. */
public final class StatesQuery extends Query.Filtered<StatesQuery, GetStatesAtStepsRequest.Builder> {
  /** A query with its defaults. */
  public StatesQuery() {
    super(GetStatesAtStepsRequest.newBuilder());
  }

  /** Whose: parts that are set must be equal. Default: all. */
  public StatesQuery scope(Scope scope) { message.setScope(scope.message()); return this; }

  /** Type of the memories that are states. Default {@code state}. */
  public StatesQuery type(String type) { message.setType(type); return this; }

  /** Gives a step that has no state of its own the nearest one before it. Default false. */
  public StatesQuery carryForward(boolean carry) { message.setCarryForward(carry); return this; }

  /** How much of each memory. Default {@code BASIC}: all fields except the vector. */
  public StatesQuery view(MemoryView view) { message.setView(Values.code(dev.mneme.v1.MemoryView.class, "MEMORY_VIEW_", view)); return this; }
}
