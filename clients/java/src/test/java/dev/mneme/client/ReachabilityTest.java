package dev.mneme.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mneme.testing.TestServer;
import java.io.IOException;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.URI;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ReachabilityTest {
  /** The message of the failure of a call, and of a stream: not that of a deadline. */
  private static String failureOf(String address, Options options) {
    try (Mneme mneme = Mneme.connect(address, options)) {
      String said = assertThrows(MnemeException.Unavailable.class, () -> mneme.get("m")).getMessage();
      assertEquals(said, assertThrows(MnemeException.Unavailable.class, () -> mneme.watch(new WatchQuery()).hasNext()).getMessage());
      return said;
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  @Test
  void a3NoServerIsSaidWithoutAWait() throws IOException {
    int port = freePort();
    for (String host : List.of("127.0.0.1", "localhost", "[::1]")) {
      String said = "connection refused at " + host + ":" + port + ": is it running? (mneme serve)";
      assertEquals(said, failureOf(host + ":" + port, new Options()));
      assertEquals(said, failureOf(host + ":" + port, new Options().waitForReady(false).retry(false)));
    }
    assertEquals("no connection to no-such-host.invalid: its host has no address", failureOf("no-such-host.invalid", new Options()));
  }

  @Test
  void a3EncryptionThatDoesNotAgreeIsSaidInWords() throws Exception {
    try (TestServer server = TestServer.start("--embedder", "none")) {
      assertEquals("the server at " + server.address()
          + " does not speak TLS: connect without Options.tls, or start it with --tls-cert and --tls-key",
          failureOf(server.address(), new Options().tls()));
    }
    try (ServerSocket encrypted = new ServerSocket(0)) {
      Thread alerts = new Thread(() -> answerWithAlerts(encrypted));
      alerts.setDaemon(true);
      alerts.start();
      String address = "127.0.0.1:" + encrypted.getLocalPort();
      assertEquals("the server at " + address + " wants TLS: see Options.tls", failureOf(address, new Options()));
    }
  }

  /** As a server with TLS answers to what is no handshake. */
  private static void answerWithAlerts(ServerSocket server) {
    try {
      for (;;) {
        Socket client = server.accept();
        client.getInputStream().read(new byte[24]);
        client.getOutputStream().write(HexFormat.of().parseHex("15030100020246"));
        client.getOutputStream().flush();
        client.getInputStream().readAllBytes();
        client.close();
      }
    } catch (IOException closed) {
      return; // The test is over.
    }
  }

  @Test
  void a3LoopbackNeverGoesOverAProxy() throws IOException {
    for (String address : List.of("127.0.0.1:1", "127.8.9.1", "localhost:1", "LOCALHOST", "localhost.:1", "[::1]:1", "[::ffff:127.0.0.1]:1",
        "dns:///localhost:1", "unix:/tmp/a", "0.0.0.0:1")) {
      assertTrue(Reachability.isLoopback(address), address);
    }
    for (String address : List.of("example.org:1", "10.0.0.1:1", "localhost.example.org", "[2001:db8::1]:1", "128.0.0.1")) {
      assertFalse(Reachability.isLoopback(address), address);
    }
    ProxySelector before = ProxySelector.getDefault();
    ProxySelector.setDefault(proxyFor("127.0.0.1", freePort()));
    try (TestServer server = TestServer.start("--embedder", "none"); Mneme mneme = Mneme.connect(server.address())) {
      mneme.store("tea at five");
      String said = failureOf("mneme.example.org:50051", new Options());
      assertTrue(said.contains("over the proxy 127.0.0.1:") && said.contains("add mneme.example.org to -Dhttp.nonProxyHosts"), said);
    } finally {
      ProxySelector.setDefault(before);
    }
  }

  private static ProxySelector proxyFor(String host, int port) {
    Proxy proxy = new Proxy(Proxy.Type.HTTP, InetSocketAddress.createUnresolved(host, port));
    return new ProxySelector() {
      @Override
      public List<Proxy> select(URI uri) {
        return List.of(proxy);
      }

      @Override
      public void connectFailed(URI uri, SocketAddress address, IOException fault) {}
    };
  }
}
