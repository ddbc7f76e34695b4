package dev.mneme.client;

import java.time.Instant;
import java.util.List;

/**
 * Totals of a namespace or of the whole server.
 *
 * @param memoryCount memories
 * @param contentBytes bytes of text and content, before any compression
 * @param embeddedCount memories with a vector
 * @param embeddingPendingCount memories whose vector is still to be computed
 * @param importanceMean mean importance
 * @param retrievalCount sum of the counts of retrievals
 * @param types by type, most first
 * @param tiers by tier
 * @param mostAccessed up to five that were recalled most, of those that ever were
 * @param leastAccessed up to five that were recalled least, the oldest first
 */
public record Statistics(long memoryCount, long contentBytes, long embeddedCount, long embeddingPendingCount, double importanceMean,
    long retrievalCount, List<OfType> types, List<OfTier> tiers, List<Access> mostAccessed, List<Access> leastAccessed) {
  /**
   * Memories of a type.
   *
   * @param type the type
   * @param memoryCount how many
   */
  public record OfType(String type, long memoryCount) {}

  /**
   * Memories of a tier.
   *
   * @param tier the tier
   * @param memoryCount how many
   * @param contentBytes bytes of text and content
   * @param storedBytes bytes as the tier keeps them
   * @param importanceMean mean importance
   */
  public record OfTier(Tier tier, long memoryCount, long contentBytes, long storedBytes, double importanceMean) {}

  /**
   * How often a memory was recalled.
   *
   * @param name resource name of the memory
   * @param retrievalCount how often
   * @param lastAccessTime when last, or null
   */
  public record Access(String name, long retrievalCount, Instant lastAccessTime) {}

  /**
   * Of a namespace.
   *
   * @param memories what it holds
   * @param lastMaintenanceTime when maintenance last looked at it on request, or moved something; null for never
   */
  public record OfNamespace(Statistics memories, Instant lastMaintenanceTime) {}

  /**
   * Statistics of one agent, from totals that the server keeps.
   *
   * @param agent the agent
   * @param memoryCount memories
   * @param contentBytes bytes of text and content, before any compression
   * @param types by type, most first
   * @param tiers by tier
   */
  public record OfAgent(String agent, long memoryCount, long contentBytes, List<OfType> types, List<AgentTier> tiers) {}

  /**
   * Memories of an agent in a tier.
   *
   * @param tier the tier
   * @param memoryCount how many
   * @param contentBytes bytes of text and content
   */
  public record AgentTier(Tier tier, long memoryCount, long contentBytes) {}

  /** An empty name would ask for all agents. */
  static String named(String agent) {
    if (agent.isEmpty()) throw Errors.badInput("agent", "must not be empty");
    return agent;
  }
}
