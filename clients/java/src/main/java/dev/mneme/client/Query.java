package dev.mneme.client;

import com.google.protobuf.Message;

/** A request in the making. Each setter changes this object and returns it; it is not to be changed by several threads at once. */
public abstract class Query<S extends Query<S, B>, B extends Message.Builder> {
  final B message;

  Query(B message) {
    this.message = message;
  }

  /** This object, of its own class. */
  @SuppressWarnings("unchecked")
  final S self() {
    return (S) this;
  }

  /** A copy to be completed and sent. */
  @SuppressWarnings("unchecked")
  final B copy() {
    return (B) message.clone();
  }

  /** A query that says which memories. */
  public abstract static class Filtered<S extends Filtered<S, B>, B extends Message.Builder> extends Query<S, B> {
    Filtered(B message) {
      super(message);
    }

    /** Which memories. Default: all. */
    public S filter(Filter filter) {
      if (filter == null) throw Errors.badInput("filter", "must not be null; without a condition leave the filter out");
      filter.into(message);
      return self();
    }

    /** Which memories, as text, such as {@code type = "state" AND step >= 10}. */
    public S filter(String filter) {
      return filter(Filter.text(filter));
    }
  }
}
