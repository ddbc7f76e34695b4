package dev.mneme.client;

import java.util.List;

/**
 * How far an ingest is.
 *
 * @param acknowledgedSequence number of the last memory that is settled: on disk, or refused; the first one has the number 1
 * @param storedCount memories that were stored
 * @param existingCount memories whose id was taken and kept, or that a broken connection had stored
 * @param refusedCount memories that were refused
 * @param refused those refused since the progress before, and why
 * @param receipts those stored since the progress before, when they are asked for
 * @param revision newest revision of this stream
 */
public record IngestProgress(long acknowledgedSequence, long storedCount, long existingCount, long refusedCount, List<Refused> refused,
    List<Receipt> receipts, long revision) {
  /**
   * A memory that was refused.
   *
   * @param sequence its number
   * @param error why
   */
  public record Refused(long sequence, MnemeException error) {}
}
