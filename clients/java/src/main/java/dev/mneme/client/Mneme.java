package dev.mneme.client;

import com.google.protobuf.Message;
import dev.mneme.v1.AdminServiceGrpc;
import dev.mneme.v1.ContextServiceGrpc;
import dev.mneme.v1.DemoteMemoriesRequest;
import dev.mneme.v1.ExportMemoriesRequest;
import dev.mneme.v1.MemoryServiceGrpc;
import dev.mneme.v1.PromoteMemoriesRequest;
import dev.mneme.v1.RecallServiceGrpc;
import dev.mneme.v1.RecallStreamRequest;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

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
  private Mneme(Connection connection, String namespace, Settings settings) {
    super(connection, namespace, settings);
  }

  /** Opens a client with default options. */
  public static Mneme connect(String address) {
    return connect(address, new Options());
  }

  /**
   * Opens a client. Sends nothing until the first call; calls establish the connection, and re-establish it after a
   * failure. The address is {@code host:port}, {@code host} (port 50051), {@code dns:///host:port}, or on Linux {@code
   * unix:/path} of a proxy's socket.
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

  /** The same with another timeout of calls. */
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

  /** Namespaces. */
  public Namespaces namespaces() { return new Namespaces(connection, namespace, settings); }

  /** The server itself. */
  public Admin admin() { return new Admin(connection, namespace, settings); }

  /** The lives of sessions. */
  public Lifecycle lifecycle() { return new Lifecycle(connection, namespace, settings); }

  /** Snapshots of the memories of agents. */
  public Agents agents() { return new Agents(connection, namespace, settings); }

  /** Policies of scopes. */
  public Scopes scopes() { return new Scopes(connection, namespace, settings); }

  /** Durable subscriptions. */
  public Subscriptions subscriptions() { return new Subscriptions(connection, namespace, settings); }

  /** Conversations, and the extraction of memories from them. */
  public Conversations conversations() { return new Conversations(connection, namespace, settings); }

  /** Facts: current and former facts and their times. */
  public Facts facts() { return new Facts(connection, namespace, settings); }

  /** Episodes: what was done and how it went. */
  public Episodes episodes() { return new Episodes(connection, namespace, settings); }

  /** Procedures: how things are done, and how that went. */
  public Procedures procedures() { return new Procedures(connection, namespace, settings); }

  /** Consolidation: fewer memories of many, with a report and undo. */
  public Consolidation consolidation() { return new Consolidation(connection, namespace, settings); }

  /** Working memory of a session, by its id. Sends nothing until the first call. */
  public WorkingMemory session(String id) { return new WorkingMemory(connection, namespace, settings, id); }

  /**
   * Moves up to 1,000 memories to a lower tier (null: one down). {@link MnemeException.NotFound}, and nothing moved,
   * when one does not exist.
   */
  public MoveResult demote(Collection<String> ids, Tier toTier) {
    DemoteMemoriesRequest.Builder request = DemoteMemoriesRequest.newBuilder().setParent(parent).setToTier(code(toTier));
    ids.forEach(id -> request.addNames(Names.memory(namespace, id)));
    return Answers.read(call(MemoryServiceGrpc.getDemoteMemoriesMethod(), request.build()), MoveResult.class);
  }

  /** Moves up to 1,000 memories to a higher tier (null: one up). */
  public MoveResult promote(Collection<String> ids, Tier toTier) {
    PromoteMemoriesRequest.Builder request = PromoteMemoriesRequest.newBuilder().setParent(parent).setToTier(code(toTier));
    ids.forEach(id -> request.addNames(Names.memory(namespace, id)));
    return Answers.read(call(MemoryServiceGrpc.getPromoteMemoriesMethod(), request.build()), MoveResult.class);
  }

  /** Erases the memories of one tier, of a scope or all of them. */
  public MoveResult.Cleared clearTier(Tier tier, ClearTierQuery query) {
    return Answers.read(call(AdminServiceGrpc.getClearTierMethod(), query.copy().setParent(parent).setTier(code(tier)).build()),
        MoveResult.Cleared.class);
  }

  /** Text for the context window of a model: the memories that answer a query, quoted, within a budget of tokens. */
  public BuiltContext buildContext(String query) {
    return buildContext(ContextQuery.of(query));
  }

  /**
   * Text for the context window of a model: the working memory of a session and the memories that answer a query, quoted as data,
   * within a budget of tokens. A part that fails or is late is named in {@link BuiltContext#degraded} and is no error.
   */
  public BuiltContext buildContext(ContextQuery query) {
    return Answers.read(call(ContextServiceGrpc.getBuildContextMethod(), query.copy().setParent(parent).build()), BuiltContext.class);
  }

  /** Recalls, yielding the hits of each tier, and finally all of them in one order. */
  public EventStream<RecallStreamEvent> recallStream(RecallQuery query) {
    RecallStreamRequest.Builder request = RecallStreamRequest.newBuilder().setQuery(query.request(namespace));
    return EventStream.of(connection,
        () -> connection.stream(RecallServiceGrpc.getRecallStreamMethod(), settings).sendOnly(request.build()),
        new RecallParts(connection), () -> {});
  }

  /**
   * Every memory of the namespace with its vector, in the order in which they were stored; null is no filter. No deadline unless the
   * view has a timeout; the server waits while the reader is slow. {@link MnemeException.DataLoss} after the others where some cannot be read.
   */
  public EventStream<Memory> exportMemories(Filter filter) {
    return exportMemories(filter, null);
  }

  /** The same; the listener receives the ids of memories that cannot be read. */
  public EventStream<Memory> exportMemories(Filter filter, Consumer<List<String>> onDamaged) {
    ExportMemoriesRequest.Builder request = ExportMemoriesRequest.newBuilder().setParent(parent);
    if (filter != null) filter.into(request);
    Pages.Damaged damaged = new Pages.Damaged("memories", onDamaged);
    return EventStream.of(connection,
        () -> connection.stream(MemoryServiceGrpc.getExportMemoriesMethod(), settings).sendOnly(request.build()), (message, out) -> {
          damaged.note(Answers.ids(message.getDamagedList()));
          Answers.list(message.getMemoriesList(), Memory.class).forEach(out);
        }, damaged::finish);
  }

  /**
   * Stores memories unchanged, with their ids, times and counts, reading them no faster than the server stores them.
   * When the connection breaks it goes on after the last acknowledged message, unless conflicts fail. After an error,
   * acknowledged memories stay stored; importing the same memories again with the same ids changes nothing.
   */
  public ImportResult importMemories(Iterable<NewMemory> memories, ImportOptions options) {
    ImportRuns runs = new ImportRuns(connection, namespace, settings, memories, options);
    try (EventStream<ImportResult> progress = new EventStream<>(connection, runs)) {
      progress.forEachRemaining(options.onProgress);
    }
    return runs.total();
  }

  /**
   * Stores memories as they arrive, read no faster than the server stores them, and reports durable ones. A broken
   * stream is resumed: nothing is lost and nothing is stored twice. Ends when everything is acknowledged. The memories
   * are read by a thread of its own.
   */
  public EventStream<IngestProgress> ingest(Iterable<NewMemory> memories, IngestOptions options) {
    return new EventStream<>(connection, new IngestRuns(connection, namespace, settings, memories, options));
  }

  /** Every change of the namespace, in order of revision and each once, for ever. */
  public EventStream<WatchEvent> watch(WatchQuery query) {
    return new EventStream<>(connection, new WatchRuns(connection, parent, settings, query));
  }

  /** Recalls, and yields the changes of the answer indefinitely: the whole answer first, then each change. */
  public EventStream<StandingAnswer> subscribe(RecallQuery query) {
    return new EventStream<>(connection, new SubscribeRuns(connection, settings, query.request(namespace)));
  }

  /**
   * Makes calls on another thread, such as {@code mneme.async(m -> m.recall("museum"))}, in the trace of this one. Cancelling the
   * future cancels the call that is made. The threads belong to the client and end with it.
   */
  public <T> CompletableFuture<T> async(Function<Mneme, T> calls) {
    Options.TraceContext trace = connection.traceOf(settings);
    Mneme client = trace == null || trace.traceparent() == null ? this : withTrace(trace.traceparent(), trace.tracestate());
    return connection.async(() -> calls.apply(client));
  }

  private static dev.mneme.v1.Tier code(Tier tier) {
    return tier == null ? dev.mneme.v1.Tier.TIER_UNSPECIFIED : Values.code(dev.mneme.v1.Tier.class, "TIER_", tier);
  }

  /**
   * Calls a unary method of the generated stubs, such as {@code MemoryServiceGrpc.getGetMemoryMethod()}, with what
   * every call has: deadline, retries, typed errors. {@code requestId} and {@code minRevision} are set where they are
   * absent; resource names are not.
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
