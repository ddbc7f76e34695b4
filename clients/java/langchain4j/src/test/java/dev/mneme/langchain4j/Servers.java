package dev.mneme.langchain4j;

import dev.mneme.client.Mneme;
import dev.mneme.client.Options;
import dev.mneme.testing.TestServer;
import java.util.concurrent.atomic.AtomicInteger;

/** One server for all tests of the process, and a namespace for each test. */
final class Servers {
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static final TestServer SERVER = TestServer.start("--embedder", "none");
  private static final Mneme CLIENT = Mneme.connect(SERVER.address(), new Options());

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      CLIENT.close();
      SERVER.close();
    }));
  }

  private Servers() {}

  static String address() {
    return SERVER.address();
  }

  /** A client about a namespace that does not exist yet. */
  static Mneme client() {
    return CLIENT.withNamespace("test-" + NUMBER.incrementAndGet());
  }
}
