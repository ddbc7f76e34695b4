package dev.mneme.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.TemporalAccessor;
import java.util.List;
import java.util.Locale;

/**
 * Time of a message as programs write it: ISO 8601, a date in letters, or a number of seconds, milliseconds, microseconds or nanoseconds
 * since 1970, as a number or as text. A time without a zone is UTC.
 */
final class MessageTime {
  private static final BigDecimal SECONDS_END = new BigDecimal("1e11");
  private static final List<DateTimeFormatter> FORMATS = List.of(
      formatter("yyyy-MM-dd['T'HH:mm[:ss][.SSSSSSSSS][.SSSSSS][.SSS]][xxx][xx][x]['Z']"), DateTimeFormatter.ISO_OFFSET_DATE_TIME,
      DateTimeFormatter.ISO_LOCAL_DATE_TIME, DateTimeFormatter.RFC_1123_DATE_TIME, formatter("d MMMM yyyy[ HH:mm]"),
      formatter("d MMM yyyy[ HH:mm]"), formatter("MMMM d, yyyy"), formatter("MMM d, yyyy"));

  private MessageTime() {}

  private static DateTimeFormatter formatter(String pattern) {
    return new DateTimeFormatterBuilder().parseCaseInsensitive().appendPattern(pattern).toFormatter(Locale.ENGLISH);
  }

  /** Null where it cannot be read. */
  static Instant of(JsonNode value) {
    String text = (value.isTextual() ? value.textValue() : value.toString()).strip();
    try {
      return text.matches("-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d{1,2})?") ? ofNumber(new BigDecimal(text)) : ofText(text);
    } catch (DateTimeException | ArithmeticException outOfRange) {
      return null;
    }
  }

  private static Instant ofNumber(BigDecimal number) {
    BigDecimal seconds = number;
    for (int i = 0; i < 3 && seconds.abs().compareTo(SECONDS_END) >= 0; i++) seconds = seconds.movePointLeft(3);
    long whole = seconds.setScale(0, RoundingMode.FLOOR).longValueExact();
    return Instant.ofEpochSecond(whole, seconds.subtract(BigDecimal.valueOf(whole)).movePointRight(9).longValue());
  }

  private static Instant ofText(String text) {
    String written = text.replaceFirst("^(\\d{4}-\\d\\d-\\d\\d) (?=\\d)", "$1T").replaceFirst(" ?(?:UTC|GMT)$", text.contains(",") ? " GMT" : "Z");
    for (DateTimeFormatter each : FORMATS) {
      try {
        TemporalAccessor read = each.parseBest(written, OffsetDateTime::from, LocalDateTime::from, LocalDate::from);
        if (read instanceof OffsetDateTime time) return time.toInstant();
        if (read instanceof LocalDateTime time) return time.toInstant(ZoneOffset.UTC);
        return ((LocalDate) read).atStartOfDay().toInstant(ZoneOffset.UTC);
      } catch (DateTimeException other) {
        // One of the other formats may fit.
      }
    }
    return null;
  }
}
