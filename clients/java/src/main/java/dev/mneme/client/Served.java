package dev.mneme.client;

import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/** Work that a client does for the server over a stream that is opened again when it breaks, until it is closed. */
abstract class Served<Q extends Message, R extends Message> implements AutoCloseable {
  final ExecutorService handlers = Executors.newCachedThreadPool(task -> {
    Thread thread = new Thread(task, "mneme-served");
    thread.setDaemon(true);
    return thread;
  });
  private final EventStream<Object> stream;
  private final CompletableFuture<Void> started = new CompletableFuture<>();
  private final CompletableFuture<Void> closed = new CompletableFuture<>();

  /** {@code first} is sent first on every stream. */
  Served(Connection connection, Settings settings, MethodDescriptor<Q, R> method, Q first) {
    stream = new EventStream<>(connection, new Runs<R, Object>() {
      private Duplex<Q, R> run;

      @Override
      Duplex<?, R> open(Consumer<Object> out) {
        run = connection.stream(method, settings);
        send(run, first);
        return run;
      }

      @Override
      void take(R message, Consumer<Object> out) {
        Served.this.take(message, run);
        started.complete(null);
      }

      @Override
      void ended() {
        Served.this.ended();
      }
    });
  }

  /** A message of the server; answers go over the stream that it came from. */
  abstract void take(R message, Duplex<Q, R> from);

  /** A stream has ended. */
  void ended() {}

  /** Serves. Returns when the server has answered; fails when it refuses. */
  final void begin() {
    handlers.execute(this::serve);
    try {
      started.get();
    } catch (InterruptedException stop) {
      close();
      throw Errors.interrupted(MnemeException.Family.BASE, stop);
    } catch (ExecutionException failure) {
      close();
      if (failure.getCause() instanceof MnemeException error) throw error;
      throw new IllegalStateException(failure.getCause());
    }
  }

  /** Done when it is closed; fails when its stream broke for good. */
  public CompletableFuture<Void> closed() {
    return closed;
  }

  /** The server asks no more. */
  @Override
  public void close() {
    stream.close();
    handlers.shutdownNow();
  }

  private void serve() {
    try {
      while (stream.hasNext()) stream.next();
      started.completeExceptionally(Errors.unavailable("the server has not answered", MnemeException.Family.BASE, null));
      closed.complete(null);
    } catch (MnemeException error) {
      started.completeExceptionally(error);
      closed.completeExceptionally(error);
    }
  }

  final void send(Duplex<Q, R> run, Q message) {
    try {
      run.send(message);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  static String textOf(Exception fault) {
    return Texts.mended(fault.getMessage() == null ? fault.toString() : fault.getMessage());
  }
}
