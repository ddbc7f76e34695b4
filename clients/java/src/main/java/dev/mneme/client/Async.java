package dev.mneme.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/** Blocking calls on threads of their own, one for each that is under way. */
final class Async {
  private static final ExecutorService THREADS = Executors.newCachedThreadPool(task -> {
    Thread thread = new Thread(task, "mneme-async");
    thread.setDaemon(true);
    return thread;
  });

  private Async() {}

  static <T> CompletableFuture<T> run(Supplier<T> calls) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Future<?> task = THREADS.submit(() -> {
      try {
        result.complete(calls.get());
      } catch (RuntimeException error) {
        result.completeExceptionally(error);
      }
    });
    // Interrupting the thread cancels its call.
    result.whenComplete((value, error) -> {
      if (result.isCancelled()) task.cancel(true);
    });
    return result;
  }
}
