package dev.mneme.client;

import java.util.List;

/**
 * The current answer of a standing query, and the changes since the previous one.
 *
 * @param hits the answer, best first: what recall would give at the revision
 * @param entered hits that were not in the answer before
 * @param updated hits whose memory, place, neighbours or score has changed
 * @param leftIds ids of memories that left the answer
 * @param revision revision of the change log
 * @param isProgress true when it tells of no change, only that the answer still holds at the revision
 * @param degraded parts that could not be searched, or not in full
 */
public record StandingAnswer(List<Hit> hits, List<Hit> entered, List<Hit> updated, List<String> leftIds, long revision,
    boolean isProgress, List<RecallResult.Degradation> degraded) {}
