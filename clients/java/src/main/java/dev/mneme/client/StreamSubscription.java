package dev.mneme.client;

import java.util.concurrent.Flow;
import java.util.concurrent.Semaphore;

/** Hands items of a stream to a subscriber, as many as it has asked for. */
final class StreamSubscription<T> implements Flow.Subscription, Runnable {
  private final EventStream<T> stream;
  private final Flow.Subscriber<? super T> subscriber;
  private final Semaphore demand = new Semaphore(0);
  private volatile boolean cancelled;
  private volatile Thread thread;

  private StreamSubscription(EventStream<T> stream, Flow.Subscriber<? super T> subscriber) {
    this.stream = stream;
    this.subscriber = subscriber;
  }

  static <T> void start(EventStream<T> stream, Flow.Subscriber<? super T> subscriber) {
    StreamSubscription<T> subscription = new StreamSubscription<>(stream, subscriber);
    subscription.thread = new Thread(subscription, "mneme-publisher");
    subscription.thread.setDaemon(true);
    subscriber.onSubscribe(subscription);
    subscription.thread.start();
  }

  @Override
  public void request(long count) {
    if (count <= 0) throw new IllegalArgumentException("the count must be positive");
    demand.release((int) Math.min(count, Integer.MAX_VALUE - demand.availablePermits()));
  }

  @Override
  public void cancel() {
    cancelled = true;
    stream.close();
    thread.interrupt();
  }

  @Override
  public void run() {
    try {
      while (!cancelled && stream.hasNext()) {
        demand.acquire();
        subscriber.onNext(stream.next());
      }
      if (!cancelled) subscriber.onComplete();
    } catch (InterruptedException | RuntimeException fault) {
      if (!cancelled) subscriber.onError(fault);
    } finally {
      stream.close();
    }
  }
}
