package dev.mneme.client;

import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One stream of gRPC, read by one thread and written by others: writing waits while the other side takes nothing. */
final class Duplex<Q, R> {
  /** Messages that may have come and are not read yet. */
  private static final int AHEAD = 4;

  private record End(Status status, Metadata trailers) {}

  private final MethodDescriptor<Q, R> method;
  private final String address;
  private final Connection connection;
  private final ClientCall<Q, R> call;
  private final BlockingQueue<Object> inbox = new LinkedBlockingQueue<>();
  private final Object room = new Object();
  private final Runnable replaceConnection;
  private volatile End end;
  private boolean isHalfClosed;
  private boolean isSilent;

  /** {@code replaceConnection} gives later streams another connection. */
  Duplex(Connection connection, Channel channel, MethodDescriptor<Q, R> method, Settings settings, Runnable replaceConnection) {
    this.method = method;
    this.connection = connection;
    this.address = connection.address;
    this.replaceConnection = replaceConnection;
    call = channel.newCall(method, settings.callOptions());
    call.start(new Listener(), new Metadata());
    call.request(AHEAD);
  }

  /** The next message, or null at the end of the stream. Fails as the stream does, and with UNAVAILABLE after so long a silence. */
  R read(Duration silence) {
    Object next;
    try {
      next = silence == null ? inbox.take() : inbox.poll(silence.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException stop) {
      cancel();
      throw Errors.interrupted(Errors.familyOf(method), stop);
    }
    if (next == null) {
      isSilent = true;
      cancel();
      throw Errors.unavailable("received nothing for " + silence.toMillis() + " ms", Errors.familyOf(method), null);
    }
    if (next instanceof End ended) {
      inbox.add(ended); // A later read gets the end again.
      if (ended.status.isOk()) return null;
      throw errorOf(ended);
    }
    call.request(1);
    @SuppressWarnings("unchecked")
    R message = (R) next;
    return message;
  }

  /** Sends the one request of a stream that is only read. */
  Duplex<Q, R> sendOnly(Q request) {
    call.sendMessage(request);
    call.halfClose();
    return this;
  }

  /** Sends, once the other side has room. False when the stream has ended. */
  boolean send(Q message) throws InterruptedException {
    synchronized (room) {
      while (!call.isReady() && end == null) room.wait();
      if (end != null || isHalfClosed) return false;
      call.sendMessage(message);
      return true;
    }
  }

  /** Sends if there is room at once. */
  boolean offer(Q message) {
    synchronized (room) {
      if (!call.isReady() || end != null || isHalfClosed) return false;
      call.sendMessage(message);
      return true;
    }
  }

  /** Half-closes the stream; answers still come. */
  void halfClose() {
    synchronized (room) {
      if (isHalfClosed || end != null) return;
      isHalfClosed = true;
      call.halfClose();
    }
  }

  boolean hasEnded() {
    return end != null;
  }

  void cancel() {
    call.cancel("the stream is not read any more", null);
  }

  /** Cancels it before another run of the same, on another connection when this one was silent for too long. For its reader. */
  void giveUp() {
    cancel();
    if (isSilent) replaceConnection.run();
  }

  private MnemeException errorOf(End ended) {
    if (connection.isClosed() && ended.status.getCode() == Status.Code.CANCELLED) return Errors.closed(Errors.familyOf(method));
    return Errors.ofCall(ended.status, ended.trailers, method, connection);
  }

  private final class Listener extends ClientCall.Listener<R> {
    @Override
    public void onMessage(R message) {
      inbox.add(message);
    }

    @Override
    public void onReady() {
      synchronized (room) {
        room.notifyAll();
      }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      synchronized (room) {
        end = new End(status, trailers);
        room.notifyAll();
      }
      inbox.add(end);
    }
  }
}
