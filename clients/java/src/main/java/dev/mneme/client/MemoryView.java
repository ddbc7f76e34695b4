package dev.mneme.client;

/** How much of a memory an answer carries. */
public enum MemoryView {
  /** all fields except the vector. */
  BASIC,

  /** The vector, too. */
  FULL,

  /** Names, scope, times and numbers only. */
  METADATA
}
