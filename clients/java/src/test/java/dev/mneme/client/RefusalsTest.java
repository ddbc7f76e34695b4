package dev.mneme.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mneme.testing.TestServer;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class RefusalsTest {
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

  private static void refused(String expected, Executable call) {
    String said = assertThrows(MnemeException.InvalidArgument.class, call).getMessage();
    assertTrue(said.contains(expected), said);
  }

  @Test
  void a1OptionsWithoutEffectAreRefused() {
    Mneme mneme = client.withNamespace("a1");
    mneme.storeTexts(List.of("one", "two", "three"));
    refused("filter: is required", () -> mneme.forget(new ForgetQuery()));
    refused("filter: is required", () -> mneme.forget(new ForgetQuery().dryRun(true)));
    refused("filter: must not be an empty text", () -> mneme.forget(new ForgetQuery().filter(" ").all(true)));
    refused("filter: must not be null", () -> mneme.forget(new ForgetQuery().filter((Filter) null)));
    refused("must be absent when all is set", () -> mneme.forget(new ForgetQuery().filter(Where.TYPE.equalTo("fact")).all(true)));
    refused("must be 1 to 64", () -> mneme.forget(new ForgetQuery().filter(Filter.allOf())));
    refused("must be 1 to 1000", () -> mneme.forget(new ForgetQuery().filter(Where.ID.isIn(List.of()))));
    refused("did you mean type?", () -> mneme.forget(new ForgetQuery().filter("tpye = \"fact\"")));
    refused("if_version: this call is not one on condition", () -> mneme.ifVersion(1).forget(new ForgetQuery().all(true)));
    refused("request_id: this call is not a write", () -> mneme.withRequestId("r").count());
    refused("min_revision: this call is not a read", () -> mneme.withMinRevision(1).store("four"));
    refused("scope: is required", () -> mneme.clearTier(Tier.SHORT_TERM, new ClearTierQuery()));
    assertEquals(3, mneme.count().count());
  }

  @Test
  void a11ErrorsNameTheNamespaceOfTheCaller() {
    Map.of("ada@example.org", "got \"ada@example.org\"; did you mean \"ada-example.org\"?", "Ada", "got \"Ada\"; did you mean \"ada\"?", "", "got \"\"")
        .forEach((given, expected) -> {
          Mneme mneme = client.withNamespace(given);
          String said = "namespace: must be [a-z0-9] and up to 62 more of [a-z0-9._-], " + expected;
          refused(said, () -> mneme.store("x"));
          refused(said, () -> mneme.get("x"));
          refused(said, () -> mneme.session("s").get("x"));
          MnemeException watched = assertThrows(MnemeException.InvalidArgument.class, () -> mneme.watch(new WatchQuery()).hasNext());
          assertEquals("namespace", watched.violations().get(0).field());
          assertFalse(watched.getMessage().contains("namespaces/"), watched.getMessage());
        });
  }

  @Test
  void textsAreStoredAsTheyAre() {
    Mneme mneme = client.withNamespace("texts");
    Instant time = Instant.parse("2026-05-01T09:00:00Z");
    TextOptions options = new TextOptions().speaker("Ann").session("s").tags("music").time(time);
    Memory memory = mneme.get(mneme.store("I play the cello.", options).id());
    assertEquals("I play the cello.", memory.text());
    assertEquals("Ann", memory.source().speaker());
    assertEquals("s", memory.scope().session());
    assertEquals("message", memory.type());
    assertEquals(List.of("music"), memory.tags());
    assertEquals(time, memory.eventTime());
    List<Receipt> receipts = mneme.storeTexts(List.of("a", "b"), new TextOptions().namespace("texts-elsewhere").type("note"));
    assertEquals("note", client.withNamespace("texts-elsewhere").get(receipts.get(1).id()).type());
    refused("memory", () -> mneme.store(""));
  }

  @Test
  void a2NumbersThatADoubleCannotHoldAreSentAsDigits() {
    for (Number given : List.of(9_007_199_254_740_993L, Long.MIN_VALUE + 1, new BigInteger("18446744073709551615"),
        new BigDecimal("0.12345678901234567891"), new BigDecimal("1E+400"), new BigDecimal("1E-99999"))) {
      for (Filter filter : List.of(Where.path("a").equalTo(given), Where.path("a").isIn(given), Where.path("a").greater(given))) {
        assertTrue(filter.toString().contains("number_text: \"" + given + "\""), filter::toString);
      }
    }
    for (Number given : List.of(3, 1L << 53, new BigDecimal("1.50"), new BigDecimal("0.1"), 0.1f, new BigDecimal("0E+5"))) {
      assertTrue(Where.path("a").equalTo(given).toString().contains("number_value"), given::toString);
    }
    refused("NaN is no number", () -> Where.path("a").equalTo(Double.NaN));
  }

  @Test
  void a2ContentsKeepTheDigitsOfNumbers() {
    Mneme mneme = client.withNamespace("a2");
    for (Number given : List.of(1_145_678_901_234_567_891L, new BigInteger("18446744073709551616"))) {
      Content read = mneme.get(mneme.store(new NewMemory().content(Map.of("user", given))).id()).content();
      assertEquals("{\"user\":" + given + "}", read.text());
      assertEquals(read.text(), read.json().toString());
      assertEquals(given, read.as(Map.class).get("user"));
    }
  }
}
