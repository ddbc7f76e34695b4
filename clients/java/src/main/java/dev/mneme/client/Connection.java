package dev.mneme.client;

import com.fasterxml.jackson.core.type.TypeReference;
import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ChannelCredentials;
import io.grpc.ClientInterceptors;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.UdsNettyChannelProvider;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The way to one server, shared by every view of a client. */
final class Connection {
  static final String VERSION = "0.1.0";
  private static final int MIB = 1024 * 1024;
  private static final int DEFAULT_PORT = 50051;
  private static final Pattern URL = Pattern.compile("(?:http|grpc)s?://", Pattern.CASE_INSENSITIVE);
  private static final long FIRST_RECONNECT_MS = 200;
  private static final long LONGEST_RECONNECT_MS = 10_000;
  static final Map<String, ?> STREAMS_CONFIG =
      doubles(Values.MAPPER.convertValue(Values.resource("service-config.json"), new TypeReference<Map<String, Object>>() {}));
  /** gRPC repeats no unary calls: {@link Retries} does. */
  private static final Map<String, ?> CALLS_CONFIG = Map.of("loadBalancingConfig", STREAMS_CONFIG.get("loadBalancingConfig"));

  final String address;
  final Options options;
  private final AtomicLong newestSeen = new AtomicLong();
  private final ManagedChannel calls;
  private final Channel guarded;
  /** Long streams have a connection of their own, so that their data does not delay short calls. */
  private ManagedChannel streams;
  /** Former connections of streams, on which one was silent: each ends with the last of its streams. */
  private final Set<ManagedChannel> replaced = new HashSet<>();
  private final Set<AutoCloseable> open = ConcurrentHashMap.newKeySet();
  private final Async async = new Async();
  private final AtomicBoolean closing = new AtomicBoolean();
  private volatile boolean closed;
  private volatile boolean wasConnected;

  Connection(String address, Options options) {
    this.address = address;
    this.options = new Options(options);
    calls = newChannel(CALLS_CONFIG);
    guarded = ClientInterceptors.intercept(calls, new Retries(this::retries), new Guarantees(this));
  }

  boolean isClosed() {
    return closed;
  }

  /** Whether calls wait for a connection. */
  boolean waits() {
    return options.waitForReady == null ? wasConnected : options.waitForReady;
  }

  /** False of a client that never had a connection: its streams end with the reason. */
  boolean mayReturn() {
    return options.waitForReady != null || wasConnected;
  }

  /** Whether calls are retried. */
  boolean retries() {
    return options.retry && !closed;
  }

  /** With all that calls have, for stubs. */
  Channel channel() {
    return guarded;
  }

  <Q extends Message, R extends Message> R unary(MethodDescriptor<Q, R> method, Q request, Settings settings) {
    Fill.checkNamespace(request);
    try {
      String namespace = Fill.namespaceOf(request);
      CallOptions options = settings.callOptions();
      if (namespace != null) options = options.withOption(Guarantees.NAMESPACE, namespace);
      R answer = ClientCalls.blockingUnaryCall(guarded, method, options, request);
      wasConnected = true;
      return answer;
    } catch (StatusRuntimeException error) {
      // The status that gRPC gives to calls that `close` has ended.
      boolean isCutOff = closed && "Channel shutdownNow invoked".equals(error.getStatus().getDescription());
      if (isCutOff) throw Errors.closed(Errors.familyOf(method));
      throw Errors.ofCall(error.getStatus(), error.getTrailers(), method, this);
    }
  }

  /** Makes calls on another thread. */
  <T> CompletableFuture<T> async(Supplier<T> calls) {
    return async.run(calls);
  }

  /** The trace that a call is part of; null for none. */
  Options.TraceContext traceOf(Settings settings) {
    return settings.traceparent() == null
        ? options.traceContext.get()
        : new Options.TraceContext(settings.traceparent(), settings.tracestate());
  }

  /** Opens a stream. It has no deadline of its own, so the wait for a connection gets one. */
  <Q extends Message, R extends Message> Duplex<Q, R> stream(MethodDescriptor<Q, R> method, Settings settings) {
    for (;;) {
      ManagedChannel channel = readyStreamChannel(method);
      Channel guarded = ClientInterceptors.intercept(channel, new Guarantees(this));
      Duplex<Q, R> stream = new Duplex<>(this, guarded, method, settings, () -> replaceStreams(channel));
      if (closed || !channel.isShutdown()) return stream;
      stream.cancel(); // The connection was replaced meanwhile: it may have refused the stream.
    }
  }

  /**
   * Gives later streams another connection than this one, on which a stream was silent for too long; its other streams go
   * on. A connection that was replaced already stays so: none is replaced before a stream that began on it was silent for
   * its limit.
   */
  private void replaceStreams(ManagedChannel silent) {
    if (closed) return;
    synchronized (this) {
      if (streams != silent) return;
      streams = null;
      replaced.removeIf(ManagedChannel::isTerminated);
      replaced.add(silent);
      silent.shutdown();
    }
  }

  /** What is to be closed with the client. */
  void opened(AutoCloseable stream) {
    open.add(stream);
  }

  void ended(AutoCloseable stream) {
    open.remove(stream);
  }

  long seen(long revision) {
    newestSeen.accumulateAndGet(revision, Math::max);
    return revision;
  }

  /** For a store that was restored to an older state: revisions beyond its newest one are lost. */
  void noteLoss(MnemeException error) {
    String newest = error.metadata().get("newest_revision");
    if (newest != null) newestSeen.accumulateAndGet(Long.parseLong(newest), Math::min);
  }

  /** The minimum revision for a read, so that it sees everything that this client has seen. */
  long minRevision() {
    return options.readYourWrites ? newestSeen.get() : 0;
  }

  /** Lets what is stored be acknowledged, ends streams, lets calls in flight have their answers for as long as a call may take, then ends the connection. */
  void close() {
    if (!closing.compareAndSet(false, true)) return;
    long deadline = System.nanoTime() + nanos(options.timeout);
    for (AutoCloseable each : open) {
      if (each instanceof EventStream<?> stream) stream.finish(deadline - System.nanoTime());
    }
    closed = true;
    async.close();
    for (AutoCloseable each : open) {
      try {
        if (each instanceof EventStream<?> stream) stream.closeWithClient();
        else each.close();
      } catch (Exception alreadyBroken) {
        // What broke has nothing left to be ended.
      }
    }
    synchronized (this) {
      List<ManagedChannel> channels = new ArrayList<>(replaced);
      channels.add(calls);
      if (streams != null) channels.add(streams);
      for (ManagedChannel each : channels) {
        each.shutdown();
        try {
          if (!each.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) each.shutdownNow();
        } catch (InterruptedException stop) {
          each.shutdownNow();
          Thread.currentThread().interrupt();
        }
      }
    }
  }

  static long nanos(Duration duration) {
    return duration.compareTo(Duration.ofDays(36_500)) > 0 ? Long.MAX_VALUE / 4 : duration.toNanos();
  }

  private synchronized ManagedChannel streamChannel(MethodDescriptor<?, ?> method) {
    if (closed) throw Errors.closed(Errors.familyOf(method));
    if (streams == null) streams = newChannel(STREAMS_CONFIG);
    return streams;
  }

  private ManagedChannel readyStreamChannel(MethodDescriptor<?, ?> method) {
    long deadline = System.nanoTime() + nanos(options.timeout);
    for (;;) {
      if (closed) throw Errors.closed(Errors.familyOf(method));
      ManagedChannel channel = streamChannel(method);
      ConnectivityState state = channel.getState(true);
      if (state == ConnectivityState.READY) wasConnected = true; // The listener of states may come later.
      if (state == ConnectivityState.READY || (state == ConnectivityState.TRANSIENT_FAILURE && !waits())) return channel;
      CountDownLatch changed = new CountDownLatch(1);
      channel.notifyWhenStateChanged(state, changed::countDown);
      try {
        if (!changed.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          throw Errors.unavailable("no connection to " + address + " in time", Errors.familyOf(method), null);
        }
      } catch (InterruptedException stop) {
        throw Errors.interrupted(Errors.familyOf(method), stop);
      }
    }
  }

  /** A connection of its own, with the options of all. */
  ManagedChannel newChannel(Map<String, ?> serviceConfig) {
    NettyChannelBuilder builder =
        builderOf(targetOf(address), options.credentials)
            .defaultServiceConfig(serviceConfig)
            // The configuration is set above; a DNS lookup for another one would only take time.
            .disableServiceConfigLookUp()
            // The size of the largest request that a server accepts, so that every request can be retried.
            .perRpcBufferLimit(4L * MIB)
            .retryBufferSize(64L * MIB)
            .keepAliveTime(30, TimeUnit.SECONDS)
            .keepAliveTimeout(10, TimeUnit.SECONDS)
            .keepAliveWithoutCalls(false)
            .maxInboundMessageSize(16 * MIB)
            .flowControlWindow(4 * MIB)
            .userAgent("mneme-java/" + VERSION);
    if (Reachability.isLoopback(address)) builder.proxyDetector(local -> null);
    if (options.serverName != null) builder.overrideAuthority(options.serverName);
    if (options.retry) builder.enableRetry();
    else builder.disableRetry();
    ManagedChannel channel = builder.build();
    reconnectSoon(channel);
    return channel;
  }

  /** Sockets of Unix need a channel of their own, which Netty has for Linux. */
  private static NettyChannelBuilder builderOf(String target, ChannelCredentials credentials) {
    if (!target.startsWith("unix:")) return NettyChannelBuilder.forTarget(target, credentials);
    UdsNettyChannelProvider sockets = new UdsNettyChannelProvider();
    if (!sockets.isAvailable()) throw Errors.badInput("address", "sockets of Unix can be used on Linux only, got " + target);
    // Without a name gRPC would send the path, which servers of HTTP/2 refuse as a host.
    return ((NettyChannelBuilder) sockets.newChannelBuilder(target, credentials).getChannelBuilder()).overrideAuthority("localhost");
  }

  /** gRPC waits up to two minutes between its attempts to connect: this asks for one after 0.2 to 10 s. */
  private void reconnectSoon(ManagedChannel channel) {
    ConnectivityState state = channel.getState(false);
    if (state == ConnectivityState.READY) wasConnected = true;
    if (state == ConnectivityState.SHUTDOWN) return;
    if (state == ConnectivityState.TRANSIENT_FAILURE) reconnectAfter(channel, FIRST_RECONNECT_MS);
    else channel.notifyWhenStateChanged(state, () -> reconnectSoon(channel));
  }

  private void reconnectAfter(ManagedChannel channel, long waitMs) {
    CompletableFuture.delayedExecutor(waitMs, TimeUnit.MILLISECONDS).execute(() -> {
      ConnectivityState state = channel.getState(false);
      if (state != ConnectivityState.TRANSIENT_FAILURE && state != ConnectivityState.CONNECTING) {
        reconnectSoon(channel);
        return;
      }
      channel.resetConnectBackoff();
      reconnectAfter(channel, Math.min(waitMs * 2, LONGEST_RECONNECT_MS));
    });
  }

  /** Adds the port of Mneme to a bare host: gRPC itself would take 80 or 443. Refuses URLs, which gRPC cannot resolve. */
  private static String targetOf(String address) {
    Matcher url = URL.matcher(address);
    if (url.lookingAt()) throw Errors.badInput("address", "expected host:port without " + url.group() + ", got " + address);
    return address.matches("[^:/]+|\\[[^]]+]") ? address + ":" + DEFAULT_PORT : address;
  }

  /** gRPC takes a service config whose numbers are all of type Double. */
  @SuppressWarnings("unchecked")
  private static <T> T doubles(T value) {
    if (value instanceof Map<?, ?> map) {
      ((Map<String, Object>) map).replaceAll((key, each) -> doubles(each));
    } else if (value instanceof List<?> list) {
      ((java.util.List<Object>) list).replaceAll(Connection::doubles);
    } else if (value instanceof Number number) {
      return (T) (Object) number.doubleValue();
    }
    return value;
  }
}
