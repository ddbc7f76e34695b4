package dev.mneme.client;

import dev.mneme.v1.HookProceed;
import dev.mneme.v1.HookReply;
import dev.mneme.v1.LifecycleServiceGrpc;
import dev.mneme.v1.RegisterHook;
import dev.mneme.v1.ServeHookRequest;
import dev.mneme.v1.ServeHookResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Function;

/** A hook that is served, until it is closed. */
public final class Hook implements AutoCloseable {
  private final EventStream<Object> stream;
  private final ExecutorService handlers = Executors.newCachedThreadPool(task -> {
    Thread thread = new Thread(task, "mneme-hook");
    thread.setDaemon(true);
    return thread;
  });
  private final CompletableFuture<Void> registered = new CompletableFuture<>();
  private final CompletableFuture<Void> closed = new CompletableFuture<>();

  Hook(Connection connection, Settings settings, RegisterHook registration, Function<LifecycleEvent, Lifecycle.HookAnswer> handler) {
    stream = new EventStream<>(connection, new Runs<ServeHookResponse, Object>() {
      private Duplex<ServeHookRequest, ServeHookResponse> run;

      @Override
      Duplex<?, ServeHookResponse> open(Consumer<Object> out) {
        run = connection.stream(LifecycleServiceGrpc.getServeHookMethod(), settings);
        send(run, ServeHookRequest.newBuilder().setRegistration(registration).build());
        return run;
      }

      @Override
      void take(ServeHookResponse message, Consumer<Object> out) {
        registered.complete(null);
        if (!message.hasCall()) return;
        Duplex<ServeHookRequest, ServeHookResponse> asked = run;
        // Questions are answered as their answers are there, so a slow one holds up none of the others.
        handlers.execute(() -> send(asked, ServeHookRequest.newBuilder().setReply(replyTo(message, handler)).build()));
      }
    });
    handlers.execute(this::serve);
    try {
      registered.get();
    } catch (InterruptedException stop) {
      close();
      throw Errors.interrupted(MnemeException.Family.BASE, stop);
    } catch (ExecutionException failure) {
      close();
      if (failure.getCause() instanceof MnemeException error) throw error;
      throw new IllegalStateException(failure.getCause());
    }
  }

  /** Done when the hook is closed; fails when its stream broke for good. */
  public CompletableFuture<Void> closed() {
    return closed;
  }

  /** Takes the hook back. */
  @Override
  public void close() {
    stream.close();
    handlers.shutdownNow();
  }

  private void serve() {
    try {
      while (stream.hasNext()) stream.next();
      registered.completeExceptionally(Errors.unavailable("the hook was not registered", MnemeException.Family.BASE, null));
      closed.complete(null);
    } catch (MnemeException error) {
      registered.completeExceptionally(error);
      closed.completeExceptionally(error);
    }
  }

  private static HookReply replyTo(ServeHookResponse message, Function<LifecycleEvent, Lifecycle.HookAnswer> handler) {
    HookReply.Builder reply = HookReply.newBuilder().setId(message.getCall().getId());
    try {
      Lifecycle.HookAnswer answer = handler.apply(LifecycleEvent.of(message.getCall().getEvent(), null));
      HookProceed.Builder proceed = HookProceed.newBuilder();
      if (answer instanceof Lifecycle.HookAnswer.Veto veto) return reply.setVeto(veto.reason()).build();
      if (answer instanceof Lifecycle.HookAnswer.Proceed notes) proceed.putAllMetadata(notes.metadata());
      return reply.setProceed(proceed).build();
    } catch (RuntimeException fault) {
      return reply.setFailure(fault.getMessage() == null ? fault.toString() : fault.getMessage()).build();
    }
  }

  private static void send(Duplex<ServeHookRequest, ServeHookResponse> run, ServeHookRequest message) {
    try {
      run.send(message);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }
}
