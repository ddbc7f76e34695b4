package dev.mneme.testing;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A server of one's own for tests.
 *
 * <pre>{@code
 * try (TestServer server = TestServer.start(); Mneme mneme = Mneme.connect(server.address())) {
 *   mneme.store(NewMemory.of("The museum is closed on Mondays."));
 * }
 * }</pre>
 */
public final class TestServer implements AutoCloseable {
  private static final Pattern ADDRESS = Pattern.compile("^ *address +(\\S+)");
  private static final long START_S = 60;
  private static final long STOP_S = 20;

  private final Process process;
  private final Path folder;
  private final String address;

  private TestServer(Process process, Path folder, String address) {
    this.process = process;
    this.folder = folder;
    this.address = address;
  }

  /**
   * Starts {@code mneme serve} on a free port of this machine with a temporary folder, and waits until it answers. {@code flags}
   * are more flags of {@code mneme serve}. The program is that of the variable {@code MNEME_BIN}, or {@code mneme} on the path.
   */
  public static TestServer start(String... flags) {
    return start(program(), flags);
  }

  /** As {@link #start(String...)}, with the program of this path. {@link IllegalStateException} with what it said when it does not start. */
  public static TestServer start(Path program, String... flags) {
    try {
      Path folder = Files.createTempDirectory("mneme-");
      List<String> command = new ArrayList<>(List.of(
          program.toString(), "serve", "--listen", "127.0.0.1:0", "--data", folder.toString(), "--log-level", "error"));
      command.addAll(List.of(flags));
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      return new TestServer(process, folder, addressOf(process));
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  /** {@code host:port} that it listens on. */
  public String address() {
    return address;
  }

  /** The process, to be killed where a test wants that. */
  public Process process() {
    return process;
  }

  /** Stops it and removes its folder. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_S, TimeUnit.SECONDS)) process.destroyForcibly().waitFor();
    } catch (InterruptedException stop) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  private static String addressOf(Process process) {
    StringBuilder said = new StringBuilder();
    CompletableFuture<String> found = new CompletableFuture<>();
    Thread reader = new Thread(() -> read(process, said, found), "mneme-test-server");
    reader.setDaemon(true);
    reader.start();
    try {
      return found.get(START_S, TimeUnit.SECONDS);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
      throw new IllegalStateException("interrupted while the server started", stop);
    } catch (Exception fault) {
      process.destroyForcibly();
      throw new IllegalStateException("mneme serve did not start:\n" + said, fault);
    }
  }

  /** Reads to the end, so that the server never waits for a reader. */
  private static void read(Process process, StringBuilder said, CompletableFuture<String> found) {
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Matcher address = ADDRESS.matcher(line);
        if (address.find()) found.complete(address.group(1));
        else if (!found.isDone()) said.append(line).append('\n');
      }
      found.completeExceptionally(new IOException("it ended"));
    } catch (IOException fault) {
      found.completeExceptionally(fault);
    }
  }

  private static Path program() {
    String named = System.getenv("MNEME_BIN");
    if (named != null) return Path.of(named);
    for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
      Path program = Path.of(folder, "mneme");
      if (Files.isExecutable(program)) return program;
    }
    throw new IllegalStateException("the program mneme is not on the path: name it in the variable MNEME_BIN");
  }
}
