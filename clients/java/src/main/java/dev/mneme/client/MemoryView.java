package dev.mneme.client;

/** How much of a memory an answer carries. */
public enum MemoryView {
  /** Everything but the vector. */
  BASIC,

  /** The vector, too. */
  FULL,

  /** Names, scope, times and numbers only. */
  METADATA
}
