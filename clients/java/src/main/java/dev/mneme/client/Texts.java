package dev.mneme.client;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import java.util.List;
import java.util.Map;

/** Texts with half of a surrogate pair, which UTF-8 cannot carry: protobuf would replace it by a question mark. */
final class Texts {
  private Texts() {}

  /** The message; {@link MnemeException.InvalidArgument} with the path of the first broken text in it. */
  static <M extends Message> M whole(M message) {
    check(message, "");
    return message;
  }

  /** The text; {@link MnemeException.InvalidArgument} where it is broken. */
  static String whole(String text, String field) {
    int at = brokenAt(text);
    if (at >= 0) {
      throw Errors.badInput(field, "must be whole Unicode characters, got half of a surrogate pair at position " + at);
    }
    return text;
  }

  /** The text with a question mark in place of each half of a pair. */
  static String mended(String text) {
    StringBuilder mended = new StringBuilder(text);
    for (int at = brokenAt(mended); at >= 0; at = brokenAt(mended)) mended.setCharAt(at, '?');
    return mended.toString();
  }

  private static void check(Message message, String path) {
    for (Map.Entry<FieldDescriptor, Object> each : message.getAllFields().entrySet()) {
      FieldDescriptor field = each.getKey();
      JavaType type = field.getJavaType();
      if (type != JavaType.STRING && type != JavaType.MESSAGE) continue;
      String at = path.isEmpty() ? field.getName() : path + "." + field.getName();
      if (!field.isRepeated()) check(each.getValue(), at);
      else {
        List<?> values = (List<?>) each.getValue();
        for (int place = 0; place < values.size(); place++) check(values.get(place), at + "[" + place + "]");
      }
    }
  }

  private static void check(Object value, String path) {
    if (value instanceof Message part) check(part, path);
    else whole((String) value, path);
  }

  /** -1 where there is none. */
  private static int brokenAt(CharSequence text) {
    for (int at = 0; at < text.length(); at++) {
      char unit = text.charAt(at);
      if (!Character.isSurrogate(unit)) continue;
      boolean isPair = at + 1 < text.length() && Character.isSurrogatePair(unit, text.charAt(at + 1));
      if (!isPair) return at;
      at++;
    }
    return -1;
  }
}
