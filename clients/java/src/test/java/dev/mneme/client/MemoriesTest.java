package dev.mneme.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mneme.testing.TestServer;
import dev.mneme.v1.CountMemoriesRequest;
import dev.mneme.v1.MemoryServiceGrpc;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

class MemoriesTest {
  private static TestServer server;
  private static Mneme client;
  private Mneme mneme;

  record Door(String name, boolean open, Instant seen) {}

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
    mneme = client.withNamespace(test.getTestMethod().orElseThrow().getName().toLowerCase(java.util.Locale.ROOT));
  }

  @Test
  void keepsEveryFieldOfAMemory() {
    Instant time = Instant.parse("2026-01-02T03:04:05.123456Z");
    Door door = new Door("front", true, time);
    Receipt receipt = mneme.store(new NewMemory().id("m1").scope(new Scope("city", "guide", "ada", "s1")).type("state").step(7)
        .eventTime(time).text("the front door").content(door).tags("a", "b").embedding(new float[] {0.5f, -1f}, "m")
        .place(new Place(new Place.Point(1, 2, 3.0), new Place.GeoPoint(50, 8), "home", "hall", "north")).importance(0.25).priority(0.75)
        .source(new Source("ada", "file:x", "test")).validFrom(time).expireTime(time.plusSeconds(3_000_000_000L)));
    assertEquals("m1", receipt.id());
    Memory memory = mneme.get("m1", new GetQuery().view(MemoryView.FULL));
    assertEquals(time, memory.eventTime());
    assertEquals(7L, memory.step());
    assertEquals(new Scope("city", "guide", "ada", "s1"), memory.scope());
    assertEquals(door, memory.content().as(Door.class));
    assertEquals(List.of("a", "b"), memory.tags());
    assertArrayEquals(new float[] {0.5f, -1f}, memory.embedding().values());
    assertEquals(new Place.Point(1, 2, 3.0), memory.place().point());
    assertEquals(0.25, memory.importance());
    assertEquals(new Source("ada", "file:x", "test"), memory.source());
    assertEquals(Tier.SHORT_TERM, memory.tier());
    assertNull(memory.validUntil());
    assertEquals(receipt.version(), memory.version());
  }

  @Test
  void changesClearsAndComparesVersions() {
    Receipt first = mneme.store(NewMemory.of("one").id("a").tags("x").importance(0.9));
    Receipt second = mneme.ifVersion(first.version()).update("a", NewMemory.of("two"), "tags");
    assertTrue(second.version() > first.version());
    assertEquals("two", mneme.get("a").text());
    assertEquals(List.of(), mneme.get("a").tags());
    assertThrows(MnemeException.Aborted.class, () -> mneme.ifVersion(first.version()).setImportance("a", 0.5));
    assertThrows(MnemeException.InvalidArgument.class, () -> mneme.ifVersion(1).get("a"));
    Receipt superseding = mneme.supersede("a", NewMemory.of("three").id("b"));
    assertEquals("a", superseding.superseded().id());
    assertEquals("b", mneme.get("a").supersededBy());
  }

  @Test
  void listsAllPagesAndCounts() {
    List<NewMemory> memories = new ArrayList<>();
    for (int i = 0; i < 25; i++) memories.add(NewMemory.of("memory " + i).type(i % 2 == 0 ? "even" : "odd").importance(i / 25.0));
    assertEquals(25, mneme.batchStore(memories).size());
    List<String> texts = new ArrayList<>();
    mneme.list(new ListQuery().pageSize(10).order(ListQuery.Order.IMPORTANCE_DESC).filter(Where.TYPE.equalTo("even")))
        .forEach(each -> texts.add(each.text()));
    assertEquals(13, texts.size());
    assertEquals("memory 24", texts.get(0));
    assertEquals(12, mneme.count(new CountQuery().filter("type = \"odd\"")).count());
    assertEquals(5, mneme.count(new CountQuery().filter(Where.IMPORTANCE.greaterOrEqual(0.8))).count());
    MemoryCalls.ListPage page = mneme.listPage(new ListQuery().pageSize(20));
    assertEquals(5, mneme.listPage(new ListQuery().pageSize(20).pageToken(page.nextPageToken())).memories().size());
    assertEquals(25, mneme.forget(new ForgetQuery().all(true)).forgottenCount());
  }

  @Test
  void recallsByWordsAndPaths() {
    mneme.store(NewMemory.of("The museum is closed on Mondays.").id("museum").content(Map.of("position", Map.of("room", "hall"))));
    mneme.store(NewMemory.of("The market sells fish."));
    RecallResult result = mneme.recall(RecallQuery.of("When is the museum closed?").limit(1).explain(true));
    assertEquals("museum", result.hits().get(0).memory().id());
    assertFalse(result.hits().get(0).matchedTerms().isEmpty());
    assertTrue(result.lanes().contains(RecallLane.KEYWORD));
    Filter inHall = Where.path("position.room").equalTo("hall").and(Where.TYPE.equalTo("statement"));
    assertEquals(1, mneme.recall(new RecallQuery().filter(inHall)).hits().size());
    assertFalse(mneme.listRecallPresets().isEmpty());
  }

  @Test
  void tellsErrorsByClass() {
    mneme.store(NewMemory.of("x").id("x"));
    MnemeException.NotFound missing = assertThrows(MnemeException.NotFound.class, () -> mneme.get("none"));
    assertEquals("MEMORY_NOT_FOUND", missing.reason().orElseThrow());
    assertEquals(MnemeException.Family.RETRIEVAL, missing.family());
    assertThrows(MnemeException.AlreadyExists.class, () -> mneme.store(NewMemory.of("y").id("x")));
    MnemeException.InvalidArgument bad =
        assertThrows(MnemeException.InvalidArgument.class, () -> mneme.store(NewMemory.of("x").importance(7)));
    assertEquals("memory.importance", bad.violations().get(0).field());
    assertFalse(bad.retryable());
  }

  @Test
  void refusesWhatJsonCannotCarry() {
    List<Object> cycle = new ArrayList<>();
    cycle.add(cycle);
    for (Object value : new Object[] {Double.NaN, List.of(Float.POSITIVE_INFINITY), cycle, new Object()}) {
      MnemeException.InvalidArgument bad =
          assertThrows(MnemeException.InvalidArgument.class, () -> new NewMemory().content(value), "for a " + value.getClass());
      assertEquals("content", bad.violations().get(0).field());
    }
    MnemeException bad = assertThrows(MnemeException.InvalidArgument.class, () -> new NewMemory().embedding(new float[] {Float.NaN}, "m"));
    assertEquals("embedding.values", bad.violations().get(0).field());
  }

  @Test
  void repeatsAWriteOfTheSameRequestIdOnce() {
    String first = mneme.withRequestId("r1").store(NewMemory.of("once")).name();
    assertEquals(first, mneme.withRequestId("r1").store(NewMemory.of("once")).name());
    assertEquals(1, mneme.count().count());
    assertEquals(1, mneme.raw(MemoryServiceGrpc.getCountMemoriesMethod(),
        CountMemoriesRequest.newBuilder().setParent("namespaces/" + mneme.namespace()).build()).getCount());
  }

  @Test
  void cancelsByInterruptAndRefusesAfterClose() {
    Thread.currentThread().interrupt();
    assertThrows(MnemeException.Cancelled.class, () -> mneme.count());
    assertTrue(Thread.interrupted());
    Mneme other = Mneme.connect(server.address());
    other.close();
    assertEquals("the client is closed", assertThrows(MnemeException.Cancelled.class, other::count).getMessage());
  }

  @Test
  void failsInTimeWhereNobodyListens() {
    try (Mneme nowhere = Mneme.connect("127.0.0.1:1", new Options().waitForReady(false).retry(false))) {
      assertTrue(assertThrows(MnemeException.Unavailable.class, nowhere::count).retryable());
    }
    try (Mneme nowhere = Mneme.connect("127.0.0.1:1", new Options().timeout(Duration.ofMillis(300)).waitForReady(true))) {
      String message = assertThrows(MnemeException.DeadlineExceeded.class, nowhere::count).getMessage();
      assertTrue(message.matches("no connection to 127\\.0\\.0\\.1:1 in time|no answer in time: connection refused at 127\\.0\\.0\\.1:1: is it running\\? \\(mneme serve\\)"), message);
    }
  }

  @Test
  void namesTheSchemeOfAnAddressThatIsAUrl() {
    MnemeException refused = assertThrows(MnemeException.InvalidArgument.class, () -> Mneme.connect("http://127.0.0.1:50051"));
    assertEquals("address: expected host:port without http://, got http://127.0.0.1:50051", refused.getMessage());
  }
}
