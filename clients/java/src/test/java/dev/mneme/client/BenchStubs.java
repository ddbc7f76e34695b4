package dev.mneme.client;

import com.google.protobuf.ByteString;
import dev.mneme.v1.ExportMemoriesRequest;
import dev.mneme.v1.ExportMemoriesResponse;
import dev.mneme.v1.GetMemoryRequest;
import dev.mneme.v1.IngestBatch;
import dev.mneme.v1.IngestItem;
import dev.mneme.v1.IngestMemoriesRequest;
import dev.mneme.v1.IngestMemoriesResponse;
import dev.mneme.v1.IngestServiceGrpc;
import dev.mneme.v1.IngestStart;
import dev.mneme.v1.MemoryServiceGrpc;
import dev.mneme.v1.StoreMemoryRequest;
import io.grpc.ManagedChannel;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** The generated stubs over a channel with the options of the client's, as {@link BenchDriver} measures them. */
final class BenchStubs implements BenchDriver.Side {
  private static final int BATCH = 256;
  private static final long TIMEOUT_S = 10;

  private final MemoryServiceGrpc.MemoryServiceBlockingStub memories;
  private final IngestServiceGrpc.IngestServiceStub ingests;

  BenchStubs(String address) {
    ManagedChannel channel = new Connection(address, new Options()).newChannel(Connection.STREAMS_CONFIG);
    memories = MemoryServiceGrpc.newBlockingStub(channel);
    ingests = IngestServiceGrpc.newStub(channel);
  }

  @Override
  public void get(String namespace, String id) {
    GetMemoryRequest request = GetMemoryRequest.newBuilder().setName("namespaces/" + namespace + "/memories/" + id).build();
    memories.withDeadlineAfter(TIMEOUT_S, TimeUnit.SECONDS).getMemory(request);
  }

  @Override
  public void store(String namespace, String text) {
    StoreMemoryRequest.Builder request = StoreMemoryRequest.newBuilder().setParent("namespaces/" + namespace)
        .setRequestId(UUID.randomUUID().toString());
    request.getMemoryBuilder().setText(text).setType("message");
    request.getMemoryBuilder().getScopeBuilder().setAgent("scout").setSession("harbour");
    request.getMemoryBuilder().getSourceBuilder().setSpeaker("Ada");
    memories.withDeadlineAfter(TIMEOUT_S, TimeUnit.SECONDS).storeMemory(request.build());
  }

  @Override
  public long ingest(String namespace, List<float[]> vectors) throws Exception {
    Acknowledged acknowledged = new Acknowledged();
    ingests.ingestMemories(acknowledged);
    IngestStart start = IngestStart.newBuilder().setParent("namespaces/" + namespace).setStreamId(UUID.randomUUID().toString())
        .setRefusalsOnly(true).build();
    acknowledged.send(IngestMemoriesRequest.newBuilder().setStart(start).build());
    for (int first = 0; first < vectors.size(); first += BATCH) {
      IngestBatch.Builder batch = IngestBatch.newBuilder().setFirstSequence(first + 1);
      for (int i = first; i < Math.min(first + BATCH, vectors.size()); i++) batch.addItems(item(i, vectors.get(i)));
      acknowledged.send(IngestMemoriesRequest.newBuilder().setBatch(batch).build());
    }
    acknowledged.requests.onCompleted();
    return acknowledged.stored.get();
  }

  private static IngestItem item(int i, float[] vector) {
    ByteBuffer data = ByteBuffer.allocate(4 * vector.length).order(ByteOrder.LITTLE_ENDIAN);
    data.asFloatBuffer().put(vector);
    IngestItem.Builder item = IngestItem.newBuilder();
    item.getMemoryBuilder().setText(BenchDriver.sentence(i));
    item.getMemoryBuilder().getEmbeddingBuilder().setDataF32Le(ByteString.copyFrom(data)).setDimension(vector.length).setModel("bench");
    return item.build();
  }

  /** Sends no faster than the connection takes, and waits for the last acknowledgement. */
  private static final class Acknowledged implements ClientResponseObserver<IngestMemoriesRequest, IngestMemoriesResponse> {
    final CompletableFuture<Long> stored = new CompletableFuture<>();
    private final Semaphore ready = new Semaphore(0);
    private ClientCallStreamObserver<IngestMemoriesRequest> requests;
    private long storedCount;

    @Override
    public void beforeStart(ClientCallStreamObserver<IngestMemoriesRequest> stream) {
      requests = stream;
      stream.setOnReadyHandler(ready::release);
    }

    void send(IngestMemoriesRequest request) throws InterruptedException {
      while (!requests.isReady() && !stored.isDone()) ready.tryAcquire(1, TimeUnit.SECONDS);
      requests.onNext(request);
    }

    @Override
    public void onNext(IngestMemoriesResponse answer) {
      if (answer.hasAcknowledgement()) storedCount = answer.getAcknowledgement().getStoredCount();
    }

    @Override
    public void onError(Throwable failure) {
      stored.completeExceptionally(failure);
    }

    @Override
    public void onCompleted() {
      stored.complete(storedCount);
    }
  }

  @Override
  public long export(String namespace) {
    ExportMemoriesRequest request = ExportMemoriesRequest.newBuilder().setParent("namespaces/" + namespace).build();
    long count = 0;
    for (Iterator<ExportMemoriesResponse> answers = memories.exportMemories(request); answers.hasNext(); ) {
      count += answers.next().getMemoriesList().stream().filter(each -> !each.getText().isEmpty() && each.hasEmbedding()).count();
    }
    return count;
  }
}
