package dev.mneme.client;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes the calls that {@code make bench BENCH=clients} measures: by this client, and by its bare stubs. What it is asked and
 * answers is in test/bench/load/client-program.ts.
 */
final class BenchDriver {
  private static final int DIMENSION = 384;

  record Job(String work, String by, String namespace, @JsonProperty("in_flight") int inFlight,
      @JsonProperty("duration_ms") int durationMs, int count) {}

  /** The work of the client, or of the stubs alone. Streams tell how many memories they carried. */
  interface Side {
    void get(String namespace, String id);

    void store(String namespace, String text);

    long ingest(String namespace, List<float[]> vectors) throws Exception;

    long export(String namespace);
  }

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicInteger numbers = new AtomicInteger();
  private final Side client;
  private final Side stubs;

  private BenchDriver(String address) {
    client = new BenchClient(address);
    stubs = new BenchStubs(address);
  }

  public static void main(String[] arguments) throws Exception {
    BenchDriver driver = new BenchDriver(arguments[0]);
    ObjectMapper json = new ObjectMapper();
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        System.out.println(driver.done(json.readValue(line, Job.class)));
      }
    } catch (Exception failure) {
      failure.printStackTrace();
      System.exit(1);
    }
    System.exit(0);
  }

  private String done(Job job) throws Exception {
    Side side = job.by().equals("client") ? client : stubs;
    List<float[]> vectors = job.work().equals("ingest") ? vectors(job.count()) : List.of();
    long startedNs = System.nanoTime();
    long count = switch (job.work()) {
      case "get" -> repeat(job, startedNs, () -> side.get(job.namespace(), "turn-" + Math.floorMod(numbers.getAndIncrement(), job.count())));
      case "store" -> repeat(job, startedNs, () -> side.store(job.namespace(), sentence(numbers.getAndIncrement())));
      case "ingest" -> side.ingest(job.namespace(), vectors);
      case "export" -> side.export(job.namespace());
      default -> throw new IllegalArgumentException(job.work());
    };
    return "{\"count\":" + count + ",\"elapsed_ms\":" + (System.nanoTime() - startedNs) / 1e6 + "}";
  }

  /** Keeps so many calls in flight until the time is over. */
  private long repeat(Job job, long startedNs, Runnable call) throws Exception {
    long durationNs = job.durationMs() * 1_000_000L;
    Callable<Long> work = () -> {
      long count = 0;
      for (; System.nanoTime() - startedNs < durationNs; count++) call.run();
      return count;
    };
    List<Future<Long>> workers = new ArrayList<>();
    for (int i = 0; i < job.inFlight(); i++) workers.add(threads.submit(work));
    long total = 0;
    for (Future<Long> each : workers) total += each.get();
    return total;
  }

  static String sentence(int i) {
    return i + " people were at the harbour when the " + i % 977 + "th boat came in";
  }

  private static List<float[]> vectors(int count) {
    List<float[]> vectors = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      float[] vector = new float[DIMENSION];
      for (int at = 0; at < DIMENSION; at++) vector[at] = (float) Math.sin(7.0 * i + at);
      vectors.add(vector);
    }
    return vectors;
  }
}
