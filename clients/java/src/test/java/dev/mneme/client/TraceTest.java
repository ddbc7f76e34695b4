package dev.mneme.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.mneme.v1.MemoryServiceGrpc;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TraceTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN = "b7ad6b7169203331";
  private static final String GIVEN = "00-11111111111111111111111111111111-2222222222222222-00";

  private final List<String> heard = Collections.synchronizedList(new ArrayList<>());
  private Server server;
  private Mneme mneme;

  /** A server that notes the header and knows no method. */
  @BeforeEach
  void start() throws IOException {
    ServerInterceptor notes = new ServerInterceptor() {
      @Override
      public <Q, R> ServerCall.Listener<Q> interceptCall(ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        heard.add(String.valueOf(headers.get(Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER))));
        return next.startCall(call, headers);
      }
    };
    server = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
        .addService(new MemoryServiceGrpc.MemoryServiceImplBase() {}).intercept(notes).build().start();
    mneme = Mneme.connect("127.0.0.1:" + server.getPort());
  }

  @AfterEach
  void stop() {
    mneme.close();
    server.shutdownNow();
  }

  @Test
  void callsArePartOfTheTraceOfTheThreadThatMakesThem() {
    SpanContext span = SpanContext.create(TRACE, SPAN, TraceFlags.getSampled(), TraceState.getDefault());
    ask(mneme);
    Context.current().with(Span.wrap(span)).wrap(() -> {
      ask(mneme);
      ask(mneme.withTrace(GIVEN, null));
      assertThrows(ExecutionException.class, () -> mneme.async(m -> m.get("m1")).get());
    }).run();

    String ofSpan = "00-" + TRACE + "-" + SPAN + "-01";
    assertEquals(List.of("null", ofSpan, GIVEN, ofSpan), heard);
  }

  private static void ask(Mneme mneme) {
    assertThrows(MnemeException.class, () -> mneme.get("m1"));
  }
}
