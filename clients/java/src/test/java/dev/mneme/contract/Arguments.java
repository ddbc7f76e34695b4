package dev.mneme.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mneme.client.BuiltContext;
import dev.mneme.client.Content;
import dev.mneme.client.ConversationMessage;
import dev.mneme.client.Embedding;
import dev.mneme.client.Filter;
import dev.mneme.client.Memory;
import dev.mneme.client.NearPlace;
import dev.mneme.client.NearTime;
import dev.mneme.client.NewMemory;
import dev.mneme.client.Place;
import dev.mneme.client.Preset;
import dev.mneme.client.Scope;
import dev.mneme.client.Source;
import dev.mneme.client.TimeWindow;
import dev.mneme.client.Weights;
import dev.mneme.client.Where;
import dev.mneme.client.WorkingValues.KeyExpiry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Arguments of the protocol in the form of the client. */
record Arguments(JsonNode fields) {
  boolean has(String name) {
    return fields.has(name);
  }

  JsonNode at(String name) {
    return fields.path(name);
  }

  String text(String name) {
    return textOf(at(name));
  }

  String text(String name, String otherwise) {
    return has(name) ? text(name) : otherwise;
  }

  double number(String name) {
    return doubleOf(at(name));
  }

  boolean flag(String name) {
    return at(name).asBoolean();
  }

  Duration duration(String name) {
    return has(name) ? durationOf(at(name)) : null;
  }

  Scope scope(String name) {
    return has(name) ? scopeOf(at(name)) : null;
  }

  <E extends Enum<E>> E word(String name, Class<E> type, E otherwise) {
    return has(name) ? enumOf(type, at(name)) : otherwise;
  }

  List<String> texts(String name) {
    return listOf(at(name), each -> textOf(each));
  }

  Map<String, Object> values(String name) {
    return mapOf(at(name));
  }

  Filter filter(String name) {
    return has(name) ? filterOf(at(name)) : null;
  }

  /** Sets all that the object has a setter for. */
  <T> T fill(T target) {
    fields.properties().forEach(each -> set(target, each.getKey(), each.getValue()));
    return target;
  }

  static NewMemory memoryOf(JsonNode value) {
    return new Arguments(value).fill(new NewMemory());
  }

  static <T> List<T> listOf(JsonNode value, java.util.function.Function<JsonNode, T> each) {
    List<T> list = new ArrayList<>();
    elements(value).forEach(one -> list.add(each.apply(one)));
    return list;
  }

  private static Iterable<JsonNode> elements(JsonNode value) {
    if (!value.has("$sequence")) return value;
    List<JsonNode> all = new ArrayList<>();
    String text = value.get("$sequence").toString();
    for (int i = 0; i < value.get("count").asInt(); i++) all.add(Driver.parse(text.replace("#", String.valueOf(i))));
    return all;
  }

  private static void set(Object target, String name, JsonNode value) {
    String bare = name.endsWith("_ms") ? name.substring(0, name.length() - 3) : name;
    for (Method setter : target.getClass().getMethods()) {
      if (setter.getParameterCount() != 1 || !setter.getName().equals(camelCase(bare))) continue;
      Class<?> type = setter.getParameterTypes()[0];
      boolean isOther = type == OffsetDateTime.class || type.isArray() || (type == String.class && name.equals("filter"));
      if (isOther || setter.isBridge()) continue;
      Object argument = convert(value, setter.getGenericParameterTypes()[0], name);
      try {
        setter.invoke(target, argument);
      } catch (InvocationTargetException fault) {
        if (fault.getCause() instanceof RuntimeException cause) throw cause;
        throw new IllegalStateException(fault.getCause());
      } catch (IllegalAccessException fault) {
        throw new IllegalStateException(fault);
      }
      return;
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static Object convert(JsonNode value, Type wanted, String name) {
    Class<?> type = wanted instanceof ParameterizedType generic ? (Class<?>) generic.getRawType()
        : wanted instanceof Class<?> plain ? plain : Object.class;
    if (type == String.class) return textOf(value);
    if (type == boolean.class) return value.asBoolean();
    if (type == int.class) return value.asInt();
    if (type == long.class || type == Long.class) return value.asLong();
    if (type == double.class) return doubleOf(value);
    if (type == Instant.class) return timeOf(value);
    if (type == ZoneId.class) return ZoneId.of(value.asText());
    if (type == Duration.class) return value.asText().equals("never") ? null : durationOf(value);
    if (type == Scope.class) return scopeOf(value);
    if (type == Source.class) return new Source(part(value, "speaker"), part(value, "uri"), part(value, "origin"));
    if (type == Place.class) return placeOf(value);
    if (type == Embedding.class) return embeddingOf(value);
    if (type == Filter.class) return filterOf(value);
    if (type == Weights.class) return new Arguments(value).fill(new Weights());
    if (type == NewMemory.class) return memoryOf(value);
    if (type == NearTime.class) return nearTimeOf(value);
    if (type == NearPlace.class) return nearPlaceOf(value);
    if (type == TimeWindow.class) return timeWindowOf(value);
    if (type == KeyExpiry.class) return expiryOf(value);
    if (type == BuiltContext.Message.class) return new BuiltContext.Message(part(value, "role"), part(value, "text"));
    if (type == ConversationMessage.class) return ConversationTable.messageOf(value);
    if (type == Preset.class) {
      Map<String, Object> parameters = value.has("parameters") ? mapOf(value.get("parameters")) : null;
      return new Preset(part(value, "name"), parameters, value.has("now") ? timeOf(value.get("now")) : null);
    }
    if (type == Memory.Compaction.class) {
      List<String> keys = listOf(value.path("dropped_keys"), JsonNode::asText);
      Integer decimals = value.has("decimals") ? value.get("decimals").asInt() : null;
      return new Memory.Compaction(part(value, "checksum"), value.path("content_bytes").asLong(), keys, decimals);
    }
    if (type.isEnum()) return enumOf((Class) type, value);
    if (Collection.class.isAssignableFrom(type)) {
      Type element = ((ParameterizedType) wanted).getActualTypeArguments()[0];
      return listOf(value, each -> convert(each, element, name));
    }
    if (type == Map.class) return name.equals("initial_values") ? contentsOf(value) : mapOf(value);
    return contentOf(value);
  }

  static <E extends Enum<E>> E enumOf(Class<E> type, JsonNode word) {
    try {
      return Enum.valueOf(type, word.asText().toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException unknown) {
      throw new Unsupported("there is no " + word + " of " + type.getSimpleName());
    }
  }

  static String textOf(JsonNode value) {
    return value.has("$repeat") ? value.get("$repeat").asText().repeat(value.get("count").asInt()) : value.asText();
  }

  private static double doubleOf(JsonNode value) {
    if (value.has("$nan")) return Double.NaN;
    return value.has("$inf") ? Double.POSITIVE_INFINITY : value.asDouble();
  }

  static Instant timeOf(JsonNode value) {
    if (value.has("$naive_time")) throw new Unsupported("an Instant has no zone to be left out");
    return OffsetDateTime.parse(value.asText()).toInstant();
  }

  static Duration durationOf(JsonNode value) {
    return Duration.ofNanos((long) (value.asDouble() * 1e6));
  }

  static Scope scopeOf(JsonNode value) {
    return new Scope(part(value, "project"), part(value, "agent_type"), part(value, "agent"), part(value, "session"));
  }

  private static String part(JsonNode value, String name) {
    return value.has(name) ? textOf(value.get(name)) : null;
  }

  private static Place placeOf(JsonNode value) {
    return new Place(value.has("point") ? pointOf(value.get("point")) : null, value.has("geo") ? geoOf(value.get("geo")) : null,
        part(value, "location"), part(value, "room"), part(value, "region"));
  }

  private static Place.Point pointOf(JsonNode value) {
    return new Place.Point(doubleOf(value.path("x")), doubleOf(value.path("y")), value.has("z") ? doubleOf(value.get("z")) : null);
  }

  private static Place.GeoPoint geoOf(JsonNode value) {
    return new Place.GeoPoint(doubleOf(value.path("latitude_deg")), doubleOf(value.path("longitude_deg")));
  }

  private static Embedding embeddingOf(JsonNode value) {
    if (value.path("values").has("$other")) throw new Unsupported("a float[] holds nothing but numbers");
    JsonNode numbers = value.path("values").has("$float32") ? value.path("values").get("$float32") : value.path("values");
    float[] values = new float[numbers.size()];
    for (int i = 0; i < values.length; i++) values[i] = (float) doubleOf(numbers.get(i));
    return new Embedding(values, value.path("model").asText());
  }

  private static NearTime nearTimeOf(JsonNode value) {
    if (value.has("step")) {
      long step = value.get("step").asLong();
      return value.has("step_scale") ? NearTime.step(step, value.get("step_scale").asDouble()) : NearTime.step(step);
    }
    Instant time = timeOf(value.get("time"));
    return value.has("time_scale_ms") ? NearTime.time(time, durationOf(value.get("time_scale_ms"))) : NearTime.time(time);
  }

  private static NearPlace nearPlaceOf(JsonNode value) {
    if (value.has("named")) {
      JsonNode named = value.get("named");
      return NearPlace.named(part(named, "location"), part(named, "room"), part(named, "region"));
    }
    if (value.has("geo")) return NearPlace.geo(geoOf(value.get("geo")), value.path("scale_m").asDouble());
    return NearPlace.point(pointOf(value.get("point")), value.path("scale").asDouble());
  }

  private static TimeWindow timeWindowOf(JsonNode value) {
    if (value.has("last_ms")) return TimeWindow.last(durationOf(value.get("last_ms")));
    if (value.has("period")) {
      ZoneId zone = value.has("time_zone") ? ZoneId.of(value.get("time_zone").asText()) : null;
      return TimeWindow.period(enumOf(TimeWindow.Period.class, value.get("period")), value.path("periods_ago").asInt(), zone);
    }
    return TimeWindow.between(value.has("start_time") ? timeOf(value.get("start_time")) : null,
        value.has("end_time") ? timeOf(value.get("end_time")) : null);
  }

  static KeyExpiry expiryOf(JsonNode value) {
    if (value.asText().equals("never")) return KeyExpiry.never();
    return value.asText().equals("keep") ? KeyExpiry.keep() : KeyExpiry.after(durationOf(value.get("ttl_ms")));
  }

  static Object contentOf(JsonNode value) {
    if (value.isTextual() || value.has("$repeat")) return textOf(value);
    if (value.has("json")) return plain(value.get("json"));
    if (!value.has("text") && !value.has("data")) return plain(value);
    String type = value.path("media_type").asText("text/plain");
    if (value.has("text")) return Content.of(type, textOf(value.get("text")));
    return Content.of(type, Base64.getDecoder().decode(value.get("data").get("$bytes").asText()));
  }

  private static Map<String, Object> contentsOf(JsonNode value) {
    Map<String, Object> map = new LinkedHashMap<>();
    value.properties().forEach(each -> map.put(each.getKey(), contentOf(each.getValue())));
    return map;
  }

  static Map<String, Object> mapOf(JsonNode value) {
    Map<String, Object> map = new LinkedHashMap<>();
    value.properties().forEach(each -> map.put(each.getKey(), plain(each.getValue())));
    return map;
  }

  /** A value of the language for JSON. */
  private static Object plain(JsonNode value) {
    if (value.isArray()) return listOf(value, Arguments::plain);
    if (value.isNull()) return null;
    if (!(value instanceof ObjectNode object)) return value.isTextual() ? value.asText() : value;
    if (object.has("$nan") || object.has("$inf")) return doubleOf(object);
    if (object.has("$repeat")) return textOf(object);
    if (object.has("$time")) return timeOf(object.get("$time"));
    if (object.has("$unserializable")) return new Object();
    if (object.has("$naive_time")) return timeOf(object);
    if (object.has("$deep")) {
      List<Object> deep = new ArrayList<>();
      for (int i = 1; i < object.get("$deep").asInt(); i++) deep = new ArrayList<>(List.of(deep));
      return deep;
    }
    if (object.has("$cycle")) {
      Map<String, Object> cycle = new LinkedHashMap<>();
      cycle.put("self", cycle);
      return cycle;
    }
    return mapOf(object);
  }

  static Filter filterOf(JsonNode value) {
    if (value.isTextual()) return Filter.text(value.asText());
    if (value.has("$repeat")) return Filter.text(textOf(value));
    if (value.has("all")) return Filter.allOf(listOf(value.get("all"), Arguments::filterOf).toArray(Filter[]::new));
    if (value.has("any")) return Filter.anyOf(listOf(value.get("any"), Arguments::filterOf).toArray(Filter[]::new));
    if (value.has("not")) return filterOf(value.get("not")).negate();
    if (value.has("within")) return withinOf(value.get("within"));
    try {
      Object target = value.has("path") ? Where.path(value.get("path").asText())
          : Where.class.getField(value.get("field").asText().toUpperCase(Locale.ROOT)).get(null);
      if (value.path("ignore_case").asBoolean()) target = target.getClass().getMethod("ignoringCase").invoke(target);
      String op = value.get("op").asText();
      String name = op.equals("in") ? "isIn" : op.equals("equals") ? "equalTo" : camelCase(op);
      Object argument = value.has("value") ? plain(value.get("value")) : null;
      if (target instanceof Where.Field<?> && argument instanceof JsonNode number) argument = number.asDouble();
      boolean takesNone = op.equals("exists") || op.equals("is_null");
      Method method = Arrays.stream(target.getClass().getMethods())
          .filter(each -> each.getName().equals(name) && !each.isVarArgs() && each.getParameterCount() == (takesNone ? 0 : 1))
          .findFirst().orElseThrow(() -> new IllegalArgumentException("no comparison " + op));
      return (Filter) (takesNone ? method.invoke(target) : method.invoke(target, argument));
    } catch (InvocationTargetException fault) {
      if (fault.getCause() instanceof RuntimeException cause) throw cause;
      throw new IllegalStateException(fault.getCause());
    } catch (ReflectiveOperationException fault) {
      throw new IllegalArgumentException(fault);
    }
  }

  private static Filter withinOf(JsonNode area) {
    if (area.has("point")) return Filter.within(pointOf(area.get("point")), area.get("radius").asDouble());
    if (area.has("low")) return Filter.within(pointOf(area.get("low")), pointOf(area.get("high")));
    if (area.has("geo")) return Filter.within(geoOf(area.get("geo")), area.get("radius_m").asDouble());
    return Filter.within(geoOf(area.get("south_west")), geoOf(area.get("north_east")));
  }

  static String camelCase(String name) {
    StringBuilder text = new StringBuilder();
    boolean isUpper = false;
    for (char each : name.toCharArray()) {
      if (each == '_') isUpper = true;
      else {
        text.append(isUpper ? Character.toUpperCase(each) : each);
        isUpper = false;
      }
    }
    return text.toString();
  }
}
