package dev.mneme.client;

/** What is done with a memory whose id is taken. */
public enum ConflictPolicy {
  /** The one that is there stays. */
  KEEP,

  /** It is replaced. */
  REPLACE,

  /** The call fails. */
  FAIL
}
