package dev.mneme.client;

import dev.mneme.v1.RecallWeights;

/** How much each part of a score counts: 0 switches a part off; unset parts have the server's default. */
public final class Weights {
  private final RecallWeights.Builder message = RecallWeights.newBuilder();

  /** The server's defaults. */
  public Weights() {}

  /** Words. */
  public Weights keyword(double weight) { message.setKeyword(weight); return this; }

  /** Meaning. */
  public Weights vector(double weight) { message.setVector(weight); return this; }

  /** Age. */
  public Weights recency(double weight) { message.setRecency(weight); return this; }

  /** Importance. */
  public Weights importance(double weight) { message.setImportance(weight); return this; }

  /** Being of the session of the query's scope. */
  public Weights session(double weight) { message.setSession(weight); return this; }

  /** Nearness to {@code nearTime}. */
  public Weights time(double weight) { message.setTime(weight); return this; }

  /** Nearness to {@code nearPlace}. */
  public Weights place(double weight) { message.setPlace(weight); return this; }

  RecallWeights message() { return message.build(); }
}
