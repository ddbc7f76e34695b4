package dev.mneme.client;

/** A way of finding candidates. */
public enum RecallLane {
  /** By words. */
  KEYWORD,

  /** By meaning. */
  VECTOR,

  /** By nearness in time. */
  TIME,

  /** By nearness in place. */
  PLACE,

  /** By the filter alone. */
  FILTER,

  /** A value that this version of the client does not know. */
  OTHER
}
