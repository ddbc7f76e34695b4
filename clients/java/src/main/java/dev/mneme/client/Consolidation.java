package dev.mneme.client;

import dev.mneme.v1.ConsolidateRequest;
import dev.mneme.v1.ConsolidationServiceGrpc;
import dev.mneme.v1.UndoConsolidationRequest;
import java.time.Duration;
import java.util.List;

/** Makes fewer memories of many: notes that say the same are merged, finished conversations get an episode. */
public final class Consolidation extends Calls {
  Consolidation(Connection connection, String namespace, Settings settings) {
    super(connection, namespace, settings);
  }

  /** Consolidates the memories of the whole namespace. Deletes nothing. */
  public Result run() {
    return run(new RunQuery());
  }

  /**
   * Consolidates memories, or with {@link RunQuery#dryRun} says what that would make. Deletes nothing. A call that was cut off has made
   * some of the memories; repeating it makes the rest.
   */
  public Result run(RunQuery query) {
    return Answers.read(call(ConsolidationServiceGrpc.getConsolidateMethod(), query.copy().setParent(parent).build()), Result.class);
  }

  /**
   * Takes back what the consolidation of a report made. {@link MnemeException.NotFound} also when the memory is not a report;
   * {@link MnemeException.FailedPrecondition} when a later consolidation has merged what this one made.
   */
  public Undone undo(String reportId) {
    return Answers.read(call(ConsolidationServiceGrpc.getUndoConsolidationMethod(),
        UndoConsolidationRequest.newBuilder().setReport(Names.memory(namespace, reportId)).build()), Undone.class);
  }

  /** What is consolidated. */
  public static final class RunQuery extends Query<RunQuery, ConsolidateRequest.Builder> {
    /** The whole namespace. */
    public RunQuery() { super(ConsolidateRequest.newBuilder()); }

    /** Owner of the memories; parts that are null match any. Default: the whole namespace. */
    public RunQuery scope(Scope scope) { message.setScope(scope.message()); return this; }

    /** Only says what would be made. Default false. */
    public RunQuery dryRun(boolean dryRun) { message.setDryRun(dryRun); return this; }

    /** A conversation is finished when it had no message for this long; more than 0 and at most 365 days. Default 24 hours. */
    public RunQuery idle(Duration time) { message.setIdleTime(Values.duration(time)); return this; }

    /** Maximum number of memories that the call makes, 1 to 1,000. Default 200. */
    public RunQuery maxSteps(int steps) { message.setMaxSteps(steps); return this; }
  }

  /** Kind of a memory that consolidation made. */
  public enum Kind {
    /** Several notes that say the same. */
    MERGE,
    /** An episode of a conversation. */
    EPISODE,
    /** A kind that this version of the client does not know. */
    OTHER
  }

  /**
   * A memory that consolidation made.
   *
   * @param kind kind of the memory
   * @param id id of the memory
   * @param text text of the memory
   * @param sourceIds ids of the memories that it cites
   * @param hiddenIds ids of the memories that recall does not return by default any more
   */
  public record Made(Kind kind, String id, String text, List<String> sourceIds, List<String> hiddenIds) {}

  /**
   * What a consolidation made; with a dry run, what it would make.
   *
   * @param reportId id of the report, for {@link Consolidation#undo}; null when nothing was made
   * @param memories the memories, at most 1,000
   * @param skippedCount number of memories that were not made because a source changed meanwhile or must not be changed
   * @param hasMore whether {@link RunQuery#maxSteps} was reached and another call makes more
   * @param revision revision of the change log
   */
  public record Result(@From(optional = true) String reportId, List<Made> memories, int skippedCount, boolean hasMore, long revision) {}

  /**
   * What an undo took back.
   *
   * @param restoredIds ids of memories that recall returns again
   * @param deletedIds ids of memories that were deleted
   * @param keptIds ids of memories that the consolidation made and that were changed since; they stay
   * @param revision revision of the change log
   */
  public record Undone(List<String> restoredIds, List<String> deletedIds, List<String> keptIds, long revision) {}
}
