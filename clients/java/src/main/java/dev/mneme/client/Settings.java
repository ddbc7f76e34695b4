package dev.mneme.client;

import io.grpc.CallOptions;
import java.time.Duration;

/** What one call is made with, beside its request. Absent parts are the client's options. */
record Settings(Duration timeout, String requestId, Long minRevision, Long ifVersion, String traceparent, String tracestate) {
  static final Settings NONE = new Settings(null, null, null, null, null, null);
  static final CallOptions.Key<Settings> KEY = CallOptions.Key.createWithDefault("mneme", NONE);

  Settings withTimeout(Duration value) {
    return new Settings(value, requestId, minRevision, ifVersion, traceparent, tracestate);
  }

  Settings withRequestId(String value) {
    return new Settings(timeout, value, minRevision, ifVersion, traceparent, tracestate);
  }

  Settings withMinRevision(long value) {
    return new Settings(timeout, requestId, value, ifVersion, traceparent, tracestate);
  }

  Settings withIfVersion(long value) {
    return new Settings(timeout, requestId, minRevision, value, traceparent, tracestate);
  }

  Settings withTrace(String parent, String state) {
    return new Settings(timeout, requestId, minRevision, ifVersion, parent, state);
  }

  CallOptions callOptions() {
    return CallOptions.DEFAULT.withOption(KEY, this);
  }
}
