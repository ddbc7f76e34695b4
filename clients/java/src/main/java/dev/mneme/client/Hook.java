package dev.mneme.client;

import dev.mneme.v1.HookProceed;
import dev.mneme.v1.HookReply;
import dev.mneme.v1.LifecycleServiceGrpc;
import dev.mneme.v1.RegisterHook;
import dev.mneme.v1.ServeHookRequest;
import dev.mneme.v1.ServeHookResponse;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A hook that is served, until it is closed. */
public final class Hook extends Served<ServeHookRequest, ServeHookResponse> {
  private final Function<LifecycleEvent, Lifecycle.HookAnswer> handler;

  Hook(Connection connection, Settings settings, RegisterHook registration, Function<LifecycleEvent, Lifecycle.HookAnswer> handler) {
    super(connection, settings, LifecycleServiceGrpc.getServeHookMethod(),
        ServeHookRequest.newBuilder().setRegistration(registration).build());
    this.handler = handler;
    begin();
  }

  /** Done when the hook is closed; fails when its stream broke for good. */
  @Override
  public CompletableFuture<Void> closed() {
    return super.closed();
  }

  /** Takes the hook back. */
  @Override
  public void close() {
    super.close();
  }

  @Override
  void take(ServeHookResponse message, Duplex<ServeHookRequest, ServeHookResponse> from) {
    if (!message.hasCall()) return;
    // Questions are answered as their answers are there, so a slow one holds up none of the others.
    handlers.execute(() -> send(from, ServeHookRequest.newBuilder().setReply(replyTo(message, handler)).build()));
  }

  private static HookReply replyTo(ServeHookResponse message, Function<LifecycleEvent, Lifecycle.HookAnswer> handler) {
    HookReply.Builder reply = HookReply.newBuilder().setId(message.getCall().getId());
    try {
      Lifecycle.HookAnswer answer = handler.apply(LifecycleEvent.of(message.getCall().getEvent(), null));
      HookProceed.Builder proceed = HookProceed.newBuilder();
      if (answer instanceof Lifecycle.HookAnswer.Veto veto) return reply.setVeto(Texts.whole(veto.reason(), "veto")).build();
      if (answer instanceof Lifecycle.HookAnswer.Proceed notes) proceed.putAllMetadata(notes.metadata());
      return reply.setProceed(Texts.whole(proceed.build())).build();
    } catch (RuntimeException fault) {
      return reply.setFailure(textOf(fault)).build();
    }
  }
}
