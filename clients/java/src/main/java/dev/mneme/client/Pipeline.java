package dev.mneme.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.function.Function;

/**
 * The calls of an agent's loop over one stream: memories, recall, working memory, session lifecycles. Faster than
 * separate calls, and otherwise equal. When the stream breaks, unanswered calls are repeated over another one.
 */
public final class Pipeline extends MemoryCalls implements AutoCloseable {
  private final PipelineCaller pipeline;

  Pipeline(PipelineCaller pipeline, String namespace, Settings settings) {
    super(pipeline, namespace, settings);
    this.pipeline = pipeline;
  }

  Pipeline with(Settings other) {
    return new Pipeline(pipeline, namespace, other);
  }

  /** The same with another timeout of calls. */
  public Pipeline withTimeout(Duration timeout) { return with(settings.withTimeout(timeout)); }

  /** For one write: its idempotency key. */
  public Pipeline withRequestId(String id) { return with(settings.withRequestId(id)); }

  /** For reads: the oldest revision to answer from. */
  public Pipeline withMinRevision(long revision) { return with(settings.withMinRevision(revision)); }

  /** For one write: it fails with {@link MnemeException.Aborted} unless the changed resource has this version. */
  public Pipeline ifVersion(long version) { return with(settings.withIfVersion(version)); }

  /** The lives of sessions, but for their streams. */
  public Lifecycle lifecycle() { return new Lifecycle(caller, namespace, settings); }

  /** Working memory of a session, by its id, but for its stream. */
  public WorkingMemory session(String id) { return new WorkingMemory(caller, namespace, settings, id); }

  /**
   * Does something with each item, so many at a time, and returns each result in the order of completion. A failed item
   * has its {@code error}; the others continue.
   */
  public <I, R> List<Outcome<I, R>> each(Iterable<I> items, Function<I, R> operation, int concurrency) {
    ExecutorService threads = Executors.newFixedThreadPool(concurrency);
    BlockingQueue<Outcome<I, R>> done = new LinkedBlockingQueue<>();
    Semaphore room = new Semaphore(concurrency);
    int count = 0;
    try {
      for (I item : items) {
        room.acquire();
        count++;
        threads.execute(() -> {
          done.add(outcome(item, operation));
          room.release();
        });
      }
      List<Outcome<I, R>> outcomes = new ArrayList<>();
      while (outcomes.size() < count) outcomes.add(done.take());
      return outcomes;
    } catch (InterruptedException stop) {
      throw Errors.interrupted(MnemeException.Family.BASE, stop);
    } finally {
      threads.shutdownNow();
    }
  }

  private static <I, R> Outcome<I, R> outcome(I item, Function<I, R> operation) {
    try {
      return new Outcome<>(item, operation.apply(item), null);
    } catch (RuntimeException error) {
      return new Outcome<>(item, null, error);
    }
  }

  /** Refuses more calls, waits until all are answered, no longer than a call may take, and ends the stream. */
  @Override
  public void close() {
    pipeline.close();
  }

  /**
   * Result of an item.
   *
   * @param item the item
   * @param result its answer, or null
   * @param error why it failed, or null
   */
  public record Outcome<I, R>(I item, R result, RuntimeException error) {}
}
