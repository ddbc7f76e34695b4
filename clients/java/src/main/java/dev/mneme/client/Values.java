package dev.mneme.client;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.JsonGeneratorDelegate;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;

/** Values of Java as the messages carry them, and back. */
final class Values {
  static final ObjectMapper MAPPER =
      JsonMapper.builder().addModule(new JavaTimeModule()).disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS).build();

  private Values() {}

  /** Times have microseconds: what is finer is cut off. */
  /** The name of a zone as a request has it. */
  static String zone(ZoneId zone) {
    String id = zone.normalized().getId();
    return id.equals("Z") ? "UTC" : id;
  }

  static Timestamp timestamp(Instant time) {
    Instant cut = time.truncatedTo(ChronoUnit.MICROS);
    return Timestamp.newBuilder().setSeconds(cut.getEpochSecond()).setNanos(cut.getNano()).build();
  }

  static Instant instant(Timestamp time) {
    try {
      return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
    } catch (DateTimeException none) {
      throw Errors.incompleteAnswer("valid time");
    }
  }

  static com.google.protobuf.Duration duration(Duration duration) {
    long seconds = duration.getSeconds();
    int nanos = duration.getNano();
    if (seconds < 0 && nanos > 0) { // Seconds and nanoseconds of a message have the same sign.
      seconds += 1;
      nanos -= 1_000_000_000;
    }
    return com.google.protobuf.Duration.newBuilder().setSeconds(seconds).setNanos(nanos).build();
  }

  static Duration duration(com.google.protobuf.Duration duration) {
    return Duration.ofSeconds(duration.getSeconds(), duration.getNanos());
  }

  /** JSON of a value; refuses values that JSON cannot represent. */
  static String json(Object value, String field) {
    StringWriter text = new StringWriter();
    try (JsonGenerator generator = new Finite(MAPPER.createGenerator(text))) {
      MAPPER.writeValue(generator, value);
    } catch (JsonProcessingException fault) {
      throw Errors.badInput(field, "cannot be carried by JSON: " + fault.getOriginalMessage());
    } catch (IOException fault) {
      throw Errors.badInput(field, "cannot be carried by JSON: " + fault.getMessage());
    } catch (StackOverflowError fault) {
      throw Errors.badInput(field, "cannot be carried by JSON: it holds itself");
    }
    return text.toString();
  }

  static JsonNode parse(String json) {
    try {
      return MAPPER.readTree(json);
    } catch (JsonProcessingException fault) {
      throw new IllegalStateException("not JSON: " + fault.getOriginalMessage(), fault);
    }
  }

  /** A JSON file of this package. */
  static JsonNode resource(String name) {
    try (InputStream bytes = Values.class.getResourceAsStream(name)) {
      return MAPPER.readTree(bytes);
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  /** Single-precision values as the wire carries them: little-endian. */
  static ByteString bytes(float[] values) {
    for (float each : values) {
      if (!Float.isFinite(each)) throw Errors.badInput("embedding.values", "every number must be finite");
    }
    ByteBuffer bytes = ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asFloatBuffer().put(values);
    return ByteString.copyFrom(bytes);
  }

  static float[] floats(ByteString bytes) {
    if (bytes.size() % Float.BYTES != 0) throw Errors.incompleteAnswer("whole vector");
    float[] values = new float[bytes.size() / Float.BYTES];
    bytes.asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(values);
    return values;
  }

  /** The constant of a generated enum for one of ours of the same name. */
  static <E extends Enum<E>> E code(Class<E> generated, String prefix, Enum<?> value) {
    return Enum.valueOf(generated, prefix + value.name());
  }

  /** Writes no number that JSON has no digits for. */
  private static final class Finite extends JsonGeneratorDelegate {
    Finite(JsonGenerator to) {
      super(to, false);
    }

    @Override
    public void writeNumber(double value) throws IOException {
      if (!Double.isFinite(value)) throw new IOException(String.valueOf(value));
      super.writeNumber(value);
    }

    @Override
    public void writeNumber(float value) throws IOException {
      if (!Float.isFinite(value)) throw new IOException(String.valueOf(value));
      super.writeNumber(value);
    }
  }
}
