package dev.mneme.client;

/**
 * Result of an import.
 *
 * @param storedCount memories that were stored
 * @param skippedCount memories that were there already; what was sent twice because the connection broke may count here
 *     too
 * @param revision revision of the change log
 */
public record ImportResult(long storedCount, long skippedCount, long revision) {}
