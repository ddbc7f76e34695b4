package dev.mneme.client;

import dev.mneme.v1.Comparison;
import dev.mneme.v1.Day;
import dev.mneme.v1.MemoryField;
import dev.mneme.v1.Operator;
import dev.mneme.v1.Value;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;

/** The fields of a memory, to be compared: {@code Where.TYPE.equalTo("fact")}. */
public final class Where {
  /** Id of the memory. */
  public static final Text ID = new Text(MemoryField.MEMORY_FIELD_ID);

  /** Project of the memory. */
  public static final Text PROJECT = new Text(MemoryField.MEMORY_FIELD_PROJECT);

  /** Agent type of the memory. */
  public static final Text AGENT_TYPE = new Text(MemoryField.MEMORY_FIELD_AGENT_TYPE);

  /** Agent of the memory. */
  public static final Text AGENT = new Text(MemoryField.MEMORY_FIELD_AGENT);

  /** Session of the memory. */
  public static final Text SESSION = new Text(MemoryField.MEMORY_FIELD_SESSION);

  /** Type of the memory. */
  public static final Text TYPE = new Text(MemoryField.MEMORY_FIELD_TYPE);

  /** Tag of the memory. */
  public static final Text TAG = new Text(MemoryField.MEMORY_FIELD_TAG);

  /** Text of the memory. */
  public static final Text TEXT = new Text(MemoryField.MEMORY_FIELD_TEXT);

  /** Speaker of the memory. */
  public static final Text SPEAKER = new Text(MemoryField.MEMORY_FIELD_SPEAKER);

  /** Source uri of the memory. */
  public static final Text SOURCE_URI = new Text(MemoryField.MEMORY_FIELD_SOURCE_URI);

  /** Source origin of the memory. */
  public static final Text SOURCE_ORIGIN = new Text(MemoryField.MEMORY_FIELD_SOURCE_ORIGIN);

  /** Location of the memory. */
  public static final Text LOCATION = new Text(MemoryField.MEMORY_FIELD_LOCATION);

  /** Room of the memory. */
  public static final Text ROOM = new Text(MemoryField.MEMORY_FIELD_ROOM);

  /** Region of the memory. */
  public static final Text REGION = new Text(MemoryField.MEMORY_FIELD_REGION);

  /** Media type of the memory. */
  public static final Text MEDIA_TYPE = new Text(MemoryField.MEMORY_FIELD_MEDIA_TYPE);

  /** Superseded by of the memory. */
  public static final Text SUPERSEDED_BY = new Text(MemoryField.MEMORY_FIELD_SUPERSEDED_BY);

  /** Tier of the memory. */
  public static final Field<Tier> TIER = new Field<>(MemoryField.MEMORY_FIELD_TIER);

  /** Step of the memory. */
  public static final Field<Number> STEP = new Field<>(MemoryField.MEMORY_FIELD_STEP);

  /** Importance of the memory. */
  public static final Field<Number> IMPORTANCE = new Field<>(MemoryField.MEMORY_FIELD_IMPORTANCE);

  /** Priority of the memory. */
  public static final Field<Number> PRIORITY = new Field<>(MemoryField.MEMORY_FIELD_PRIORITY);

  /** Retrieval count of the memory. */
  public static final Field<Number> RETRIEVAL_COUNT = new Field<>(MemoryField.MEMORY_FIELD_RETRIEVAL_COUNT);

  /** Version of the memory. */
  public static final Field<Number> VERSION = new Field<>(MemoryField.MEMORY_FIELD_VERSION);

  /** Event time of the memory. */
  public static final Time EVENT_TIME = new Time(MemoryField.MEMORY_FIELD_EVENT_TIME);

  /** Create time of the memory. */
  public static final Time CREATE_TIME = new Time(MemoryField.MEMORY_FIELD_CREATE_TIME);

  /** Update time of the memory. */
  public static final Time UPDATE_TIME = new Time(MemoryField.MEMORY_FIELD_UPDATE_TIME);

  /** Last access time of the memory. */
  public static final Time LAST_ACCESS_TIME = new Time(MemoryField.MEMORY_FIELD_LAST_ACCESS_TIME);

  /** Expire time of the memory. */
  public static final Time EXPIRE_TIME = new Time(MemoryField.MEMORY_FIELD_EXPIRE_TIME);

  /** Valid from of the memory. */
  public static final Time VALID_FROM = new Time(MemoryField.MEMORY_FIELD_VALID_FROM);

  /** Valid until of the memory. */
  public static final Time VALID_UNTIL = new Time(MemoryField.MEMORY_FIELD_VALID_UNTIL);

  private Where() {}

  /**
   * A value in JSON content: keys joined by dots, such as {@code position.room}; {@code \.} is a dot inside a key.
   * Arrays are searched; a whole number also selects the element at that index.
   */
  public static ContentField path(String dotted) {
    return new ContentField(Comparison.newBuilder().setPath(dotted).build());
  }

  /** Comparisons for a field. A memory without the field satisfies none of them, only their negation. */
  public abstract static sealed class Comparable<V> permits Field, Text, Time, Days, ContentField {
    final Comparison target;

    Comparable(Comparison target) { this.target = target; }

    /** The field has this value. */
    public Filter equalTo(V value) { return compare(Operator.OPERATOR_EQUALS, message(value)); }

    /** The field has one of these values. */
    public Filter isIn(Collection<? extends V> values) {
      return compare(Operator.OPERATOR_IN, values.stream().map(this::message).toArray(Value[]::new));
    }

    /** The field has one of these values. */
    @SafeVarargs
    @SuppressWarnings("varargs")
    public final Filter isIn(V... values) { return isIn(List.of(values)); }

    /** The field is less than this value. */
    public Filter less(V value) { return compare(Operator.OPERATOR_LESS, message(value)); }

    /** The field is this value or less. */
    public Filter lessOrEqual(V value) { return compare(Operator.OPERATOR_LESS_OR_EQUAL, message(value)); }

    /** The field is greater than this value. */
    public Filter greater(V value) { return compare(Operator.OPERATOR_GREATER, message(value)); }

    /** The field is this value or greater. */
    public Filter greaterOrEqual(V value) { return compare(Operator.OPERATOR_GREATER_OR_EQUAL, message(value)); }

    /** The memory has the field. */
    public Filter exists() { return compare(Operator.OPERATOR_EXISTS); }

    Value message(V value) { return Given.message(value); }

    Filter compare(Operator operator, Value... values) {
      Comparison comparison = target.toBuilder().setOp(operator).addAllValues(List.of(values)).build();
      return Filter.of(dev.mneme.v1.Filter.newBuilder().setComparison(comparison).build());
    }
  }

  /** A number, a word or a day. */
  public static final class Field<V> extends Comparable<V> {
    Field(MemoryField field) { this(Comparison.newBuilder().setField(field).build()); }

    private Field(Comparison target) { super(target); }
  }

  /** An instant. */
  public static final class Time extends Comparable<Instant> {
    Time(MemoryField field) { super(Comparison.newBuilder().setField(field).build()); }

    /** The same, compared with whole days in UTC: {@code Where.EVENT_TIME.days().lessOrEqual(LocalDate.of(2026, 6, 10))}. */
    public Days days() { return days(ZoneOffset.UTC); }

    /** The same, compared with whole days in a time zone: 23 to 25 hours where clocks change. */
    public Days days(ZoneId zone) { return new Days(target, zone); }
  }

  /** An instant that is compared with whole days. */
  public static final class Days extends Comparable<LocalDate> {
    private final ZoneId zone;

    private Days(Comparison target, ZoneId zone) {
      super(target);
      this.zone = zone;
    }

    @Override
    Value message(LocalDate day) {
      String name = zone.equals(ZoneOffset.UTC) ? "" : zone.getId();
      return Value.newBuilder().setDayValue(Day.newBuilder().setDate(day.toString()).setTimeZone(name)).build();
    }
  }

  /** A text. */
  public static final class Text extends Comparable<String> {
    Text(MemoryField field) { this(Comparison.newBuilder().setField(field).build()); }

    private Text(Comparison target) { super(target); }

    /** The same, compared without regard to case. */
    public Text ignoringCase() { return new Text(target.toBuilder().setIgnoreCase(true).build()); }

    /** The text has this part. */
    public Filter contains(String part) { return compare(Operator.OPERATOR_CONTAINS, Given.message(part)); }

    /** The text starts so. */
    public Filter startsWith(String start) { return compare(Operator.OPERATOR_STARTS_WITH, Given.message(start)); }

    /** A regular expression in RE2 syntax matches somewhere: no lookaround, no backreference. */
    public Filter matches(String pattern) { return compare(Operator.OPERATOR_MATCHES, Given.message(pattern)); }
  }

  /**
   * A value in JSON content: values of different types are never equal, nor before or after one another. Arrays and objects
   * are compared as a whole.
   */
  public static final class ContentField extends Comparable<Object> {
    private ContentField(Comparison target) { super(target); }

    /** The same, compared without regard to case. */
    public ContentField ignoringCase() { return new ContentField(target.toBuilder().setIgnoreCase(true).build()); }

    /** A text contains a part of it; an array its elements; an object an object with some of its keys and their values. */
    public Filter contains(Object part) { return compare(Operator.OPERATOR_CONTAINS, Given.message(part)); }

    /** The text starts so. */
    public Filter startsWith(String start) { return compare(Operator.OPERATOR_STARTS_WITH, Given.message(start)); }

    /** A regular expression in RE2 syntax matches somewhere: no lookaround, no backreference. */
    public Filter matches(String pattern) { return compare(Operator.OPERATOR_MATCHES, Given.message(pattern)); }

    /** The path leads to a JSON null. */
    public Filter isNull() { return compare(Operator.OPERATOR_IS_NULL); }
  }

  /** Values to compare with. */
  private static final class Given {
    /** {@code value} may be null. */
    static Value message(Object value) {
      Value.Builder message = Value.newBuilder();
      if (value instanceof Tier tier) return message.setStringValue(tier.name().toLowerCase(java.util.Locale.ROOT)).build();
      if (value instanceof String text) return message.setStringValue(text).build();
      if (value instanceof Boolean flag) return message.setBoolValue(flag).build();
      if (value instanceof Instant time) return message.setTimeValue(Values.timestamp(time)).build();
      if (value instanceof Number number) return number(number);
      return message.setJsonValue(Values.json(value, "filter")).build();
    }

    /** A double where that has the digits of the number, otherwise the digits themselves. */
    private static Value number(Number number) {
      double rounded = number.doubleValue();
      boolean isBinary = number instanceof Double || number instanceof Float;
      try {
        if (isBinary ? Double.isFinite(rounded) : Double.isFinite(rounded) && isExact(rounded, new BigDecimal(number.toString()))) {
          return Value.newBuilder().setNumberValue(rounded).build();
        }
        return Value.newBuilder().setNumberText(new BigDecimal(number.toString()).toString()).build();
      } catch (NumberFormatException notFinite) {
        throw Errors.badInput("filter", number + " is no number to compare with");
      }
    }

    private static boolean isExact(double rounded, BigDecimal exact) {
      return BigDecimal.valueOf(rounded).compareTo(exact) == 0;
    }
  }
}
