package dev.mneme.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mneme.testing.TestServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class ConnectionTest {
  @Test
  @EnabledOnOs(OS.LINUX)
  void reachesAServerThroughASocketOfUnix(@TempDir Path folder) throws Exception {
    Path socket = folder.resolve("mneme.sock");
    try (TestServer server = TestServer.start("--embedder", "none");
        ServerSocketChannel proxy = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      proxy.bind(UnixDomainSocketAddress.of(socket));
      CompletableFuture<Void> forwarded =
          CompletableFuture.runAsync(() -> forward(proxy, server.address()), task -> new Thread(task).start());
      try (Mneme mneme = Mneme.connect("unix:" + socket)) {
        String id = mneme.store(NewMemory.of("tea at five")).id();
        assertEquals("tea at five", mneme.get(id).text());
      }
      forwarded.get(10, TimeUnit.SECONDS);
    }
  }

  @Test
  void threadsOfCallsEndWithTheirClient() throws Exception {
    Mneme mneme = Mneme.connect("127.0.0.1:1");
    Mneme other = Mneme.connect("127.0.0.1:1");
    Thread thread = mneme.async(m -> Thread.currentThread()).get();
    Thread ofOther = other.async(m -> Thread.currentThread()).get();
    mneme.close();

    thread.join(10_000);
    assertFalse(thread.isAlive());
    assertTrue(ofOther.isAlive());
    ExecutionException refused = assertThrows(ExecutionException.class, () -> mneme.async(m -> m.get("m1")).get());
    assertInstanceOf(MnemeException.class, refused.getCause());
    other.close();
  }

  /** One connection, until its client ends it. */
  private static void forward(ServerSocketChannel from, String address) {
    int colon = address.lastIndexOf(':');
    InetSocketAddress target = new InetSocketAddress(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    try (SocketChannel near = from.accept(); SocketChannel far = SocketChannel.open(target)) {
      Thread back = new Thread(() -> copy(far, near));
      back.start();
      copy(near, far);
    } catch (IOException fault) {
      throw new IllegalStateException(fault);
    }
  }

  private static void copy(SocketChannel from, SocketChannel to) {
    try {
      ByteBuffer bytes = ByteBuffer.allocate(64 * 1024);
      while (from.read(bytes) >= 0) {
        bytes.flip();
        while (bytes.hasRemaining()) to.write(bytes);
        bytes.clear();
      }
    } catch (IOException ended) {
      // One of the two sides has gone: there is nothing left to be copied.
    }
  }
}
