package dev.mneme.polyglot;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mneme.client.Mneme;
import dev.mneme.client.MnemeException;
import dev.mneme.client.NewMemory;
import dev.mneme.client.Options;
import dev.mneme.client.RecallQuery;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The one that asks in the test of all languages at once, see test/polyglot/README.md: it stores facts, then asks for one after the
 * other, and tells of each answer whether it was the right one.
 */
public final class Recaller {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  private record Fact(String text, String question) {}

  private static final List<Fact> FACTS = List.of(
      new Fact("Ingrid keeps the lighthouse of Skagen.", "Who keeps the lighthouse of Skagen?"),
      new Fact("The museum in Delft is closed on Mondays.", "When is the museum in Delft closed?"),
      new Fact("Tomas plays the cello in the orchestra of Brno.", "Who plays the cello in Brno?"),
      new Fact("The ferry to Visby leaves at a quarter past six.", "When does the ferry to Visby leave?"),
      new Fact("Amara bakes rye bread with caraway on Thursdays.", "What does Amara bake?"));

  private Recaller() {}

  /** Takes an address. */
  public static void main(String[] arguments) throws IOException {
    Options options = new Options().namespace("polyglot").timeout(TIMEOUT).recallTimeout(TIMEOUT).waitForReady(true);
    try (Mneme mneme = Mneme.connect(arguments[0], options)) {
      List<String> ids = FACTS.stream().map(fact -> mneme.store(NewMemory.of(fact.text())).id()).toList();
      tell("facts", ids);
      tell("ready", true);
      CompletableFuture<Void> over = CompletableFuture.runAsync(Recaller::readToTheEnd);
      for (int turn = 0; !over.isDone(); turn++) ask(mneme, FACTS.get(turn % FACTS.size()), ids.get(turn % FACTS.size()));
    }
  }

  private static void ask(Mneme mneme, Fact fact, String id) throws IOException {
    try {
      var hits = mneme.recall(RecallQuery.of(fact.question()).limit(1).minRelevance(0)).hits();
      boolean isRight = hits.size() == 1 && hits.get(0).memory().id().equals(id);
      tell(isRight ? "right" : "wrong", fact.question());
    } catch (MnemeException error) {
      if (!error.retryable()) throw error;
      tell("failed", error.code() + ": " + error.getMessage());
    }
  }

  private static void readToTheEnd() {
    try {
      System.in.readAllBytes();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  private static void tell(String what, Object value) throws IOException {
    System.out.println(JSON.writeValueAsString(Map.of(what, value)));
  }
}
