package dev.mneme.client;

/** Durability of a memory, and the resolution at which it is searched. */
public enum Tier {
  /** Where every memory starts. */
  SHORT_TERM,

  /** Between the two. */
  INTERMEDIATE,

  /** Permanent memories, compressed. */
  LONG_TERM
}
