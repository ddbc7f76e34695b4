package dev.mneme.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Server information, statistics, maintenance and configuration, for operators and tools.
 * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID), UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING,
 * OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class AdminServiceGrpc {

  private AdminServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "mneme.v1.AdminService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.GetServerInfoRequest,
      dev.mneme.v1.GetServerInfoResponse> getGetServerInfoMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetServerInfo",
      requestType = dev.mneme.v1.GetServerInfoRequest.class,
      responseType = dev.mneme.v1.GetServerInfoResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.GetServerInfoRequest,
      dev.mneme.v1.GetServerInfoResponse> getGetServerInfoMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.GetServerInfoRequest, dev.mneme.v1.GetServerInfoResponse> getGetServerInfoMethod;
    if ((getGetServerInfoMethod = AdminServiceGrpc.getGetServerInfoMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getGetServerInfoMethod = AdminServiceGrpc.getGetServerInfoMethod) == null) {
          AdminServiceGrpc.getGetServerInfoMethod = getGetServerInfoMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.GetServerInfoRequest, dev.mneme.v1.GetServerInfoResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetServerInfo"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetServerInfoRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetServerInfoResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("GetServerInfo"))
              .build();
        }
      }
    }
    return getGetServerInfoMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.GetServerStatisticsRequest,
      dev.mneme.v1.GetServerStatisticsResponse> getGetServerStatisticsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetServerStatistics",
      requestType = dev.mneme.v1.GetServerStatisticsRequest.class,
      responseType = dev.mneme.v1.GetServerStatisticsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.GetServerStatisticsRequest,
      dev.mneme.v1.GetServerStatisticsResponse> getGetServerStatisticsMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.GetServerStatisticsRequest, dev.mneme.v1.GetServerStatisticsResponse> getGetServerStatisticsMethod;
    if ((getGetServerStatisticsMethod = AdminServiceGrpc.getGetServerStatisticsMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getGetServerStatisticsMethod = AdminServiceGrpc.getGetServerStatisticsMethod) == null) {
          AdminServiceGrpc.getGetServerStatisticsMethod = getGetServerStatisticsMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.GetServerStatisticsRequest, dev.mneme.v1.GetServerStatisticsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetServerStatistics"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetServerStatisticsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetServerStatisticsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("GetServerStatistics"))
              .build();
        }
      }
    }
    return getGetServerStatisticsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ReembedMemoriesRequest,
      dev.mneme.v1.ReembedMemoriesResponse> getReembedMemoriesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ReembedMemories",
      requestType = dev.mneme.v1.ReembedMemoriesRequest.class,
      responseType = dev.mneme.v1.ReembedMemoriesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ReembedMemoriesRequest,
      dev.mneme.v1.ReembedMemoriesResponse> getReembedMemoriesMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ReembedMemoriesRequest, dev.mneme.v1.ReembedMemoriesResponse> getReembedMemoriesMethod;
    if ((getReembedMemoriesMethod = AdminServiceGrpc.getReembedMemoriesMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getReembedMemoriesMethod = AdminServiceGrpc.getReembedMemoriesMethod) == null) {
          AdminServiceGrpc.getReembedMemoriesMethod = getReembedMemoriesMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ReembedMemoriesRequest, dev.mneme.v1.ReembedMemoriesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ReembedMemories"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ReembedMemoriesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ReembedMemoriesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("ReembedMemories"))
              .build();
        }
      }
    }
    return getReembedMemoriesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.GetReembedProgressRequest,
      dev.mneme.v1.GetReembedProgressResponse> getGetReembedProgressMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetReembedProgress",
      requestType = dev.mneme.v1.GetReembedProgressRequest.class,
      responseType = dev.mneme.v1.GetReembedProgressResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.GetReembedProgressRequest,
      dev.mneme.v1.GetReembedProgressResponse> getGetReembedProgressMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.GetReembedProgressRequest, dev.mneme.v1.GetReembedProgressResponse> getGetReembedProgressMethod;
    if ((getGetReembedProgressMethod = AdminServiceGrpc.getGetReembedProgressMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getGetReembedProgressMethod = AdminServiceGrpc.getGetReembedProgressMethod) == null) {
          AdminServiceGrpc.getGetReembedProgressMethod = getGetReembedProgressMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.GetReembedProgressRequest, dev.mneme.v1.GetReembedProgressResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetReembedProgress"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetReembedProgressRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetReembedProgressResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("GetReembedProgress"))
              .build();
        }
      }
    }
    return getGetReembedProgressMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.MaintainTiersRequest,
      dev.mneme.v1.MaintainTiersResponse> getMaintainTiersMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "MaintainTiers",
      requestType = dev.mneme.v1.MaintainTiersRequest.class,
      responseType = dev.mneme.v1.MaintainTiersResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.MaintainTiersRequest,
      dev.mneme.v1.MaintainTiersResponse> getMaintainTiersMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.MaintainTiersRequest, dev.mneme.v1.MaintainTiersResponse> getMaintainTiersMethod;
    if ((getMaintainTiersMethod = AdminServiceGrpc.getMaintainTiersMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getMaintainTiersMethod = AdminServiceGrpc.getMaintainTiersMethod) == null) {
          AdminServiceGrpc.getMaintainTiersMethod = getMaintainTiersMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.MaintainTiersRequest, dev.mneme.v1.MaintainTiersResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "MaintainTiers"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.MaintainTiersRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.MaintainTiersResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("MaintainTiers"))
              .build();
        }
      }
    }
    return getMaintainTiersMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ClearTierRequest,
      dev.mneme.v1.ClearTierResponse> getClearTierMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ClearTier",
      requestType = dev.mneme.v1.ClearTierRequest.class,
      responseType = dev.mneme.v1.ClearTierResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ClearTierRequest,
      dev.mneme.v1.ClearTierResponse> getClearTierMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ClearTierRequest, dev.mneme.v1.ClearTierResponse> getClearTierMethod;
    if ((getClearTierMethod = AdminServiceGrpc.getClearTierMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getClearTierMethod = AdminServiceGrpc.getClearTierMethod) == null) {
          AdminServiceGrpc.getClearTierMethod = getClearTierMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ClearTierRequest, dev.mneme.v1.ClearTierResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ClearTier"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ClearTierRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ClearTierResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("ClearTier"))
              .build();
        }
      }
    }
    return getClearTierMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ClearRecallCacheRequest,
      dev.mneme.v1.ClearRecallCacheResponse> getClearRecallCacheMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ClearRecallCache",
      requestType = dev.mneme.v1.ClearRecallCacheRequest.class,
      responseType = dev.mneme.v1.ClearRecallCacheResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ClearRecallCacheRequest,
      dev.mneme.v1.ClearRecallCacheResponse> getClearRecallCacheMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ClearRecallCacheRequest, dev.mneme.v1.ClearRecallCacheResponse> getClearRecallCacheMethod;
    if ((getClearRecallCacheMethod = AdminServiceGrpc.getClearRecallCacheMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getClearRecallCacheMethod = AdminServiceGrpc.getClearRecallCacheMethod) == null) {
          AdminServiceGrpc.getClearRecallCacheMethod = getClearRecallCacheMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ClearRecallCacheRequest, dev.mneme.v1.ClearRecallCacheResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ClearRecallCache"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ClearRecallCacheRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ClearRecallCacheResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("ClearRecallCache"))
              .build();
        }
      }
    }
    return getClearRecallCacheMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.GetConfigRequest,
      dev.mneme.v1.GetConfigResponse> getGetConfigMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetConfig",
      requestType = dev.mneme.v1.GetConfigRequest.class,
      responseType = dev.mneme.v1.GetConfigResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.GetConfigRequest,
      dev.mneme.v1.GetConfigResponse> getGetConfigMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.GetConfigRequest, dev.mneme.v1.GetConfigResponse> getGetConfigMethod;
    if ((getGetConfigMethod = AdminServiceGrpc.getGetConfigMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getGetConfigMethod = AdminServiceGrpc.getGetConfigMethod) == null) {
          AdminServiceGrpc.getGetConfigMethod = getGetConfigMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.GetConfigRequest, dev.mneme.v1.GetConfigResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetConfig"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetConfigRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetConfigResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("GetConfig"))
              .build();
        }
      }
    }
    return getGetConfigMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.UpdateConfigRequest,
      dev.mneme.v1.UpdateConfigResponse> getUpdateConfigMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "UpdateConfig",
      requestType = dev.mneme.v1.UpdateConfigRequest.class,
      responseType = dev.mneme.v1.UpdateConfigResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.UpdateConfigRequest,
      dev.mneme.v1.UpdateConfigResponse> getUpdateConfigMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.UpdateConfigRequest, dev.mneme.v1.UpdateConfigResponse> getUpdateConfigMethod;
    if ((getUpdateConfigMethod = AdminServiceGrpc.getUpdateConfigMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getUpdateConfigMethod = AdminServiceGrpc.getUpdateConfigMethod) == null) {
          AdminServiceGrpc.getUpdateConfigMethod = getUpdateConfigMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.UpdateConfigRequest, dev.mneme.v1.UpdateConfigResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "UpdateConfig"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.UpdateConfigRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.UpdateConfigResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("UpdateConfig"))
              .build();
        }
      }
    }
    return getUpdateConfigMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static AdminServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<AdminServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<AdminServiceStub>() {
        @java.lang.Override
        public AdminServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new AdminServiceStub(channel, callOptions);
        }
      };
    return AdminServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static AdminServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<AdminServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<AdminServiceBlockingV2Stub>() {
        @java.lang.Override
        public AdminServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new AdminServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return AdminServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static AdminServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<AdminServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<AdminServiceBlockingStub>() {
        @java.lang.Override
        public AdminServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new AdminServiceBlockingStub(channel, callOptions);
        }
      };
    return AdminServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static AdminServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<AdminServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<AdminServiceFutureStub>() {
        @java.lang.Override
        public AdminServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new AdminServiceFutureStub(channel, callOptions);
        }
      };
    return AdminServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Server information, statistics, maintenance and configuration, for operators and tools.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID), UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING,
   * OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Returns the version, stores, embedder and limits of the server, and which parts of it do not work. Suitable as a
     * first call.
     * </pre>
     */
    default void getServerInfo(dev.mneme.v1.GetServerInfoRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetServerInfoResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetServerInfoMethod(), responseObserver);
    }

    /**
     * <pre>
     * Returns statistics of the whole server, or of one agent's memories in all namespaces.
     * </pre>
     */
    default void getServerStatistics(dev.mneme.v1.GetServerStatisticsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetServerStatisticsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetServerStatisticsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Recomputes the vectors of a namespace, or of all namespaces, with the server's embedder. The call returns at once;
     * the work runs in the background and continues after a restart. GetReembedProgress reports it.
     * Recall uses the previous vectors until all vectors of a namespace are computed; the new vectors then replace them
     * in one step. Vectors supplied by callers are replaced as well, and a memory without text ends without a vector. A
     * namespace whose vectors already have the embedder's model and dimension is skipped. The `static` embedder stores no
     * vectors: stored vectors are removed, and texts are found by vectors that recall computes. Repeating the call while
     * the work runs changes nothing.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), FAILED_PRECONDITION (LANE_UNAVAILABLE) when the server has no embedder,
     * UNAVAILABLE (EMBEDDER_UNAVAILABLE) when the dimension of the embedder's vectors is unknown and cannot be
     * determined.
     * </pre>
     */
    default void reembedMemories(dev.mneme.v1.ReembedMemoriesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ReembedMemoriesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getReembedMemoriesMethod(), responseObserver);
    }

    /**
     * <pre>
     * Returns the progress of ReembedMemories.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    default void getReembedProgress(dev.mneme.v1.GetReembedProgressRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetReembedProgressResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetReembedProgressMethod(), responseObserver);
    }

    /**
     * <pre>
     * Moves memories that exceed the time to live or a limit of their tier (`Namespace.settings`) one tier down, and
     * streams each batch of moves. The server does the same periodically by itself.
     * Memories beyond their time to live are moved first. While a tier still exceeds a limit, memories are then chosen by
     * score, age factor × (1 − importance), highest first, among the memories that have been in the tier longest. Only
     * the tier of a memory changes, unless the namespace is configured for lossy compaction (`Memory.compaction`). An
     * interrupted call keeps its moves; repeating it continues.
     * Without `parent`, a namespace that cannot be maintained does not stop the others: the call fails at the end with
     * the first error. A namespace that is deleted during the call is skipped.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    default void maintainTiers(dev.mneme.v1.MaintainTiersRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.MaintainTiersResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getMaintainTiersMethod(), responseObserver);
    }

    /**
     * <pre>
     * Erases all memories of one tier of a namespace, or those of one scope in it, with their revisions. Other tiers are
     * unchanged. To empty a tier without erasing memories, call MaintainTiers with `flush`, or DemoteMemories.
     * Memories that scope policies hide from the caller are kept; a caller with the header `mneme-scope: *` erases all.
     * Up to 1,000 memories are erased atomically; a larger call that is interrupted has erased some of them, and
     * repeating it erases the rest. Every erasure is a separate change in the change log. A memory that leaves the tier
     * during the call is kept.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), FAILED_PRECONDITION (REQUEST_ID_REUSED, SCOPE_READ_ONLY),
     * RESOURCE_EXHAUSTED (QUEUE_FULL).
     * </pre>
     */
    default void clearTier(dev.mneme.v1.ClearTierRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ClearTierResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getClearTierMethod(), responseObserver);
    }

    /**
     * <pre>
     * Removes cached answers of Recall, of one namespace or of all. Cached answers are never outdated, so this only frees
     * memory. The settings `cache.entries`, `cache.bytes` and `cache.ttl` of UpdateConfig configure the cache.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    default void clearRecallCache(dev.mneme.v1.ClearRecallCacheRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ClearRecallCacheResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getClearRecallCacheMethod(), responseObserver);
    }

    /**
     * <pre>
     * Returns the settings of the server that apply to every namespace without its own value.
     * </pre>
     */
    default void getConfig(dev.mneme.v1.GetConfigRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetConfigResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetConfigMethod(), responseObserver);
    }

    /**
     * <pre>
     * Sets and removes settings of the server at run time. They are kept across restarts.
     * All settings are checked before any is applied: an unknown key or invalid value fails with INVALID_ARGUMENT
     * (FIELD_INVALID) naming it, and nothing is changed. The same happens when a new limit, also one that takes effect
     * because a key is removed, is lower than the current contents of a namespace without its own limit, unless
     * `allow_demotion` is set; maintenance then moves the excess one tier down. Servers that
     * share PostgreSQL share the settings.
     * </pre>
     */
    default void updateConfig(dev.mneme.v1.UpdateConfigRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.UpdateConfigResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getUpdateConfigMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service AdminService.
   * <pre>
   * Server information, statistics, maintenance and configuration, for operators and tools.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID), UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING,
   * OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL.
   * </pre>
   */
  public static abstract class AdminServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return AdminServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service AdminService.
   * <pre>
   * Server information, statistics, maintenance and configuration, for operators and tools.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID), UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING,
   * OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL.
   * </pre>
   */
  public static final class AdminServiceStub
      extends io.grpc.stub.AbstractAsyncStub<AdminServiceStub> {
    private AdminServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected AdminServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new AdminServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Returns the version, stores, embedder and limits of the server, and which parts of it do not work. Suitable as a
     * first call.
     * </pre>
     */
    public void getServerInfo(dev.mneme.v1.GetServerInfoRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetServerInfoResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetServerInfoMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Returns statistics of the whole server, or of one agent's memories in all namespaces.
     * </pre>
     */
    public void getServerStatistics(dev.mneme.v1.GetServerStatisticsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetServerStatisticsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetServerStatisticsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Recomputes the vectors of a namespace, or of all namespaces, with the server's embedder. The call returns at once;
     * the work runs in the background and continues after a restart. GetReembedProgress reports it.
     * Recall uses the previous vectors until all vectors of a namespace are computed; the new vectors then replace them
     * in one step. Vectors supplied by callers are replaced as well, and a memory without text ends without a vector. A
     * namespace whose vectors already have the embedder's model and dimension is skipped. The `static` embedder stores no
     * vectors: stored vectors are removed, and texts are found by vectors that recall computes. Repeating the call while
     * the work runs changes nothing.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), FAILED_PRECONDITION (LANE_UNAVAILABLE) when the server has no embedder,
     * UNAVAILABLE (EMBEDDER_UNAVAILABLE) when the dimension of the embedder's vectors is unknown and cannot be
     * determined.
     * </pre>
     */
    public void reembedMemories(dev.mneme.v1.ReembedMemoriesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ReembedMemoriesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getReembedMemoriesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Returns the progress of ReembedMemories.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public void getReembedProgress(dev.mneme.v1.GetReembedProgressRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetReembedProgressResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetReembedProgressMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Moves memories that exceed the time to live or a limit of their tier (`Namespace.settings`) one tier down, and
     * streams each batch of moves. The server does the same periodically by itself.
     * Memories beyond their time to live are moved first. While a tier still exceeds a limit, memories are then chosen by
     * score, age factor × (1 − importance), highest first, among the memories that have been in the tier longest. Only
     * the tier of a memory changes, unless the namespace is configured for lossy compaction (`Memory.compaction`). An
     * interrupted call keeps its moves; repeating it continues.
     * Without `parent`, a namespace that cannot be maintained does not stop the others: the call fails at the end with
     * the first error. A namespace that is deleted during the call is skipped.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public void maintainTiers(dev.mneme.v1.MaintainTiersRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.MaintainTiersResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getMaintainTiersMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Erases all memories of one tier of a namespace, or those of one scope in it, with their revisions. Other tiers are
     * unchanged. To empty a tier without erasing memories, call MaintainTiers with `flush`, or DemoteMemories.
     * Memories that scope policies hide from the caller are kept; a caller with the header `mneme-scope: *` erases all.
     * Up to 1,000 memories are erased atomically; a larger call that is interrupted has erased some of them, and
     * repeating it erases the rest. Every erasure is a separate change in the change log. A memory that leaves the tier
     * during the call is kept.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), FAILED_PRECONDITION (REQUEST_ID_REUSED, SCOPE_READ_ONLY),
     * RESOURCE_EXHAUSTED (QUEUE_FULL).
     * </pre>
     */
    public void clearTier(dev.mneme.v1.ClearTierRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ClearTierResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getClearTierMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Removes cached answers of Recall, of one namespace or of all. Cached answers are never outdated, so this only frees
     * memory. The settings `cache.entries`, `cache.bytes` and `cache.ttl` of UpdateConfig configure the cache.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public void clearRecallCache(dev.mneme.v1.ClearRecallCacheRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ClearRecallCacheResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getClearRecallCacheMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Returns the settings of the server that apply to every namespace without its own value.
     * </pre>
     */
    public void getConfig(dev.mneme.v1.GetConfigRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetConfigResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetConfigMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Sets and removes settings of the server at run time. They are kept across restarts.
     * All settings are checked before any is applied: an unknown key or invalid value fails with INVALID_ARGUMENT
     * (FIELD_INVALID) naming it, and nothing is changed. The same happens when a new limit, also one that takes effect
     * because a key is removed, is lower than the current contents of a namespace without its own limit, unless
     * `allow_demotion` is set; maintenance then moves the excess one tier down. Servers that
     * share PostgreSQL share the settings.
     * </pre>
     */
    public void updateConfig(dev.mneme.v1.UpdateConfigRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.UpdateConfigResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getUpdateConfigMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service AdminService.
   * <pre>
   * Server information, statistics, maintenance and configuration, for operators and tools.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID), UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING,
   * OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL.
   * </pre>
   */
  public static final class AdminServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<AdminServiceBlockingV2Stub> {
    private AdminServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected AdminServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new AdminServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Returns the version, stores, embedder and limits of the server, and which parts of it do not work. Suitable as a
     * first call.
     * </pre>
     */
    public dev.mneme.v1.GetServerInfoResponse getServerInfo(dev.mneme.v1.GetServerInfoRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetServerInfoMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns statistics of the whole server, or of one agent's memories in all namespaces.
     * </pre>
     */
    public dev.mneme.v1.GetServerStatisticsResponse getServerStatistics(dev.mneme.v1.GetServerStatisticsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetServerStatisticsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Recomputes the vectors of a namespace, or of all namespaces, with the server's embedder. The call returns at once;
     * the work runs in the background and continues after a restart. GetReembedProgress reports it.
     * Recall uses the previous vectors until all vectors of a namespace are computed; the new vectors then replace them
     * in one step. Vectors supplied by callers are replaced as well, and a memory without text ends without a vector. A
     * namespace whose vectors already have the embedder's model and dimension is skipped. The `static` embedder stores no
     * vectors: stored vectors are removed, and texts are found by vectors that recall computes. Repeating the call while
     * the work runs changes nothing.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), FAILED_PRECONDITION (LANE_UNAVAILABLE) when the server has no embedder,
     * UNAVAILABLE (EMBEDDER_UNAVAILABLE) when the dimension of the embedder's vectors is unknown and cannot be
     * determined.
     * </pre>
     */
    public dev.mneme.v1.ReembedMemoriesResponse reembedMemories(dev.mneme.v1.ReembedMemoriesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getReembedMemoriesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the progress of ReembedMemories.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.GetReembedProgressResponse getReembedProgress(dev.mneme.v1.GetReembedProgressRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetReembedProgressMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Moves memories that exceed the time to live or a limit of their tier (`Namespace.settings`) one tier down, and
     * streams each batch of moves. The server does the same periodically by itself.
     * Memories beyond their time to live are moved first. While a tier still exceeds a limit, memories are then chosen by
     * score, age factor × (1 − importance), highest first, among the memories that have been in the tier longest. Only
     * the tier of a memory changes, unless the namespace is configured for lossy compaction (`Memory.compaction`). An
     * interrupted call keeps its moves; repeating it continues.
     * Without `parent`, a namespace that cannot be maintained does not stop the others: the call fails at the end with
     * the first error. A namespace that is deleted during the call is skipped.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, dev.mneme.v1.MaintainTiersResponse>
        maintainTiers(dev.mneme.v1.MaintainTiersRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getMaintainTiersMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Erases all memories of one tier of a namespace, or those of one scope in it, with their revisions. Other tiers are
     * unchanged. To empty a tier without erasing memories, call MaintainTiers with `flush`, or DemoteMemories.
     * Memories that scope policies hide from the caller are kept; a caller with the header `mneme-scope: *` erases all.
     * Up to 1,000 memories are erased atomically; a larger call that is interrupted has erased some of them, and
     * repeating it erases the rest. Every erasure is a separate change in the change log. A memory that leaves the tier
     * during the call is kept.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), FAILED_PRECONDITION (REQUEST_ID_REUSED, SCOPE_READ_ONLY),
     * RESOURCE_EXHAUSTED (QUEUE_FULL).
     * </pre>
     */
    public dev.mneme.v1.ClearTierResponse clearTier(dev.mneme.v1.ClearTierRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getClearTierMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Removes cached answers of Recall, of one namespace or of all. Cached answers are never outdated, so this only frees
     * memory. The settings `cache.entries`, `cache.bytes` and `cache.ttl` of UpdateConfig configure the cache.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.ClearRecallCacheResponse clearRecallCache(dev.mneme.v1.ClearRecallCacheRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getClearRecallCacheMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the settings of the server that apply to every namespace without its own value.
     * </pre>
     */
    public dev.mneme.v1.GetConfigResponse getConfig(dev.mneme.v1.GetConfigRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetConfigMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sets and removes settings of the server at run time. They are kept across restarts.
     * All settings are checked before any is applied: an unknown key or invalid value fails with INVALID_ARGUMENT
     * (FIELD_INVALID) naming it, and nothing is changed. The same happens when a new limit, also one that takes effect
     * because a key is removed, is lower than the current contents of a namespace without its own limit, unless
     * `allow_demotion` is set; maintenance then moves the excess one tier down. Servers that
     * share PostgreSQL share the settings.
     * </pre>
     */
    public dev.mneme.v1.UpdateConfigResponse updateConfig(dev.mneme.v1.UpdateConfigRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getUpdateConfigMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service AdminService.
   * <pre>
   * Server information, statistics, maintenance and configuration, for operators and tools.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID), UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING,
   * OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL.
   * </pre>
   */
  public static final class AdminServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<AdminServiceBlockingStub> {
    private AdminServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected AdminServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new AdminServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Returns the version, stores, embedder and limits of the server, and which parts of it do not work. Suitable as a
     * first call.
     * </pre>
     */
    public dev.mneme.v1.GetServerInfoResponse getServerInfo(dev.mneme.v1.GetServerInfoRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetServerInfoMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns statistics of the whole server, or of one agent's memories in all namespaces.
     * </pre>
     */
    public dev.mneme.v1.GetServerStatisticsResponse getServerStatistics(dev.mneme.v1.GetServerStatisticsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetServerStatisticsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Recomputes the vectors of a namespace, or of all namespaces, with the server's embedder. The call returns at once;
     * the work runs in the background and continues after a restart. GetReembedProgress reports it.
     * Recall uses the previous vectors until all vectors of a namespace are computed; the new vectors then replace them
     * in one step. Vectors supplied by callers are replaced as well, and a memory without text ends without a vector. A
     * namespace whose vectors already have the embedder's model and dimension is skipped. The `static` embedder stores no
     * vectors: stored vectors are removed, and texts are found by vectors that recall computes. Repeating the call while
     * the work runs changes nothing.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), FAILED_PRECONDITION (LANE_UNAVAILABLE) when the server has no embedder,
     * UNAVAILABLE (EMBEDDER_UNAVAILABLE) when the dimension of the embedder's vectors is unknown and cannot be
     * determined.
     * </pre>
     */
    public dev.mneme.v1.ReembedMemoriesResponse reembedMemories(dev.mneme.v1.ReembedMemoriesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getReembedMemoriesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the progress of ReembedMemories.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.GetReembedProgressResponse getReembedProgress(dev.mneme.v1.GetReembedProgressRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetReembedProgressMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Moves memories that exceed the time to live or a limit of their tier (`Namespace.settings`) one tier down, and
     * streams each batch of moves. The server does the same periodically by itself.
     * Memories beyond their time to live are moved first. While a tier still exceeds a limit, memories are then chosen by
     * score, age factor × (1 − importance), highest first, among the memories that have been in the tier longest. Only
     * the tier of a memory changes, unless the namespace is configured for lossy compaction (`Memory.compaction`). An
     * interrupted call keeps its moves; repeating it continues.
     * Without `parent`, a namespace that cannot be maintained does not stop the others: the call fails at the end with
     * the first error. A namespace that is deleted during the call is skipped.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public java.util.Iterator<dev.mneme.v1.MaintainTiersResponse> maintainTiers(
        dev.mneme.v1.MaintainTiersRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getMaintainTiersMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Erases all memories of one tier of a namespace, or those of one scope in it, with their revisions. Other tiers are
     * unchanged. To empty a tier without erasing memories, call MaintainTiers with `flush`, or DemoteMemories.
     * Memories that scope policies hide from the caller are kept; a caller with the header `mneme-scope: *` erases all.
     * Up to 1,000 memories are erased atomically; a larger call that is interrupted has erased some of them, and
     * repeating it erases the rest. Every erasure is a separate change in the change log. A memory that leaves the tier
     * during the call is kept.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), FAILED_PRECONDITION (REQUEST_ID_REUSED, SCOPE_READ_ONLY),
     * RESOURCE_EXHAUSTED (QUEUE_FULL).
     * </pre>
     */
    public dev.mneme.v1.ClearTierResponse clearTier(dev.mneme.v1.ClearTierRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getClearTierMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Removes cached answers of Recall, of one namespace or of all. Cached answers are never outdated, so this only frees
     * memory. The settings `cache.entries`, `cache.bytes` and `cache.ttl` of UpdateConfig configure the cache.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.ClearRecallCacheResponse clearRecallCache(dev.mneme.v1.ClearRecallCacheRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getClearRecallCacheMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the settings of the server that apply to every namespace without its own value.
     * </pre>
     */
    public dev.mneme.v1.GetConfigResponse getConfig(dev.mneme.v1.GetConfigRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetConfigMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sets and removes settings of the server at run time. They are kept across restarts.
     * All settings are checked before any is applied: an unknown key or invalid value fails with INVALID_ARGUMENT
     * (FIELD_INVALID) naming it, and nothing is changed. The same happens when a new limit, also one that takes effect
     * because a key is removed, is lower than the current contents of a namespace without its own limit, unless
     * `allow_demotion` is set; maintenance then moves the excess one tier down. Servers that
     * share PostgreSQL share the settings.
     * </pre>
     */
    public dev.mneme.v1.UpdateConfigResponse updateConfig(dev.mneme.v1.UpdateConfigRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getUpdateConfigMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service AdminService.
   * <pre>
   * Server information, statistics, maintenance and configuration, for operators and tools.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID), UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING,
   * OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL.
   * </pre>
   */
  public static final class AdminServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<AdminServiceFutureStub> {
    private AdminServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected AdminServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new AdminServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Returns the version, stores, embedder and limits of the server, and which parts of it do not work. Suitable as a
     * first call.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.GetServerInfoResponse> getServerInfo(
        dev.mneme.v1.GetServerInfoRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetServerInfoMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Returns statistics of the whole server, or of one agent's memories in all namespaces.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.GetServerStatisticsResponse> getServerStatistics(
        dev.mneme.v1.GetServerStatisticsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetServerStatisticsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Recomputes the vectors of a namespace, or of all namespaces, with the server's embedder. The call returns at once;
     * the work runs in the background and continues after a restart. GetReembedProgress reports it.
     * Recall uses the previous vectors until all vectors of a namespace are computed; the new vectors then replace them
     * in one step. Vectors supplied by callers are replaced as well, and a memory without text ends without a vector. A
     * namespace whose vectors already have the embedder's model and dimension is skipped. The `static` embedder stores no
     * vectors: stored vectors are removed, and texts are found by vectors that recall computes. Repeating the call while
     * the work runs changes nothing.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), FAILED_PRECONDITION (LANE_UNAVAILABLE) when the server has no embedder,
     * UNAVAILABLE (EMBEDDER_UNAVAILABLE) when the dimension of the embedder's vectors is unknown and cannot be
     * determined.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ReembedMemoriesResponse> reembedMemories(
        dev.mneme.v1.ReembedMemoriesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getReembedMemoriesMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Returns the progress of ReembedMemories.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.GetReembedProgressResponse> getReembedProgress(
        dev.mneme.v1.GetReembedProgressRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetReembedProgressMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Erases all memories of one tier of a namespace, or those of one scope in it, with their revisions. Other tiers are
     * unchanged. To empty a tier without erasing memories, call MaintainTiers with `flush`, or DemoteMemories.
     * Memories that scope policies hide from the caller are kept; a caller with the header `mneme-scope: *` erases all.
     * Up to 1,000 memories are erased atomically; a larger call that is interrupted has erased some of them, and
     * repeating it erases the rest. Every erasure is a separate change in the change log. A memory that leaves the tier
     * during the call is kept.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), FAILED_PRECONDITION (REQUEST_ID_REUSED, SCOPE_READ_ONLY),
     * RESOURCE_EXHAUSTED (QUEUE_FULL).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ClearTierResponse> clearTier(
        dev.mneme.v1.ClearTierRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getClearTierMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Removes cached answers of Recall, of one namespace or of all. Cached answers are never outdated, so this only frees
     * memory. The settings `cache.entries`, `cache.bytes` and `cache.ttl` of UpdateConfig configure the cache.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ClearRecallCacheResponse> clearRecallCache(
        dev.mneme.v1.ClearRecallCacheRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getClearRecallCacheMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Returns the settings of the server that apply to every namespace without its own value.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.GetConfigResponse> getConfig(
        dev.mneme.v1.GetConfigRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetConfigMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Sets and removes settings of the server at run time. They are kept across restarts.
     * All settings are checked before any is applied: an unknown key or invalid value fails with INVALID_ARGUMENT
     * (FIELD_INVALID) naming it, and nothing is changed. The same happens when a new limit, also one that takes effect
     * because a key is removed, is lower than the current contents of a namespace without its own limit, unless
     * `allow_demotion` is set; maintenance then moves the excess one tier down. Servers that
     * share PostgreSQL share the settings.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.UpdateConfigResponse> updateConfig(
        dev.mneme.v1.UpdateConfigRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getUpdateConfigMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_GET_SERVER_INFO = 0;
  private static final int METHODID_GET_SERVER_STATISTICS = 1;
  private static final int METHODID_REEMBED_MEMORIES = 2;
  private static final int METHODID_GET_REEMBED_PROGRESS = 3;
  private static final int METHODID_MAINTAIN_TIERS = 4;
  private static final int METHODID_CLEAR_TIER = 5;
  private static final int METHODID_CLEAR_RECALL_CACHE = 6;
  private static final int METHODID_GET_CONFIG = 7;
  private static final int METHODID_UPDATE_CONFIG = 8;

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
        case METHODID_GET_SERVER_INFO:
          serviceImpl.getServerInfo((dev.mneme.v1.GetServerInfoRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.GetServerInfoResponse>) responseObserver);
          break;
        case METHODID_GET_SERVER_STATISTICS:
          serviceImpl.getServerStatistics((dev.mneme.v1.GetServerStatisticsRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.GetServerStatisticsResponse>) responseObserver);
          break;
        case METHODID_REEMBED_MEMORIES:
          serviceImpl.reembedMemories((dev.mneme.v1.ReembedMemoriesRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ReembedMemoriesResponse>) responseObserver);
          break;
        case METHODID_GET_REEMBED_PROGRESS:
          serviceImpl.getReembedProgress((dev.mneme.v1.GetReembedProgressRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.GetReembedProgressResponse>) responseObserver);
          break;
        case METHODID_MAINTAIN_TIERS:
          serviceImpl.maintainTiers((dev.mneme.v1.MaintainTiersRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.MaintainTiersResponse>) responseObserver);
          break;
        case METHODID_CLEAR_TIER:
          serviceImpl.clearTier((dev.mneme.v1.ClearTierRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ClearTierResponse>) responseObserver);
          break;
        case METHODID_CLEAR_RECALL_CACHE:
          serviceImpl.clearRecallCache((dev.mneme.v1.ClearRecallCacheRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ClearRecallCacheResponse>) responseObserver);
          break;
        case METHODID_GET_CONFIG:
          serviceImpl.getConfig((dev.mneme.v1.GetConfigRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.GetConfigResponse>) responseObserver);
          break;
        case METHODID_UPDATE_CONFIG:
          serviceImpl.updateConfig((dev.mneme.v1.UpdateConfigRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.UpdateConfigResponse>) responseObserver);
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
          getGetServerInfoMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.GetServerInfoRequest,
              dev.mneme.v1.GetServerInfoResponse>(
                service, METHODID_GET_SERVER_INFO)))
        .addMethod(
          getGetServerStatisticsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.GetServerStatisticsRequest,
              dev.mneme.v1.GetServerStatisticsResponse>(
                service, METHODID_GET_SERVER_STATISTICS)))
        .addMethod(
          getReembedMemoriesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ReembedMemoriesRequest,
              dev.mneme.v1.ReembedMemoriesResponse>(
                service, METHODID_REEMBED_MEMORIES)))
        .addMethod(
          getGetReembedProgressMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.GetReembedProgressRequest,
              dev.mneme.v1.GetReembedProgressResponse>(
                service, METHODID_GET_REEMBED_PROGRESS)))
        .addMethod(
          getMaintainTiersMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              dev.mneme.v1.MaintainTiersRequest,
              dev.mneme.v1.MaintainTiersResponse>(
                service, METHODID_MAINTAIN_TIERS)))
        .addMethod(
          getClearTierMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ClearTierRequest,
              dev.mneme.v1.ClearTierResponse>(
                service, METHODID_CLEAR_TIER)))
        .addMethod(
          getClearRecallCacheMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ClearRecallCacheRequest,
              dev.mneme.v1.ClearRecallCacheResponse>(
                service, METHODID_CLEAR_RECALL_CACHE)))
        .addMethod(
          getGetConfigMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.GetConfigRequest,
              dev.mneme.v1.GetConfigResponse>(
                service, METHODID_GET_CONFIG)))
        .addMethod(
          getUpdateConfigMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.UpdateConfigRequest,
              dev.mneme.v1.UpdateConfigResponse>(
                service, METHODID_UPDATE_CONFIG)))
        .build();
  }

  private static abstract class AdminServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    AdminServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.mneme.v1.AdminServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("AdminService");
    }
  }

  private static final class AdminServiceFileDescriptorSupplier
      extends AdminServiceBaseDescriptorSupplier {
    AdminServiceFileDescriptorSupplier() {}
  }

  private static final class AdminServiceMethodDescriptorSupplier
      extends AdminServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    AdminServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (AdminServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new AdminServiceFileDescriptorSupplier())
              .addMethod(getGetServerInfoMethod())
              .addMethod(getGetServerStatisticsMethod())
              .addMethod(getReembedMemoriesMethod())
              .addMethod(getGetReembedProgressMethod())
              .addMethod(getMaintainTiersMethod())
              .addMethod(getClearTierMethod())
              .addMethod(getClearRecallCacheMethod())
              .addMethod(getGetConfigMethod())
              .addMethod(getUpdateConfigMethod())
              .build();
        }
      }
    }
    return result;
  }
}
