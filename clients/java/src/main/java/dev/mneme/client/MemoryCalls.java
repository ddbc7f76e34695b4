package dev.mneme.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.FieldMask;
import dev.mneme.v1.BatchGetMemoriesRequest;
import dev.mneme.v1.BatchStoreMemoriesRequest;
import dev.mneme.v1.BatchStoreMemoriesResponse;
import dev.mneme.v1.CountMemoriesResponse;
import dev.mneme.v1.DeleteMemoryRequest;
import dev.mneme.v1.ListMemoriesRequest;
import dev.mneme.v1.ListMemoriesResponse;
import dev.mneme.v1.ListMemoryRevisionsRequest;
import dev.mneme.v1.ListMemoryRevisionsResponse;
import dev.mneme.v1.ListRecallPresetsRequest;
import dev.mneme.v1.MemoryServiceGrpc;
import dev.mneme.v1.RecallServiceGrpc;
import dev.mneme.v1.SetMemoryImportanceRequest;
import dev.mneme.v1.SetMemoryImportanceResponse;
import dev.mneme.v1.StoreMemoryRequest;
import dev.mneme.v1.StoreMemoryResponse;
import dev.mneme.v1.SupersedeMemoryRequest;
import dev.mneme.v1.SupersedeMemoryResponse;
import dev.mneme.v1.UpdateMemoryRequest;
import dev.mneme.v1.UpdateMemoryResponse;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Memories, their history and recall. A memory is named by its id or its full resource name. */
public abstract sealed class MemoryCalls extends Calls permits Mneme {
  private static final int PAGE_SIZE = 200;
  private static final int REVISIONS_PAGE_SIZE = 100;

  MemoryCalls(Connection connection, String namespace, Settings settings) {
    super(connection, namespace, settings);
  }

  /** Stores a text as one memory durably. */
  public Receipt store(String text) {
    return store(text, new TextOptions());
  }

  /** Stores a text as one memory durably, with a speaker, a session, tags and more. */
  public Receipt store(String text, TextOptions options) {
    return store(options.memory(text), Names.namespace(options.namespaceOr(namespace)));
  }

  /** Stores one memory durably. {@link MnemeException.AlreadyExists} when it has the id of another. */
  public Receipt store(NewMemory memory) {
    return store(memory, parent);
  }

  private Receipt store(NewMemory memory, String parent) {
    StoreMemoryResponse answer = call(MemoryServiceGrpc.getStoreMemoryMethod(), storeRequest(memory).setParent(parent).build());
    return Receipt.of(answer.getMemory(), answer.getRevision());
  }

  /** Stores up to 1,000 texts with the same options, each as a memory: all of them or none. */
  public List<Receipt> storeTexts(Collection<String> texts, TextOptions options) {
    return batchStore(texts.stream().map(options::memory).toList(), Names.namespace(options.namespaceOr(namespace)));
  }

  /** Stores up to 1,000 texts, each as a memory: all of them or none. */
  public List<Receipt> storeTexts(Collection<String> texts) {
    return storeTexts(texts, new TextOptions());
  }

  /** Stores up to 1,000 memories: all of them or none. */
  public List<Receipt> batchStore(Collection<NewMemory> memories) {
    return batchStore(memories, parent);
  }

  private List<Receipt> batchStore(Collection<NewMemory> memories, String parent) {
    BatchStoreMemoriesRequest.Builder request = BatchStoreMemoriesRequest.newBuilder().setParent(parent);
    memories.forEach(each -> request.addRequests(storeRequest(each)));
    BatchStoreMemoriesResponse answer = call(MemoryServiceGrpc.getBatchStoreMemoriesMethod(), request.build());
    if (answer.getMemoriesCount() != memories.size()) throw Errors.incompleteAnswer("receipt for some of the memories");
    return answer.getMemoriesList().stream().map(each -> Receipt.of(each, answer.getRevision())).toList();
  }

  /** Reads one memory. Changes nothing. */
  public Memory get(String id) {
    return get(id, new GetQuery());
  }

  /** Reads one memory. */
  public Memory get(String id, GetQuery query) {
    var answer = call(MemoryServiceGrpc.getGetMemoryMethod(), query.copy().setName(Names.memory(namespace, id)).build());
    return Answers.required(answer, "memory", Memory.class, "memory");
  }

  /** Reads up to 1,000 memories in the order asked for, without their vectors. */
  public BatchGetResult batchGet(Collection<String> ids) {
    return batchGet(ids, MemoryView.BASIC);
  }

  /** Reads up to 1,000 memories in the order asked for. */
  public BatchGetResult batchGet(Collection<String> ids, MemoryView view) {
    BatchGetMemoriesRequest.Builder request = BatchGetMemoriesRequest.newBuilder().setParent(parent)
        .setView(Values.code(dev.mneme.v1.MemoryView.class, "MEMORY_VIEW_", view));
    ids.forEach(id -> request.addNames(Names.memory(namespace, id)));
    return Answers.read(call(MemoryServiceGrpc.getBatchGetMemoriesMethod(), request.build()), BatchGetResult.class);
  }

  /**
   * Changes the fields that are set, and clears the fields whose names are given; keeps the former state. For a change
   * on condition see {@link Mneme#ifVersion}.
   */
  public Receipt update(String id, NewMemory changes, String... cleared) {
    UpdateMemoryResponse answer = call(MemoryServiceGrpc.getUpdateMemoryMethod(), UpdateMemoryRequest.newBuilder()
        .setMemory(changes.message(namespace).toBuilder().setName(Names.memory(namespace, id)))
        .setUpdateMask(FieldMask.newBuilder().addAllPaths(changes.mask(cleared)))
        .build());
    return Receipt.of(answer.getMemory(), answer.getRevision());
  }

  /**
   * Stores a memory that replaces another one, whose validity ends in the same transaction. Scope, type and source
   * default to the fields of the replaced memory. {@link MnemeException.FailedPrecondition} when it is superseded already.
   */
  public Receipt supersede(String id, NewMemory memory) {
    SupersedeMemoryResponse answer = call(MemoryServiceGrpc.getSupersedeMemoryMethod(), SupersedeMemoryRequest.newBuilder()
        .setName(Names.memory(namespace, id)).setMemory(memory.message(namespace)).setMemoryId(memory.id()).build());
    Map<String, Object> more = new HashMap<>();
    more.put("superseded", Receipt.of(answer.getSuperseded(), answer.getRevision()));
    return Receipt.of(answer.getMemory(), answer.getRevision(), more);
  }

  /** Sets how much a memory matters, 0 to 1. */
  public Receipt setImportance(String id, double importance) {
    SetMemoryImportanceResponse answer = call(MemoryServiceGrpc.getSetMemoryImportanceMethod(),
        SetMemoryImportanceRequest.newBuilder().setName(Names.memory(namespace, id)).setImportance(importance).build());
    return Receipt.of(answer.getMemory(), answer.getRevision());
  }

  /** Erases one memory with its revisions; {@link MnemeException.NotFound} when it is not there. Returns the revision. */
  public long delete(String id) {
    return delete(id, false);
  }

  /** Erases one memory with its revisions; with {@code allowMissing} it need not be there. Returns the revision. */
  public long delete(String id, boolean allowMissing) {
    return call(MemoryServiceGrpc.getDeleteMemoryMethod(),
        DeleteMemoryRequest.newBuilder().setName(Names.memory(namespace, id)).setAllowMissing(allowMissing).build()).getRevision();
  }

  /** Erases every memory that the query names. Cut off, it has erased some of them; repeat it for the rest. */
  public ForgetResult forget(ForgetQuery query) {
    return Answers.read(call(MemoryServiceGrpc.getForgetMemoriesMethod(), query.copy().setParent(parent).build()), ForgetResult.class);
  }

  /** How many memories there are. */
  public MemoryCount count() {
    return count(new CountQuery());
  }

  /** How many memories {@code list} would give, exactly. */
  public MemoryCount count(CountQuery query) {
    CountMemoriesResponse answer = call(MemoryServiceGrpc.getCountMemoriesMethod(), query.copy().setParent(parent).build());
    return Answers.read(answer, MemoryCount.class);
  }

  /** All memories, newest stored first, page by page as they are asked for. */
  public Iterable<Memory> list() {
    return list(new ListQuery());
  }

  /** All memories of the query, page by page as they are asked for. */
  public Iterable<Memory> list(ListQuery query) {
    ListMemoriesRequest.Builder request = query.copy().setParent(parent);
    if (request.getPageSize() == 0) request.setPageSize(PAGE_SIZE);
    return Pages.of("memories", query.onDamaged, pinned -> token -> {
      ListMemoriesResponse page = connection.unary(
          MemoryServiceGrpc.getListMemoriesMethod(), request.clone().setPageToken(token).build(), pinned);
      return new Pages.Page<>(
          Answers.list(page.getMemoriesList(), Memory.class), Answers.ids(page.getDamagedList()), page.getNextPageToken());
    }, this::pinned);
  }

  /** One page, to be followed by the one of its {@code nextPageToken} with the same query. */
  public ListPage listPage(ListQuery query) {
    // Tokens of this client carry the revision of the first page in front of the server's.
    String[] token = query.message.getPageToken().split(":", 2);
    Settings pinned = token.length == 2 ? settings.withMinRevision(Long.parseLong(token[0])) : pinned();
    ListMemoriesRequest.Builder request = query.copy().setParent(parent).setPageToken(token[token.length - 1]);
    ListMemoriesResponse page = connection.unary(MemoryServiceGrpc.getListMemoriesMethod(), request.build(), pinned);
    String next = page.getNextPageToken().isEmpty() ? "" : pinned.minRevision() + ":" + page.getNextPageToken();
    return new ListPage(
        Answers.list(page.getMemoriesList(), Memory.class), Answers.ids(page.getDamagedList()), next, page.getRevision());
  }

  /** States that a memory has had, newest first. {@link MnemeException.DataLoss} after the others where some cannot be read. */
  public Iterable<MemoryRevision> listRevisions(String id) {
    ListMemoryRevisionsRequest.Builder request =
        ListMemoryRevisionsRequest.newBuilder().setName(Names.memory(namespace, id)).setPageSize(REVISIONS_PAGE_SIZE);
    return Pages.of("former states", null, pinned -> token -> {
      ListMemoryRevisionsResponse page = call(
          MemoryServiceGrpc.getListMemoryRevisionsMethod(), request.clone().setPageToken(token).build());
      return new Pages.Page<>(Answers.list(page.getRevisionsList(), MemoryRevision.class),
          Collections.nCopies(page.getDamagedCount(), id), page.getNextPageToken());
    }, () -> settings);
  }

  /** When the value at a path of JSON content appeared, changed and disappeared, by step. */
  public AttributeHistory getAttributeHistory(String path, AttributeHistoryQuery query) {
    return Answers.read(call(MemoryServiceGrpc.getGetAttributeHistoryMethod(),
        query.copy().setParent(parent).setPath(path).build()), AttributeHistory.class);
  }

  /** The state at each step. */
  public List<StateAtStep> getStatesAtSteps(Collection<Long> steps, StatesQuery query) {
    return Answers.list(call(MemoryServiceGrpc.getGetStatesAtStepsMethod(),
        query.copy().setParent(parent).addAllSteps(steps).build()).getStatesList(), StateAtStep.class);
  }

  /** The events before and after a memory, both in the order of time. */
  public Sequence getSequence(String id, SequenceQuery query) {
    var answer = call(MemoryServiceGrpc.getGetMemorySequenceMethod(), query.copy().setName(Names.memory(namespace, id)).build());
    if (!answer.hasMemory()) throw Errors.incompleteAnswer("memory");
    return Answers.read(answer, Sequence.class);
  }

  /** The memories that matter most for a text. */
  public RecallResult recall(String text) {
    return recall(RecallQuery.of(text));
  }

  /** The most relevant memories for a cue: a text, or any combination of the query's fields. */
  public RecallResult recall(RecallQuery query) {
    var answer = call(RecallServiceGrpc.getRecallMethod(), query.request(namespace));
    if (answer.getHitsList().stream().anyMatch(hit -> !hit.hasMemory())) throw Errors.incompleteAnswer("memory");
    return Answers.read(answer, RecallResult.class);
  }

  /** The retrieval forms that {@link RecallQuery#preset} takes, with their parameters. */
  public List<RecallResult.PresetDescription> listRecallPresets() {
    return Answers.list(call(RecallServiceGrpc.getListRecallPresetsMethod(), ListRecallPresetsRequest.getDefaultInstance())
        .getPresetsList(), RecallResult.PresetDescription.class);
  }

  private StoreMemoryRequest.Builder storeRequest(NewMemory memory) {
    return StoreMemoryRequest.newBuilder().setMemory(memory.message(namespace)).setMemoryId(memory.id());
  }

  /**
   * Memories that were asked for by their ids.
   *
   * @param memories in the order asked for
   * @param missingIds ids that lead to none
   * @param damagedIds ids of memories whose bytes are damaged
   * @param revision revision of the change log that was read
   */
  public record BatchGetResult(List<Memory> memories, List<String> missingIds, List<String> damagedIds, long revision) {}

  /**
   * Deleted memories; with a dry run, memories that would be deleted.
   *
   * @param forgottenCount how many
   * @param tiers how many of each tier
   * @param ids ids of the first 1,000 of them
   * @param revision revision of the change log
   */
  public record ForgetResult(long forgottenCount, List<TierCount> tiers, List<String> ids, long revision) {}

  /**
   * How many memories there are.
   *
   * @param count all of them
   * @param tiers how many in each tier
   * @param revision revision of the change log
   */
  public record MemoryCount(long count, List<TierCount> tiers, long revision) {}

  /**
   * How many memories of a tier.
   *
   * @param tier the tier
   * @param count how many
   */
  public record TierCount(Tier tier, long count) {}

  /**
   * A page of a list.
   *
   * @param memories the memories
   * @param damagedIds ids of memories of the page whose bytes are damaged
   * @param nextPageToken empty on the last page; a page may be empty and still have a next one
   * @param revision revision of the change log
   */
  public record ListPage(List<Memory> memories, List<String> damagedIds, String nextPageToken, long revision) {}

  /**
   * A state that a memory has had.
   *
   * @param memory the memory as it was
   * @param change change that made this state
   */
  public record MemoryRevision(Memory memory, ChangeKind change) {}

  /**
   * How a value changed.
   *
   * @param changes in the order of steps
   * @param truncated true when there are more than the limit
   * @param revision revision of the change log
   */
  public record AttributeHistory(List<AttributeChange> changes, boolean truncated, long revision) {}

  /** Kind of a change of a value. */
  public enum AttributeChangeKind {
    /** It was not there before. */
    APPEARED,
    /** It is another one. */
    CHANGED,
    /** It is not there any more. */
    DISAPPEARED
  }

  /**
   * A change of a value from one state to the next.
   *
   * @param id id of the state that has the new value, or has it no longer
   * @param step step of that state
   * @param eventTime when it happened
   * @param kind kind of the change
   * @param previousValue null when it appeared
   * @param newValue null when it disappeared
   */
  public record AttributeChange(
      String id,
      long step,
      Instant eventTime,
      AttributeChangeKind kind,
      @From("previous_json") JsonNode previousValue,
      @From("new_json") JsonNode newValue) {}

  /**
   * The state at a step.
   *
   * @param step the step
   * @param memory the state, or null
   */
  public record StateAtStep(long step, Memory memory) {}

  /**
   * Events before and after a memory.
   *
   * @param before memories before it, in order of time
   * @param memory the memory
   * @param after memories after it, in order of time
   */
  public record Sequence(List<Memory> before, Memory memory, List<Memory> after) {}
}
