package dev.mneme.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mneme.v1.DeleteMemoryRequest;
import dev.mneme.v1.MemoryServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class RetriesTest {
  private static final Status CLOSED = Status.UNKNOWN.withDescription("channel closed").withCause(new ClosedChannelException());

  @Test
  void aCallOnAConnectionThatWasClosingIsRepeated() {
    assertEquals(Status.Code.OK, endOf(CLOSED, Status.OK).getCode());
  }

  @Test
  void itIsUnavailableWhereEveryAttemptMeetsOne() {
    Status end = endOf(CLOSED, CLOSED, CLOSED, CLOSED, CLOSED, CLOSED);
    assertEquals(Status.Code.UNAVAILABLE, end.getCode());
    assertEquals("channel closed", end.getDescription());
  }

  @Test
  void anyOtherUnknownStatusIsNotRepeated() {
    assertEquals(Status.Code.UNKNOWN, endOf(Status.UNKNOWN, Status.OK).getCode());
  }

  /** How a call ends whose attempts end so. */
  private static Status endOf(Status... attempts) {
    CompletableFuture<Status> end = new CompletableFuture<>();
    ClientCall<?, ?> call =
        new Retries(() -> true).interceptCall(MemoryServiceGrpc.getDeleteMemoryMethod(), CallOptions.DEFAULT, new Ending(List.of(attempts)));
    start(call, end);
    return end.join();
  }

  @SuppressWarnings("unchecked")
  private static <R> void start(ClientCall<?, R> given, CompletableFuture<Status> end) {
    ClientCall<DeleteMemoryRequest, R> call = (ClientCall<DeleteMemoryRequest, R>) given;
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            end.complete(status);
          }
        },
        new Metadata());
    call.request(1);
    call.sendMessage(DeleteMemoryRequest.getDefaultInstance());
    call.halfClose();
  }

  /** Ends its calls with one status after the other. */
  private static final class Ending extends Channel {
    private final Queue<Status> ends;

    Ending(List<Status> ends) {
      this.ends = new ArrayDeque<>(ends);
    }

    @Override
    public String authority() {
      return "test";
    }

    @Override
    public <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method, CallOptions options) {
      Status end = ends.remove();
      return new ClientCall<>() {
        private Listener<R> listener;

        @Override
        public void start(Listener<R> given, Metadata headers) {
          listener = given;
        }

        @Override
        public void request(int count) {}

        @Override
        public void cancel(String message, Throwable cause) {}

        @Override
        public void halfClose() {
          listener.onClose(end, new Metadata());
        }

        @Override
        public void sendMessage(Q message) {}
      };
    }
  }
}
