package dev.mneme.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Ranked retrieval of memories, and streams of changes.
 * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, FILTER_INVALID, DIMENSION_MISMATCH, MODEL_MISMATCH),
 * NOT_FOUND (NAMESPACE_NOT_FOUND, MEMORY_NOT_FOUND), UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING,
 * OVERLOADED, REVISION_NOT_YET, STORAGE_UNAVAILABLE), INTERNAL.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class RecallServiceGrpc {

  private RecallServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "mneme.v1.RecallService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.RecallRequest,
      dev.mneme.v1.RecallResponse> getRecallMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "Recall",
      requestType = dev.mneme.v1.RecallRequest.class,
      responseType = dev.mneme.v1.RecallResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.RecallRequest,
      dev.mneme.v1.RecallResponse> getRecallMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.RecallRequest, dev.mneme.v1.RecallResponse> getRecallMethod;
    if ((getRecallMethod = RecallServiceGrpc.getRecallMethod) == null) {
      synchronized (RecallServiceGrpc.class) {
        if ((getRecallMethod = RecallServiceGrpc.getRecallMethod) == null) {
          RecallServiceGrpc.getRecallMethod = getRecallMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.RecallRequest, dev.mneme.v1.RecallResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "Recall"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.RecallRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.RecallResponse.getDefaultInstance()))
              .setSchemaDescriptor(new RecallServiceMethodDescriptorSupplier("Recall"))
              .build();
        }
      }
    }
    return getRecallMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.RecallStreamRequest,
      dev.mneme.v1.RecallStreamResponse> getRecallStreamMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "RecallStream",
      requestType = dev.mneme.v1.RecallStreamRequest.class,
      responseType = dev.mneme.v1.RecallStreamResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.RecallStreamRequest,
      dev.mneme.v1.RecallStreamResponse> getRecallStreamMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.RecallStreamRequest, dev.mneme.v1.RecallStreamResponse> getRecallStreamMethod;
    if ((getRecallStreamMethod = RecallServiceGrpc.getRecallStreamMethod) == null) {
      synchronized (RecallServiceGrpc.class) {
        if ((getRecallStreamMethod = RecallServiceGrpc.getRecallStreamMethod) == null) {
          RecallServiceGrpc.getRecallStreamMethod = getRecallStreamMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.RecallStreamRequest, dev.mneme.v1.RecallStreamResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "RecallStream"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.RecallStreamRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.RecallStreamResponse.getDefaultInstance()))
              .setSchemaDescriptor(new RecallServiceMethodDescriptorSupplier("RecallStream"))
              .build();
        }
      }
    }
    return getRecallStreamMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ListRecallPresetsRequest,
      dev.mneme.v1.ListRecallPresetsResponse> getListRecallPresetsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListRecallPresets",
      requestType = dev.mneme.v1.ListRecallPresetsRequest.class,
      responseType = dev.mneme.v1.ListRecallPresetsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ListRecallPresetsRequest,
      dev.mneme.v1.ListRecallPresetsResponse> getListRecallPresetsMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ListRecallPresetsRequest, dev.mneme.v1.ListRecallPresetsResponse> getListRecallPresetsMethod;
    if ((getListRecallPresetsMethod = RecallServiceGrpc.getListRecallPresetsMethod) == null) {
      synchronized (RecallServiceGrpc.class) {
        if ((getListRecallPresetsMethod = RecallServiceGrpc.getListRecallPresetsMethod) == null) {
          RecallServiceGrpc.getListRecallPresetsMethod = getListRecallPresetsMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ListRecallPresetsRequest, dev.mneme.v1.ListRecallPresetsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListRecallPresets"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListRecallPresetsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListRecallPresetsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new RecallServiceMethodDescriptorSupplier("ListRecallPresets"))
              .build();
        }
      }
    }
    return getListRecallPresetsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.WatchMemoriesRequest,
      dev.mneme.v1.WatchMemoriesResponse> getWatchMemoriesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "WatchMemories",
      requestType = dev.mneme.v1.WatchMemoriesRequest.class,
      responseType = dev.mneme.v1.WatchMemoriesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.WatchMemoriesRequest,
      dev.mneme.v1.WatchMemoriesResponse> getWatchMemoriesMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.WatchMemoriesRequest, dev.mneme.v1.WatchMemoriesResponse> getWatchMemoriesMethod;
    if ((getWatchMemoriesMethod = RecallServiceGrpc.getWatchMemoriesMethod) == null) {
      synchronized (RecallServiceGrpc.class) {
        if ((getWatchMemoriesMethod = RecallServiceGrpc.getWatchMemoriesMethod) == null) {
          RecallServiceGrpc.getWatchMemoriesMethod = getWatchMemoriesMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.WatchMemoriesRequest, dev.mneme.v1.WatchMemoriesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "WatchMemories"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.WatchMemoriesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.WatchMemoriesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new RecallServiceMethodDescriptorSupplier("WatchMemories"))
              .build();
        }
      }
    }
    return getWatchMemoriesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.SubscribeRecallRequest,
      dev.mneme.v1.SubscribeRecallResponse> getSubscribeRecallMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "SubscribeRecall",
      requestType = dev.mneme.v1.SubscribeRecallRequest.class,
      responseType = dev.mneme.v1.SubscribeRecallResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.SubscribeRecallRequest,
      dev.mneme.v1.SubscribeRecallResponse> getSubscribeRecallMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.SubscribeRecallRequest, dev.mneme.v1.SubscribeRecallResponse> getSubscribeRecallMethod;
    if ((getSubscribeRecallMethod = RecallServiceGrpc.getSubscribeRecallMethod) == null) {
      synchronized (RecallServiceGrpc.class) {
        if ((getSubscribeRecallMethod = RecallServiceGrpc.getSubscribeRecallMethod) == null) {
          RecallServiceGrpc.getSubscribeRecallMethod = getSubscribeRecallMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.SubscribeRecallRequest, dev.mneme.v1.SubscribeRecallResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "SubscribeRecall"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.SubscribeRecallRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.SubscribeRecallResponse.getDefaultInstance()))
              .setSchemaDescriptor(new RecallServiceMethodDescriptorSupplier("SubscribeRecall"))
              .build();
        }
      }
    }
    return getSubscribeRecallMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static RecallServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<RecallServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<RecallServiceStub>() {
        @java.lang.Override
        public RecallServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new RecallServiceStub(channel, callOptions);
        }
      };
    return RecallServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static RecallServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<RecallServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<RecallServiceBlockingV2Stub>() {
        @java.lang.Override
        public RecallServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new RecallServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return RecallServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static RecallServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<RecallServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<RecallServiceBlockingStub>() {
        @java.lang.Override
        public RecallServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new RecallServiceBlockingStub(channel, callOptions);
        }
      };
    return RecallServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static RecallServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<RecallServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<RecallServiceFutureStub>() {
        @java.lang.Override
        public RecallServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new RecallServiceFutureStub(channel, callOptions);
        }
      };
    return RecallServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Ranked retrieval of memories, and streams of changes.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, FILTER_INVALID, DIMENSION_MISMATCH, MODEL_MISMATCH),
   * NOT_FOUND (NAMESPACE_NOT_FOUND, MEMORY_NOT_FOUND), UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING,
   * OVERLOADED, REVISION_NOT_YET, STORAGE_UNAVAILABLE), INTERNAL.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Returns the memories that match a query best, best first.
     * The query is a text, a vector, an example, another memory, a filter, or any combination of them. Hits with equal
     * scores are ordered by event time, newest first, then by the time at which they were stored. A lane that could not
     * be searched is named in `degraded`; the call fails when no lane could be searched.
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "text": "Where is the brass key?",
     *       "filter_text": "type = &#92;"state&#92;"",
     *       "limit": 5
     *     }
     * </pre>
     */
    default void recall(dev.mneme.v1.RecallRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.RecallResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getRecallMethod(), responseObserver);
    }

    /**
     * <pre>
     * Recalls, and sends the hits tier by tier, and last the order of all of them.
     * Hits of a tier are sent best first. The last message, `merged`, has all hits in one order: the order of the answer
     * of Recall. The stream ends with OK after `merged`. A call without a deadline is ended after 30 s.
     * Errors: those of Recall; RESOURCE_EXHAUSTED (MESSAGE_TOO_LARGE).
     * </pre>
     */
    default void recallStream(dev.mneme.v1.RecallStreamRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.RecallStreamResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getRecallStreamMethod(), responseObserver);
    }

    /**
     * <pre>
     * Lists the presets that `RecallRequest.preset` accepts, with their parameters.
     * </pre>
     */
    default void listRecallPresets(dev.mneme.v1.ListRecallPresetsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListRecallPresetsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListRecallPresetsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Streams every change of a namespace in order of revision, from any revision that the change log still has.
     * A namespace that does not exist yet is waited for, unless the server does not create namespaces on first use; the
     * change that stores its first memory is then sent.
     * Errors: OUT_OF_RANGE (REVISION_COMPACTED: list the memories and watch from the revision of the list; also when the
     * log was restored to an older state after the token was issued. REVISION_AHEAD), INVALID_ARGUMENT
     * (RESUME_TOKEN_INVALID), RESOURCE_EXHAUSTED (SLOW_CONSUMER: continue with the token in the metadata;
     * TOO_MANY_STREAMS).
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "filter_text": "type = &#92;"state&#92;"",
     *       "heartbeat_interval": "30s"
     *     }
     * </pre>
     */
    default void watchMemories(dev.mneme.v1.WatchMemoriesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.WatchMemoriesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getWatchMemoriesMethod(), responseObserver);
    }

    /**
     * <pre>
     * Recalls, and then streams how the answer changes.
     * The stream begins with the whole answer. Events follow for memories that enter the answer, change in it or leave
     * it, as memories are stored, changed, superseded, forgotten or expire, and as time passes. The answer is empty while
     * the namespace does not exist, unless the server does not create namespaces on first use.
     * Errors: those of Recall, INVALID_ARGUMENT (RESUME_TOKEN_INVALID), OUT_OF_RANGE (REVISION_AHEAD; REVISION_COMPACTED
     * when the log was restored to an older state after the token was issued: subscribe again without the token),
     * RESOURCE_EXHAUSTED (SLOW_CONSUMER, TOO_MANY_STREAMS).
     * Example:
     *     {
     *       "query": {
     *         "parent": "namespaces/example",
     *         "text": "brass key",
     *         "limit": 5
     *       }
     *     }
     * </pre>
     */
    default void subscribeRecall(dev.mneme.v1.SubscribeRecallRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.SubscribeRecallResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSubscribeRecallMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service RecallService.
   * <pre>
   * Ranked retrieval of memories, and streams of changes.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, FILTER_INVALID, DIMENSION_MISMATCH, MODEL_MISMATCH),
   * NOT_FOUND (NAMESPACE_NOT_FOUND, MEMORY_NOT_FOUND), UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING,
   * OVERLOADED, REVISION_NOT_YET, STORAGE_UNAVAILABLE), INTERNAL.
   * </pre>
   */
  public static abstract class RecallServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return RecallServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service RecallService.
   * <pre>
   * Ranked retrieval of memories, and streams of changes.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, FILTER_INVALID, DIMENSION_MISMATCH, MODEL_MISMATCH),
   * NOT_FOUND (NAMESPACE_NOT_FOUND, MEMORY_NOT_FOUND), UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING,
   * OVERLOADED, REVISION_NOT_YET, STORAGE_UNAVAILABLE), INTERNAL.
   * </pre>
   */
  public static final class RecallServiceStub
      extends io.grpc.stub.AbstractAsyncStub<RecallServiceStub> {
    private RecallServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected RecallServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new RecallServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Returns the memories that match a query best, best first.
     * The query is a text, a vector, an example, another memory, a filter, or any combination of them. Hits with equal
     * scores are ordered by event time, newest first, then by the time at which they were stored. A lane that could not
     * be searched is named in `degraded`; the call fails when no lane could be searched.
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "text": "Where is the brass key?",
     *       "filter_text": "type = &#92;"state&#92;"",
     *       "limit": 5
     *     }
     * </pre>
     */
    public void recall(dev.mneme.v1.RecallRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.RecallResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getRecallMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Recalls, and sends the hits tier by tier, and last the order of all of them.
     * Hits of a tier are sent best first. The last message, `merged`, has all hits in one order: the order of the answer
     * of Recall. The stream ends with OK after `merged`. A call without a deadline is ended after 30 s.
     * Errors: those of Recall; RESOURCE_EXHAUSTED (MESSAGE_TOO_LARGE).
     * </pre>
     */
    public void recallStream(dev.mneme.v1.RecallStreamRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.RecallStreamResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getRecallStreamMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Lists the presets that `RecallRequest.preset` accepts, with their parameters.
     * </pre>
     */
    public void listRecallPresets(dev.mneme.v1.ListRecallPresetsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListRecallPresetsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListRecallPresetsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Streams every change of a namespace in order of revision, from any revision that the change log still has.
     * A namespace that does not exist yet is waited for, unless the server does not create namespaces on first use; the
     * change that stores its first memory is then sent.
     * Errors: OUT_OF_RANGE (REVISION_COMPACTED: list the memories and watch from the revision of the list; also when the
     * log was restored to an older state after the token was issued. REVISION_AHEAD), INVALID_ARGUMENT
     * (RESUME_TOKEN_INVALID), RESOURCE_EXHAUSTED (SLOW_CONSUMER: continue with the token in the metadata;
     * TOO_MANY_STREAMS).
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "filter_text": "type = &#92;"state&#92;"",
     *       "heartbeat_interval": "30s"
     *     }
     * </pre>
     */
    public void watchMemories(dev.mneme.v1.WatchMemoriesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.WatchMemoriesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getWatchMemoriesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Recalls, and then streams how the answer changes.
     * The stream begins with the whole answer. Events follow for memories that enter the answer, change in it or leave
     * it, as memories are stored, changed, superseded, forgotten or expire, and as time passes. The answer is empty while
     * the namespace does not exist, unless the server does not create namespaces on first use.
     * Errors: those of Recall, INVALID_ARGUMENT (RESUME_TOKEN_INVALID), OUT_OF_RANGE (REVISION_AHEAD; REVISION_COMPACTED
     * when the log was restored to an older state after the token was issued: subscribe again without the token),
     * RESOURCE_EXHAUSTED (SLOW_CONSUMER, TOO_MANY_STREAMS).
     * Example:
     *     {
     *       "query": {
     *         "parent": "namespaces/example",
     *         "text": "brass key",
     *         "limit": 5
     *       }
     *     }
     * </pre>
     */
    public void subscribeRecall(dev.mneme.v1.SubscribeRecallRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.SubscribeRecallResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getSubscribeRecallMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service RecallService.
   * <pre>
   * Ranked retrieval of memories, and streams of changes.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, FILTER_INVALID, DIMENSION_MISMATCH, MODEL_MISMATCH),
   * NOT_FOUND (NAMESPACE_NOT_FOUND, MEMORY_NOT_FOUND), UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING,
   * OVERLOADED, REVISION_NOT_YET, STORAGE_UNAVAILABLE), INTERNAL.
   * </pre>
   */
  public static final class RecallServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<RecallServiceBlockingV2Stub> {
    private RecallServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected RecallServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new RecallServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Returns the memories that match a query best, best first.
     * The query is a text, a vector, an example, another memory, a filter, or any combination of them. Hits with equal
     * scores are ordered by event time, newest first, then by the time at which they were stored. A lane that could not
     * be searched is named in `degraded`; the call fails when no lane could be searched.
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "text": "Where is the brass key?",
     *       "filter_text": "type = &#92;"state&#92;"",
     *       "limit": 5
     *     }
     * </pre>
     */
    public dev.mneme.v1.RecallResponse recall(dev.mneme.v1.RecallRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getRecallMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Recalls, and sends the hits tier by tier, and last the order of all of them.
     * Hits of a tier are sent best first. The last message, `merged`, has all hits in one order: the order of the answer
     * of Recall. The stream ends with OK after `merged`. A call without a deadline is ended after 30 s.
     * Errors: those of Recall; RESOURCE_EXHAUSTED (MESSAGE_TOO_LARGE).
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, dev.mneme.v1.RecallStreamResponse>
        recallStream(dev.mneme.v1.RecallStreamRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getRecallStreamMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists the presets that `RecallRequest.preset` accepts, with their parameters.
     * </pre>
     */
    public dev.mneme.v1.ListRecallPresetsResponse listRecallPresets(dev.mneme.v1.ListRecallPresetsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListRecallPresetsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Streams every change of a namespace in order of revision, from any revision that the change log still has.
     * A namespace that does not exist yet is waited for, unless the server does not create namespaces on first use; the
     * change that stores its first memory is then sent.
     * Errors: OUT_OF_RANGE (REVISION_COMPACTED: list the memories and watch from the revision of the list; also when the
     * log was restored to an older state after the token was issued. REVISION_AHEAD), INVALID_ARGUMENT
     * (RESUME_TOKEN_INVALID), RESOURCE_EXHAUSTED (SLOW_CONSUMER: continue with the token in the metadata;
     * TOO_MANY_STREAMS).
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "filter_text": "type = &#92;"state&#92;"",
     *       "heartbeat_interval": "30s"
     *     }
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, dev.mneme.v1.WatchMemoriesResponse>
        watchMemories(dev.mneme.v1.WatchMemoriesRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getWatchMemoriesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Recalls, and then streams how the answer changes.
     * The stream begins with the whole answer. Events follow for memories that enter the answer, change in it or leave
     * it, as memories are stored, changed, superseded, forgotten or expire, and as time passes. The answer is empty while
     * the namespace does not exist, unless the server does not create namespaces on first use.
     * Errors: those of Recall, INVALID_ARGUMENT (RESUME_TOKEN_INVALID), OUT_OF_RANGE (REVISION_AHEAD; REVISION_COMPACTED
     * when the log was restored to an older state after the token was issued: subscribe again without the token),
     * RESOURCE_EXHAUSTED (SLOW_CONSUMER, TOO_MANY_STREAMS).
     * Example:
     *     {
     *       "query": {
     *         "parent": "namespaces/example",
     *         "text": "brass key",
     *         "limit": 5
     *       }
     *     }
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, dev.mneme.v1.SubscribeRecallResponse>
        subscribeRecall(dev.mneme.v1.SubscribeRecallRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getSubscribeRecallMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service RecallService.
   * <pre>
   * Ranked retrieval of memories, and streams of changes.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, FILTER_INVALID, DIMENSION_MISMATCH, MODEL_MISMATCH),
   * NOT_FOUND (NAMESPACE_NOT_FOUND, MEMORY_NOT_FOUND), UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING,
   * OVERLOADED, REVISION_NOT_YET, STORAGE_UNAVAILABLE), INTERNAL.
   * </pre>
   */
  public static final class RecallServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<RecallServiceBlockingStub> {
    private RecallServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected RecallServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new RecallServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Returns the memories that match a query best, best first.
     * The query is a text, a vector, an example, another memory, a filter, or any combination of them. Hits with equal
     * scores are ordered by event time, newest first, then by the time at which they were stored. A lane that could not
     * be searched is named in `degraded`; the call fails when no lane could be searched.
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "text": "Where is the brass key?",
     *       "filter_text": "type = &#92;"state&#92;"",
     *       "limit": 5
     *     }
     * </pre>
     */
    public dev.mneme.v1.RecallResponse recall(dev.mneme.v1.RecallRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getRecallMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Recalls, and sends the hits tier by tier, and last the order of all of them.
     * Hits of a tier are sent best first. The last message, `merged`, has all hits in one order: the order of the answer
     * of Recall. The stream ends with OK after `merged`. A call without a deadline is ended after 30 s.
     * Errors: those of Recall; RESOURCE_EXHAUSTED (MESSAGE_TOO_LARGE).
     * </pre>
     */
    public java.util.Iterator<dev.mneme.v1.RecallStreamResponse> recallStream(
        dev.mneme.v1.RecallStreamRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getRecallStreamMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists the presets that `RecallRequest.preset` accepts, with their parameters.
     * </pre>
     */
    public dev.mneme.v1.ListRecallPresetsResponse listRecallPresets(dev.mneme.v1.ListRecallPresetsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListRecallPresetsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Streams every change of a namespace in order of revision, from any revision that the change log still has.
     * A namespace that does not exist yet is waited for, unless the server does not create namespaces on first use; the
     * change that stores its first memory is then sent.
     * Errors: OUT_OF_RANGE (REVISION_COMPACTED: list the memories and watch from the revision of the list; also when the
     * log was restored to an older state after the token was issued. REVISION_AHEAD), INVALID_ARGUMENT
     * (RESUME_TOKEN_INVALID), RESOURCE_EXHAUSTED (SLOW_CONSUMER: continue with the token in the metadata;
     * TOO_MANY_STREAMS).
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "filter_text": "type = &#92;"state&#92;"",
     *       "heartbeat_interval": "30s"
     *     }
     * </pre>
     */
    public java.util.Iterator<dev.mneme.v1.WatchMemoriesResponse> watchMemories(
        dev.mneme.v1.WatchMemoriesRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getWatchMemoriesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Recalls, and then streams how the answer changes.
     * The stream begins with the whole answer. Events follow for memories that enter the answer, change in it or leave
     * it, as memories are stored, changed, superseded, forgotten or expire, and as time passes. The answer is empty while
     * the namespace does not exist, unless the server does not create namespaces on first use.
     * Errors: those of Recall, INVALID_ARGUMENT (RESUME_TOKEN_INVALID), OUT_OF_RANGE (REVISION_AHEAD; REVISION_COMPACTED
     * when the log was restored to an older state after the token was issued: subscribe again without the token),
     * RESOURCE_EXHAUSTED (SLOW_CONSUMER, TOO_MANY_STREAMS).
     * Example:
     *     {
     *       "query": {
     *         "parent": "namespaces/example",
     *         "text": "brass key",
     *         "limit": 5
     *       }
     *     }
     * </pre>
     */
    public java.util.Iterator<dev.mneme.v1.SubscribeRecallResponse> subscribeRecall(
        dev.mneme.v1.SubscribeRecallRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getSubscribeRecallMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service RecallService.
   * <pre>
   * Ranked retrieval of memories, and streams of changes.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, FILTER_INVALID, DIMENSION_MISMATCH, MODEL_MISMATCH),
   * NOT_FOUND (NAMESPACE_NOT_FOUND, MEMORY_NOT_FOUND), UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING,
   * OVERLOADED, REVISION_NOT_YET, STORAGE_UNAVAILABLE), INTERNAL.
   * </pre>
   */
  public static final class RecallServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<RecallServiceFutureStub> {
    private RecallServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected RecallServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new RecallServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Returns the memories that match a query best, best first.
     * The query is a text, a vector, an example, another memory, a filter, or any combination of them. Hits with equal
     * scores are ordered by event time, newest first, then by the time at which they were stored. A lane that could not
     * be searched is named in `degraded`; the call fails when no lane could be searched.
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "text": "Where is the brass key?",
     *       "filter_text": "type = &#92;"state&#92;"",
     *       "limit": 5
     *     }
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.RecallResponse> recall(
        dev.mneme.v1.RecallRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getRecallMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Lists the presets that `RecallRequest.preset` accepts, with their parameters.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ListRecallPresetsResponse> listRecallPresets(
        dev.mneme.v1.ListRecallPresetsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListRecallPresetsMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_RECALL = 0;
  private static final int METHODID_RECALL_STREAM = 1;
  private static final int METHODID_LIST_RECALL_PRESETS = 2;
  private static final int METHODID_WATCH_MEMORIES = 3;
  private static final int METHODID_SUBSCRIBE_RECALL = 4;

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
        case METHODID_RECALL:
          serviceImpl.recall((dev.mneme.v1.RecallRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.RecallResponse>) responseObserver);
          break;
        case METHODID_RECALL_STREAM:
          serviceImpl.recallStream((dev.mneme.v1.RecallStreamRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.RecallStreamResponse>) responseObserver);
          break;
        case METHODID_LIST_RECALL_PRESETS:
          serviceImpl.listRecallPresets((dev.mneme.v1.ListRecallPresetsRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ListRecallPresetsResponse>) responseObserver);
          break;
        case METHODID_WATCH_MEMORIES:
          serviceImpl.watchMemories((dev.mneme.v1.WatchMemoriesRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.WatchMemoriesResponse>) responseObserver);
          break;
        case METHODID_SUBSCRIBE_RECALL:
          serviceImpl.subscribeRecall((dev.mneme.v1.SubscribeRecallRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.SubscribeRecallResponse>) responseObserver);
          break;
        default:
          throw new AssertionError();
      }
    }

    @java.lang.Override
    @java.lang.SuppressWarnings("unchecked")
    public io.grpc.stub.StreamObserver<Req> invoke(
        io.grpc.stub.StreamObserver<Resp> responseObserver) {
      switch (methodId) {
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getRecallMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.RecallRequest,
              dev.mneme.v1.RecallResponse>(
                service, METHODID_RECALL)))
        .addMethod(
          getRecallStreamMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              dev.mneme.v1.RecallStreamRequest,
              dev.mneme.v1.RecallStreamResponse>(
                service, METHODID_RECALL_STREAM)))
        .addMethod(
          getListRecallPresetsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ListRecallPresetsRequest,
              dev.mneme.v1.ListRecallPresetsResponse>(
                service, METHODID_LIST_RECALL_PRESETS)))
        .addMethod(
          getWatchMemoriesMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              dev.mneme.v1.WatchMemoriesRequest,
              dev.mneme.v1.WatchMemoriesResponse>(
                service, METHODID_WATCH_MEMORIES)))
        .addMethod(
          getSubscribeRecallMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              dev.mneme.v1.SubscribeRecallRequest,
              dev.mneme.v1.SubscribeRecallResponse>(
                service, METHODID_SUBSCRIBE_RECALL)))
        .build();
  }

  private static abstract class RecallServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    RecallServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.mneme.v1.RecallServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("RecallService");
    }
  }

  private static final class RecallServiceFileDescriptorSupplier
      extends RecallServiceBaseDescriptorSupplier {
    RecallServiceFileDescriptorSupplier() {}
  }

  private static final class RecallServiceMethodDescriptorSupplier
      extends RecallServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    RecallServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (RecallServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new RecallServiceFileDescriptorSupplier())
              .addMethod(getRecallMethod())
              .addMethod(getRecallStreamMethod())
              .addMethod(getListRecallPresetsMethod())
              .addMethod(getWatchMemoriesMethod())
              .addMethod(getSubscribeRecallMethod())
              .build();
        }
      }
    }
    return result;
  }
}
