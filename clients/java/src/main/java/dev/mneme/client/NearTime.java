package dev.mneme.client;

import java.time.Duration;
import java.time.Instant;

/** An instant or a step, with the distance at which nearness has fallen to a half. */
public final class NearTime {
  private final dev.mneme.v1.NearTime message;

  private NearTime(dev.mneme.v1.NearTime.Builder message) {
    this.message = message.build();
  }

  /** An instant; nearness has halved after one day. */
  public static NearTime time(Instant time) {
    return new NearTime(dev.mneme.v1.NearTime.newBuilder().setTime(Values.timestamp(time)));
  }

  /** An instant, and the distance at which nearness has halved. */
  public static NearTime time(Instant time, Duration scale) {
    return new NearTime(dev.mneme.v1.NearTime.newBuilder().setTime(Values.timestamp(time)).setTimeScale(Values.duration(scale)));
  }

  /** A step; nearness has halved after 10 steps. */
  public static NearTime step(long step) {
    return new NearTime(dev.mneme.v1.NearTime.newBuilder().setStep(step));
  }

  /** A step, and the number of steps at which nearness has halved. */
  public static NearTime step(long step, double scale) {
    return new NearTime(dev.mneme.v1.NearTime.newBuilder().setStep(step).setStepScale(scale));
  }

  dev.mneme.v1.NearTime message() {
    return message;
  }
}
