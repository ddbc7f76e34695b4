package dev.mneme.contract;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mneme.client.Admin;
import dev.mneme.client.AttributeHistoryQuery;
import dev.mneme.client.Checkpoint;
import dev.mneme.client.ClearTierQuery;
import dev.mneme.client.CountQuery;
import dev.mneme.client.ForgetQuery;
import dev.mneme.client.GetQuery;
import dev.mneme.client.Lifecycle;
import dev.mneme.client.LifecycleQueries;
import dev.mneme.client.ListQuery;
import dev.mneme.client.MemoryView;
import dev.mneme.client.Mneme;
import dev.mneme.client.Namespaces.NamespaceSettings;
import dev.mneme.client.NewMemory;
import dev.mneme.client.RecallQuery;
import dev.mneme.client.Scopes;
import dev.mneme.client.SequenceQuery;
import dev.mneme.client.StatesQuery;
import dev.mneme.client.Subscriptions.SubscriptionSettings;
import dev.mneme.client.Tier;
import dev.mneme.client.WorkingMemory;
import dev.mneme.client.Task;
import dev.mneme.client.WorkingValues;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;

/** Calls of the protocol as those of the client. */
final class CallTable {
  interface ClientCall extends BiFunction<Mneme, Arguments, Object> {}

  private static final Map<String, BiFunction<Lifecycle, Arguments, Object>> LIFECYCLE = new HashMap<>();
  private static final Map<String, BiFunction<WorkingMemory, Arguments, Object>> SESSION = new HashMap<>();
  private static final Map<String, ClientCall> CLIENT = new HashMap<>();

  static {
    memories();
    administration();
    lifecycle();
    session();
    ConversationTable.conversations(CLIENT);
    ConversationTable.facts(CLIENT);
    ConversationTable.procedures(CLIENT);
    ConversationTable.consolidation(CLIENT);
  }

  private CallTable() {}

  static Object call(String method, Mneme client, Arguments args) {
    if (CLIENT.containsKey(method)) return CLIENT.get(method).apply(client, args);
    if (LIFECYCLE.containsKey(method)) return LIFECYCLE.get(method).apply(client.lifecycle(), args);
    if (SESSION.containsKey(method)) return SESSION.get(method).apply(client.session(args.text("session")), args);
    throw new IllegalArgumentException("no call " + method);
  }

  private static void memories() {
    CLIENT.put("store", (m, a) -> m.store(Arguments.memoryOf(a.at("memory"))));
    CLIENT.put("batch_store", (m, a) -> m.batchStore(Arguments.listOf(a.at("memories"), Arguments::memoryOf)));
    CLIENT.put("get", (m, a) -> m.get(a.text("id"), a.fill(new GetQuery())));
    CLIENT.put("batch_get", (m, a) -> m.batchGet(a.texts("ids"), a.word("view", MemoryView.class, MemoryView.BASIC)));
    CLIENT.put("update", (m, a) -> {
      com.fasterxml.jackson.databind.node.ObjectNode changes = a.at("changes").deepCopy();
      List<String> cleared = new ArrayList<>();
      changes.properties().forEach(each -> {
        if (each.getValue().isNull()) cleared.add(each.getKey());
      });
      changes.remove(cleared);
      return m.update(a.text("id"), new Arguments(changes).fill(new NewMemory()), cleared.toArray(String[]::new));
    });
    CLIENT.put("supersede", (m, a) -> m.supersede(a.text("id"), Arguments.memoryOf(a.at("memory"))));
    CLIENT.put("set_importance", (m, a) -> m.setImportance(a.text("id"), a.number("importance")));
    CLIENT.put("delete", (m, a) -> Map.of("revision", m.delete(a.text("id"), a.flag("allow_missing"))));
    CLIENT.put("forget", (m, a) -> m.forget(a.fill(new ForgetQuery())));
    CLIENT.put("count", (m, a) -> m.count(a.fill(new CountQuery())));
    CLIENT.put("list", (m, a) -> m.list(a.fill(new ListQuery())));
    CLIENT.put("list_page", (m, a) -> m.listPage(a.fill(new ListQuery())));
    CLIENT.put("list_revisions", (m, a) -> m.listRevisions(a.text("id")));
    CLIENT.put("get_attribute_history", (m, a) -> m.getAttributeHistory(a.text("path"), a.fill(new AttributeHistoryQuery())));
    CLIENT.put("get_states_at_steps",
        (m, a) -> m.getStatesAtSteps(Arguments.listOf(a.at("steps"), JsonNode::asLong), a.fill(new StatesQuery())));
    CLIENT.put("get_sequence", (m, a) -> m.getSequence(a.text("id"), a.fill(new SequenceQuery())));
    CLIENT.put("recall", (m, a) -> m.recall(a.fill(new RecallQuery())));
    CLIENT.put("list_recall_presets", (m, a) -> m.listRecallPresets());
  }

  private static NamespaceSettings settings(Arguments a) {
    NamespaceSettings settings = a.fill(new NamespaceSettings());
    a.values("settings").forEach(settings::setting);
    return settings;
  }

  private static Map<String, Object> config(Arguments a) {
    Map<String, Object> values = new TreeMap<>();
    a.at("settings").properties()
        .forEach(each -> values.put(each.getKey(), each.getValue().isNull() ? null : each.getValue().asText()));
    return values;
  }

  private static Tier tier(Arguments a, String name) {
    if (!a.has(name)) return null;
    return Arguments.enumOf(Tier.class, a.at(name));
  }

  private static void administration() {
    CLIENT.put("demote", (m, a) -> m.demote(a.texts("ids"), tier(a, "to_tier")));
    CLIENT.put("promote", (m, a) -> m.promote(a.texts("ids"), tier(a, "to_tier")));
    CLIENT.put("clear_tier", (m, a) -> m.clearTier(tier(a, "tier"), a.fill(new ClearTierQuery())));
    CLIENT.put("export_memories", (m, a) -> m.exportMemories(a.filter("filter")));
    CLIENT.put("namespaces.create", (m, a) -> m.namespaces().create(a.text("namespace"), settings(a)));
    CLIENT.put("namespaces.get", (m, a) -> m.namespaces().get(a.text("namespace", m.namespace())));
    CLIENT.put("namespaces.list", (m, a) -> m.namespaces().list());
    CLIENT.put("namespaces.update", (m, a) -> m.namespaces().update(a.text("namespace"), settings(a)));
    CLIENT.put("namespaces.delete", (m, a) -> m.namespaces().delete(a.text("namespace"), a.flag("force")));
    CLIENT.put("namespaces.list_scopes", (m, a) -> m.namespaces().listScopes(a.text("namespace", m.namespace())));
    CLIENT.put("namespaces.get_statistics",
        (m, a) -> m.namespaces().getStatistics(a.text("namespace", m.namespace()), a.flag("simplified")));
    CLIENT.put("namespaces.get_agent_statistics",
        (m, a) -> m.namespaces().getAgentStatistics(a.text("agent"), a.text("namespace", m.namespace()), a.flag("simplified")));
    CLIENT.put("admin.get_server_info", (m, a) -> m.admin().getServerInfo());
    CLIENT.put("admin.get_server_statistics", (m, a) -> m.admin().getServerStatistics(a.flag("simplified")));
    CLIENT.put("admin.get_agent_statistics", (m, a) -> m.admin().getAgentStatistics(a.text("agent"), a.flag("simplified")));
    CLIENT.put("admin.reembed", (m, a) -> m.admin().reembed(a.text("namespace", null)));
    CLIENT.put("admin.get_reembed_progress", (m, a) -> m.admin().getReembedProgress(a.text("namespace", null)));
    CLIENT.put("admin.maintain_tiers", (m, a) -> m.admin().maintainTiers(a.fill(new Admin.MaintainQuery())));
    CLIENT.put("admin.clear_recall_cache", (m, a) -> m.admin().clearRecallCache(a.text("namespace", null)));
    CLIENT.put("admin.get_config", (m, a) -> m.admin().getConfig());
    CLIENT.put("admin.update_config", (m, a) -> m.admin().updateConfig(config(a), a.flag("allow_demotion")));
    CLIENT.put("scopes.set_policy", (m, a) -> {
      m.scopes().setPolicy(new Scopes.Policy(a.scope("scope"), a.flag("is_private"), a.flag("read_only"), a.flag("isolated")));
      return Map.of();
    });
    CLIENT.put("scopes.list_policies", (m, a) -> m.scopes().listPolicies());
    CLIENT.put("agents.create_snapshot",
        (m, a) -> m.agents().createSnapshot(a.scope("scope"), a.text("snapshot_id"), a.text("description")));
    CLIENT.put("agents.list_snapshots", (m, a) -> m.agents().listSnapshots());
    CLIENT.put("agents.delete_snapshot", (m, a) -> {
      m.agents().deleteSnapshot(a.text("id"));
      return Map.of();
    });
    CLIENT.put("agents.diff_snapshots", (m, a) -> {
      if (!a.has("to")) return m.agents().diffSnapshots(a.text("id"));
      Arguments to = new Arguments(a.at("to"));
      return to.has("scope") ? m.agents().diffSnapshots(a.text("id"), to.scope("scope"))
          : m.agents().diffSnapshots(a.text("id"), to.text("snapshot_id"));
    });
    CLIENT.put("agents.restore_snapshot", (m, a) -> m.agents().restoreSnapshot(a.text("id")));
    CLIENT.put("agents.fork_snapshot", (m, a) -> Map.of("copied_count", m.agents().forkSnapshot(a.text("id"), a.scope("to"))));
    CLIENT.put("subscriptions.create", (m, a) -> m.subscriptions().create(a.text("id"), a.fill(new SubscriptionSettings())));
    CLIENT.put("subscriptions.get", (m, a) -> m.subscriptions().get(a.text("id")));
    CLIENT.put("subscriptions.rotate_webhook_secret", (m, a) -> m.subscriptions().rotateWebhookSecret(a.text("id")));
    CLIENT.put("subscriptions.resume_webhook", (m, a) -> m.subscriptions().resumeWebhook(a.text("id")));
    CLIENT.put("subscriptions.list", (m, a) -> m.subscriptions().list());
    CLIENT.put("subscriptions.delete", (m, a) -> {
      m.subscriptions().delete(a.text("id"));
      return Map.of();
    });
  }

  private static void lifecycle() {
    LIFECYCLE.put("lifecycle.spawn", (l, a) -> l.spawn(a.fill(new LifecycleQueries.Spawn())));
    LIFECYCLE.put("lifecycle.pause", (l, a) -> l.pause(a.text("session"), a.fill(new LifecycleQueries.Pause())));
    LIFECYCLE.put("lifecycle.resume", (l, a) -> l.resume(a.text("session"), a.fill(new LifecycleQueries.Resume())));
    LIFECYCLE.put("lifecycle.terminate", (l, a) -> {
      LifecycleQueries.Terminate query = a.fill(new LifecycleQueries.Terminate());
      a.at("actions").forEach(each -> {
        Instant time = each.has("time") ? Arguments.timeOf(each.get("time")) : null;
        query.action(each.isTextual() ? each.asText() : each.get("description").asText(), time);
      });
      return l.terminate(a.text("session"), query);
    });
    LIFECYCLE.put("lifecycle.delete", (l, a) -> l.delete(a.text("session"), a.fill(new LifecycleQueries.Delete())));
    LIFECYCLE.put("lifecycle.get", (l, a) -> l.get(a.text("session"), a.scope("scope")));
    LIFECYCLE.put("lifecycle.list", (l, a) -> l.list(a.fill(new LifecycleQueries.Sessions())));
    LIFECYCLE.put("lifecycle.list_checkpoints", (l, a) -> l.listCheckpoints(a.text("session")));
    LIFECYCLE.put("lifecycle.acknowledge_events", (l, a) -> {
      l.acknowledgeEvents(a.text("consumer"), a.text("event"));
      return Map.of();
    });
  }

  private static WorkingValues.Operation operation(JsonNode value) {
    Arguments a = new Arguments(value);
    Long ifVersion = a.has("if_version") ? a.at("if_version").asLong() : null;
    WorkingValues.KeyExpiry expiry = a.has("expiry") ? Arguments.expiryOf(a.at("expiry")) : null;
    if (a.has("set")) return WorkingValues.Operation.set(a.text("set"), Arguments.contentOf(a.at("value")), expiry, ifVersion);
    if (a.has("remove")) return WorkingValues.Operation.remove(a.text("remove"), ifVersion);
    if (a.has("touch")) return WorkingValues.Operation.touch(a.text("touch"), expiry, ifVersion);
    return WorkingValues.Operation.check(a.text("check"), a.at("if_version").asLong());
  }

  private static Object orNothing(java.util.Optional<?> value) {
    return value.isPresent() ? value.get() : Map.of();
  }

  private static void session() {
    SESSION.put("session.set", (s, a) -> s.set(a.text("key"), Arguments.contentOf(a.at("value")), a.fill(new WorkingValues.SetQuery())));
    SESSION.put("session.get", (s, a) -> orNothing(s.get(a.text("key"))));
    SESSION.put("session.batch_get", (s, a) -> s.batchGet(a.texts("keys")));
    SESSION.put("session.has", (s, a) -> s.has(a.text("key")));
    SESSION.put("session.delete", (s, a) -> s.delete(a.text("key")));
    SESSION.put("session.list_keys", (s, a) -> s.listKeys(a.text("pattern")));
    SESSION.put("session.get_all", (s, a) -> s.getAll(a.text("pattern"), a.text("checkpoint_id")));
    SESSION.put("session.clear", (s, a) -> s.clear(a.flag("keep_values"), a.flag("clear_task_state"), a.flag("clear_scratchpad")));
    SESSION.put("session.transact", (s, a) -> s.transact(Arguments.listOf(a.at("operations"), CallTable::operation)));
    SESSION.put("session.set_task_state", (s, a) -> s.setTaskState(a.fill(new Task.Progress())));
    SESSION.put("session.get_task_state", (s, a) -> orNothing(s.getTaskState()));
    SESSION.put("session.update_task_progress", (s, a) -> s.updateTaskProgress(a.fill(new Task.Progress())));
    SESSION.put("session.append_scratchpad", (s, a) -> s.appendScratchpad(Arguments.listOf(a.at("notes"), Arguments::contentOf)));
    SESSION.put("session.list_scratchpad", (s, a) -> s.listScratchpad(a.text("order").startsWith("newest")));
    SESSION.put("session.clear_scratchpad", (s, a) -> Map.of("note_count", s.clearScratchpad()));
    SESSION.put("session.create_checkpoint",
        (s, a) -> s.createCheckpoint(a.text("checkpoint_id"), a.text("description"), a.duration("ttl_ms")));
    SESSION.put("session.restore_checkpoint",
        (s, a) -> s.restoreCheckpoint(a.text("id"), a.word("mode", Checkpoint.RestoreMode.class, Checkpoint.RestoreMode.REPLACE)));
    SESSION.put("session.list_checkpoints", (s, a) -> s.listCheckpoints(a.word("kind", Checkpoint.Kind.class, null)));
    SESSION.put("session.get_checkpoint", (s, a) -> s.getCheckpoint(a.text("id")));
    SESSION.put("session.delete_checkpoint", (s, a) -> {
      s.deleteCheckpoint(a.text("id"));
      return Map.of();
    });
    SESSION.put("session.keep_checkpoint", (s, a) -> s.keepCheckpoint(a.text("id"), a.duration("ttl_ms")));
    SESSION.put("session.fork_checkpoint", (s, a) -> s.forkCheckpoint(a.text("id"), a.text("target")));
    SESSION.put("session.diff_checkpoints",
        (s, a) -> s.diffCheckpoints(a.text("from"), a.text("to_checkpoint_id"), a.text("to_session", null)));
    SESSION.put("session.get_statistics", (s, a) -> s.getStatistics());
  }
}
