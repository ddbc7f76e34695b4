package dev.mneme.client;

import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Trace context of callers that use OpenTelemetry, whose API need not be there. */
final class OpenTelemetryTrace {
  private OpenTelemetryTrace() {}

  /** The context that is current in the thread of the call; none where the API of OpenTelemetry is not on the class path. */
  static Supplier<Options.TraceContext> current() {
    try {
      Class.forName("io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator");
      return OpenTelemetryTrace::read;
    } catch (ClassNotFoundException absent) {
      return () -> null;
    }
  }

  /** By the propagator of W3C itself: to ask for the global one would settle which it is before the program has set it. */
  private static Options.TraceContext read() {
    Map<String, String> headers = new HashMap<>();
    W3CTraceContextPropagator.getInstance().inject(Context.current(), headers, (map, name, value) -> map.put(name, value));
    return new Options.TraceContext(headers.get("traceparent"), headers.get("tracestate"));
  }
}
