package dev.mneme.client;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;

/**
 * One unary call of several attempts. Headers and message of an answer reach the listener with its status: a call whose
 * connection breaks between them has no answer yet.
 */
final class RepeatedCall<Q, R> extends ClientCall<Q, R> {
  private final Retries retries;
  private final MethodDescriptor<Q, R> method;
  private final CallOptions options;
  private final Channel channel;
  /** Of the caller: later attempts are made on another thread. */
  private final Context context = Context.current();
  private Listener<R> listener;
  private Metadata headers;
  private Q request;
  private int requested;
  private int failures;
  /** Null before the request is complete, and between two attempts. */
  private ClientCall<Q, R> attempt;
  private Status cancelled;

  RepeatedCall(Retries retries, MethodDescriptor<Q, R> method, CallOptions options, Channel channel) {
    this.retries = retries;
    this.method = method;
    this.options = options;
    this.channel = channel;
  }

  @Override
  public synchronized void start(Listener<R> given, Metadata sent) {
    listener = given;
    headers = sent;
    if (cancelled != null) close(cancelled, new Metadata());
  }

  @Override
  public synchronized void request(int count) {
    requested += count;
    if (attempt != null) attempt.request(count);
  }

  @Override
  public synchronized void sendMessage(Q message) {
    request = message;
  }

  @Override
  public synchronized void halfClose() {
    if (cancelled == null) begin();
  }

  @Override
  public void cancel(String message, Throwable cause) {
    ClientCall<Q, R> running;
    synchronized (this) {
      if (cancelled != null) return;
      cancelled = Status.CANCELLED.withDescription(message).withCause(cause);
      running = attempt;
      if (running == null && listener != null) close(cancelled, new Metadata());
    }
    if (running != null) running.cancel(message, cause);
  }

  @Override
  public synchronized Attributes getAttributes() {
    return attempt == null ? Attributes.EMPTY : attempt.getAttributes();
  }

  private synchronized void begin() {
    attempt = channel.newCall(method, options);
    Metadata own = new Metadata();
    own.merge(headers); // gRPC adds to the headers of a call that starts.
    attempt.start(new Outcome(), own);
    attempt.request(requested);
    attempt.sendMessage(request);
    attempt.halfClose();
  }

  /** After the wait: makes another attempt, or gives up with the failure of the last one. */
  private void goOn(Status failure, Metadata trailers) {
    synchronized (this) {
      if (cancelled != null) return;
      if (retries.mayRepeat()) {
        context.run(this::begin);
        return;
      }
    }
    close(failure, trailers);
  }

  /** Tells the listener where gRPC would: blocking callers wait for this executor. */
  private void close(Status status, Metadata trailers) {
    Executor executor = options.getExecutor() == null ? ForkJoinPool.commonPool() : options.getExecutor();
    executor.execute(() -> listener.onClose(status, trailers));
  }

  /** Whether there is to be another attempt, which is then due after a wait. */
  private synchronized boolean isRepeated(Status status, Metadata trailers) {
    failures += 1;
    if (cancelled != null) return false;
    OptionalLong wait = retries.waitOf(method, failures, status, trailers, options.getDeadline());
    if (wait.isEmpty()) return false;
    attempt = null;
    CompletableFuture.delayedExecutor(wait.getAsLong(), TimeUnit.NANOSECONDS).execute(() -> goOn(status, trailers));
    return true;
  }

  /** What one attempt brings. */
  private final class Outcome extends Listener<R> {
    private Metadata answered;
    private R answer;

    @Override
    public void onHeaders(Metadata received) {
      answered = received;
    }

    @Override
    public void onMessage(R message) {
      answer = message;
    }

    @Override
    public void onClose(Status given, Metadata trailers) {
      Status status = Errors.ofConnection(given);
      if (status.isOk()) retries.succeeded();
      else if (isRepeated(status, trailers)) return;
      if (answered != null) listener.onHeaders(answered);
      if (answer != null) listener.onMessage(answer);
      listener.onClose(status, trailers);
    }

    @Override
    public void onReady() {
      listener.onReady();
    }
  }
}
