package dev.mneme.client;

import java.util.UUID;

/** How memories are ingested. Each setter changes this object and returns it. */
public final class IngestOptions {
  ConflictPolicy conflictPolicy = ConflictPolicy.KEEP;
  String streamId = UUID.randomUUID().toString();
  long acknowledgedSequence;
  boolean receipts;

  /** Options with their defaults. */
  public IngestOptions() {}

  /** Handling of a memory whose id exists. Default {@code KEEP}. */
  public IngestOptions conflictPolicy(ConflictPolicy policy) { conflictPolicy = policy; return this; }

  /**
   * Names the stream. To go on in another process after a crash, give the same name, the {@code acknowledgedSequence} of the last
   * progress, and the memories behind it. Default: a new UUID.
   */
  public IngestOptions streamId(String id) { streamId = id; return this; }

  /** Number of the last memory that an earlier process knew to be settled. Default 0. */
  public IngestOptions acknowledgedSequence(long sequence) { acknowledgedSequence = sequence; return this; }

  /** Also reports the receipts of stored memories. Default false. */
  public IngestOptions receipts(boolean receipts) { this.receipts = receipts; return this; }
}
