package dev.mneme.client;

import dev.mneme.v1.CalendarPeriod;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;

/** A stretch of time: the last so long, a unit of the calendar, or from one instant until another. */
public final class TimeWindow {
  /** A unit of the calendar. */
  public enum Period {
    /** From midnight to midnight. */
    DAY,
    /** From Monday. */
    WEEK,
    /** Of the calendar. */
    MONTH,
    /** Of the calendar. */
    YEAR
  }

  private final dev.mneme.v1.TimeWindow message;

  private TimeWindow(dev.mneme.v1.TimeWindow.Builder message) {
    this.message = message.build();
  }

  /** The last so long, counted back from the server's clock. */
  public static TimeWindow last(Duration length) {
    return new TimeWindow(dev.mneme.v1.TimeWindow.newBuilder().setLast(Values.duration(length)));
  }

  /** The unit of the calendar that is now, or so many before it, in a time zone; null for UTC. */
  public static TimeWindow period(Period period, int periodsAgo, ZoneId zone) {
    dev.mneme.v1.TimeWindow.Builder message = dev.mneme.v1.TimeWindow.newBuilder()
        .setPeriod(Values.code(CalendarPeriod.class, "CALENDAR_PERIOD_", period)).setPeriodsAgo(periodsAgo);
    if (zone != null) message.setTimeZone(Values.zone(zone));
    return new TimeWindow(message);
  }

  /** From a first instant until another, which is no longer inside; null for no end on that side. */
  public static TimeWindow between(Instant start, Instant end) {
    dev.mneme.v1.TimeWindow.Builder message = dev.mneme.v1.TimeWindow.newBuilder();
    if (start != null) message.setStartTime(Values.timestamp(start));
    if (end != null) message.setEndTime(Values.timestamp(end));
    return new TimeWindow(message);
  }

  dev.mneme.v1.TimeWindow message() {
    return message;
  }
}
