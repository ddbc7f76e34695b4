package dev.mneme.client;

import dev.mneme.v1.RecallEvent;
import dev.mneme.v1.RecallEventBatch;
import dev.mneme.v1.RecallEventKind;
import dev.mneme.v1.RecallRequest;
import dev.mneme.v1.RecallServiceGrpc;
import dev.mneme.v1.SubscribeRecallRequest;
import dev.mneme.v1.SubscribeRecallResponse;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Keeps the answer of a standing query, and tells what changes of it. */
final class SubscribeRuns extends Runs<SubscribeRecallResponse, StandingAnswer> {
  private final Connection connection;
  private final Settings settings;
  private final RecallRequest query;
  private String resumeToken = "";
  private Map<String, RecallEvent> state = new LinkedHashMap<>();
  /** Events of a change whose last fragment has not come yet. */
  private final List<RecallEvent> gathered = new ArrayList<>();
  private List<RecallResult.Degradation> degraded = List.of();

  SubscribeRuns(Connection connection, Settings settings, RecallRequest query) {
    this.connection = connection;
    this.settings = settings;
    this.query = query;
  }

  @Override
  Duplex<?, SubscribeRecallResponse> open(Consumer<StandingAnswer> out) {
    gathered.clear();
    return connection.stream(RecallServiceGrpc.getSubscribeRecallMethod(), settings)
        .sendOnly(SubscribeRecallRequest.newBuilder().setQuery(query).setResumeToken(resumeToken).build());
  }

  @Override
  void take(SubscribeRecallResponse message, Consumer<StandingAnswer> out) {
    switch (message.getEventCase()) {
      case CREATED -> expectEvery(message.getCreated().hasHeartbeatInterval(), message.getCreated().getHeartbeatInterval());
      case PROGRESS -> out.accept(standing(message.getRevision(), Set.of(), List.of(), state, true));
      case BATCH -> batch(message, out);
      default -> { }
    }
    resumeToken = message.getResumeToken();
  }

  /** The revision of the token is lost; a stream without it begins with the whole answer as well. */
  @Override
  boolean recover(MnemeException error) {
    boolean isLost = EventStream.isOutOfRange(error, "REVISION_COMPACTED") || EventStream.isOutOfRange(error, "REVISION_AHEAD");
    if (!isLost || resumeToken.isEmpty()) return false;
    connection.noteLoss(error);
    resumeToken = "";
    return true;
  }

  private void batch(SubscribeRecallResponse message, Consumer<StandingAnswer> out) {
    RecallEventBatch batch = message.getBatch();
    gathered.addAll(batch.getEventsList());
    if (batch.getFragment()) return;
    List<RecallEvent> events = List.copyOf(gathered);
    gathered.clear();
    degraded = Answers.list(batch.getDegradedList(), RecallResult.Degradation.class);
    Map<String, RecallEvent> before = state;
    Map<String, RecallEvent> after = batch.getSnapshot() ? new LinkedHashMap<>() : new LinkedHashMap<>(before);
    Set<String> touched = new LinkedHashSet<>();
    for (RecallEvent event : events) {
      if (event.getKind() == RecallEventKind.RECALL_EVENT_KIND_LEAVE) after.remove(event.getName());
      else after.put(event.getName(), event);
      touched.add(event.getName());
    }
    state = after;
    List<String> left = before.keySet().stream().filter(name -> !after.containsKey(name)).map(Names::idOf).toList();
    if (batch.getSnapshot()) touched.removeIf(name -> !differs(before.get(name), after.get(name)));
    out.accept(standing(message.getRevision(), touched, left, before, false));
  }

  private StandingAnswer standing(
      long revision, Set<String> changed, List<String> left, Map<String, RecallEvent> before, boolean isProgress) {
    List<Hit> hits = new ArrayList<>();
    List<Hit> entered = new ArrayList<>();
    List<Hit> updated = new ArrayList<>();
    state.values().stream().filter(RecallEvent::hasHit).sorted(Comparator.comparingInt(RecallEvent::getPlace)).forEach(event -> {
      Hit hit = Hit.of(event.getHit());
      hits.add(hit);
      if (changed.contains(event.getName())) (before.containsKey(event.getName()) ? updated : entered).add(hit);
    });
    return new StandingAnswer(hits, entered, updated, left, connection.seen(revision), isProgress, degraded);
  }

  /** Differences between a repeated answer and the known one. */
  private static boolean differs(RecallEvent before, RecallEvent after) {
    if (before == null || after == null || !before.hasHit() || !after.hasHit()) return before != after;
    return before.getPlace() != after.getPlace() || before.getHit().getScore() != after.getHit().getScore()
        || before.getHit().getMemory().getVersion() != after.getHit().getMemory().getVersion();
  }
}
