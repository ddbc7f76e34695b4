package dev.mneme.client;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.TlsChannelCredentials;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** How a client is connected. Each setter changes this object and returns it; {@link Mneme#connect} keeps a copy of its own. */
public final class Options {
  /**
   * W3C trace context, as its two headers.
   *
   * @param traceparent such as {@code 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01}
   * @param tracestate state of tracing systems, or null
   */
  public record TraceContext(String traceparent, String tracestate) {}

  String namespace = "default";
  String token;
  String callFrom;
  ChannelCredentials credentials = InsecureChannelCredentials.create();
  String serverName;
  Duration timeout = Duration.ofSeconds(10);
  Duration recallTimeout = Duration.ofSeconds(5);
  Boolean waitForReady;
  boolean readYourWrites = true;
  boolean retry = true;
  Duration heartbeat = Duration.ofSeconds(15);
  Supplier<TraceContext> traceContext = OpenTelemetryTrace.current();

  /** Options with their defaults. */
  public Options() {}

  Options(Options other) {
    namespace = other.namespace;
    token = other.token;
    callFrom = other.callFrom;
    credentials = other.credentials;
    serverName = other.serverName;
    timeout = other.timeout;
    recallTimeout = other.recallTimeout;
    waitForReady = other.waitForReady;
    readYourWrites = other.readYourWrites;
    retry = other.retry;
    heartbeat = other.heartbeat;
    traceContext = other.traceContext;
  }

  /** Namespace that calls are about. Default {@code default}. */
  public Options namespace(String namespace) { this.namespace = namespace; return this; }

  /** Sent with every call as {@code authorization: Bearer …}. Without TLS anybody on the way can read it. */
  public Options token(String token) { this.token = token; return this; }

  /**
   * Scope of the caller: memories that private and isolated scopes hide from it are not visible. Default: none, so that
   * private memories are visible only to a recall that names their scope.
   */
  public Options callFrom(Scope scope) {
    List<String> parts = new ArrayList<>();
    add(parts, "project", scope.project());
    add(parts, "agent_type", scope.agentType());
    add(parts, "agent", scope.agent());
    add(parts, "session", scope.session());
    callFrom = String.join("&", parts);
    return this;
  }

  /** Calls are made from everywhere: nothing is hidden from them. */
  public Options callFromEverywhere() { callFrom = "*"; return this; }

  /** Encrypts the connection; the server's certificate is checked against the authorities that Java knows. Default: not encrypted. */
  public Options tls() { credentials = TlsChannelCredentials.create(); return this; }

  /**
   * Encrypts the connection. {@code ca} (PEM) is the authorities for the server's certificate; null: the authorities
   * that Java knows.
   */
  public Options tls(String ca) { return tls(ca, null, null); }

  /** As {@link #tls(String)}, with certificate and PKCS 8 key (PEM) of this client, for servers that ask for them. Both or neither are null. */
  public Options tls(String ca, String certificate, String key) {
    if ((certificate == null) != (key == null)) throw Errors.badInput("tls", "certificate and key come together");
    try {
      TlsChannelCredentials.Builder builder = TlsChannelCredentials.newBuilder();
      if (ca != null) builder.trustManager(stream(ca));
      if (key != null) builder.keyManager(stream(certificate), stream(key));
      credentials = builder.build();
    } catch (IOException | IllegalArgumentException fault) {
      throw Errors.badInput("tls", "is no PEM: " + fault.getMessage());
    }
    return this;
  }

  /** Credentials of gRPC itself, in place of {@link #tls()}. */
  public Options credentials(ChannelCredentials credentials) { this.credentials = credentials; return this; }

  /** Name that the server's certificate is for, when it is not the host of the address. */
  public Options serverName(String name) { serverName = name; return this; }

  /** Timeout of a call. Default 10 s; streams have none. */
  public Options timeout(Duration timeout) { this.timeout = timeout; return this; }

  /** The same for recall and for building a context. Default 5 s. */
  public Options recallTimeout(Duration timeout) { recallTimeout = timeout; return this; }

  /**
   * Whether calls wait for a server that is away, as long as the timeout allows. Default: they wait for its return once the client
   * has been connected; until then they fail with {@link MnemeException.Unavailable} as soon as the connection is refused. True:
   * they always wait; false: never.
   */
  public Options waitForReady(boolean wait) { waitForReady = wait; return this; }

  /** Reads see everything that this client wrote or read before, whichever replica answers. Default true. */
  public Options readYourWrites(boolean on) { readYourWrites = on; return this; }

  /**
   * With false nothing is sent twice. By default a call that fails with UNAVAILABLE, or whose connection breaks before the whole
   * answer has arrived, is repeated (up to 4 attempts, 3 for recall, within the deadline), and streams resume.
   */
  public Options retry(boolean on) { retry = on; return this; }

  /**
   * Interval of this side's heartbeats on a stream. Must be less than the idle timeout of proxies on the way. Default
   * 15 s.
   */
  public Options heartbeat(Duration interval) { heartbeat = interval; return this; }

  /**
   * Trace that calls are part of, asked for at each call in the thread that makes it; null for none. Default: the current one of
   * OpenTelemetry where its API is on the class path, otherwise none.
   */
  public Options traceContext(Supplier<TraceContext> current) { traceContext = current; return this; }

  private static void add(List<String> parts, String name, String value) {
    if (value == null || value.isEmpty()) return;
    parts.add(name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20"));
  }

  private static InputStream stream(String pem) {
    return new ByteArrayInputStream(pem.getBytes(StandardCharsets.UTF_8));
  }
}
