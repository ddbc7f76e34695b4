package dev.mneme.client;

import java.util.List;

/**
 * Memories that were moved to another tier.
 *
 * @param moves the moves
 * @param damagedIds ids of memories whose bytes are damaged
 * @param revision revision of the change log
 */
public record MoveResult(List<Move> moves, List<String> damagedIds, long revision) {
  /**
   * A memory that was moved.
   *
   * @param id its id
   * @param fromTier tier that it was in
   * @param toTier tier that it is in
   * @param reason why
   * @param score score by which moves are ordered
   */
  public record Move(String id, Tier fromTier, Tier toTier, MoveReason reason, double score) {}

  /**
   * Memories deleted from a tier; with a dry run, memories that would be deleted.
   *
   * @param clearedCount how many
   * @param ids ids of the first 1,000 of them
   * @param revision revision of the change log
   */
  public record Cleared(long clearedCount, List<String> ids, long revision) {}
}
