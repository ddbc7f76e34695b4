package dev.mneme.client;

import dev.mneme.v1.IngestAcknowledgement;
import dev.mneme.v1.IngestBatch;
import dev.mneme.v1.IngestItem;
import dev.mneme.v1.IngestMemoriesRequest;
import dev.mneme.v1.IngestMemoriesResponse;
import dev.mneme.v1.IngestServiceGrpc;
import dev.mneme.v1.IngestStart;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Sends memories, and again what was not acknowledged when a stream breaks. */
final class IngestRuns extends Runs<IngestMemoriesResponse, IngestProgress> {
  /** Batches that may be on the way without an acknowledgement: enough to keep the server busy. */
  private static final int UNACKNOWLEDGED_MAX = 16;

  private final Connection connection;
  private final Settings settings;
  private final String namespace;
  private final IngestStart start;
  private final Outbox<IngestBatch> outbox;
  private long acknowledgedSequence;
  private long nextSequence;
  private long revision;
  /** Stored, existing and refused ones of the streams before this one, and of all. */
  private long[] before = new long[3];
  private long[] total = new long[3];

  IngestRuns(Connection connection, String namespace, Settings settings, Iterable<NewMemory> memories, IngestOptions options) {
    this.connection = connection;
    this.settings = settings;
    this.namespace = namespace;
    acknowledgedSequence = options.acknowledgedSequence;
    nextSequence = acknowledgedSequence + 1;
    start = IngestStart.newBuilder().setParent(Names.namespace(namespace)).setStreamId(options.streamId)
        .setConflictPolicy(Values.code(dev.mneme.v1.ConflictPolicy.class, "CONFLICT_POLICY_", options.conflictPolicy))
        .setRefusalsOnly(!options.receipts).build();
    outbox = new Outbox<>(memories, this::batchOf, UNACKNOWLEDGED_MAX);
  }

  @Override
  Duplex<?, IngestMemoriesResponse> open(Consumer<IngestProgress> out) {
    before = total.clone();
    Duplex<IngestMemoriesRequest, IngestMemoriesResponse> stream =
        connection.stream(IngestServiceGrpc.getIngestMemoriesMethod(), settings);
    try {
      stream.send(IngestMemoriesRequest.newBuilder().setStart(start.toBuilder().setAcknowledgedSequence(acknowledgedSequence)).build());
    } catch (InterruptedException stop) {
      throw Errors.interrupted(MnemeException.Family.STORE, stop);
    }
    IngestMemoriesRequest heartbeat =
        IngestMemoriesRequest.newBuilder().setHeartbeat(dev.mneme.v1.StreamHeartbeat.getDefaultInstance()).build();
    outbox.start(stream, batch -> IngestMemoriesRequest.newBuilder().setBatch(batch).build(), heartbeat, connection.options.heartbeat);
    return stream;
  }

  @Override
  void take(IngestMemoriesResponse message, Consumer<IngestProgress> out) {
    if (message.hasStarted()) expectEvery(message.getStarted().hasHeartbeatInterval(), message.getStarted().getHeartbeatInterval());
    if (message.hasAcknowledgement()) out.accept(progressOf(message.getAcknowledgement()));
  }

  /** Ends when the server has acknowledged everything, and only then. */
  @Override
  boolean isDone() {
    return outbox.isDone();
  }

  @Override
  boolean endsByItself() {
    return true;
  }

  @Override
  RuntimeException causeOf(MnemeException error) {
    return outbox.failure() == null ? error : outbox.failure();
  }

  @Override
  void leave(Duplex<?, IngestMemoriesResponse> run) {
    outbox.close();
    if (run != null) run.cancel();
  }

  @Override
  void ended() {
    outbox.stop();
  }

  private IngestBatch batchOf(List<NewMemory> memories) {
    IngestBatch.Builder batch = IngestBatch.newBuilder().setFirstSequence(nextSequence);
    memories.forEach(each -> batch.addItems(IngestItem.newBuilder().setMemory(each.message(namespace)).setMemoryId(each.id())));
    nextSequence += memories.size();
    return batch.build();
  }

  private IngestProgress progressOf(IngestAcknowledgement message) {
    revision = Math.max(revision, connection.seen(message.getRevision()));
    total = new long[] {before[0] + message.getStoredCount(), before[1] + message.getExistingCount(), before[2] + message.getRefusedCount()};
    acknowledgedSequence = message.getAcknowledgedSequence();
    int settled = 0;
    for (IngestBatch batch : outbox.unacknowledged()) {
      if (batch.getFirstSequence() + batch.getItemsCount() - 1 > acknowledgedSequence) break;
      settled++;
    }
    outbox.acknowledged(settled);
    List<IngestProgress.Refused> refused = new ArrayList<>();
    List<Receipt> receipts = new ArrayList<>();
    message.getResultsList().forEach(each -> {
      if (each.hasError()) {
        refused.add(new IngestProgress.Refused(each.getSequence(), Errors.ofRpcStatus(each.getError(), MnemeException.Family.STORE)));
      } else if (each.hasMemory()) {
        Map<String, Object> more = new HashMap<>();
        more.put("sequence", each.getSequence());
        receipts.add(Receipt.of(each.getMemory(), revision, more));
      }
    });
    return new IngestProgress(acknowledgedSequence, total[0], total[1], total[2], refused, receipts, revision);
  }
}
