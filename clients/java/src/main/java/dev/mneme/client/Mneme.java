package dev.mneme.client;

import com.google.protobuf.Message;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import java.time.Duration;

/**
 * A client of one server, about one namespace. Safe to use from many threads at once; calls block the thread that makes them,
 * and interrupting it cancels the call. The {@code with…} methods give views over the same connection and are cheap.
 *
 * <pre>{@code
 * try (Mneme mneme = Mneme.connect("127.0.0.1:50051")) {
 *   mneme.store(NewMemory.of("The museum is closed on Mondays."));
 *   mneme.recall("When is the museum closed?").hits().forEach(hit -> System.out.println(hit.memory().text()));
 * }
 * }</pre>
 */
public final class Mneme extends MemoryCalls implements AutoCloseable {
  private final Connection connection;

  private Mneme(Connection connection, String namespace, Settings settings) {
    super(connection, namespace, settings);
    this.connection = connection;
  }

  /** Opens a client with default options. */
  public static Mneme connect(String address) {
    return connect(address, new Options());
  }

  /**
   * Opens a client. Nothing is sent until the first call; the connection is made, and made again when it breaks, as calls
   * need it. The address is {@code host:port}, {@code host} (port 50051) or {@code dns:///host:port}.
   */
  public static Mneme connect(String address, Options options) {
    return new Mneme(new Connection(address, options), options.namespace, Settings.NONE);
  }

  /** Namespace that the calls are about. */
  public String namespace() {
    return namespace;
  }

  /** The same about another namespace. */
  public Mneme withNamespace(String other) {
    return new Mneme(connection, other, settings);
  }

  /** The same with another longest time that a call may take. */
  public Mneme withTimeout(Duration timeout) {
    return new Mneme(connection, namespace, settings.withTimeout(timeout));
  }

  /**
   * For one write: its idempotency key. A repeated call with the same key takes effect once and returns the first answer, for
   * as long as the server keeps keys (24 hours unless configured otherwise). Default: a new key for each call.
   */
  public Mneme withRequestId(String id) {
    return new Mneme(connection, namespace, settings.withRequestId(id));
  }

  /** For reads: the oldest revision to answer from. Default: the newest that this client has seen. */
  public Mneme withMinRevision(long revision) {
    return new Mneme(connection, namespace, settings.withMinRevision(revision));
  }

  /** For one write: it fails with {@link MnemeException.Aborted} unless what it changes has this version; 0: unless it is not there. */
  public Mneme ifVersion(long version) {
    return new Mneme(connection, namespace, settings.withIfVersion(version));
  }

  /** The same as part of a trace, by its W3C headers; {@code tracestate} may be null. */
  public Mneme withTrace(String traceparent, String tracestate) {
    return new Mneme(connection, namespace, settings.withTrace(traceparent, tracestate));
  }

  /**
   * Calls a unary method of the generated stubs, such as {@code MemoryServiceGrpc.getGetMemoryMethod()}, with what every call
   * has: deadline, retries, typed errors. {@code request_id} and {@code min_revision} are filled in where they are left out; names of
   * resources are not.
   */
  public <Q extends Message, R extends Message> R raw(MethodDescriptor<Q, R> method, Q request) {
    return call(method, request);
  }

  /** A channel for generated stubs, with all that calls have but typed errors: those are {@link io.grpc.StatusRuntimeException}. */
  public Channel channel() {
    return connection.channel();
  }

  /** Ends the connection, for all views. Streams end; calls in flight still get their answers, within the timeout of a call. */
  @Override
  public void close() {
    connection.close();
  }
}
