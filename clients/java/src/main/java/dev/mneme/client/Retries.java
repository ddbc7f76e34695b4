package dev.mneme.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * Repeats the unary calls of one connection by the policies of {@code service-config.json}, the same for the clients of all
 * languages. gRPC itself repeats no call whose headers have arrived, and a server that is killed may end a call between its
 * message and its status: so the client makes all attempts, with the same request, within the deadline of the call.
 */
final class Retries implements ClientInterceptor {
  private static final JsonNode CONFIG = Values.resource("service-config.json");
  private static final Map<String, Policy> POLICIES = policies();
  private static final double TOKENS_MAX = CONFIG.at("/retryThrottling/maxTokens").asDouble();
  private static final double TOKEN_RATIO = CONFIG.at("/retryThrottling/tokenRatio").asDouble();
  /** How long a server asks to wait before the next attempt, in milliseconds; any other value asks for none. */
  private static final Metadata.Key<String> PUSHBACK = Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);

  private final BooleanSupplier mayRepeat;
  /** Fall with every failed attempt: below one half, nothing is repeated. */
  private final AtomicReference<Double> tokens = new AtomicReference<>(TOKENS_MAX);

  private record Policy(int maxAttempts, double firstNanos, double longestNanos, double multiplier, Set<String> codes) {}

  /** {@code mayRepeat} is asked after each failure, and again after the wait that follows. */
  Retries(BooleanSupplier mayRepeat) {
    this.mayRepeat = mayRepeat;
  }

  @Override
  public <Q, R> ClientCall<Q, R> interceptCall(MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
    boolean isRepeated = method.getType() == MethodType.UNARY && POLICIES.containsKey(method.getFullMethodName());
    return isRepeated ? new RepeatedCall<>(this, method, options, next) : next.newCall(method, options);
  }

  boolean mayRepeat() {
    return mayRepeat.getAsBoolean();
  }

  void succeeded() {
    if (tokens.get() < TOKENS_MAX) tokens.updateAndGet(now -> Math.min(now + TOKEN_RATIO, TOKENS_MAX));
  }

  /** The wait in nanoseconds after so many failed attempts; empty when no other may follow. */
  OptionalLong waitOf(MethodDescriptor<?, ?> method, int failures, Status status, Metadata trailers, Deadline deadline) {
    Policy policy = POLICIES.get(method.getFullMethodName());
    boolean isOver = failures >= policy.maxAttempts || !policy.codes.contains(status.getCode().name());
    if (isOver || !mayRepeat()) return OptionalLong.empty();
    if (tokens.updateAndGet(now -> Math.max(now - 1, 0)) <= TOKENS_MAX / 2) return OptionalLong.empty();
    double limit = Math.min(policy.firstNanos * Math.pow(policy.multiplier, failures - 1), policy.longestNanos);
    long wait = (long) (ThreadLocalRandom.current().nextDouble() * limit);
    String asked = trailers == null ? null : trailers.get(PUSHBACK);
    if (asked != null) {
      if (!asked.matches("\\d{1,9}")) return OptionalLong.empty();
      wait = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(asked));
    }
    boolean isLate = deadline != null && deadline.timeRemaining(TimeUnit.NANOSECONDS) <= wait;
    return isLate ? OptionalLong.empty() : OptionalLong.of(wait);
  }

  private static Map<String, Policy> policies() {
    Map<String, Policy> policies = new HashMap<>();
    for (JsonNode method : CONFIG.get("methodConfig")) {
      JsonNode written = method.get("retryPolicy");
      Set<String> codes = new HashSet<>();
      written.get("retryableStatusCodes").forEach(code -> codes.add(code.asText()));
      Policy policy =
          new Policy(
              written.get("maxAttempts").asInt(),
              nanos(written.get("initialBackoff")),
              nanos(written.get("maxBackoff")),
              written.get("backoffMultiplier").asDouble(),
              Set.copyOf(codes));
      method.get("name").forEach(name -> policies.put(name.get("service").asText() + "/" + name.get("method").asText(), policy));
    }
    return Map.copyOf(policies);
  }

  /** Of a duration as JSON has it, such as {@code 0.05s}. */
  private static double nanos(JsonNode duration) {
    return Double.parseDouble(duration.asText().replace("s", "")) * TimeUnit.SECONDS.toNanos(1);
  }
}
