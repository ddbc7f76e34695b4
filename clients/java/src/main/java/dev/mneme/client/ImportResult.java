package dev.mneme.client;

import java.util.List;

/**
 * Result of an import.
 *
 * @param storedCount memories that were stored
 * @param skippedCount memories that were there already; what was sent twice because the connection broke may count here
 *     too
 * @param revision revision of the change log
 * @param degraded tiers that could not store the latest memories; empty when all is as usual
 */
public record ImportResult(long storedCount, long skippedCount, long revision, List<Receipt.Degradation> degraded) {}
