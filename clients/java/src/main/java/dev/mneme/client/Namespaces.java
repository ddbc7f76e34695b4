package dev.mneme.client;

import com.google.protobuf.FieldMask;
import dev.mneme.v1.CreateNamespaceRequest;
import dev.mneme.v1.DeleteNamespaceRequest;
import dev.mneme.v1.GetNamespaceRequest;
import dev.mneme.v1.GetNamespaceStatisticsRequest;
import dev.mneme.v1.GetNamespaceStatisticsResponse;
import dev.mneme.v1.ListNamespacesRequest;
import dev.mneme.v1.ListScopesRequest;
import dev.mneme.v1.NamespaceServiceGrpc;
import dev.mneme.v1.UpdateNamespaceRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** NamespaceService. Namespaces are named by id or resource name; where none is said it is the client's own. */
public final class Namespaces extends Calls {
  Namespaces(Connection connection, String namespace, Settings settings) {
    super(connection, namespace, settings);
  }

  /** Creates a namespace. {@link MnemeException.AlreadyExists} when it is there. */
  public Namespace create(String namespace) {
    return create(namespace, new NamespaceSettings());
  }

  /** Creates a namespace. {@link MnemeException.AlreadyExists} when it is there. */
  public Namespace create(String namespace, NamespaceSettings with) {
    return namespaceOf(call(NamespaceServiceGrpc.getCreateNamespaceMethod(),
        CreateNamespaceRequest.newBuilder().setNamespace(with.message(namespace)).build()));
  }

  /** The client's own namespace. */
  public Namespace get() {
    return get(namespace);
  }

  /** A namespace. {@link MnemeException.NotFound} when it is not there. */
  public Namespace get(String namespace) {
    return namespaceOf(call(NamespaceServiceGrpc.getGetNamespaceMethod(),
        GetNamespaceRequest.newBuilder().setName(Names.namespace(namespace)).build()));
  }

  /** All namespaces by name. */
  public Iterable<Namespace> list() {
    return Pages.of(token -> {
      var page = call(NamespaceServiceGrpc.getListNamespacesMethod(), ListNamespacesRequest.newBuilder().setPageToken(token).build());
      return Pages.page(Answers.list(page.getNamespacesList(), Namespace.class), page.getNextPageToken());
    });
  }

  /** Changes the fields that are set. For a conditional change see {@link Mneme#ifVersion}. */
  public Namespace update(String namespace, NamespaceSettings with) {
    return namespaceOf(call(NamespaceServiceGrpc.getUpdateNamespaceMethod(), UpdateNamespaceRequest.newBuilder()
        .setNamespace(with.message(namespace)).setUpdateMask(FieldMask.newBuilder().addAllPaths(with.mask))
        .setAllowDemotion(with.allowDemotion).build()));
  }

  /** Deletes a namespace that is empty; {@link MnemeException.FailedPrecondition} when it holds memories. */
  public Deleted delete(String namespace) {
    return delete(namespace, false);
  }

  /** Deletes a namespace; with {@code force} with the memories that it holds. */
  public Deleted delete(String namespace, boolean force) {
    return Answers.read(call(NamespaceServiceGrpc.getDeleteNamespaceMethod(),
        DeleteNamespaceRequest.newBuilder().setName(Names.namespace(namespace)).setForce(force).build()), Deleted.class);
  }

  /** The scopes that memories of the client's own namespace have. */
  public Iterable<ScopeCount> listScopes() {
    return listScopes(namespace);
  }

  /** The scopes that memories of a namespace have. */
  public Iterable<ScopeCount> listScopes(String namespace) {
    return Pages.of(token -> {
      var page = call(NamespaceServiceGrpc.getListScopesMethod(),
          ListScopesRequest.newBuilder().setParent(Names.namespace(namespace)).setPageToken(token).build());
      return Pages.page(Answers.list(page.getScopesList(), ScopeCount.class), page.getNextPageToken());
    });
  }

  /** Totals of the client's namespace. */
  public Statistics.OfNamespace getStatistics() {
    return getStatistics(namespace, false);
  }

  /** Totals of a namespace; {@code simplified} leaves out types and accesses. */
  public Statistics.OfNamespace getStatistics(String namespace, boolean simplified) {
    GetNamespaceStatisticsResponse answer = statistics(namespace, simplified, "");
    if (!answer.hasStatistics()) throw Errors.incompleteAnswer("statistics");
    Instant time = answer.hasLastMaintenanceTime() ? Values.instant(answer.getLastMaintenanceTime()) : null;
    return new Statistics.OfNamespace(Answers.read(answer.getStatistics(), Statistics.class), time);
  }

  /** Totals of one agent in the client's namespace. */
  public Statistics.OfAgent getAgentStatistics(String agent) {
    return getAgentStatistics(agent, namespace, false);
  }

  /** Totals of a namespace of one agent; {@code simplified} leaves out types. */
  public Statistics.OfAgent getAgentStatistics(String agent, String namespace, boolean simplified) {
    return Answers.required(statistics(namespace, simplified, Statistics.named(agent)), "agent_statistics", Statistics.OfAgent.class,
        "statistics of the agent");
  }

  private GetNamespaceStatisticsResponse statistics(String namespace, boolean simplified, String agent) {
    return call(NamespaceServiceGrpc.getGetNamespaceStatisticsMethod(), GetNamespaceStatisticsRequest.newBuilder()
        .setName(Names.namespace(namespace)).setSimplified(simplified).setAgent(agent).build());
  }

  private static Namespace namespaceOf(com.google.protobuf.Message answer) {
    return Answers.required(answer, "namespace", Namespace.class, "namespace");
  }

  /** The settings of a namespace. Each setter changes this object and returns it. */
  public static final class NamespaceSettings {
    private final dev.mneme.v1.Namespace.Builder message = dev.mneme.v1.Namespace.newBuilder();
    private final List<String> mask = new ArrayList<>();
    private boolean allowDemotion;

    /** Nothing is set yet. */
    public NamespaceSettings() {}

    /** Its purpose. */
    public NamespaceSettings description(String text) { message.setDescription(text); return set("description"); }

    /** Most memories that it may hold; 0 for no limit. */
    public NamespaceSettings memoryLimit(long limit) { message.setMemoryLimit(limit); return set("memory_limit"); }

    /**
     * A setting of its tiers by dotted key, such as {@code short_term.memory_limit}; a null value removes it. Others
     * stay.
     */
    public NamespaceSettings setting(String key, Object value) {
      message.putSettings(key, value == null ? "" : value.toString());
      return set("settings");
    }

    /** Accepts limits below the contents of the tiers; memories above them are moved down. */
    public NamespaceSettings allowDemotion(boolean allow) { allowDemotion = allow; return this; }

    private NamespaceSettings set(String field) {
      if (!mask.contains(field)) mask.add(field);
      return this;
    }

    dev.mneme.v1.Namespace message(String namespace) { return message.clone().setName(Names.namespace(namespace)).build(); }
  }

  /**
   * A namespace.
   *
   * @param name resource name, {@code namespaces/{id}}
   * @param id last part of the name
   * @param description its purpose
   * @param createTime when it was created
   * @param updateTime when it was changed last
   * @param embeddingModel model of its vectors; empty until the first one fixes it
   * @param embeddingDimension dimension of its vectors; 0 until the first one fixes it
   * @param memoryLimit most memories that it may hold; 0 for no limit
   * @param settings its own settings of tiers, by dotted key
   * @param version for changes on condition
   */
  public record Namespace(String name, String id, String description, Instant createTime, Instant updateTime, String embeddingModel,
      int embeddingDimension, long memoryLimit, Map<String, String> settings, long version) {}

  /**
   * Result of deleting a namespace.
   *
   * @param forgottenCount memories that were erased
   * @param revision revision of the change log
   */
  public record Deleted(long forgottenCount, long revision) {}

  /**
   * A scope that memories have.
   *
   * @param scope the scope
   * @param memoryCount how many memories have exactly this scope
   */
  public record ScopeCount(Scope scope, long memoryCount) {}
}
