package dev.mneme.client;

import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;

/** The client, as {@link BenchDriver} measures it. */
final class BenchClient implements BenchDriver.Side {
  private static final Scope SCOPE = Scope.ofAgent("scout").withSession("harbour");

  private final Mneme mneme;

  BenchClient(String address) {
    mneme = Mneme.connect(address);
  }

  @Override
  public void get(String namespace, String id) {
    mneme.withNamespace(namespace).get(id);
  }

  @Override
  public void store(String namespace, String text) {
    NewMemory memory = NewMemory.of(text).type("message").scope(SCOPE).source(new Source("Ada", null, null));
    mneme.withNamespace(namespace).store(memory);
  }

  @Override
  public long ingest(String namespace, List<float[]> vectors) {
    Iterable<NewMemory> memories = () -> memories(vectors);
    long stored = 0;
    try (EventStream<IngestProgress> progress = mneme.withNamespace(namespace).ingest(memories, new IngestOptions())) {
      for (IngestProgress each : progress) stored = each.storedCount();
    }
    return stored;
  }

  private static Iterator<NewMemory> memories(List<float[]> vectors) {
    return IntStream.range(0, vectors.size())
        .mapToObj(i -> NewMemory.of(BenchDriver.sentence(i)).embedding(vectors.get(i), "bench"))
        .iterator();
  }

  @Override
  public long export(String namespace) {
    long count = 0;
    try (EventStream<Memory> memories = mneme.withNamespace(namespace).exportMemories(null)) {
      for (Memory each : memories) if (!each.text().isEmpty() && each.embedding() != null) count++;
    }
    return count;
  }
}
