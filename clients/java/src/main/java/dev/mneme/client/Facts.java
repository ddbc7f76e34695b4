package dev.mneme.client;

import dev.mneme.v1.AssertFactRequest;
import dev.mneme.v1.ForgetFactsRequest;
import dev.mneme.v1.GetFactRequest;
import dev.mneme.v1.KnowledgeServiceGrpc;
import dev.mneme.v1.ListFactHistoryRequest;
import dev.mneme.v1.ListFactsRequest;
import dev.mneme.v1.UndoSupersessionRequest;
import java.time.Instant;
import java.util.List;

/**
 * Asserts facts and reads current and former facts and their times. A fact is named by the id or the resource name of the memory
 * that states it.
 *
 * <p>Facts with the same scope, subject and attribute form one timeline. A new value of an attribute that has one value at a time
 * supersedes the one before, which is kept.
 */
public final class Facts extends Calls {
  private static final int PAGE_SIZE = 200;

  Facts(Connection connection, String namespace, Settings settings) {
    super(connection, namespace, settings);
  }

  /** Asserts that an attribute of a subject has a value, and returns when that is durable. */
  public Asserted assertFact(NewFact fact) {
    return assertFact(fact, false, false);
  }

  /**
   * The same. {@code replaces} ends the other values of an attribute that has several values at a time; {@code retracts} states that the
   * value no longer holds from {@link NewFact#validFrom} on, without a value that no value does.
   */
  public Asserted assertFact(NewFact fact, boolean replaces, boolean retracts) {
    return Answers.read(call(KnowledgeServiceGrpc.getAssertFactMethod(), AssertFactRequest.newBuilder().setParent(parent)
        .setFact(fact.copy()).setReplaces(replaces).setRetracts(retracts).build()), Asserted.class);
  }

  /** A fact. {@link MnemeException.NotFound} when it is not there, also when the memory is not a fact. */
  public Fact get(String id) {
    return Answers.required(call(KnowledgeServiceGrpc.getGetFactMethod(),
        GetFactRequest.newBuilder().setName(Names.memory(namespace, id)).build()), "fact", Fact.class, "fact");
  }

  /** Facts, the newest record first, page by page as they are asked for. */
  public Iterable<Fact> list(FactQueries.ListQuery query) {
    ListFactsRequest.Builder request = query.copy().setParent(parent);
    if (request.getPageSize() == 0) request.setPageSize(PAGE_SIZE);
    return Pages.of(token -> {
      var page = call(KnowledgeServiceGrpc.getListFactsMethod(), request.clone().setPageToken(token).build());
      return Pages.page(Answers.list(page.getFactsList(), Fact.class), page.getNextPageToken());
    });
  }

  /** Every fact that one attribute of one subject had, of the whole namespace. */
  public History listHistory(String subject, String attribute) {
    return listHistory(subject, attribute, Scope.NONE);
  }

  /** Every fact that one attribute of one subject had in exactly this scope. */
  public History listHistory(String subject, String attribute, Scope scope) {
    return Answers.read(call(KnowledgeServiceGrpc.getListFactHistoryMethod(), ListFactHistoryRequest.newBuilder().setParent(parent)
        .setScope(scope.message()).setSubject(subject).setAttribute(attribute).build()), History.class);
  }

  /**
   * Makes a superseded or retracted fact hold again, and takes back the fact that superseded it, unless the attribute has several values
   * at a time. {@link MnemeException.FailedPrecondition} when it is not superseded.
   */
  public Undone undoSupersession(String id) {
    var answer = call(KnowledgeServiceGrpc.getUndoSupersessionMethod(),
        UndoSupersessionRequest.newBuilder().setName(Names.memory(namespace, id)).build());
    if (!answer.hasFact()) throw Errors.incompleteAnswer("fact");
    return Answers.read(answer, Undone.class);
  }

  /**
   * Erases facts with their history. Only {@link #assertFact} brings their values back. A call that was cut off has erased some of them;
   * repeating it erases the rest.
   */
  public Forgotten forget(FactQueries.ForgetQuery query) {
    ForgetFactsRequest.Builder request = query.copy().setParent(parent);
    query.ids.forEach(id -> request.addNames(Names.memory(namespace, id)));
    return Answers.read(call(KnowledgeServiceGrpc.getForgetFactsMethod(), request.build()), Forgotten.class);
  }

  /** Effect of an assertion. */
  public enum Outcome {
    /** A new fact was stored. */
    CREATED,
    /** A fact that was known was repeated. */
    REINFORCED,
    /** A fact was ended. */
    RETRACTED,
    /** Nothing changed. */
    IGNORED,
    /** A value that this version of the client does not know. */
    OTHER
  }

  /**
   * Result of an assertion.
   *
   * @param fact the fact as it is known now; of a retraction, the first fact that it ended; null when there is none
   * @param outcome effect of the assertion
   * @param supersededIds ids of the memories of facts that it ended
   * @param revision revision of the change log
   */
  public record Asserted(Fact fact, Outcome outcome, List<String> supersededIds, long revision) {}

  /**
   * Every fact that one attribute of one subject had.
   *
   * @param facts by the instant from which they hold, at most 1,000
   * @param forgottenCount number of facts that were forgotten
   * @param singleValued whether the attribute has one value at a time
   */
  public record History(List<Known> facts, int forgottenCount, boolean singleValued) {}

  /**
   * A fact with its recorded states.
   *
   * @param fact the fact as it is known now
   * @param states when it was known to hold, oldest first: the first state and the 31 most recent ones
   * @param withdrawn whether {@link Facts#undoSupersession} took it back
   */
  public record Known(Fact fact, List<State> states, boolean withdrawn) {}

  /**
   * The recorded state of a fact from an instant on.
   *
   * @param recordTime instant from which this was known
   * @param validFrom instant from which the fact was known to hold
   * @param validUntil instant from which it was known to hold no longer, or null
   * @param supersededBy id of the memory of the fact that superseded it, or null
   */
  public record State(Instant recordTime, Instant validFrom, Instant validUntil,
      @From(value = "superseded_by", optional = true) String supersededBy) {}

  /**
   * Result of an undo.
   *
   * @param fact the fact, which holds again
   * @param withdrawnId id of the memory of the fact that was taken back, or null
   * @param revision revision of the change log
   */
  public record Undone(Fact fact, @From(optional = true) String withdrawnId, long revision) {}

  /**
   * Erased facts; with a dry run, facts that would be erased.
   *
   * @param forgottenCount how many
   * @param ids ids of the memories of the first 1,000 of them
   * @param revision revision of the change log
   */
  public record Forgotten(long forgottenCount, List<String> ids, long revision) {}
}
