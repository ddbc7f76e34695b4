package dev.mneme.client;

import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Messages of a server stream, in order. To be read by one thread: {@link #hasNext} waits; interrupting the thread ends the stream
 * with {@link MnemeException.Cancelled}. {@link #close} ends it, also from another thread. Nothing is sent before the first read.
 *
 * <p>Endless streams are reopened when they break: on UNAVAILABLE, on what a proxy has cut, and after a silence of
 * three heartbeats.
 */
public final class EventStream<T> implements Iterator<T>, Iterable<T>, AutoCloseable {
  private static final long FIRST_WAIT_MS = 100;
  private static final long LONGEST_WAIT_MS = 10_000;

  private final Connection connection;
  private final Runs<Object, T> runs;
  private final Queue<T> ready = new ArrayDeque<>();
  private volatile Duplex<?, Object> run;
  private volatile boolean closed;
  /** Closed because its client was closed: the reader gets an error. */
  private volatile boolean isCutOff;
  private final CountDownLatch over = new CountDownLatch(1);
  private boolean ended;
  private boolean hasHeard;
  private int failures;
  private long heardAt = System.nanoTime();
  private Duration patience;
  private Consumer<MnemeException> onBroken = error -> {};
  private Runnable onOpen = () -> {};

  @SuppressWarnings("unchecked")
  EventStream(Connection connection, Runs<?, T> runs) {
    this.connection = connection;
    this.runs = (Runs<Object, T>) runs;
    connection.opened(this);
  }

  /** A stream of one run. */
  static <R, T> EventStream<T> of(
      Connection connection, Supplier<Duplex<?, R>> open, BiConsumer<R, Consumer<T>> take, Runnable finish) {
    return new EventStream<>(connection, new Runs<R, T>() {
      @Override
      Duplex<?, R> open(Consumer<T> out) {
        return open.get();
      }

      @Override
      void take(R message, Consumer<T> out) {
        take.accept(message, out);
      }

      @Override
      boolean isEndless() {
        return false;
      }

      @Override
      boolean resumes() {
        return false;
      }

      @Override
      Duration silence() {
        return null;
      }

      @Override
      void finish() {
        finish.run();
      }
    });
  }

  /**
   * Maximum time without a message, over all attempts, after which the last error is thrown. Default: unlimited.
   * Returns this stream.
   */
  public EventStream<T> patience(Duration time) { patience = time; return this; }

  /** Called with the reason whenever the stream broke and is about to be reopened. Returns this stream. */
  public EventStream<T> onBroken(Consumer<MnemeException> listener) { onBroken = listener; return this; }

  /** Called when the server has answered on a stream, the first one or a reopened one. Returns this stream. */
  public EventStream<T> onOpen(Runnable listener) { onOpen = listener; return this; }

  /** Waits until there is another item, or the end. Fails as the stream does; a stream that failed has ended. */
  @Override
  public boolean hasNext() {
    while (ready.isEmpty() && !ended) advance();
    return !ready.isEmpty();
  }

  @Override
  public T next() {
    if (!hasNext()) throw new NoSuchElementException();
    return ready.remove();
  }

  /** This stream: it can be read once. */
  @Override
  public Iterator<T> iterator() {
    return this;
  }

  /** Ends the stream. A stream that has ended is left as it is. */
  @Override
  public void close() {
    if (closed) return;
    closed = true;
    runs.leave(run);
    runs.ended();
    connection.ended(this);
  }

  /** Ends the stream with the error that its client is closed. */
  void closeWithClient() {
    isCutOff = !closed;
    close();
  }

  /** Before its client is closed: a stream that stores is given this long to be acknowledged. */
  void finish(long nanos) {
    try {
      if (runs.endsByItself()) over.await(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  /** The same for reactive libraries: for one subscriber, read by a thread of its own, no faster than is asked for. */
  public Flow.Publisher<T> publisher() {
    return subscriber -> StreamSubscription.start(this, subscriber);
  }

  private void advance() {
    if (closed || runs.isDone()) {
      end();
      if (isCutOff && !runs.isDone()) throw Errors.closed(MnemeException.Family.BASE);
      return;
    }
    try {
      if (run == null) {
        hasHeard = false;
        run = runs.open(ready::add);
        if (closed) runs.leave(run);
      }
      Object message = run.read(runs.silence());
      if (message != null) {
        heard();
        runs.take(message, ready::add);
      } else if (runs.isEndless() && !runs.isDone()) {
        throw Errors.unavailable("the stream ended before its time", MnemeException.Family.BASE, null);
      } else {
        end();
        runs.finish();
      }
    } catch (MnemeException error) {
      failed(error);
    }
  }

  private void heard() {
    heardAt = System.nanoTime();
    if (hasHeard) return;
    hasHeard = true;
    failures = 0;
    onOpen.run();
  }

  private void failed(MnemeException error) {
    if (run != null) run.giveUp();
    run = null;
    runs.ended();
    if (closed) {
      end();
      if (isCutOff) throw Errors.closed(error.family());
      return;
    }
    RuntimeException cause = runs.causeOf(error);
    boolean isInterrupted = Thread.currentThread().isInterrupted();
    if (!isInterrupted && cause == error && runs.recover(error)) return;
    boolean mayGoOn = !isInterrupted && cause == error && runs.resumes() && connection.retries() && connection.mayReturn()
        && isBroken(error);
    if (!mayGoOn || (patience != null && System.nanoTime() - heardAt > patience.toNanos())) {
      end();
      throw cause;
    }
    onBroken.accept(error);
    waitBefore(error);
  }

  private void waitBefore(MnemeException error) {
    long limit = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS << Math.min(failures, 20));
    failures++;
    try {
      Thread.sleep(error.retryDelay().map(Duration::toMillis).orElse(0L) + ThreadLocalRandom.current().nextLong(limit + 1));
    } catch (InterruptedException stop) {
      end();
      throw Errors.interrupted(error.family(), stop);
    }
  }

  private void end() {
    ended = true;
    over.countDown();
    if (run != null) run.cancel();
    runs.ended();
    connection.ended(this);
  }

  /** Whether it ended for a reason that another run may not have. Any other answer of Mneme itself is final. */
  static boolean isBroken(MnemeException error) {
    return switch (error.code()) {
      case UNAVAILABLE -> true;
      case RESOURCE_EXHAUSTED -> error.reason().filter("SLOW_CONSUMER"::equals).isPresent() || error.retryDelay().isPresent();
      case INTERNAL, CANCELLED, UNKNOWN -> error.reason().isEmpty();
      default -> false;
    };
  }

  static boolean isOutOfRange(MnemeException error, String reason) {
    return error.code() == Status.Code.OUT_OF_RANGE && error.reason().filter(reason::equals).isPresent();
  }
}
