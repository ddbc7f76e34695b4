package dev.mneme.contract;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mneme.client.Consolidation;
import dev.mneme.client.ContextKind;
import dev.mneme.client.ContextQuery;
import dev.mneme.client.ConversationMessage;
import dev.mneme.client.ConversationMessage.Block;
import dev.mneme.client.ConversationQueries;
import dev.mneme.client.Episodes;
import dev.mneme.client.FactQueries;
import dev.mneme.client.NewFact;
import dev.mneme.client.Procedures;
import dev.mneme.client.Reflection;
import dev.mneme.client.Scope;
import dev.mneme.client.TaskOutcome;
import java.util.Map;

/** Calls of the protocol about conversations, contexts and facts as those of the client. */
final class ConversationTable {
  private ConversationTable() {}

  static void conversations(Map<String, CallTable.ClientCall> calls) {
    calls.put("conversations.append", (m, a) -> m.conversations().append(a.text("conversation"),
        Arguments.listOf(a.at("messages"), ConversationTable::messageOf), a.fill(new ConversationQueries.Append())));
    calls.put("conversations.list",
        (m, a) -> m.conversations().list(a.text("conversation"), a.fill(new ConversationQueries.Messages())));
    calls.put("conversations.pop", (m, a) -> a.has("expected_sequence")
        ? m.conversations().pop(a.text("conversation"), a.at("expected_sequence").asLong()) : m.conversations().pop(a.text("conversation")));
    calls.put("conversations.replace_suffix",
        (m, a) -> m.conversations().replaceSuffix(a.text("conversation"), a.fill(new ConversationQueries.Suffix())));
    calls.put("conversations.clear", (m, a) -> m.conversations().clear(a.text("conversation")));
    calls.put("conversations.flush", (m, a) -> m.conversations().flush(a.text("conversation")));
    calls.put("conversations.get_extraction_status", (m, a) -> m.conversations().getExtractionStatus(a.text("conversation")));
    calls.put("conversations.retry_extraction",
        (m, a) -> Map.of("retried_count", m.conversations().retryExtraction(a.text("conversation"))));
    calls.put("build_context", (m, a) -> m.buildContext(contextQuery(a)));
  }

  static void facts(Map<String, CallTable.ClientCall> calls) {
    calls.put("facts.assert_fact", (m, a) -> m.facts().assertFact(
        new Arguments(a.at("fact")).fill(new NewFact()), a.flag("replaces"), a.flag("retracts")));
    calls.put("facts.get", (m, a) -> m.facts().get(a.text("id")));
    calls.put("facts.list", (m, a) -> m.facts().list(a.fill(new FactQueries.ListQuery())));
    calls.put("facts.list_history", (m, a) -> m.facts().listHistory(
        a.text("subject"), a.text("attribute"), a.has("scope") ? a.scope("scope") : Scope.NONE));
    calls.put("facts.undo_supersession", (m, a) -> m.facts().undoSupersession(a.text("id")));
    calls.put("facts.forget", (m, a) -> m.facts().forget(a.fill(new FactQueries.ForgetQuery())));
  }

  static void procedures(Map<String, CallTable.ClientCall> calls) {
    calls.put("episodes.record", (m, a) -> m.episodes().record(a.fill(new Episodes.NewEpisode())));
    calls.put("episodes.reflect", (m, a) -> m.episodes().reflect(a.fill(new Reflection.ReflectQuery())));
    calls.put("procedures.record",
        (m, a) -> m.procedures().record(new Arguments(a.at("procedure")).fill(new Procedures.NewProcedure())));
    calls.put("procedures.find", (m, a) -> m.procedures().find(
        a.text("situation"), a.has("scope") ? a.scope("scope") : Scope.NONE, a.at("limit").asInt()));
    calls.put("procedures.record_outcome", (m, a) -> m.procedures().recordOutcome(
        a.text("id"), a.word("outcome", TaskOutcome.class, null), a.text("note")));
  }

  static void consolidation(Map<String, CallTable.ClientCall> calls) {
    calls.put("consolidation.run", (m, a) -> m.consolidation().run(a.fill(new Consolidation.RunQuery())));
    calls.put("consolidation.undo", (m, a) -> m.consolidation().undo(a.text("report_id")));
  }

  private static ContextQuery contextQuery(Arguments a) {
    ContextQuery query = a.fill(new ContextQuery());
    a.at("kind_limits").properties().forEach(each -> {
      JsonNode limit = each.getValue();
      query.kindLimit(Arguments.enumOf(ContextKind.class, com.fasterxml.jackson.databind.node.TextNode.valueOf(each.getKey())),
          limit.has("max_entries") ? limit.get("max_entries").asInt() : null,
          limit.has("max_share") ? limit.get("max_share").asDouble() : null);
    });
    return query;
  }

  static ConversationMessage messageOf(JsonNode value) {
    Arguments a = new Arguments(value);
    return new ConversationMessage(a.has("sequence") ? a.at("sequence").asLong() : null,
        a.word("role", ConversationMessage.Role.class, null), a.text("name"), Arguments.listOf(a.at("blocks"), ConversationTable::blockOf),
        a.has("event_time") ? Arguments.timeOf(a.at("event_time")) : null, null);
  }

  private static Block blockOf(JsonNode value) {
    if (value.has("tool_call")) {
      Arguments call = new Arguments(value.get("tool_call"));
      return Block.toolCall(call.text("id"), call.text("name"), call.text("arguments_json"));
    }
    if (value.has("tool_result")) {
      Arguments result = new Arguments(value.get("tool_result"));
      return Block.toolResult(result.text("call_id"), result.text("text"), result.flag("is_error"));
    }
    if (value.has("data")) return Block.data(Arguments.contentOf(value.get("data")));
    return Block.of(Arguments.textOf(value.get("text")));
  }
}
