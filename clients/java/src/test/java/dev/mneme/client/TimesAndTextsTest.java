package dev.mneme.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mneme.testing.TestServer;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.function.Executable;

class TimesAndTextsTest {
  private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999Z");
  private static final String BROKEN = "half \ud83d";
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
    mneme = client.withNamespace(test.getTestMethod().orElseThrow().getName().toLowerCase(java.util.Locale.ROOT));
  }

  @Test
  void a4TimesOfAllYearsComeBackAsGiven() {
    List<Instant> times = List.of(FIRST, Instant.parse("0099-12-31T23:59:59.999Z"), Instant.parse("1600-02-29T00:00:00.001Z"),
        Instant.parse("2300-01-01T00:00:00.999Z"), Instant.parse("9999-12-31T00:00:00Z"), LAST);
    for (Instant time : times) {
      Receipt receipt = mneme.store(new NewMemory().text("x").eventTime(time).validFrom(FIRST).validUntil(LAST));
      Memory memory = mneme.get(receipt.id());
      assertEquals(List.of(time, FIRST, LAST), List.of(memory.eventTime(), memory.validFrom(), memory.validUntil()));
      assertEquals(1, mneme.count(new CountQuery().filter(Where.EVENT_TIME.equalTo(time))).count());
    }
    MnemeException early = assertThrows(MnemeException.InvalidArgument.class, () -> mneme.store(new NewMemory().text("x").eventTime(Instant.MIN)));
    assertEquals("memory.event_time", early.violations().get(0).field());
  }

  @Test
  void a5AnExpiryThatIsOverIsRefused() {
    NewMemory memory = new NewMemory().text("x").expireTime(Instant.now().minus(Duration.ofHours(1)));
    MnemeException refused = assertThrows(MnemeException.InvalidArgument.class, () -> mneme.store(memory));
    assertEquals("memory.expire_time", refused.violations().get(0).field());
  }

  @Test
  void a7DaysInFiltersAreWholeDays() {
    Map.of("a", "2026-06-09T23:00:00Z", "b", "2026-06-10T09:30:00Z", "c", "2026-06-11T00:00:00Z")
        .forEach((id, time) -> mneme.store(new NewMemory().id(id).text(id).eventTime(Instant.parse(time))));
    LocalDate tenth = LocalDate.of(2026, 6, 10);
    Where.Days days = Where.EVENT_TIME.days();
    assertEquals("b", found(days.equalTo(tenth)));
    assertEquals("a", found(days.less(tenth)));
    assertEquals("ab", found(days.lessOrEqual(tenth)));
    assertEquals("c", found(days.greater(tenth)));
    assertEquals("bc", found(days.greaterOrEqual(tenth)));
    assertEquals("bc", found(days.isIn(tenth, tenth.plusDays(1))));
    assertEquals("ab", found(Where.EVENT_TIME.days(ZoneId.of("Europe/Berlin")).equalTo(tenth)));
  }

  private String found(Filter filter) {
    return List.of("a", "b", "c").stream()
        .filter(id -> mneme.count(new CountQuery().filter(filter.and(Where.ID.equalTo(id)))).count() == 1)
        .collect(Collectors.joining());
  }

  @Test
  void brokenTextsAreRefusedByName() {
    refuses("memory.text", () -> mneme.store(new NewMemory().text(BROKEN)));
    refuses("memory.tags[1]", () -> mneme.store(new NewMemory().text("x").tags("fine", BROKEN)));
    refuses("content", () -> mneme.store(new NewMemory().content(Content.text(BROKEN))));
    refuses("content", () -> mneme.store(new NewMemory().content(Map.of("a", List.of(BROKEN)))));
    refuses("name", () -> mneme.get(BROKEN));
    refuses("text", () -> mneme.recall(BROKEN));
    refuses("key", () -> mneme.session("s").set(BROKEN, 1));
    mneme.store(new NewMemory().text("whole \ud83d\ude00"));
    assertEquals(1, mneme.count(new CountQuery()).count());
  }

  private static void refuses(String field, Executable call) {
    MnemeException refused = assertThrows(MnemeException.InvalidArgument.class, call);
    assertEquals(field, refused.violations().get(0).field());
    assertTrue(refused.getMessage().contains("half of a surrogate pair at position"), refused.getMessage());
  }
}
