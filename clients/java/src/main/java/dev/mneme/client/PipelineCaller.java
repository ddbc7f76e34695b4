package dev.mneme.client;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.mneme.v1.PipelineCancel;
import dev.mneme.v1.PipelineOperation;
import dev.mneme.v1.PipelineRequest;
import dev.mneme.v1.PipelineResponse;
import dev.mneme.v1.PipelineResult;
import dev.mneme.v1.PipelineServiceGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Makes calls over one stream. It is opened for the first of them, and again when it breaks while some are unanswered:
 * those are repeated, which is safe because every mutation carries a request id.
 */
final class PipelineCaller implements Caller, AutoCloseable {
  /** As often as a separate call. */
  private static final int ATTEMPTS_MAX = 4;
  private static final int OPERATIONS_PER_MESSAGE = 64;

  private record Asked(PipelineOperation operation, MnemeException.Family family, CompletableFuture<PipelineResult> result) {}

  private final Connection connection;
  private final AtomicLong lastId = new AtomicLong();
  private final Map<Long, Asked> asked = new ConcurrentSkipListMap<>();
  private final BlockingQueue<PipelineOperation> outgoing = new LinkedBlockingQueue<>();
  private EventStream<Object> stream;
  private volatile boolean closed;

  PipelineCaller(Connection connection) {
    this.connection = connection;
    connection.opened(this);
  }

  @Override
  public Connection connection() {
    return connection;
  }

  @Override
  public <Q extends Message, R extends Message> R unary(MethodDescriptor<Q, R> method, Q request, Settings settings) {
    Duration timeout = settings.timeout() != null ? settings.timeout()
        : method.getBareMethodName().equals("Recall") ? connection.options.recallTimeout : connection.options.timeout;
    long deadline = System.nanoTime() + Connection.nanos(timeout);
    Fill.checkNamespace(request);
    Message filled = Fill.request(request, settings, connection.minRevision());
    for (int attempt = 1; ; attempt++) {
      try {
        return answerTo(method, filled, deadline);
      } catch (MnemeException.Unavailable error) {
        if (attempt == ATTEMPTS_MAX || !connection.retries() || error.reason().isEmpty()) throw error;
        pause(error, attempt);
      }
    }
  }

  /** Refuses more, waits until all that was asked for is answered, and ends the stream. */
  @Override
  public void close() {
    closed = true;
    for (Asked each : asked.values()) {
      try {
        each.result.get(Connection.nanos(connection.options.timeout), TimeUnit.NANOSECONDS);
      } catch (ExecutionException | TimeoutException failed) {
        // The caller gets the error.
      } catch (InterruptedException stop) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    synchronized (this) {
      if (stream != null) stream.close();
    }
    connection.ended(this);
  }

  private <Q extends Message, R extends Message> R answerTo(MethodDescriptor<Q, R> method, Message request, long deadline) {
    MnemeException.Family family = Errors.familyOf(method);
    if (connection.isClosed()) throw Errors.closed(family);
    if (closed) throw MnemeException.of(Status.Code.CANCELLED, "the pipeline is closed", Errors.in(family, null));
    long id = lastId.incrementAndGet();
    long left = Math.max(deadline - System.nanoTime(), 1);
    PipelineOperation.Builder operation = PipelineOperation.newBuilder().setCorrelationId(id);
    if (left < Long.MAX_VALUE / 8) operation.setTimeout(Values.duration(Duration.ofNanos(left)));
    // A method's request is the field of the operation with the method's name.
    FieldDescriptor field = PipelineOperation.getDescriptor().findFieldByName(Answers.snakeCase(method.getBareMethodName()).substring(1));
    if (field == null) throw Errors.badInput("pipeline", method.getBareMethodName() + " cannot be called over a pipeline");
    Asked one = new Asked(operation.setField(field, request).build(), family, new CompletableFuture<>());
    ask(id, one);
    try {
      return settled(method, one.result.get(left, TimeUnit.NANOSECONDS));
    } catch (TimeoutException late) {
      giveUp(id);
      throw MnemeException.of(Status.Code.DEADLINE_EXCEEDED, "the answer did not come in time", Errors.in(family, null));
    } catch (InterruptedException stop) {
      giveUp(id);
      throw Errors.interrupted(family, stop);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof MnemeException error) {
        throw MnemeException.of(error.code(), error.getMessage(), error.details());
      }
      throw new IllegalStateException(failed.getCause());
    } finally {
      asked.remove(id);
    }
  }

  private <R extends Message> R settled(MethodDescriptor<?, R> method, PipelineResult result) {
    if (result.hasError()) throw Errors.ofRpcStatus(result.getError(), Errors.familyOf(method));
    FieldDescriptor field = result.getOneofFieldDescriptor(PipelineResult.getDescriptor().getOneofs().get(0));
    if (field == null) throw Errors.incompleteAnswer("result");
    @SuppressWarnings("unchecked")
    R answer = (R) result.getField(field);
    if (!Guarantees.isOfSessions(method)) connection.seen(Fill.revisionOf(answer));
    return answer;
  }

  private synchronized void ask(long id, Asked one) {
    asked.put(id, one);
    outgoing.add(one.operation);
    if (stream != null) return;
    EventStream<Object> opened = new EventStream<>(connection, new PipelineRuns());
    stream = opened;
    daemon("mneme-pipeline", () -> read(opened));
  }

  private void giveUp(long id) {
    outgoing.add(PipelineOperation.newBuilder().setCorrelationId(id).setCancel(PipelineCancel.getDefaultInstance()).build());
  }

  private void read(EventStream<Object> opened) {
    MnemeException failure;
    try {
      while (opened.hasNext()) opened.next();
      failure = connection.isClosed() ? Errors.closed(MnemeException.Family.BASE)
          : Errors.unavailable("the pipeline ended", MnemeException.Family.BASE, null);
    } catch (MnemeException error) {
      failure = error;
    }
    synchronized (this) {
      stream = null;
      outgoing.clear();
      for (Asked each : List.copyOf(asked.values())) {
        MnemeException.Details d = failure.details();
        each.result.completeExceptionally(MnemeException.of(failure.code(), failure.getMessage(), new MnemeException.Details(
            d.reason(), d.metadata(), d.violations(), d.retryDelay(), each.family, failure)));
      }
    }
  }

  private void pause(MnemeException error, int attempt) {
    try {
      long limit = 100L << attempt;
      Thread.sleep(error.retryDelay().map(Duration::toMillis).orElse(0L) + ThreadLocalRandom.current().nextLong(limit));
    } catch (InterruptedException stop) {
      throw Errors.interrupted(error.family(), stop);
    }
  }

  private static Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private final class PipelineRuns extends Runs<PipelineResponse, Object> {
    private Thread sender;
    private volatile boolean isIdle;

    @Override
    Duplex<?, PipelineResponse> open(Consumer<Object> out) {
      Duplex<PipelineRequest, PipelineResponse> run = connection.stream(PipelineServiceGrpc.getPipelineMethod(), Settings.NONE);
      synchronized (PipelineCaller.this) {
        outgoing.clear();
        asked.values().forEach(each -> outgoing.add(each.operation));
      }
      sender = daemon("mneme-pipeline-sender", () -> send(run));
      return run;
    }

    @Override
    void take(PipelineResponse message, Consumer<Object> out) {
      for (PipelineResult result : message.getResultsList()) {
        Asked one = asked.get(result.getCorrelationId());
        if (one != null) one.result.complete(result);
      }
    }

    /** A stream without calls ends. */
    @Override
    boolean isDone() {
      return isIdle;
    }

    @Override
    boolean recover(MnemeException error) {
      synchronized (PipelineCaller.this) {
        isIdle = asked.isEmpty();
        if (isIdle) stream = null;
        return isIdle;
      }
    }

    @Override
    void leave(Duplex<?, PipelineResponse> run) {
      if (run != null) run.cancel();
    }

    @Override
    void ended() {
      if (sender != null) sender.interrupt();
    }

    private void send(Duplex<PipelineRequest, PipelineResponse> run) {
      try {
        while (!run.hasEnded()) {
          PipelineOperation first = outgoing.poll(connection.options.heartbeat.toMillis(), TimeUnit.MILLISECONDS);
          List<PipelineOperation> some = new ArrayList<>();
          if (first != null) some.add(first);
          outgoing.drainTo(some, OPERATIONS_PER_MESSAGE - some.size());
          run.send(PipelineRequest.newBuilder().addAllOperations(some).build());
        }
      } catch (InterruptedException stop) {
        // The stream has ended: what has no answer is asked for over another one.
      }
    }
  }
}
