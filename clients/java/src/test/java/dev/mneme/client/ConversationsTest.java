package dev.mneme.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mneme.client.ConversationMessage.Block;
import dev.mneme.client.ConversationMessage.Role;
import dev.mneme.testing.TestServer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ConversationsTest {
  private static TestServer server;
  private static Mneme client;

  @BeforeAll
  static void start() {
    server = TestServer.start("--embedder", "none");
    client = Mneme.connect(server.address());
  }

  @AfterAll
  static void stop() {
    client.close();
    server.close();
  }

  @Test
  void conversationBecomesAContext() {
    Mneme mneme = client.withNamespace("context");
    ConversationMessage answer = ConversationMessage.of(Role.ASSISTANT, Block.of("Noted."), Block.toolCall("t1", "weather", "{}"),
        Block.data(Map.of("degrees", 12)), Block.of("Bye."));
    ConversationMessage said = ConversationMessage.user("I moved to Bern in May.").withName("Caroline");
    assertEquals(1, mneme.conversations().append("c/1", said, answer).messages().get(1).sequence());

    List<ConversationMessage> messages = new ArrayList<>();
    mneme.conversations().list("namespaces/context/conversations/c/1").forEach(messages::add);
    assertEquals("Caroline", messages.get(0).name());
    assertEquals("Noted.\n\nBye.", messages.get(1).text());
    assertEquals(answer.blocks().get(1), messages.get(1).blocks().get(1));
    assertEquals("{\"degrees\":12}", messages.get(1).blocks().get(2).data().text());
    assertEquals("I moved to Bern in May.", mneme.get(messages.get(0).memoryId()).text());

    // A part that is late is left out: a busy machine must not make one late.
    BuiltContext built = mneme.withTimeout(Duration.ofMinutes(1)).buildContext(ContextQuery.of("Where did I move to in May?").tokenBudget(200));
    assertTrue(built.text().contains("I moved to Bern in May."), built::text);
    assertTrue(built.tokens() <= 200);
    assertEquals(ContextKind.MESSAGE, built.entries().get(0).kind());

    assertEquals(1L, mneme.conversations().pop("c/1").sequence());
    assertThrows(MnemeException.Aborted.class, () -> mneme.conversations().pop("c/1", 7));
  }

  @Test
  void contentsThatJsonCannotCarryAreRefused() {
    assertThrows(MnemeException.InvalidArgument.class, () -> Block.data(Double.NaN));
  }

  @Test
  void factsSupersedeEachOther() {
    Facts facts = client.withNamespace("facts").facts();
    Fact bern = facts.assertFact(NewFact.of("user", "home_city", "Bern")).fact();
    Facts.Asserted lisbon = facts.assertFact(NewFact.of("user", "home_city", "Lisbon"));
    assertEquals(List.of(bern.id()), lisbon.supersededIds());
    List<String> values = new ArrayList<>();
    facts.list(new FactQueries.ListQuery().subject("user")).forEach(each -> values.add(each.value()));
    assertEquals(List.of("Lisbon"), values);
    assertEquals(lisbon.fact().id(), facts.undoSupersession(bern.id()).withdrawnId());
    assertEquals(2, facts.listHistory("user", "home_city").facts().size());
  }

  @Test
  void servedExtractorExtractsUntilItIsClosed() {
    Mneme mneme = client.withNamespace("extractor");
    mneme.namespaces().create("extractor", new Namespaces.NamespaceSettings().setting("extraction.extractor", "client"));
    List<String> rejected = new CopyOnWriteArrayList<>();
    ConversationQueries.ServeExtractor query = new ConversationQueries.ServeExtractor().name("m1").maxJobs(2)
        .onRejected((job, reason) -> rejected.add(job.conversation() + ": " + reason));
    ServedExtractor.Handler handler = job -> new ExtractedMemories().claim(ExtractedMemories.Claim.of(
        "user", "home_city", job.messages().get(0).text(), job.attempt() == 1 ? 99L : job.messages().get(0).sequence()));
    ServedExtractor served = mneme.conversations().serveExtractor(query, handler);
    assertEquals("client", served.extractor());
    mneme.conversations().append("c", ConversationMessage.user("Bern"));
    assertTrue(mneme.withTimeout(Duration.ofMinutes(1)).conversations().flush().complete());
    served.close();
    served.closed().join();
    assertEquals(1, rejected.size());
    assertTrue(rejected.get(0).startsWith("c: "), rejected::toString);
    List<String> values = new ArrayList<>();
    mneme.facts().list(new FactQueries.ListQuery()).forEach(each -> values.add(each.value()));
    assertEquals(List.of("Bern"), values);
  }

  @Test
  void reflectionFindsWhatGoesWithSuccess() {
    Episodes episodes = client.withNamespace("reflection").episodes();
    Instant start = Instant.parse("2026-11-01T00:00:00Z");
    for (int at = 0; at < 16; at++) {
      boolean passed = at % 2 == 0;
      episodes.record(Episodes.NewEpisode.of("deploy the shop", passed ? TaskOutcome.SUCCESS : TaskOutcome.FAILURE)
          .actions(passed ? List.of("ran the tests", "pushed") : List.of("pushed")).eventTime(start.plus(Duration.ofHours(at))));
    }
    Reflection.ReflectQuery query = new Reflection.ReflectQuery().startTime(start).task("deploy").maxCitations(2);
    Reflection found = episodes.reflect(query.endTime(start.plus(Duration.ofDays(7))));
    assertEquals(16, found.counts().episodes());
    Reflection.SuccessFactor factor = found.successFactors().get(0);
    assertEquals(new Reflection.Feature(Reflection.FeatureKind.ACTION, "ran the tests"), factor.feature());
    assertEquals(8, factor.present().successes());
    assertEquals(2, factor.episodeIds().size());
    assertThrows(MnemeException.InvalidArgument.class, () -> episodes.reflect(query.endTime(start)));
  }

  @Test
  void consolidationMergesAndTakesApart() {
    Mneme mneme = client.withNamespace("consolidation");
    Scope ada = Scope.ofAgent("ada");
    for (String text : List.of("The user likes green tea.", "the user likes green tea")) {
      mneme.store(new NewMemory().type("fact").text(text).scope(ada));
    }
    Consolidation.Result planned = mneme.consolidation().run(
        new Consolidation.RunQuery().scope(ada).dryRun(true).idle(Duration.ofMinutes(1)).maxSteps(5));
    assertNull(planned.reportId());
    Consolidation.Result made = mneme.consolidation().run();
    assertEquals(planned.memories(), made.memories());
    Consolidation.Made merged = made.memories().get(0);
    assertEquals(Consolidation.Kind.MERGE, merged.kind());
    assertEquals(2, merged.sourceIds().size());
    Consolidation.Undone undone = mneme.consolidation().undo(made.reportId());
    assertEquals(Set.copyOf(merged.hiddenIds()), Set.copyOf(undone.restoredIds()));
    assertEquals(List.of(merged.id()), undone.deletedIds());
    assertThrows(MnemeException.NotFound.class, () -> mneme.consolidation().undo(merged.sourceIds().get(0)));
  }
}
