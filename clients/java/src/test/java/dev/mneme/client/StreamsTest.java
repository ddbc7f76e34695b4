package dev.mneme.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mneme.testing.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

class StreamsTest {
  private static TestServer server;
  private static Mneme client;
  private Mneme mneme;

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

  @BeforeEach
  void namespace(TestInfo test) {
    mneme = client.withNamespace(test.getTestMethod().orElseThrow().getName().toLowerCase(Locale.ROOT));
    mneme.namespaces().create(mneme.namespace());
  }

  @Test
  void watchTellsChangesAndGoesOnBehindAToken() {
    String token;
    try (EventStream<WatchEvent> events = mneme.watch(new WatchQuery())) {
      assertInstanceOf(WatchEvent.CaughtUp.class, events.next());
      mneme.store(NewMemory.of("one").id("a"));
      WatchEvent.Change change = assertInstanceOf(WatchEvent.Change.class, nextChange(events));
      assertEquals("one", change.memory().text());
      assertEquals(ChangeKind.STORED, change.kind());
      token = change.resumeToken();
    }
    mneme.delete("a");
    try (EventStream<WatchEvent> events = mneme.watch(new WatchQuery().resumeToken(token))) {
      assertEquals(ChangeKind.DELETED, ((WatchEvent.Change) nextChange(events)).kind());
    }
  }

  private static WatchEvent nextChange(EventStream<WatchEvent> events) {
    WatchEvent event = events.next();
    while (event instanceof WatchEvent.CaughtUp) event = events.next();
    return event;
  }

  @Test
  void subscriptionTellsWhatEnters() {
    mneme.store(NewMemory.of("the museum is closed").tags("closed"));
    try (EventStream<StandingAnswer> answers = mneme.subscribe(new RecallQuery().filter(Where.TAG.equalTo("closed")))) {
      assertEquals(1, answers.next().entered().size());
      mneme.store(NewMemory.of("the market is closed").tags("closed"));
      StandingAnswer next = answers.next();
      while (next.entered().isEmpty()) next = answers.next();
      assertEquals("the market is closed", next.entered().get(0).memory().text());
      assertEquals(2, next.hits().size());
    }
  }

  @Test
  void publisherGivesAsManyAsAreAskedFor() throws InterruptedException {
    BlockingQueue<Object> events = new LinkedBlockingQueue<>();
    mneme.watch(new WatchQuery()).publisher().subscribe(new Flow.Subscriber<>() {
      private Flow.Subscription subscription;

      @Override
      public void onSubscribe(Flow.Subscription given) {
        subscription = given;
        given.request(1);
      }

      @Override
      public void onNext(WatchEvent event) {
        events.add(event);
        subscription.cancel();
      }

      @Override
      public void onError(Throwable error) {
        events.add(error);
      }

      @Override
      public void onComplete() {}
    });
    assertInstanceOf(WatchEvent.CaughtUp.class, events.poll(20, TimeUnit.SECONDS));
  }

  @Test
  void ingestsExportsAndImports() {
    List<NewMemory> memories = IntStream.range(0, 1000).mapToObj(i -> NewMemory.of("memory " + i).id("m" + i)).toList();
    List<IngestProgress> progress = new ArrayList<>();
    try (EventStream<IngestProgress> stream = mneme.ingest(memories, new IngestOptions())) {
      stream.forEachRemaining(progress::add);
    }
    assertEquals(1000, progress.get(progress.size() - 1).storedCount());
    List<Memory> exported = new ArrayList<>();
    mneme.exportMemories(null).forEachRemaining(exported::add);
    assertEquals(1000, exported.size());
    Mneme other = mneme.withNamespace("imported");
    List<String> refused = new ArrayList<>();
    List<NewMemory> copies = new ArrayList<>(exported.stream().map(NewMemory::copyOf).toList());
    copies.add(500, NewMemory.of("bad").id("bad").importance(7));
    ImportResult result = other.importMemories(copies, new ImportOptions().onRefused((id, error) -> refused.add(id)));
    assertEquals(1000, result.storedCount());
    assertEquals(List.of("bad"), refused);
    assertEquals(exported.get(7).createTime(), other.get("m7").createTime());
  }

  @Test
  void consumerGetsWhatItHasNotAcknowledged() {
    mneme.subscriptions().create("feed", new Subscriptions.SubscriptionSettings());
    mneme.store(NewMemory.of("one").id("a"));
    mneme.store(NewMemory.of("two").id("b"));
    try (EventStream<Delivery> deliveries = mneme.subscriptions().consume("feed", "me", new ConsumeQuery())) {
      Delivery first = deliveries.next();
      assertEquals("a", first.id());
      first.acknowledge();
    }
    try (EventStream<Delivery> deliveries = mneme.subscriptions().consume("feed", "me", new ConsumeQuery())) {
      assertEquals("b", deliveries.next().id());
    }
  }

  @Test
  void sessionsLiveAndHooksAreAsked() {
    Lifecycle lifecycle = mneme.lifecycle();
    LifecycleQueries.HookRegistration hook =
        new LifecycleQueries.HookRegistration("guard", List.of(LifecycleEvent.Phase.BEFORE)).timeout(Duration.ofSeconds(5)).required(true);
    try (Hook served = lifecycle.serveHook(hook, event -> event.transition() == LifecycleEvent.Transition.PAUSE
        ? new Lifecycle.HookAnswer.Veto("not now") : new Lifecycle.HookAnswer.Proceed(Map.of("seen", "yes")))) {
      var spawned = lifecycle.spawn(new LifecycleQueries.Spawn().sessionId("s").initialValues(Map.of("a", 1)).defaultTtl(Duration.ofHours(1)));
      assertEquals(Session.State.ACTIVE, spawned.session().state());
      assertEquals("yes", spawned.session().metadata().get("seen"));
      assertThrows(MnemeException.FailedPrecondition.class, () -> lifecycle.pause("s"));
      assertFalse(served.closed().isDone());
    }
    WorkingMemory session = mneme.session("s");
    long version = session.set("b", List.of(1, 2), new WorkingValues.SetQuery().expiry(WorkingValues.KeyExpiry.never())).version();
    assertThrows(MnemeException.Aborted.class, () -> mneme.ifVersion(version + 1).session("s").set("b", 3));
    session.transact(List.of(WorkingValues.Operation.check("b", version), WorkingValues.Operation.remove("a", null)));
    assertFalse(session.has("a"));
    String checkpoint = lifecycle.pause("s").checkpoint().id();
    assertEquals(1, lifecycle.resume("s", new LifecycleQueries.Resume().checkpointId(checkpoint)).restoredCount());
  }

  @Test
  void asyncCallsAreCancelled() throws InterruptedException {
    assertEquals(0, mneme.async(m -> m.count().count()).join());
    var waiting = mneme.async(m -> m.watch(new WatchQuery().filter("tag = \"none\"")).next());
    assertTrue(waiting.cancel(true));
  }
}
