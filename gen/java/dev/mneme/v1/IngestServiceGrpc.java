package dev.mneme.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Stores streams of memories.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class IngestServiceGrpc {

  private IngestServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "mneme.v1.IngestService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.IngestMemoriesRequest,
      dev.mneme.v1.IngestMemoriesResponse> getIngestMemoriesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "IngestMemories",
      requestType = dev.mneme.v1.IngestMemoriesRequest.class,
      responseType = dev.mneme.v1.IngestMemoriesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.IngestMemoriesRequest,
      dev.mneme.v1.IngestMemoriesResponse> getIngestMemoriesMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.IngestMemoriesRequest, dev.mneme.v1.IngestMemoriesResponse> getIngestMemoriesMethod;
    if ((getIngestMemoriesMethod = IngestServiceGrpc.getIngestMemoriesMethod) == null) {
      synchronized (IngestServiceGrpc.class) {
        if ((getIngestMemoriesMethod = IngestServiceGrpc.getIngestMemoriesMethod) == null) {
          IngestServiceGrpc.getIngestMemoriesMethod = getIngestMemoriesMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.IngestMemoriesRequest, dev.mneme.v1.IngestMemoriesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "IngestMemories"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.IngestMemoriesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.IngestMemoriesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new IngestServiceMethodDescriptorSupplier("IngestMemories"))
              .build();
        }
      }
    }
    return getIngestMemoriesMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static IngestServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<IngestServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<IngestServiceStub>() {
        @java.lang.Override
        public IngestServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new IngestServiceStub(channel, callOptions);
        }
      };
    return IngestServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static IngestServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<IngestServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<IngestServiceBlockingV2Stub>() {
        @java.lang.Override
        public IngestServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new IngestServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return IngestServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static IngestServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<IngestServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<IngestServiceBlockingStub>() {
        @java.lang.Override
        public IngestServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new IngestServiceBlockingStub(channel, callOptions);
        }
      };
    return IngestServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static IngestServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<IngestServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<IngestServiceFutureStub>() {
        @java.lang.Override
        public IngestServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new IngestServiceFutureStub(channel, callOptions);
        }
      };
    return IngestServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Stores streams of memories.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Stores memories from a stream and acknowledges them, in order, when they are durable.
     * The first message is `start`. Batches follow, whose items are numbered without gaps, and heartbeats. An item that
     * cannot be stored is refused individually, with its status, and the stream continues. The batches of a stream are
     * stored in order; when an item is refused, the other items of its batch may be stored after the following batches.
     * To resume a broken stream, open another stream with the same `stream_id` and send everything after the last
     * acknowledged item again; items that are already stored are not stored twice. A batch that is sent again unchanged
     * gets its first result: the server remembers batches for `idempotency_retention_ms` (24 hours by default). When the
     * items are divided into different batches, items that are already stored are recognised by their ids and handled by
     * `conflict_policy`: kept by default, refused with `CONFLICT_POLICY_FAIL`.
     * The server stops reading while the items in flight reach `IngestStarted.max_bytes_in_flight`, and while the caller
     * does not read the acknowledgements. When the caller half-closes the stream, the server acknowledges everything
     * before the stream ends with OK.
     * Errors that end the stream: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED) for messages that are out of order
     * or exceed a limit, NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use,
     * FAILED_PRECONDITION (REQUEST_ID_REUSED) for a batch that was sent before with other items, RESOURCE_EXHAUSTED
     * (QUEUE_FULL, STORAGE_FULL, MESSAGE_TOO_LARGE, TOO_MANY_STREAMS, SLOW_CONSUMER), UNAUTHENTICATED, UNAVAILABLE
     * (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE, EMBEDDER_UNAVAILABLE), INTERNAL. Send everything that is not
     * acknowledged again. A stream without `start` within 30 s (`max_stream_stall_ms`) ends with FIELD_INVALID.
     * Errors of an item: INVALID_ARGUMENT (FIELD_INVALID, DIMENSION_MISMATCH, MODEL_MISMATCH), ALREADY_EXISTS
     * (MEMORY_EXISTS), RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * </pre>
     */
    default io.grpc.stub.StreamObserver<dev.mneme.v1.IngestMemoriesRequest> ingestMemories(
        io.grpc.stub.StreamObserver<dev.mneme.v1.IngestMemoriesResponse> responseObserver) {
      return io.grpc.stub.ServerCalls.asyncUnimplementedStreamingCall(getIngestMemoriesMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service IngestService.
   * <pre>
   * Stores streams of memories.
   * </pre>
   */
  public static abstract class IngestServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return IngestServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service IngestService.
   * <pre>
   * Stores streams of memories.
   * </pre>
   */
  public static final class IngestServiceStub
      extends io.grpc.stub.AbstractAsyncStub<IngestServiceStub> {
    private IngestServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected IngestServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new IngestServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Stores memories from a stream and acknowledges them, in order, when they are durable.
     * The first message is `start`. Batches follow, whose items are numbered without gaps, and heartbeats. An item that
     * cannot be stored is refused individually, with its status, and the stream continues. The batches of a stream are
     * stored in order; when an item is refused, the other items of its batch may be stored after the following batches.
     * To resume a broken stream, open another stream with the same `stream_id` and send everything after the last
     * acknowledged item again; items that are already stored are not stored twice. A batch that is sent again unchanged
     * gets its first result: the server remembers batches for `idempotency_retention_ms` (24 hours by default). When the
     * items are divided into different batches, items that are already stored are recognised by their ids and handled by
     * `conflict_policy`: kept by default, refused with `CONFLICT_POLICY_FAIL`.
     * The server stops reading while the items in flight reach `IngestStarted.max_bytes_in_flight`, and while the caller
     * does not read the acknowledgements. When the caller half-closes the stream, the server acknowledges everything
     * before the stream ends with OK.
     * Errors that end the stream: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED) for messages that are out of order
     * or exceed a limit, NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use,
     * FAILED_PRECONDITION (REQUEST_ID_REUSED) for a batch that was sent before with other items, RESOURCE_EXHAUSTED
     * (QUEUE_FULL, STORAGE_FULL, MESSAGE_TOO_LARGE, TOO_MANY_STREAMS, SLOW_CONSUMER), UNAUTHENTICATED, UNAVAILABLE
     * (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE, EMBEDDER_UNAVAILABLE), INTERNAL. Send everything that is not
     * acknowledged again. A stream without `start` within 30 s (`max_stream_stall_ms`) ends with FIELD_INVALID.
     * Errors of an item: INVALID_ARGUMENT (FIELD_INVALID, DIMENSION_MISMATCH, MODEL_MISMATCH), ALREADY_EXISTS
     * (MEMORY_EXISTS), RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * </pre>
     */
    public io.grpc.stub.StreamObserver<dev.mneme.v1.IngestMemoriesRequest> ingestMemories(
        io.grpc.stub.StreamObserver<dev.mneme.v1.IngestMemoriesResponse> responseObserver) {
      return io.grpc.stub.ClientCalls.asyncBidiStreamingCall(
          getChannel().newCall(getIngestMemoriesMethod(), getCallOptions()), responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service IngestService.
   * <pre>
   * Stores streams of memories.
   * </pre>
   */
  public static final class IngestServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<IngestServiceBlockingV2Stub> {
    private IngestServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected IngestServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new IngestServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Stores memories from a stream and acknowledges them, in order, when they are durable.
     * The first message is `start`. Batches follow, whose items are numbered without gaps, and heartbeats. An item that
     * cannot be stored is refused individually, with its status, and the stream continues. The batches of a stream are
     * stored in order; when an item is refused, the other items of its batch may be stored after the following batches.
     * To resume a broken stream, open another stream with the same `stream_id` and send everything after the last
     * acknowledged item again; items that are already stored are not stored twice. A batch that is sent again unchanged
     * gets its first result: the server remembers batches for `idempotency_retention_ms` (24 hours by default). When the
     * items are divided into different batches, items that are already stored are recognised by their ids and handled by
     * `conflict_policy`: kept by default, refused with `CONFLICT_POLICY_FAIL`.
     * The server stops reading while the items in flight reach `IngestStarted.max_bytes_in_flight`, and while the caller
     * does not read the acknowledgements. When the caller half-closes the stream, the server acknowledges everything
     * before the stream ends with OK.
     * Errors that end the stream: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED) for messages that are out of order
     * or exceed a limit, NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use,
     * FAILED_PRECONDITION (REQUEST_ID_REUSED) for a batch that was sent before with other items, RESOURCE_EXHAUSTED
     * (QUEUE_FULL, STORAGE_FULL, MESSAGE_TOO_LARGE, TOO_MANY_STREAMS, SLOW_CONSUMER), UNAUTHENTICATED, UNAVAILABLE
     * (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE, EMBEDDER_UNAVAILABLE), INTERNAL. Send everything that is not
     * acknowledged again. A stream without `start` within 30 s (`max_stream_stall_ms`) ends with FIELD_INVALID.
     * Errors of an item: INVALID_ARGUMENT (FIELD_INVALID, DIMENSION_MISMATCH, MODEL_MISMATCH), ALREADY_EXISTS
     * (MEMORY_EXISTS), RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<dev.mneme.v1.IngestMemoriesRequest, dev.mneme.v1.IngestMemoriesResponse>
        ingestMemories() {
      return io.grpc.stub.ClientCalls.blockingBidiStreamingCall(
          getChannel(), getIngestMemoriesMethod(), getCallOptions());
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service IngestService.
   * <pre>
   * Stores streams of memories.
   * </pre>
   */
  public static final class IngestServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<IngestServiceBlockingStub> {
    private IngestServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected IngestServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new IngestServiceBlockingStub(channel, callOptions);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service IngestService.
   * <pre>
   * Stores streams of memories.
   * </pre>
   */
  public static final class IngestServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<IngestServiceFutureStub> {
    private IngestServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected IngestServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new IngestServiceFutureStub(channel, callOptions);
    }
  }

  private static final int METHODID_INGEST_MEMORIES = 0;

  private static final class MethodHandlers<Req, Resp> implements
      io.grpc.stub.ServerCalls.UnaryMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.ServerStreamingMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.ClientStreamingMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.BidiStreamingMethod<Req, Resp> {
    private final AsyncService serviceImpl;
    private final int methodId;

    MethodHandlers(AsyncService serviceImpl, int methodId) {
      this.serviceImpl = serviceImpl;
      this.methodId = methodId;
    }

    @java.lang.Override
    @java.lang.SuppressWarnings("unchecked")
    public void invoke(Req request, io.grpc.stub.StreamObserver<Resp> responseObserver) {
      switch (methodId) {
        default:
          throw new AssertionError();
      }
    }

    @java.lang.Override
    @java.lang.SuppressWarnings("unchecked")
    public io.grpc.stub.StreamObserver<Req> invoke(
        io.grpc.stub.StreamObserver<Resp> responseObserver) {
      switch (methodId) {
        case METHODID_INGEST_MEMORIES:
          return (io.grpc.stub.StreamObserver<Req>) serviceImpl.ingestMemories(
              (io.grpc.stub.StreamObserver<dev.mneme.v1.IngestMemoriesResponse>) responseObserver);
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getIngestMemoriesMethod(),
          io.grpc.stub.ServerCalls.asyncBidiStreamingCall(
            new MethodHandlers<
              dev.mneme.v1.IngestMemoriesRequest,
              dev.mneme.v1.IngestMemoriesResponse>(
                service, METHODID_INGEST_MEMORIES)))
        .build();
  }

  private static abstract class IngestServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    IngestServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.mneme.v1.IngestServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("IngestService");
    }
  }

  private static final class IngestServiceFileDescriptorSupplier
      extends IngestServiceBaseDescriptorSupplier {
    IngestServiceFileDescriptorSupplier() {}
  }

  private static final class IngestServiceMethodDescriptorSupplier
      extends IngestServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    IngestServiceMethodDescriptorSupplier(java.lang.String methodName) {
      this.methodName = methodName;
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.MethodDescriptor getMethodDescriptor() {
      return getServiceDescriptor().findMethodByName(methodName);
    }
  }

  private static volatile io.grpc.ServiceDescriptor serviceDescriptor;

  public static io.grpc.ServiceDescriptor getServiceDescriptor() {
    io.grpc.ServiceDescriptor result = serviceDescriptor;
    if (result == null) {
      synchronized (IngestServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new IngestServiceFileDescriptorSupplier())
              .addMethod(getIngestMemoriesMethod())
              .build();
        }
      }
    }
    return result;
  }
}
