package dev.mneme.client;

import dev.mneme.v1.ListMemoriesRequest;
import dev.mneme.v1.MemoryServiceGrpc;
import dev.mneme.v1.RecallServiceGrpc;
import dev.mneme.v1.WatchMemoriesRequest;
import dev.mneme.v1.WatchMemoriesResponse;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Continues after the last delivered change, and lists everything when changes are missing. */
final class WatchRuns extends Runs<WatchMemoriesResponse, WatchEvent> {
  private final Connection connection;
  private final Settings settings;
  private final WatchQuery query;
  private final WatchMemoriesRequest request;
  private String resumeToken;
  private long startRevision;
  /** Revision of the last delivered change. */
  private long toldRevision;
  /** The log of the revision, and the number of changes already yielded of a partly yielded message. */
  private String log = "";
  private final Set<String> begun = new HashSet<>();
  private Set<String> retold = Set.of();
  private boolean mustList;

  WatchRuns(Connection connection, String parent, Settings settings, WatchQuery query) {
    this.connection = connection;
    this.settings = settings;
    this.query = query;
    resumeToken = query.message.getResumeToken();
    startRevision = query.message.getStartRevision();
    request = query.copy().setParent(parent).setResumeToken("").setStartRevision(0).build();
  }

  @Override
  Duplex<?, WatchMemoriesResponse> open(Consumer<WatchEvent> out) {
    if (mustList) list(out);
    return connection.stream(RecallServiceGrpc.getWatchMemoriesMethod(), settings).sendOnly(request.toBuilder()
        .setResumeToken(resumeToken).setStartRevision(resumeToken.isEmpty() ? startRevision : 0).build());
  }

  @Override
  void take(WatchMemoriesResponse message, Consumer<WatchEvent> out) {
    switch (message.getEventCase()) {
      case CREATED -> created(message);
      case BATCH -> changes(message, out);
      default -> { }
    }
    resumeToken = message.getResumeToken();
    if (message.hasProgress()) out.accept(new WatchEvent.CaughtUp(connection.seen(message.getRevision()), resumeToken));
  }

  /** List, then watch from the revision of the list. */
  @Override
  boolean recover(MnemeException error) {
    boolean isCompacted = EventStream.isOutOfRange(error, "REVISION_COMPACTED");
    if (isCompacted) connection.noteLoss(error);
    if (!isCompacted || query.onCompacted == WatchQuery.OnCompacted.FAIL || mustList) return false;
    mustList = true;
    return true;
  }

  private void created(WatchMemoriesResponse message) {
    var created = message.getCreated();
    expectEvery(created.hasHeartbeatInterval(), created.getHeartbeatInterval());
    // Another server numbers the same changes differently.
    boolean isElsewhere = !log.equals(created.getLog());
    if (isElsewhere) toldRevision = 0;
    retold = isElsewhere ? Set.copyOf(begun) : Set.of();
    begun.clear();
    log = created.getLog();
  }

  private void changes(WatchMemoriesResponse message, Consumer<WatchEvent> out) {
    List<dev.mneme.v1.Change> changes = message.getBatch().getChangesList();
    for (int at = 0; at < changes.size(); at++) {
      dev.mneme.v1.Change change = changes.get(at);
      // Resuming within a message repeats its beginning.
      boolean isLast = at == changes.size() - 1;
      if (isLast) resumeToken = message.getResumeToken();
      String state = change.getKind() + " " + change.getName() + " " + (change.hasMemory() ? change.getMemory().getVersion() : "");
      boolean isTold = change.getRevision() <= toldRevision || retold.contains(state);
      if (isLast) begun.clear();
      else begun.add(state);
      if (isTold) continue;
      toldRevision = connection.seen(change.getRevision());
      out.accept(WatchEvent.Change.of(change, resumeToken));
    }
  }

  private void list(Consumer<WatchEvent> out) {
    // The list may come from another server, whose revisions are unrelated; a token is valid on every server. So it is
    // requested first, and changes between the two are yielded after the list as well.
    String token = tokenOfNow();
    Settings pinned = settings.withMinRevision(connection.minRevision());
    ListMemoriesRequest.Builder asked = ListMemoriesRequest.newBuilder().setParent(request.getParent())
        .setOrder(dev.mneme.v1.MemoryOrder.MEMORY_ORDER_CREATE_TIME_ASC)
        .setView(Values.code(dev.mneme.v1.MemoryView.class, "MEMORY_VIEW_", query.view));
    setFilter(asked);
    long revision = 0;
    do {
      var page = connection.unary(MemoryServiceGrpc.getListMemoriesMethod(), asked.build(), pinned);
      if (asked.getPageToken().isEmpty()) {
        revision = page.getRevision();
        out.accept(new WatchEvent.Relisting(revision));
      }
      for (Memory memory : Answers.list(page.getMemoriesList(), Memory.class)) {
        out.accept(new WatchEvent.Listed(memory.id(), memory, revision));
      }
      asked.setPageToken(page.getNextPageToken());
    } while (!asked.getPageToken().isEmpty());
    mustList = false;
    resumeToken = token;
  }

  private String tokenOfNow() {
    var stream = connection.stream(RecallServiceGrpc.getWatchMemoriesMethod(), settings).sendOnly(request);
    try {
      for (var message = stream.read(silence()); message != null; message = stream.read(silence())) {
        if (!message.hasCreated()) continue;
        log = message.getCreated().getLog();
        toldRevision = message.getRevision();
        begun.clear();
        return message.getResumeToken();
      }
      throw Errors.unavailable("the stream ended before its time", MnemeException.Family.RETRIEVAL, null);
    } finally {
      stream.giveUp();
    }
  }

  /** The filter of the query with the parts of its scope. */
  private void setFilter(ListMemoriesRequest.Builder asked) {
    Scope scope = query.scope;
    if (request.getFilterText().isEmpty()) {
      Filter filter = request.hasFilter() ? Filter.of(request.getFilter()) : null;
      filter = with(filter, Where.PROJECT, scope.project());
      filter = with(filter, Where.AGENT_TYPE, scope.agentType());
      filter = with(filter, Where.AGENT, scope.agent());
      filter = with(filter, Where.SESSION, scope.session());
      if (filter != null) filter.into(asked);
    } else {
      asked.setFilterText("(" + request.getFilterText() + ")" + text("project", scope.project()) + text("agent_type", scope.agentType())
          + text("agent", scope.agent()) + text("session", scope.session()));
    }
  }

  private static Filter with(Filter filter, Where.Text field, String value) {
    if (value == null) return filter;
    return filter == null ? field.equalTo(value) : filter.and(field.equalTo(value));
  }

  private static String text(String field, String value) {
    return value == null ? "" : " AND " + field + " = " + Values.json(value, "scope");
  }
}
