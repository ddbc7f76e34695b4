package dev.mneme.client;

/** Handling of a memory whose id exists. */
public enum ConflictPolicy {
  /** Keeps the existing memory. */
  KEEP,

  /** It is replaced. */
  REPLACE,

  /** The call fails. */
  FAIL
}
