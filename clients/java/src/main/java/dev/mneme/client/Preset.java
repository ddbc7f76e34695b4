package dev.mneme.client;

import dev.mneme.v1.RecallPreset;
import java.time.Instant;
import java.util.Map;

/**
 * A preset and its parameters.
 *
 * @param name as {@code listRecallPresets} tells it, such as {@code attribute} or {@code last_hours}
 * @param parameters its parameters; null for none
 * @param now instant that relative windows are counted back from; null for the server's clock
 */
public record Preset(String name, Map<String, ?> parameters, Instant now) {
  /** With the server's clock. */
  public Preset(String name, Map<String, ?> parameters) {
    this(name, parameters, null);
  }

  RecallPreset message() {
    RecallPreset.Builder message = RecallPreset.newBuilder().setName(name);
    if (parameters != null) message.setParameters(Values.json(parameters, "preset.parameters"));
    if (now != null) message.setNow(Values.timestamp(now));
    return message.build();
  }
}
