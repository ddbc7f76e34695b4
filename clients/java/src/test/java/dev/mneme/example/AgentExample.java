package dev.mneme.example;

import dev.mneme.client.EventStream;
import dev.mneme.client.LifecycleQueries;
import dev.mneme.client.Mneme;
import dev.mneme.client.NewMemory;
import dev.mneme.client.Options;
import dev.mneme.client.RecallQuery;
import dev.mneme.client.Scope;
import dev.mneme.client.StandingAnswer;
import dev.mneme.client.Where;
import dev.mneme.client.WorkingMemory;
import dev.mneme.client.Task;
import java.util.ArrayList;
import java.util.List;

/**
 * A small agent, the same in the clients of all languages: it stores, recalls, subscribes, keeps working memory, is
 * paused and killed, and continues. {@code clients/example-output.txt} is its output.
 */
public final class AgentExample {
  private static final List<String> PLACES = List.of("harbour", "market", "museum", "tower");
  private static final Scope SCOPE = new Scope("city", "guide", "ada", null);

  private final Mneme mneme;
  private final WorkingMemory session;

  private AgentExample(Mneme mneme) {
    this.mneme = mneme;
    this.session = mneme.session("tour");
  }

  /** Takes an address, and {@code work}, which stays until it is killed, or {@code resume}. */
  public static void main(String[] arguments) throws InterruptedException {
    try (Mneme mneme = Mneme.connect(arguments[0], new Options().namespace("city"))) {
      AgentExample agent = new AgentExample(mneme);
      if (arguments[1].equals("work")) agent.work();
      else agent.resume();
    }
  }

  private void work() throws InterruptedException {
    mneme.batchStore(List.of(
        fact("The harbour has boats to the island every hour."),
        fact("The market sells fish and bread in the morning."),
        fact("The museum is closed on Mondays.").tags("closed"),
        fact("The tower has 212 steps and a view of the city.")));
    System.out.println("stored 4 memories");
    var hits = mneme.recall(RecallQuery.of("When is the museum closed?").limit(1)).hits();
    System.out.println("recalled: " + hits.get(0).memory().text());
    followWhatIsClosed();

    mneme.lifecycle().spawn(new LifecycleQueries.Spawn().sessionId("tour").scope(SCOPE).initialValue("seen", List.of()));
    session.setTaskState(new Task.Progress().description("plan a tour of the city").totalSteps(PLACES.size()));
    visit(2);
    var paused = mneme.lifecycle().pause("tour", new LifecycleQueries.Pause().description("a night of sleep"));
    System.out.println("paused: " + paused.checkpoint().description());
    Thread.sleep(Long.MAX_VALUE);
  }

  /** A standing recall: its answer first, then the changes. */
  private void followWhatIsClosed() {
    try (EventStream<StandingAnswer> answers = mneme.subscribe(new RecallQuery().filter(Where.TAG.equalTo("closed")))) {
      for (StandingAnswer answer : answers) {
        if (answer.entered().isEmpty()) continue;
        boolean isFirst = answer.hits().size() == 1;
        System.out.println((isFirst ? "subscribed: " : "entered: ") + answer.entered().get(0).memory().text());
        if (!isFirst) return;
        mneme.store(fact("The market is closed on Sundays.").tags("closed"));
        System.out.println("stored 1 memory");
      }
    }
  }

  private void resume() {
    var resumed = mneme.lifecycle().resume("tour");
    var task = session.getTaskState().orElseThrow();
    System.out.println("resumed: " + resumed.checkpoint().description() + ", " + resumed.restoredCount() + " value, step "
        + task.currentStep() + " of " + task.totalSteps());
    visit(2);
    List<String> seen = seenPlaces();
    LifecycleQueries.Terminate how = new LifecycleQueries.Terminate().lessons("the museum is worth an afternoon");
    seen.forEach(place -> how.action("visited the " + place));
    String type = mneme.get(mneme.lifecycle().terminate("tour", how).episodeId()).type();
    System.out.println("finished: " + seen.size() + " of " + PLACES.size() + " places, remembered as " + type);
    var hits = mneme.recall(RecallQuery.of("What is worth an afternoon?").limit(1).scope(SCOPE)).hits();
    System.out.println("recalled: " + hits.get(0).memory().type());
  }

  private void visit(int count) {
    List<String> seen = seenPlaces();
    for (String place : PLACES.subList(seen.size(), seen.size() + count)) {
      seen.add(place);
      session.appendScratchpad("the " + place + " is worth a visit");
      session.set("seen", seen);
      session.updateTaskProgress(new Task.Progress().currentStep(seen.size()));
      System.out.println("step " + seen.size() + ": the " + place);
    }
  }

  private List<String> seenPlaces() {
    List<String> seen = new ArrayList<>();
    session.get("seen").ifPresent(entry -> entry.value().json().forEach(place -> seen.add(place.asText())));
    return seen;
  }

  private static NewMemory fact(String text) {
    return NewMemory.of(text).type("fact").scope(SCOPE);
  }
}
