package dev.mneme.client;

import dev.mneme.v1.AdminServiceGrpc;
import dev.mneme.v1.ClearRecallCacheRequest;
import dev.mneme.v1.GetConfigRequest;
import dev.mneme.v1.GetReembedProgressRequest;
import dev.mneme.v1.GetServerInfoRequest;
import dev.mneme.v1.GetServerStatisticsRequest;
import dev.mneme.v1.GetServerStatisticsResponse;
import dev.mneme.v1.MaintainTiersRequest;
import dev.mneme.v1.OpenStreamCount;
import dev.mneme.v1.ReembedMemoriesRequest;
import dev.mneme.v1.UpdateConfigRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** AdminService. */
public final class Admin extends Calls {
  Admin(Connection connection, String namespace, Settings settings) {
    super(connection, namespace, settings);
  }

  /** Version, backends and degraded parts of the server. */
  public ServerInfo getServerInfo() {
    var answer = call(AdminServiceGrpc.getGetServerInfoMethod(), GetServerInfoRequest.getDefaultInstance());
    Map<String, Long> limits = new TreeMap<>();
    answer.getLimitsList().forEach(each -> limits.put(each.getName(), each.getValue()));
    StreamTerms streams = Answers.read(answer.getStreams(), StreamTerms.class).with(counts(answer.getStreams().getOpenList()));
    ServerInfo info = Answers.read(answer.toBuilder().clearLimits().clearStreams().build(), ServerInfo.class);
    return new ServerInfo(info.version, info.startTime, info.revision, info.backends,
        info.embedder == null ? new Embedder("none", "", 0, 0) : info.embedder, info.capabilities, info.degraded, limits, streams);
  }

  /** Totals of the whole server. */
  public ServerStatistics getServerStatistics() {
    return getServerStatistics(false);
  }

  /** Totals of the whole server; {@code simplified} leaves out types and accesses. */
  public ServerStatistics getServerStatistics(boolean simplified) {
    GetServerStatisticsResponse answer = statistics(simplified, "");
    if (!answer.hasStatistics()) throw Errors.incompleteAnswer("statistics");
    Map<String, Object> more = new HashMap<>();
    more.put("memories", Answers.read(answer.getStatistics(), Statistics.class));
    more.put("streamStatistics", Answers.read(answer.getStreams(), StreamStatistics.class).with(counts(answer.getStreams().getOpenList())));
    more.put("pressure", Answers.read(answer.getMemoryPressure(), MemoryPressure.class));
    return Answers.read(answer, ServerStatistics.class, more);
  }

  /** Totals of one agent in all namespaces. */
  public Statistics.OfAgent getAgentStatistics(String agent) {
    return getAgentStatistics(agent, false);
  }

  /** Totals of one agent in all namespaces; {@code simplified} leaves out types. */
  public Statistics.OfAgent getAgentStatistics(String agent, boolean simplified) {
    return Answers.required(statistics(simplified, Statistics.named(agent)), "agent_statistics", Statistics.OfAgent.class,
        "statistics of the agent");
  }

  /**
   * Starts to recompute the vectors of a namespace, or of all (null), with the server's embedder; returns the progress.
   * Recall uses the former vectors until all are computed.
   */
  public List<ReembedProgress> reembed(String namespace) {
    return Answers.list(call(AdminServiceGrpc.getReembedMemoriesMethod(),
        ReembedMemoriesRequest.newBuilder().setParent(nameOf(namespace)).build()).getNamespacesList(), ReembedProgress.class);
  }

  /** Progress of re-embedding of a namespace, or of all (null), and the failure that stops it. */
  public ReembedState getReembedProgress(String namespace) {
    return Answers.read(call(AdminServiceGrpc.getGetReembedProgressMethod(),
        GetReembedProgressRequest.newBuilder().setParent(nameOf(namespace)).build()), ReembedState.class);
  }

  /** Moves memories down that exceeded their tier's time to live or limits, and reports each batch. */
  public EventStream<MaintenanceStep> maintainTiers(MaintainQuery query) {
    return EventStream.of(connection, () -> connection.stream(AdminServiceGrpc.getMaintainTiersMethod(), settings)
        .sendOnly(query.message.build()), (message, out) -> {
          connection.seen(message.getRevision());
          if (!message.getDone()) out.accept(Answers.read(message, MaintenanceStep.class));
        }, () -> {});
  }

  /** Forgets answers of recall that the server keeps to give them again, of a namespace or of all (null). */
  public ClearedCache clearRecallCache(String namespace) {
    return Answers.read(call(AdminServiceGrpc.getClearRecallCacheMethod(),
        ClearRecallCacheRequest.newBuilder().setParent(nameOf(namespace)).build()), ClearedCache.class);
  }

  /** Server-wide settings of tiers, which apply to namespaces without their own, by dotted key. */
  public Map<String, String> getConfig() {
    return call(AdminServiceGrpc.getGetConfigMethod(), GetConfigRequest.getDefaultInstance()).getSettingsMap();
  }

  /** Sets server-wide settings, all or none; a null value removes one. Returns the current ones. */
  public Map<String, String> updateConfig(Map<String, ?> values) {
    return updateConfig(values, false);
  }

  /** The same; with {@code allowDemotion} limits may be below the totals of a namespace, and the excess moves down. */
  public Map<String, String> updateConfig(Map<String, ?> values, boolean allowDemotion) {
    UpdateConfigRequest.Builder request = UpdateConfigRequest.newBuilder().setAllowDemotion(allowDemotion);
    values.forEach((key, value) -> request.putSettings(key, value == null ? "" : value.toString()));
    return call(AdminServiceGrpc.getUpdateConfigMethod(), request.build()).getSettingsMap();
  }

  private GetServerStatisticsResponse statistics(boolean simplified, String agent) {
    return call(AdminServiceGrpc.getGetServerStatisticsMethod(),
        GetServerStatisticsRequest.newBuilder().setSimplified(simplified).setAgent(agent).build());
  }

  private static String nameOf(String namespace) {
    return namespace == null ? "" : Names.namespace(namespace);
  }

  private static Map<String, Integer> counts(List<OpenStreamCount> open) {
    Map<String, Integer> counts = new TreeMap<>();
    open.forEach(each -> counts.put(each.getKind(), each.getCount()));
    return counts;
  }

  /** Parts of maintenance to run. */
  public static final class MaintainQuery extends Query<MaintainQuery, MaintainTiersRequest.Builder> {
    /** All namespaces. */
    public MaintainQuery() {
      super(MaintainTiersRequest.newBuilder());
    }

    /** Only this namespace. */
    public MaintainQuery namespace(String namespace) { message.setParent(Names.namespace(namespace)); return this; }

    /** Only memories of this agent. */
    public MaintainQuery agent(String agent) { message.setAgent(agent); return this; }

    /** Only reports which memories would be moved. */
    public MaintainQuery dryRun(boolean dryRun) { message.setDryRun(dryRun); return this; }

    /** Moves everything one tier down, whatever its age. */
    public MaintainQuery flush(boolean flush) { message.setFlush(flush); return this; }

    /** With {@code flush}: also types that are kept in their tier. */
    public MaintainQuery anyType(boolean any) { message.setAnyType(any); return this; }
  }

  /**
   * Version, state and limits of the server.
   *
   * @param version version of the server
   * @param startTime when it was started
   * @param revision newest revision of the change log
   * @param backends what it stores in
   * @param embedder what computes vectors of texts
   * @param capabilities methods and options that it has beyond version 1.0 of the API
   * @param degraded parts that do not work, or not in full
   * @param limits limits in force by the name of the setting
   * @param streams what its streams are held to
   */
  public record ServerInfo(String version, Instant startTime, long revision, List<Backend> backends, Embedder embedder,
      List<String> capabilities, List<String> degraded, @From("limits_by_name") Map<String, Long> limits,
      @From("terms") StreamTerms streams) {}

  /**
   * A backend of the server.
   *
   * @param role its purpose
   * @param technology what it is
   * @param durability what it keeps when
   */
  public record Backend(String role, String technology, String durability) {}

  /**
   * Embedder of texts.
   *
   * @param kind such as {@code static}, or {@code none}
   * @param model name of the model
   * @param dimension numbers of a vector
   * @param laneWeight default weight of the vector lane in recall for texts that it embeds
   */
  public record Embedder(String kind, String model, int dimension, double laneWeight) {}

  /**
   * Limits of a server's streams, and the number of open streams.
   *
   * @param open streams that are open, by kind
   * @param standingQueryCount recalls that are subscribed to
   * @param consumerCount consumers of durable subscriptions that are connected
   * @param heartbeatInterval longest silence of the server on a stream that does not ask for another one
   * @param maxStreamsPerCaller most streams of one caller
   * @param maxStall how long a reader may take nothing
   * @param maxIngestBytesInFlight bytes of an ingest that are not acknowledged
   * @param maxLogEntries entries up to which the change log is kept
   * @param maxLogBytes bytes up to which it is kept
   * @param maxLogAge age up to which it is kept
   */
  public record StreamTerms(@From("open_by_kind") Map<String, Integer> open, int standingQueryCount, int consumerCount,
      Duration heartbeatInterval, int maxStreamsPerCaller, Duration maxStall,
      long maxIngestBytesInFlight, long maxLogEntries, long maxLogBytes, Duration maxLogAge) {
    StreamTerms with(Map<String, Integer> counts) {
      return new StreamTerms(counts, standingQueryCount, consumerCount, heartbeatInterval, maxStreamsPerCaller, maxStall,
          maxIngestBytesInFlight, maxLogEntries, maxLogBytes, maxLogAge);
    }
  }

  /**
   * Open streams, and the retained change log from which streams can start.
   *
   * @param open streams that are open, by kind
   * @param standingQueryCount recalls that are subscribed to
   * @param consumerCount consumers of durable subscriptions that are connected
   * @param oldestRevision oldest revision that a watch can begin with
   * @param newestRevision newest revision
   * @param entryCount entries of the change log that are kept
   * @param entryBytes their size in bytes
   */
  public record StreamStatistics(@From("open_by_kind") Map<String, Integer> open, int standingQueryCount, int consumerCount,
      long oldestRevision, long newestRevision, long entryCount, long entryBytes) {
    StreamStatistics with(Map<String, Integer> counts) {
      return new StreamStatistics(counts, standingQueryCount, consumerCount, oldestRevision, newestRevision, entryCount, entryBytes);
    }
  }

  /**
   * Statistics of the whole server.
   *
   * @param memories what it holds
   * @param namespaceCount namespaces
   * @param diskBytes bytes of the store on disk
   * @param revision newest revision of the change log
   * @param recallCache cache of recall answers, or null
   * @param vectorIndexes indexes of vectors
   * @param streamStatistics streams
   * @param pressure what has a limit of memory
   * @param degraded parts that could not be asked, and why: of these what was copied before is counted
   */
  public record ServerStatistics(@From("memories") Statistics memories, long namespaceCount, long diskBytes, long revision,
      RecallCache recallCache, List<VectorIndex> vectorIndexes, @From("stream_statistics") StreamStatistics streamStatistics,
      @From("pressure") MemoryPressure pressure, List<String> degraded) {}

  /**
   * Answers of recall that are kept; counts are since the server started.
   *
   * @param maxEntries most answers; 0: the cache is off
   * @param maxBytes most bytes
   * @param ttl how long an answer is kept
   * @param entryCount answers that are kept
   * @param entryBytes their approximate size
   * @param hitCount recalls that were answered from it
   * @param missCount recalls that were not
   * @param bypassedCount recalls that are never cached
   * @param evictedCount evicted answers
   */
  public record RecallCache(long maxEntries, long maxBytes, Duration ttl, long entryCount, long entryBytes, long hitCount,
      long missCount, long bypassedCount, long evictedCount) {}

  /**
   * An index of vectors.
   *
   * @param namespace namespace that it is of
   * @param vectorCount vectors
   * @param exactCount vectors that are not in the graph yet and are searched exactly
   * @param revision revision that it has come to
   */
  public record VectorIndex(String namespace, long vectorCount, long exactCount, long revision) {}

  /**
   * Usage of memory resources with a limit, and memories moved down because of shortage.
   *
   * @param uses at the server's last reading; empty where nothing has a limit
   * @param movedCount memories that were moved since the server started
   * @param lastMoveTime when last, or null
   */
  public record MemoryPressure(List<MemoryUse> uses, long movedCount, Instant lastMoveTime) {}

  /**
   * A memory that has a limit.
   *
   * @param reason reason of the moves that it causes
   * @param node which Redis, where there are several
   * @param usedBytes bytes in use
   * @param limitBytes its limit
   * @param thresholdBytes use above which memories are moved one tier down
   * @param aboveThreshold whether it is
   * @param movesStopped true when moves did not reduce the use, so that none are made until it falls below the threshold
   */
  public record MemoryUse(MoveReason reason, String node, long usedBytes, long limitBytes, long thresholdBytes, boolean aboveThreshold,
      boolean movesStopped) {}

  /**
   * Progress of re-embedding.
   *
   * @param namespaces namespaces that are under way
   * @param failure why it does not go on; empty when it does
   */
  public record ReembedState(List<ReembedProgress> namespaces, String failure) {}

  /**
   * How far the re-embedding of a namespace is.
   *
   * @param namespace the namespace
   * @param fromModel model of the vectors in use; empty when there are none
   * @param toModel model of the new ones
   * @param doneCount vectors that are made
   * @param totalCount vectors to be made
   * @param startTime when it began
   */
  public record ReembedProgress(String namespace, String fromModel, String toModel, long doneCount, long totalCount, Instant startTime) {}

  /**
   * A batch of moves.
   *
   * @param moves the moves
   * @param damagedIds ids of memories whose bytes are damaged
   * @param revision revision of the change log
   * @param namespace namespace that it is about
   * @param movedCount memories of the namespace that were moved until now
   */
  public record MaintenanceStep(
      List<MoveResult.Move> moves, List<String> damagedIds, long revision, String namespace, long movedCount) {}

  /**
   * Contents of the cleared recall cache.
   *
   * @param clearedCount answers
   * @param clearedBytes their bytes
   */
  public record ClearedCache(long clearedCount, long clearedBytes) {}
}
