package dev.mneme.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import java.util.Locale;

/** Content in its own format: bytes and their media type. The server returns them bit for bit. */
public final class Content {
  private final String mediaType;
  private final ByteString data;

  private Content(String mediaType, ByteString data) {
    this.mediaType = mediaType;
    this.data = data;
  }

  /** Bytes of any media type, such as {@code image/png}. */
  public static Content of(String mediaType, byte[] data) {
    return new Content(mediaType, ByteString.copyFrom(data));
  }

  /** A text of any media type, such as {@code text/markdown}. */
  public static Content of(String mediaType, String text) {
    return new Content(mediaType, ByteString.copyFromUtf8(Texts.whole(text, "content")));
  }

  /** Plain text. */
  public static Content text(String text) {
    return of("text/plain", text);
  }

  /**
   * JSON of a value that Jackson can write: a map, a list, a {@link JsonNode}, a record. {@link
   * MnemeException.InvalidArgument} for values that JSON cannot represent, such as NaN.
   */
  public static Content json(Object value) {
    return json(value, "content");
  }

  static Content json(Object value, String field) {
    return of("application/json", Texts.whole(Values.json(value, field), field));
  }

  /** A content as it is, any other value as JSON. */
  static Content from(Object value, String field) {
    return value instanceof Content content ? content : json(value, field);
  }

  /** Media type, such as {@code application/json}. */
  public String mediaType() {
    return mediaType;
  }

  /** The bytes. */
  public byte[] data() {
    return data.toByteArray();
  }

  /** The bytes as UTF-8 text. */
  public String text() {
    return data.toStringUtf8();
  }

  /** The bytes as a JSON value; {@link IllegalStateException} when they are none. */
  public JsonNode json() {
    return Values.parse(text());
  }

  /** The bytes as a value of a type that Jackson can make of JSON; {@link IllegalStateException} when it cannot. */
  public <T> T as(Class<T> type) {
    try {
      return Values.MAPPER.readValue(text(), type);
    } catch (JsonProcessingException fault) {
      throw new IllegalStateException("is no " + type.getSimpleName() + ": " + fault.getOriginalMessage(), fault);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Content content && content.mediaType.equals(mediaType) && content.data.equals(data);
  }

  @Override
  public int hashCode() {
    return data.hashCode();
  }

  @Override
  public String toString() {
    return mediaType + ", " + data.size() + " bytes";
  }

  int size() {
    return data.size();
  }

  dev.mneme.v1.Content message() {
    dev.mneme.v1.Content.Builder message = dev.mneme.v1.Content.newBuilder().setMediaType(mediaType);
    String type = mediaType.strip().toLowerCase(Locale.ROOT);
    if (!data.isValidUtf8()) return message.setData(data).build();
    if (type.matches("application/json\\s*(;.*)?")) return message.setJson(text()).build();
    if (type.startsWith("text/")) return message.setText(text()).build();
    return message.setData(data).build();
  }

  static Content of(dev.mneme.v1.Content message) {
    ByteString data = switch (message.getBodyCase()) {
      case JSON -> message.getJsonBytes();
      case TEXT -> message.getTextBytes();
      default -> message.getData();
    };
    return new Content(message.getMediaType(), data);
  }
}
