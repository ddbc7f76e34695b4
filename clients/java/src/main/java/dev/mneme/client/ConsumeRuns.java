package dev.mneme.client;

import dev.mneme.v1.Change;
import dev.mneme.v1.ConsumeAcknowledge;
import dev.mneme.v1.ConsumeStart;
import dev.mneme.v1.ConsumeSubscriptionRequest;
import dev.mneme.v1.ConsumeSubscriptionResponse;
import dev.mneme.v1.SubscriptionServiceGrpc;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Delivers changes, and sends what was acknowledged. */
final class ConsumeRuns extends Runs<ConsumeSubscriptionResponse, Delivery> {
  private static final int REVISIONS_MAX = 10_000;

  private final Connection connection;
  private final Settings settings;
  private final ConsumeQuery query;
  private final ConsumeStart.Builder start;
  private volatile String log = "";
  /**
   * Processed changes that may be delivered again, because the server has not confirmed their acknowledgement: instants
   * by revision, because a log that was restored to an older state assigns a revision to another change.
   */
  private final Map<Long, Instant> done = new ConcurrentHashMap<>();
  private final List<Long> outgoing = new ArrayList<>();
  private volatile Duplex<ConsumeSubscriptionRequest, ConsumeSubscriptionResponse> stream;
  private Thread sender;

  ConsumeRuns(Connection connection, Settings settings, String name, String consumer, ConsumeQuery query) {
    this.connection = connection;
    this.settings = settings;
    this.query = query;
    start = query.copy().setName(name).setConsumer(consumer);
  }

  @Override
  Duplex<?, ConsumeSubscriptionResponse> open(Consumer<Delivery> out) {
    Duplex<ConsumeSubscriptionRequest, ConsumeSubscriptionResponse> opened =
        connection.stream(SubscriptionServiceGrpc.getConsumeSubscriptionMethod(), settings);
    synchronized (outgoing) {
      outgoing.clear();
      stream = opened;
    }
    try {
      opened.send(ConsumeSubscriptionRequest.newBuilder().setStart(start).build());
    } catch (InterruptedException stop) {
      throw Errors.interrupted(MnemeException.Family.RETRIEVAL, stop);
    }
    sender = new Thread(() -> send(opened), "mneme-acknowledgements");
    sender.setDaemon(true);
    sender.start();
    return opened;
  }

  @Override
  void take(ConsumeSubscriptionResponse message, Consumer<Delivery> out) {
    if (message.hasCreated()) {
      var created = message.getCreated();
      expectEvery(created.hasHeartbeatInterval(), created.getHeartbeatInterval());
      // Another server numbers the same changes differently; a consumer that was moved back gets them again.
      if (!created.getLog().equals(log) || start.hasStartRevision()) done.clear();
      log = created.getLog();
      start.clearStartRevision();
    }
    done.keySet().removeIf(revision -> revision <= message.getAcknowledgedRevision());
    for (Change change : message.getBatch().getChangesList()) {
      if (Values.instant(change.getTime()).equals(done.get(change.getRevision()))) acknowledge(change.getRevision());
      else out.accept(deliveryOf(change));
    }
  }

  @Override
  boolean recover(MnemeException error) {
    boolean isCompacted = EventStream.isOutOfRange(error, "REVISION_COMPACTED");
    if (!isCompacted || query.onCompacted != ConsumeQuery.OnCompacted.SKIP) return false;
    long oldest = Long.parseLong(error.metadata().getOrDefault("compact_revision", "0")) + 1;
    // The log may have been compacted further in the meantime; a refusal of its oldest revision must not loop forever.
    if (start.hasStartRevision() && oldest <= start.getStartRevision()) return false;
    start.setStartRevision(oldest);
    return true;
  }

  /** Lets the server receive the acknowledgements and end the stream itself, within the timeout of a call. */
  @Override
  void leave(Duplex<?, ConsumeSubscriptionResponse> run) {
    if (run == null) return;
    stopSender();
    try {
      flush(stream);
      stream.halfClose();
      long deadline = System.nanoTime() + Connection.nanos(connection.options.timeout);
      while (System.nanoTime() < deadline && run.read(Duration.ofNanos(deadline - System.nanoTime())) != null) { }
    } catch (MnemeException | InterruptedException hasEnded) {
      // What the server does not know is delivered again.
    } finally {
      run.cancel();
    }
  }

  @Override
  void ended() {
    stopSender();
  }

  private Delivery deliveryOf(Change change) {
    String ofLog = log;
    var ofStream = stream;
    return new Delivery(WatchEvent.Change.of(change, null), () -> {
      if (!ofLog.equals(log)) return;
      done.put(change.getRevision(), Values.instant(change.getTime()));
      // A change of an earlier stream is acknowledged when it is delivered again.
      if (ofStream == stream) acknowledge(change.getRevision());
    });
  }

  private void acknowledge(long revision) {
    synchronized (outgoing) {
      outgoing.add(revision);
      outgoing.notifyAll();
    }
  }

  /** Sends gathered acknowledgements in one message, or a heartbeat without any. */
  private void send(Duplex<ConsumeSubscriptionRequest, ConsumeSubscriptionResponse> opened) {
    try {
      while (!opened.hasEnded()) {
        boolean isIdle;
        synchronized (outgoing) {
          if (outgoing.isEmpty()) outgoing.wait(connection.options.heartbeat.toMillis());
          isIdle = outgoing.isEmpty();
        }
        if (isIdle) opened.offer(message(List.of()));
        else flush(opened);
      }
    } catch (InterruptedException stop) {
      // The stream is left, or another one goes on.
    }
  }

  private void flush(Duplex<ConsumeSubscriptionRequest, ConsumeSubscriptionResponse> opened) throws InterruptedException {
    for (;;) {
      List<Long> some;
      synchronized (outgoing) {
        if (outgoing.isEmpty() || opened != stream) return;
        some = List.copyOf(outgoing.subList(0, Math.min(REVISIONS_MAX, outgoing.size())));
        outgoing.subList(0, some.size()).clear();
      }
      if (!opened.send(message(some))) return;
    }
  }

  private void stopSender() {
    Thread running = sender;
    if (running == null) return;
    running.interrupt();
    try {
      running.join();
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  private static ConsumeSubscriptionRequest message(List<Long> revisions) {
    return ConsumeSubscriptionRequest.newBuilder().setAcknowledge(ConsumeAcknowledge.newBuilder().addAllRevisions(revisions)).build();
  }
}
