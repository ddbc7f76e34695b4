package dev.mneme.client;

import java.time.Duration;
import java.util.function.Consumer;

/** Runs of a stream, one after the other, that are read as one: {@link EventStream} opens another one when one breaks. */
abstract class Runs<R, T> {
  /** Silence after which a stream counts as broken, until the server has announced its heartbeat interval. */
  private static final Duration SILENCE = Duration.ofSeconds(45);
  private static final int HEARTBEATS_MISSED = 3;

  private Duration silence = SILENCE;

  /** Opens another run, which goes on where the last one ended. May tell something at once. */
  abstract Duplex<?, R> open(Consumer<T> out);

  abstract void take(R message, Consumer<T> out);

  /** True when everything is delivered. */
  boolean isDone() {
    return false;
  }

  /** True when it is never done by the server's word: a run that ends has been cut off. */
  boolean isEndless() {
    return true;
  }

  /** Whether a broken run is followed by another one. */
  boolean resumes() {
    return true;
  }

  /** A way out of an error that is final otherwise; true when the stream is to be opened again. */
  boolean recover(MnemeException error) {
    return false;
  }

  /** What to tell in place of an error. */
  RuntimeException causeOf(MnemeException error) {
    return error;
  }

  /** True when it is done once all is stored: closing its client waits for that. */
  boolean endsByItself() {
    return false;
  }

  /** After the last run. */
  void finish() {}

  /** The reader has seen enough of this run, which may be null. */
  void leave(Duplex<?, R> run) {
    if (run != null) run.cancel();
  }

  /** A run has ended, for whatever reason. */
  void ended() {}

  /** Longest silence; null for any. */
  Duration silence() {
    return silence;
  }

  /** Sets the maximum interval of the server's heartbeats. */
  final void expectEvery(boolean isSaid, com.google.protobuf.Duration heartbeat) {
    Duration interval = Values.duration(heartbeat);
    // An interval of 0 or less would make every stream count as silent.
    silence = isSaid && interval.compareTo(Duration.ZERO) > 0 ? interval.multipliedBy(HEARTBEATS_MISSED) : SILENCE;
  }
}
