package dev.mneme.client;

/** How lasting a memory is and at what resolution it is searched. */
public enum Tier {
  /** Where every memory starts. */
  SHORT_TERM,

  /** Between the two. */
  INTERMEDIATE,

  /** What is kept for good, compressed. */
  LONG_TERM
}
