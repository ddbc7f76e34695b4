package dev.mneme.client;

import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * What every call has, in one place: deadline, wait for a connection, headers, idempotency key, the revision to read at
 * least, and the note of the revision that was seen.
 */
final class Guarantees implements ClientInterceptor {
  private static final Set<String> RECALLS = Set.of("Recall", "RecallStream", "BuildContext");

  /** Namespace of a call. */
  static final CallOptions.Key<String> NAMESPACE = CallOptions.Key.create("mneme-namespace");

  private final Connection connection;

  Guarantees(Connection connection) {
    this.connection = connection;
  }

  @Override
  public <Q, R> ClientCall<Q, R> interceptCall(MethodDescriptor<Q, R> method, CallOptions given, Channel next) {
    if (connection.isClosed()) throw Errors.closed(Errors.familyOf(method));
    Options defaults = connection.options;
    Settings settings = given.getOption(Settings.KEY);
    CallOptions options = connection.waits() ? given.withWaitForReady() : given;
    Duration timeout = settings.timeout() == null ? timeoutOf(method) : settings.timeout();
    if (timeout != null && options.getDeadline() == null) {
      options = options.withDeadlineAfter(Connection.nanos(timeout), TimeUnit.NANOSECONDS);
    }
    boolean notes = method.getType() == MethodType.UNARY && !isOfSessions(method);
    return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
      @Override
      public void start(Listener<R> listener, Metadata headers) {
        putHeaders(headers, settings);
        // Proxies send calls of one namespace to one server.
        String namespace = given.getOption(NAMESPACE);
        if (namespace != null) put(headers, "mneme-namespace", namespace);
        super.start(notes ? new Noting<>(listener) : listener, headers);
      }

      @Override
      @SuppressWarnings("unchecked")
      public void sendMessage(Q message) {
        super.sendMessage(
            message instanceof Message request
                ? (Q) Texts.whole(Fill.request(request, settings, connection.minRevision()))
                : message);
      }
    };
  }

  /** Revisions of these are of a session, not of the change log that reads wait for. */
  static boolean isOfSessions(MethodDescriptor<?, ?> method) {
    String service = method.getServiceName();
    return "mneme.v1.WorkingMemoryService".equals(service) || "mneme.v1.LifecycleService".equals(service);
  }

  /** Null for streams, but for a recall. */
  Duration timeoutOf(MethodDescriptor<?, ?> method) {
    String name = method.getBareMethodName();
    if (RECALLS.contains(name)) return connection.options.recallTimeout;
    return method.getType() == MethodType.UNARY ? connection.options.timeout : null;
  }

  private void putHeaders(Metadata headers, Settings settings) {
    Options defaults = connection.options;
    if (defaults.token != null) put(headers, "authorization", "Bearer " + defaults.token);
    if (defaults.callFrom != null) put(headers, "mneme-scope", defaults.callFrom);
    Options.TraceContext trace = connection.traceOf(settings);
    if (trace == null || trace.traceparent() == null) return;
    put(headers, "traceparent", trace.traceparent());
    if (trace.tracestate() != null) put(headers, "tracestate", trace.tracestate());
  }

  private static void put(Metadata headers, String name, String value) {
    headers.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
  }

  private final class Noting<R> extends SimpleForwardingClientCallListener<R> {
    Noting(ClientCall.Listener<R> listener) {
      super(listener);
    }

    @Override
    public void onMessage(R answer) {
      if (answer instanceof Message message) connection.seen(Fill.revisionOf(message));
      super.onMessage(answer);
    }
  }
}
