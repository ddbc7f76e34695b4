package dev.mneme.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Duration;
import com.google.protobuf.MapEntry;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Records from messages: each component from the field of its name, {@code retrievalCount} from {@code retrieval_count}.
 * Resource names become ids: {@code id} from {@code name}, {@code missingIds} from {@code missing}, {@code episodeId} from
 * {@code episode}. Times become {@link Instant}, durations {@link java.time.Duration}, codes the enum of the component.
 */
final class Answers {
  private static final Map<Key, Plan> PLANS = new ConcurrentHashMap<>();

  private record Key(Class<?> type, Descriptor message) {}

  private record Part(FieldDescriptor field, Type type, String component, boolean isOptional, boolean isId) {}

  private record Plan(Constructor<?> constructor, Part[] parts) {}

  private Answers() {}

  static <T extends Record> T read(Message message, Class<T> type) {
    return read(message, type, Map.of());
  }

  /** With components that are not in the message. */
  static <T extends Record> T read(Message message, Class<T> type, Map<String, ?> given) {
    Plan plan = PLANS.computeIfAbsent(new Key(type, message.getDescriptorForType()), Answers::planOf);
    Object[] values = new Object[plan.parts.length];
    for (int i = 0; i < values.length; i++) {
      Part part = plan.parts[i];
      values[i] = part.field == null ? given.get(part.component) : valueOf(message, part);
    }
    try {
      return type.cast(plan.constructor.newInstance(values));
    } catch (InvocationTargetException fault) {
      if (fault.getCause() instanceof RuntimeException cause) throw cause;
      throw new IllegalStateException(fault);
    } catch (ReflectiveOperationException fault) {
      throw new IllegalStateException(fault);
    }
  }

  /** The message in a field that every answer has; {@code what} describes it. */
  static <T extends Record> T required(Message answer, String field, Class<T> type, String what) {
    FieldDescriptor descriptor = answer.getDescriptorForType().findFieldByName(field);
    if (!answer.hasField(descriptor)) throw Errors.incompleteAnswer(what);
    return read((Message) answer.getField(descriptor), type);
  }

  static <T extends Record> List<T> list(List<? extends Message> messages, Class<T> type) {
    return messages.stream().map(each -> read(each, type)).toList();
  }

  static List<String> ids(List<String> names) {
    return names.stream().map(Names::idOf).toList();
  }

  /** One of ours by the code of a message; null for none, {@code OTHER} for one that is not known. */
  static <E extends Enum<E>> E enumOf(Class<E> type, EnumValueDescriptor code) {
    if (code.getNumber() == 0) return null;
    E other = null;
    E found = null;
    for (E each : type.getEnumConstants()) {
      if (each.name().equals("OTHER")) other = each;
      // The shortest end may be the end of another one, too: SET of UNSET.
      boolean isLonger = found == null || each.name().length() > found.name().length();
      if (code.getName().endsWith("_" + each.name()) && isLonger) found = each;
    }
    return found == null ? other : found;
  }

  /** The code in a field of a message, which may be of a newer version. */
  static <E extends Enum<E>> E enumIn(Message message, String field, Class<E> type) {
    return enumOf(type, (EnumValueDescriptor) message.getField(message.getDescriptorForType().findFieldByName(field)));
  }

  private static Plan planOf(Key key) {
    RecordComponent[] components = key.type.getRecordComponents();
    Class<?>[] types = Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    try {
      Constructor<?> constructor = key.type.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return new Plan(constructor, Arrays.stream(components).map(each -> partOf(each, key.message)).toArray(Part[]::new));
    } catch (NoSuchMethodException fault) {
      throw new IllegalStateException(fault);
    }
  }

  private static Part partOf(RecordComponent component, Descriptor message) {
    From from = component.getAnnotation(From.class);
    boolean isOptional = from != null && from.optional();
    String name = from == null || from.value().isEmpty() ? snakeCase(component.getName()) : from.value();
    FieldDescriptor field = message.findFieldByName(name);
    boolean isId = field != null && from != null && !from.value().isEmpty() && component.getType() == String.class;
    if (field == null && (name.equals("id") || name.equals("namespace"))) field = message.findFieldByName("name");
    if (field == null && name.endsWith("_id")) field = message.findFieldByName(name.substring(0, name.length() - 3));
    if (field == null && name.equals("ids")) field = message.findFieldByName("names");
    if (field == null && name.endsWith("_ids")) {
      String bare = name.substring(0, name.length() - 4);
      field = message.findFieldByName(bare);
      if (field == null) field = message.findFieldByName(bare + "_names");
      if (field == null) field = message.findFieldByName(bare + "s");
    }
    isId |= field != null && !field.getName().equals(name) && (from == null || from.value().isEmpty());
    isId |= name.equals("namespace");
    return new Part(field, component.getGenericType(), component.getName(), isOptional, isId);
  }

  private static Object valueOf(Message message, Part part) {
    FieldDescriptor field = part.field;
    if (field.isMapField()) return mapOf((List<?>) message.getField(field));
    if (field.isRepeated()) {
      List<?> values = (List<?>) message.getField(field);
      if (values.isEmpty() && part.isOptional) return null;
      Type element = ((ParameterizedType) part.type).getActualTypeArguments()[0];
      return values.stream().map(each -> convert(each, element, part)).toList();
    }
    boolean isSet = !field.hasPresence() || message.hasField(field);
    if (!isSet) {
      if (part.type == Scope.class) return Scope.NONE;
      if (part.type == Source.class) return Source.NONE;
      if (part.type == java.time.Duration.class && !part.isOptional) return java.time.Duration.ZERO;
      if (!(part.type instanceof Class<?> type) || !type.isPrimitive()) return null;
    }
    return convert(message.getField(field), part.type, part);
  }

  private static Object convert(Object value, Type wanted, Part part) {
    Class<?> type = wanted instanceof ParameterizedType generic ? (Class<?>) generic.getRawType() : (Class<?>) wanted;
    if (value instanceof String text) return textOf(text, type, part);
    if (value instanceof EnumValueDescriptor code) return codeOf(code, type);
    if (value instanceof Timestamp time) return Values.instant(time);
    if (value instanceof Duration duration) return Values.duration(duration);
    if (value instanceof com.google.rpc.Status status) return Errors.ofRpcStatus(status, MnemeException.Family.BASE);
    if (type == Content.class) return Content.of((dev.mneme.v1.Content) value);
    if (type == Embedding.class) return Embedding.of((dev.mneme.v1.Embedding) value);
    if (type == Filter.class) return Filter.of((dev.mneme.v1.Filter) value);
    if (value instanceof Message nested) return read(nested, type.asSubclass(Record.class));
    if (value instanceof Number number) return numberOf(number, type);
    return value;
  }

  private static Object textOf(String text, Class<?> type, Part part) {
    if (text.isEmpty() && part.isOptional) return null;
    if (type == JsonNode.class) return Values.parse(text);
    if (!part.isId) return text;
    return part.component.equals("namespace") && text.startsWith("namespaces/") ? Names.namespaceOf(text) : Names.idOf(text);
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static Object codeOf(EnumValueDescriptor code, Class<?> type) {
    Object found = enumOf((Class) type, code);
    // The metadata view leaves the tier out: then it is the one that every memory starts in.
    return found == null && type == Tier.class ? Tier.SHORT_TERM : found;
  }

  private static Object numberOf(Number number, Class<?> type) {
    if (type == int.class || type == Integer.class) return number.intValue();
    if (type == long.class || type == Long.class) return number.longValue();
    return number.doubleValue();
  }

  private static Map<String, Object> mapOf(List<?> entries) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (Object each : entries) {
      MapEntry<?, ?> entry = (MapEntry<?, ?>) each;
      map.put((String) entry.getKey(), entry.getValue());
    }
    return java.util.Collections.unmodifiableMap(map);
  }

  static String snakeCase(String name) {
    StringBuilder text = new StringBuilder();
    for (char each : name.toCharArray()) {
      if (Character.isUpperCase(each)) text.append('_');
      text.append(Character.toLowerCase(each));
    }
    return text.toString();
  }
}
