package dev.mneme.client;

import dev.mneme.v1.ImportMemoriesRequest;
import dev.mneme.v1.ImportMemoriesResponse;
import dev.mneme.v1.MemoryServiceGrpc;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sends memories with their ids, and again what was not acknowledged when a stream breaks. */
final class ImportRuns extends Runs<ImportMemoriesResponse, ImportResult> {
  private static final int UNACKNOWLEDGED_MAX = 4;
  /** Streams in a row that broke without a single acknowledgement. */
  private static final int FAILURES_MAX = 4;
  /** Errors that are the fault of a memory: others may be stored all the same. */
  private static final Set<String> OF_MEMORY = Set.of("FIELD_INVALID", "DIMENSION_MISMATCH", "MODEL_MISMATCH", "MESSAGE_TOO_LARGE");
  private static final Pattern NAMED = Pattern.compile("memories\\[(\\d+)\\]\\.?(.*)");

  private final Connection connection;
  private final Settings settings;
  private final String namespace;
  private final ImportOptions options;
  private final Outbox<ImportMemoriesRequest> outbox;
  private long acknowledged;
  private int failures;
  private ImportResult before = new ImportResult(0, 0, 0);
  private ImportResult total = before;

  ImportRuns(Connection connection, String namespace, Settings settings, Iterable<NewMemory> memories, ImportOptions options) {
    this.connection = connection;
    this.settings = settings;
    this.namespace = namespace;
    this.options = options;
    outbox = new Outbox<>(memories, this::requestOf, UNACKNOWLEDGED_MAX);
  }

  ImportResult total() {
    return total;
  }

  @Override
  Duplex<?, ImportMemoriesResponse> open(Consumer<ImportResult> out) {
    before = total;
    acknowledged = 0;
    Duplex<ImportMemoriesRequest, ImportMemoriesResponse> stream =
        connection.stream(MemoryServiceGrpc.getImportMemoriesMethod(), settings);
    outbox.start(stream, request -> request, null, connection.options.heartbeat);
    return stream;
  }

  @Override
  void take(ImportMemoriesResponse message, Consumer<ImportResult> out) {
    failures = 0;
    outbox.acknowledged((int) (message.getAcknowledgedCount() - acknowledged));
    acknowledged = message.getAcknowledgedCount();
    total = new ImportResult(before.storedCount() + message.getStoredCount(), before.skippedCount() + message.getSkippedCount(),
        connection.seen(message.getRevision()));
    out.accept(total);
  }

  @Override
  boolean isDone() {
    return outbox.isDone();
  }

  @Override
  boolean resumes() {
    return options.conflictPolicy != ConflictPolicy.FAIL && ++failures <= FAILURES_MAX;
  }

  /** The server says nothing while the source is slow. */
  @Override
  Duration silence() {
    return null;
  }

  @Override
  boolean endsByItself() {
    return true;
  }

  @Override
  RuntimeException causeOf(MnemeException error) {
    return outbox.failure() == null ? error : outbox.failure();
  }

  @Override
  void leave(Duplex<?, ImportMemoriesResponse> run) {
    outbox.close();
    if (run != null) run.cancel();
  }

  @Override
  void ended() {
    outbox.stop();
  }

  /**
   * Removes the refused memories from the first unacknowledged message, which the error is about; where the error does
   * not name them, its memories are sent one by one. False for errors that no memory caused.
   */
  @Override
  boolean recover(MnemeException error) {
    List<ImportMemoriesRequest> pending = outbox.unacknowledged();
    if (options.onRefused == null || pending.isEmpty() || error.reason().filter(OF_MEMORY::contains).isEmpty()) return false;
    Map<Integer, MnemeException> places = refusedPlaces(error);
    if (places == null) return false;
    ImportMemoriesRequest request = pending.get(0);
    boolean isAlone = request.getMemoriesCount() == 1;
    List<ImportMemoriesRequest> others = new ArrayList<>();
    ImportMemoriesRequest.Builder kept = request.toBuilder().clearMemories();
    for (int place = 0; place < request.getMemoriesCount(); place++) {
      dev.mneme.v1.Memory memory = request.getMemories(place);
      MnemeException refusal = places.getOrDefault(place, isAlone ? error : null);
      if (refusal != null) options.onRefused.accept(Names.idOf(memory.getName()), refusal);
      else if (places.isEmpty()) others.add(request.toBuilder().clearMemories().addMemories(memory).build());
      else kept.addMemories(memory);
    }
    if (kept.getMemoriesCount() > 0) others.add(kept.build());
    outbox.replaceFirst(others);
    return true;
  }

  /** Which memories are at fault, by their place; none where the error does not tell; null where it is about the request itself. */
  private static Map<Integer, MnemeException> refusedPlaces(MnemeException error) {
    Map<Integer, List<MnemeException.Violation>> violations = new TreeMap<>();
    for (MnemeException.Violation each : error.violations()) {
      Matcher named = NAMED.matcher(each.field());
      if (!named.matches()) return error.reason().filter("FIELD_INVALID"::equals).isPresent() ? null : Map.of();
      violations.computeIfAbsent(Integer.valueOf(named.group(1)), place -> new ArrayList<>())
          .add(new MnemeException.Violation(named.group(2), each.description()));
    }
    Map<Integer, MnemeException> places = new TreeMap<>();
    violations.forEach((place, some) -> {
      String message = String.join("; ", some.stream()
          .map(one -> one.field().isEmpty() ? one.description() : one.field() + ": " + one.description()).toList());
      Status.Code code = error.code();
      places.put(place, MnemeException.of(code, message, new MnemeException.Details(
          error.reason().orElse(null), error.metadata(), some, null, error.family(), null)));
    });
    return places;
  }

  /** Each memory gets its id here at the latest, so that resending a message stores nothing twice. */
  private ImportMemoriesRequest requestOf(List<NewMemory> memories) {
    ImportMemoriesRequest.Builder request = ImportMemoriesRequest.newBuilder().setParent(Names.namespace(namespace))
        .setConflictPolicy(Values.code(dev.mneme.v1.ConflictPolicy.class, "CONFLICT_POLICY_", options.conflictPolicy));
    for (NewMemory each : memories) {
      String id = each.id().isEmpty() ? newUuidV7() : each.id();
      request.addMemories(each.message(namespace).toBuilder().setName(Names.memory(namespace, id)));
    }
    return request.build();
  }

  /** A new id that sorts by the time at which it was made (RFC 9562). */
  static String newUuidV7() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    long high = (System.currentTimeMillis() << 16) | 0x7000 | random.nextInt(0x1000);
    long low = (random.nextLong() & 0x3fffffffffffffffL) | 0x8000000000000000L;
    return new java.util.UUID(high, low).toString();
  }
}
