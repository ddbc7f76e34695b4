package dev.mneme.client;

import dev.mneme.v1.FindProceduresRequest;
import dev.mneme.v1.KnowledgeServiceGrpc;
import dev.mneme.v1.RecordOutcomeRequest;
import dev.mneme.v1.RecordProcedureRequest;
import java.util.Collection;
import java.util.List;

/**
 * Records how things are done and how that went, and finds procedures that fit a situation. A procedure is named by the id or the resource
 * name of its memory.
 */
public final class Procedures extends Calls {
  Procedures(Connection connection, String namespace, Settings settings) {
    super(connection, namespace, settings);
  }

  /**
   * Stores how something is done, as a memory of type {@code procedure}. A procedure of the same title in the same scope is merged with it:
   * steps that it lacks are added where they belong.
   */
  public Recorded record(NewProcedure procedure) {
    var answer = call(KnowledgeServiceGrpc.getRecordProcedureMethod(),
        RecordProcedureRequest.newBuilder().setParent(parent).setProcedure(procedure.copy()).build());
    if (!answer.hasProcedure()) throw Errors.incompleteAnswer("procedure");
    return Answers.read(answer, Recorded.class);
  }

  /** The five procedures that fit a situation best, of all scopes. */
  public List<Found> find(String situation) {
    return find(situation, Scope.NONE, 0);
  }

  /**
   * The procedures that fit a situation, the best first: relevance in recall times success rate. Of a scope, with what its ancestors share;
   * at most {@code limit}, 1 to 50; 0 is 5.
   */
  public List<Found> find(String situation, Scope scope, int limit) {
    FindProceduresRequest.Builder request =
        FindProceduresRequest.newBuilder().setParent(parent).setSituation(situation).setLimit(limit);
    if (!scope.equals(Scope.NONE)) request.setScope(scope.message());
    return Answers.list(call(KnowledgeServiceGrpc.getFindProceduresMethod(), request.build()).getProceduresList(), Found.class);
  }

  /** Counts how a procedure went; an empty note is none. {@link MnemeException.NotFound} also when the memory is not a procedure. */
  public Procedure recordOutcome(String id, TaskOutcome outcome, String note) {
    return Answers.required(call(KnowledgeServiceGrpc.getRecordOutcomeMethod(), RecordOutcomeRequest.newBuilder()
        .setName(Names.memory(namespace, id)).setOutcome(outcome.code()).setNote(note).build()), "procedure", Procedure.class, "procedure");
  }

  /** How something is done. */
  public static final class NewProcedure extends Query<NewProcedure, dev.mneme.v1.Procedure.Builder> {
    /** Nothing yet: title and steps are required. */
    public NewProcedure() { super(dev.mneme.v1.Procedure.newBuilder()); }

    /** Owner. Default: the whole namespace. */
    public NewProcedure scope(Scope scope) { message.setScope(scope.message()); return this; }

    /** Title, such as {@code restart the indexer}. 1 to 256 bytes. */
    public NewProcedure title(String title) { message.setTitle(title); return this; }

    /** When it applies. At most 2,048 bytes. */
    public NewProcedure situation(String situation) { message.setSituation(situation); return this; }

    /** Steps in order, 1 to 100. */
    public NewProcedure steps(Collection<String> steps) { message.addAllSteps(steps); return this; }
  }

  /**
   * How something is done, and how that went so far.
   *
   * @param name resource name of its memory
   * @param id id of its memory
   * @param scope owner
   * @param title its title
   * @param situation when it applies
   * @param steps steps in order
   * @param successCount number of successes
   * @param failureCount number of failures
   * @param partialCount number of partial successes
   * @param successRate (successes + partial successes / 2 + 1) / (outcomes + 2)
   * @param notes notes of the last 20 outcomes that had one, the newest last
   * @param version version of its memory
   */
  public record Procedure(String name, String id, Scope scope, String title, String situation, List<String> steps, int successCount,
      int failureCount, int partialCount, double successRate, List<String> notes, long version) {}

  /**
   * A procedure as it is stored.
   *
   * @param procedure the procedure
   * @param created whether it was not known before
   * @param revision revision of the change log
   */
  public record Recorded(Procedure procedure, boolean created, long revision) {}

  /**
   * A procedure that fits a situation.
   *
   * @param procedure the procedure
   * @param relevance probability that it applies, 0 to 1
   * @param score relevance times success rate
   */
  public record Found(Procedure procedure, double relevance, double score) {}
}
