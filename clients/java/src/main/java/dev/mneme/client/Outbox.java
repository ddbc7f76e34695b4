package dev.mneme.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * Messages to be sent, and unacknowledged ones: the queue outlives the streams that send it. What the source has at the
 * moment goes into one message.
 */
final class Outbox<M> {
  private static final int COUNT_MAX = 256;
  private static final int BYTES_MAX = 1024 * 1024;
  private static final Object END = new Object();

  private final BlockingQueue<Object> queue = new ArrayBlockingQueue<>(2 * COUNT_MAX);
  private final Function<List<NewMemory>, M> batch;
  private final int unacknowledgedMax;
  /** Held while something is taken from the queue and put behind what is not acknowledged: so the order stays. */
  private final ReentrantLock intake = new ReentrantLock();
  private NewMemory held;
  private final List<M> unacknowledged = new ArrayList<>();
  /** How many of them were sent over the present stream. */
  private int sent;
  private int generation;
  private boolean isSourceDone;
  private RuntimeException failure;
  private Thread sender;
  private final Thread pump;

  Outbox(Iterable<NewMemory> memories, Function<List<NewMemory>, M> batch, int unacknowledgedMax) {
    this.batch = batch;
    this.unacknowledgedMax = unacknowledgedMax;
    pump = new Thread(() -> pump(memories), "mneme-source");
    pump.setDaemon(true);
    pump.start();
  }

  /** Sends over another stream, from the first that is not acknowledged. */
  synchronized <Q> void start(Duplex<Q, ?> stream, Function<M, Q> wrap, Q heartbeat, Duration interval) {
    sent = 0;
    int mine = ++generation;
    sender = new Thread(() -> send(stream, wrap, heartbeat, interval.toMillis(), mine), "mneme-sender");
    sender.setDaemon(true);
    sender.start();
  }

  /** The present stream is over. */
  synchronized void stop() {
    generation++;
    if (sender != null) sender.interrupt();
    notifyAll();
  }

  /** Nothing more is read from the source. */
  void close() {
    stop();
    pump.interrupt();
  }

  synchronized void acknowledged(int count) {
    unacknowledged.subList(0, count).clear();
    sent -= count;
    notifyAll();
  }

  /** What is not acknowledged, in its order. */
  synchronized List<M> unacknowledged() {
    return List.copyOf(unacknowledged);
  }

  /** Puts others in the place of the first, while nothing is sent. */
  synchronized void replaceFirst(List<M> others) {
    unacknowledged.remove(0);
    unacknowledged.addAll(0, others);
  }

  /** True when all messages were sent and acknowledged. */
  synchronized boolean isDone() {
    return isSourceDone && failure == null && unacknowledged.isEmpty();
  }

  synchronized RuntimeException failure() {
    return failure;
  }

  private void pump(Iterable<NewMemory> memories) {
    try {
      for (Iterator<NewMemory> source = memories.iterator(); source.hasNext(); ) queue.put(source.next());
      queue.put(END);
    } catch (InterruptedException stop) {
      // The reader wants no more items.
    } catch (RuntimeException fault) {
      failed(fault);
    }
  }

  private void failed(RuntimeException fault) {
    synchronized (this) {
      failure = fault;
    }
    if (!queue.offer(END)) queue.clear();
    queue.offer(END);
  }

  private <Q> void send(Duplex<Q, ?> stream, Function<M, Q> wrap, Q heartbeat, long intervalMs, int mine) {
    try {
      while (sendOne(stream, wrap, heartbeat, intervalMs, mine)) { }
    } catch (InterruptedException stop) {
      // Another stream continues.
    } catch (RuntimeException fault) {
      failed(fault);
      stream.cancel();
    }
  }

  private <Q> boolean sendOne(Duplex<Q, ?> stream, Function<M, Q> wrap, Q heartbeat, long intervalMs, int mine)
      throws InterruptedException {
    M next = null;
    synchronized (this) {
      if (generation != mine || stream.hasEnded()) return false;
      if (sent < unacknowledged.size()) {
        next = unacknowledged.get(sent);
      } else if (isSourceDone) {
        if (failure == null) stream.halfClose();
        else stream.cancel();
        return false;
      } else if (unacknowledged.size() >= unacknowledgedMax) {
        wait(intervalMs);
        if (heartbeat != null && unacknowledged.size() >= unacknowledgedMax) stream.offer(heartbeat);
        return true;
      }
    }
    if (next == null) {
      if (!takeIn(intervalMs) && heartbeat != null) stream.offer(heartbeat);
      return true;
    }
    if (!stream.send(wrap.apply(next))) return false;
    synchronized (this) {
      if (generation == mine) sent++;
    }
    return true;
  }

  /** False when nothing came for so long. */
  private boolean takeIn(long intervalMs) throws InterruptedException {
    intake.lockInterruptibly();
    try {
      Object first = held == null ? queue.poll(intervalMs, TimeUnit.MILLISECONDS) : held;
      held = null;
      if (first == null) return false;
      List<NewMemory> memories = new ArrayList<>();
      int bytes = 0;
      boolean isEnd = false;
      for (Object next = first; next != null; next = queue.poll()) {
        if (next == END) {
          isEnd = true;
          break;
        }
        NewMemory memory = (NewMemory) next;
        int size = memory.size();
        if (!memories.isEmpty() && (memories.size() >= COUNT_MAX || bytes + size > BYTES_MAX)) {
          held = memory;
          break;
        }
        memories.add(memory);
        bytes += size;
      }
      M message = memories.isEmpty() ? null : batch.apply(memories);
      synchronized (this) {
        if (message != null) unacknowledged.add(message);
        if (isEnd) isSourceDone = true;
      }
      return true;
    } finally {
      intake.unlock();
    }
  }
}
