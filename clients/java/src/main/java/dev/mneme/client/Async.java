package dev.mneme.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/** Blocking calls of one client on threads of their own, one for each that is under way; they end with the client. */
final class Async implements AutoCloseable {
  private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
    Thread thread = new Thread(task, "mneme-async");
    thread.setDaemon(true);
    return thread;
  });

  <T> CompletableFuture<T> run(Supplier<T> calls) {
    CompletableFuture<T> result = new CompletableFuture<>();
    try {
      Future<?> task = threads.submit(() -> {
        try {
          result.complete(calls.get());
        } catch (Throwable error) { // An Error too: what a thread of the pool throws is otherwise lost.
          result.completeExceptionally(error);
        }
      });
      // Interrupting the thread cancels its call.
      result.whenComplete((value, error) -> {
        if (result.isCancelled()) task.cancel(true);
      });
    } catch (RejectedExecutionException closed) {
      result.completeExceptionally(Errors.closed(MnemeException.Family.BASE));
    }
    return result;
  }

  /** Takes no more; what is under way goes on to its end. */
  @Override
  public void close() {
    threads.shutdown();
  }
}
