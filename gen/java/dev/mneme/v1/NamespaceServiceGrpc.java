package dev.mneme.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Creates, reads, updates and deletes namespaces.
 * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID), UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING,
 * OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL),
 * FAILED_PRECONDITION (REQUEST_ID_REUSED). `request_id` works as in MemoryService.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class NamespaceServiceGrpc {

  private NamespaceServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "mneme.v1.NamespaceService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.CreateNamespaceRequest,
      dev.mneme.v1.CreateNamespaceResponse> getCreateNamespaceMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CreateNamespace",
      requestType = dev.mneme.v1.CreateNamespaceRequest.class,
      responseType = dev.mneme.v1.CreateNamespaceResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.CreateNamespaceRequest,
      dev.mneme.v1.CreateNamespaceResponse> getCreateNamespaceMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.CreateNamespaceRequest, dev.mneme.v1.CreateNamespaceResponse> getCreateNamespaceMethod;
    if ((getCreateNamespaceMethod = NamespaceServiceGrpc.getCreateNamespaceMethod) == null) {
      synchronized (NamespaceServiceGrpc.class) {
        if ((getCreateNamespaceMethod = NamespaceServiceGrpc.getCreateNamespaceMethod) == null) {
          NamespaceServiceGrpc.getCreateNamespaceMethod = getCreateNamespaceMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.CreateNamespaceRequest, dev.mneme.v1.CreateNamespaceResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CreateNamespace"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.CreateNamespaceRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.CreateNamespaceResponse.getDefaultInstance()))
              .setSchemaDescriptor(new NamespaceServiceMethodDescriptorSupplier("CreateNamespace"))
              .build();
        }
      }
    }
    return getCreateNamespaceMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.GetNamespaceRequest,
      dev.mneme.v1.GetNamespaceResponse> getGetNamespaceMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetNamespace",
      requestType = dev.mneme.v1.GetNamespaceRequest.class,
      responseType = dev.mneme.v1.GetNamespaceResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.GetNamespaceRequest,
      dev.mneme.v1.GetNamespaceResponse> getGetNamespaceMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.GetNamespaceRequest, dev.mneme.v1.GetNamespaceResponse> getGetNamespaceMethod;
    if ((getGetNamespaceMethod = NamespaceServiceGrpc.getGetNamespaceMethod) == null) {
      synchronized (NamespaceServiceGrpc.class) {
        if ((getGetNamespaceMethod = NamespaceServiceGrpc.getGetNamespaceMethod) == null) {
          NamespaceServiceGrpc.getGetNamespaceMethod = getGetNamespaceMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.GetNamespaceRequest, dev.mneme.v1.GetNamespaceResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetNamespace"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetNamespaceRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetNamespaceResponse.getDefaultInstance()))
              .setSchemaDescriptor(new NamespaceServiceMethodDescriptorSupplier("GetNamespace"))
              .build();
        }
      }
    }
    return getGetNamespaceMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ListNamespacesRequest,
      dev.mneme.v1.ListNamespacesResponse> getListNamespacesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListNamespaces",
      requestType = dev.mneme.v1.ListNamespacesRequest.class,
      responseType = dev.mneme.v1.ListNamespacesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ListNamespacesRequest,
      dev.mneme.v1.ListNamespacesResponse> getListNamespacesMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ListNamespacesRequest, dev.mneme.v1.ListNamespacesResponse> getListNamespacesMethod;
    if ((getListNamespacesMethod = NamespaceServiceGrpc.getListNamespacesMethod) == null) {
      synchronized (NamespaceServiceGrpc.class) {
        if ((getListNamespacesMethod = NamespaceServiceGrpc.getListNamespacesMethod) == null) {
          NamespaceServiceGrpc.getListNamespacesMethod = getListNamespacesMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ListNamespacesRequest, dev.mneme.v1.ListNamespacesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListNamespaces"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListNamespacesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListNamespacesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new NamespaceServiceMethodDescriptorSupplier("ListNamespaces"))
              .build();
        }
      }
    }
    return getListNamespacesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.UpdateNamespaceRequest,
      dev.mneme.v1.UpdateNamespaceResponse> getUpdateNamespaceMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "UpdateNamespace",
      requestType = dev.mneme.v1.UpdateNamespaceRequest.class,
      responseType = dev.mneme.v1.UpdateNamespaceResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.UpdateNamespaceRequest,
      dev.mneme.v1.UpdateNamespaceResponse> getUpdateNamespaceMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.UpdateNamespaceRequest, dev.mneme.v1.UpdateNamespaceResponse> getUpdateNamespaceMethod;
    if ((getUpdateNamespaceMethod = NamespaceServiceGrpc.getUpdateNamespaceMethod) == null) {
      synchronized (NamespaceServiceGrpc.class) {
        if ((getUpdateNamespaceMethod = NamespaceServiceGrpc.getUpdateNamespaceMethod) == null) {
          NamespaceServiceGrpc.getUpdateNamespaceMethod = getUpdateNamespaceMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.UpdateNamespaceRequest, dev.mneme.v1.UpdateNamespaceResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "UpdateNamespace"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.UpdateNamespaceRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.UpdateNamespaceResponse.getDefaultInstance()))
              .setSchemaDescriptor(new NamespaceServiceMethodDescriptorSupplier("UpdateNamespace"))
              .build();
        }
      }
    }
    return getUpdateNamespaceMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.DeleteNamespaceRequest,
      dev.mneme.v1.DeleteNamespaceResponse> getDeleteNamespaceMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "DeleteNamespace",
      requestType = dev.mneme.v1.DeleteNamespaceRequest.class,
      responseType = dev.mneme.v1.DeleteNamespaceResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.DeleteNamespaceRequest,
      dev.mneme.v1.DeleteNamespaceResponse> getDeleteNamespaceMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.DeleteNamespaceRequest, dev.mneme.v1.DeleteNamespaceResponse> getDeleteNamespaceMethod;
    if ((getDeleteNamespaceMethod = NamespaceServiceGrpc.getDeleteNamespaceMethod) == null) {
      synchronized (NamespaceServiceGrpc.class) {
        if ((getDeleteNamespaceMethod = NamespaceServiceGrpc.getDeleteNamespaceMethod) == null) {
          NamespaceServiceGrpc.getDeleteNamespaceMethod = getDeleteNamespaceMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.DeleteNamespaceRequest, dev.mneme.v1.DeleteNamespaceResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "DeleteNamespace"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.DeleteNamespaceRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.DeleteNamespaceResponse.getDefaultInstance()))
              .setSchemaDescriptor(new NamespaceServiceMethodDescriptorSupplier("DeleteNamespace"))
              .build();
        }
      }
    }
    return getDeleteNamespaceMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ListScopesRequest,
      dev.mneme.v1.ListScopesResponse> getListScopesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListScopes",
      requestType = dev.mneme.v1.ListScopesRequest.class,
      responseType = dev.mneme.v1.ListScopesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ListScopesRequest,
      dev.mneme.v1.ListScopesResponse> getListScopesMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ListScopesRequest, dev.mneme.v1.ListScopesResponse> getListScopesMethod;
    if ((getListScopesMethod = NamespaceServiceGrpc.getListScopesMethod) == null) {
      synchronized (NamespaceServiceGrpc.class) {
        if ((getListScopesMethod = NamespaceServiceGrpc.getListScopesMethod) == null) {
          NamespaceServiceGrpc.getListScopesMethod = getListScopesMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ListScopesRequest, dev.mneme.v1.ListScopesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListScopes"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListScopesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListScopesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new NamespaceServiceMethodDescriptorSupplier("ListScopes"))
              .build();
        }
      }
    }
    return getListScopesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.GetNamespaceStatisticsRequest,
      dev.mneme.v1.GetNamespaceStatisticsResponse> getGetNamespaceStatisticsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetNamespaceStatistics",
      requestType = dev.mneme.v1.GetNamespaceStatisticsRequest.class,
      responseType = dev.mneme.v1.GetNamespaceStatisticsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.GetNamespaceStatisticsRequest,
      dev.mneme.v1.GetNamespaceStatisticsResponse> getGetNamespaceStatisticsMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.GetNamespaceStatisticsRequest, dev.mneme.v1.GetNamespaceStatisticsResponse> getGetNamespaceStatisticsMethod;
    if ((getGetNamespaceStatisticsMethod = NamespaceServiceGrpc.getGetNamespaceStatisticsMethod) == null) {
      synchronized (NamespaceServiceGrpc.class) {
        if ((getGetNamespaceStatisticsMethod = NamespaceServiceGrpc.getGetNamespaceStatisticsMethod) == null) {
          NamespaceServiceGrpc.getGetNamespaceStatisticsMethod = getGetNamespaceStatisticsMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.GetNamespaceStatisticsRequest, dev.mneme.v1.GetNamespaceStatisticsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetNamespaceStatistics"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetNamespaceStatisticsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetNamespaceStatisticsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new NamespaceServiceMethodDescriptorSupplier("GetNamespaceStatistics"))
              .build();
        }
      }
    }
    return getGetNamespaceStatisticsMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static NamespaceServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<NamespaceServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<NamespaceServiceStub>() {
        @java.lang.Override
        public NamespaceServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new NamespaceServiceStub(channel, callOptions);
        }
      };
    return NamespaceServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static NamespaceServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<NamespaceServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<NamespaceServiceBlockingV2Stub>() {
        @java.lang.Override
        public NamespaceServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new NamespaceServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return NamespaceServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static NamespaceServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<NamespaceServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<NamespaceServiceBlockingStub>() {
        @java.lang.Override
        public NamespaceServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new NamespaceServiceBlockingStub(channel, callOptions);
        }
      };
    return NamespaceServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static NamespaceServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<NamespaceServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<NamespaceServiceFutureStub>() {
        @java.lang.Override
        public NamespaceServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new NamespaceServiceFutureStub(channel, callOptions);
        }
      };
    return NamespaceServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Creates, reads, updates and deletes namespaces.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID), UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING,
   * OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL),
   * FAILED_PRECONDITION (REQUEST_ID_REUSED). `request_id` works as in MemoryService.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Creates a namespace.
     * Errors: ALREADY_EXISTS (NAMESPACE_EXISTS).
     * Example:
     *     {
     *       "namespace": {
     *         "name": "namespaces/example",
     *         "description": "Memories of the example",
     *         "memory_limit": 100000,
     *         "settings": {"short_term.ttl": "2h"}
     *       }
     *     }
     * </pre>
     */
    default void createNamespace(dev.mneme.v1.CreateNamespaceRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.CreateNamespaceResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCreateNamespaceMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads one namespace.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    default void getNamespace(dev.mneme.v1.GetNamespaceRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetNamespaceResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetNamespaceMethod(), responseObserver);
    }

    /**
     * <pre>
     * Lists all namespaces, ordered by name, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    default void listNamespaces(dev.mneme.v1.ListNamespacesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListNamespacesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListNamespacesMethod(), responseObserver);
    }

    /**
     * <pre>
     * Changes the fields of a namespace that are named in `update_mask`.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), ABORTED (VERSION_MISMATCH).
     * Example (grpcurl takes a field mask as an object; the standard JSON form is the string `"description,settings"`):
     *     {
     *       "namespace": {
     *         "name": "namespaces/example",
     *         "description": "Memories of the example",
     *         "settings": {"short_term.memory_limit": "20000", "short_term.ttl": ""}
     *       },
     *       "update_mask": {"paths": ["description", "settings"]}
     *     }
     * </pre>
     */
    default void updateNamespace(dev.mneme.v1.UpdateNamespaceRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.UpdateNamespaceResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getUpdateNamespaceMethod(), responseObserver);
    }

    /**
     * <pre>
     * Deletes a namespace. A namespace that contains memories is deleted, with its memories, only when `force` is set.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), FAILED_PRECONDITION (NAMESPACE_NOT_EMPTY) unless `force` is set,
     * FAILED_PRECONDITION (SCOPE_READ_ONLY) when one of the memories belongs to a read-only scope, PERMISSION_DENIED
     * (SCOPE_PRIVATE) when a policy hides a part of the namespace from the caller.
     * </pre>
     */
    default void deleteNamespace(dev.mneme.v1.DeleteNamespaceRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.DeleteNamespaceResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getDeleteNamespaceMethod(), responseObserver);
    }

    /**
     * <pre>
     * Lists the scopes of a namespace's memories, with the number of memories in each, page by page.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    default void listScopes(dev.mneme.v1.ListScopesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListScopesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListScopesMethod(), responseObserver);
    }

    /**
     * <pre>
     * Returns statistics of a namespace, or of one agent's memories in it.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    default void getNamespaceStatistics(dev.mneme.v1.GetNamespaceStatisticsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetNamespaceStatisticsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetNamespaceStatisticsMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service NamespaceService.
   * <pre>
   * Creates, reads, updates and deletes namespaces.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID), UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING,
   * OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL),
   * FAILED_PRECONDITION (REQUEST_ID_REUSED). `request_id` works as in MemoryService.
   * </pre>
   */
  public static abstract class NamespaceServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return NamespaceServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service NamespaceService.
   * <pre>
   * Creates, reads, updates and deletes namespaces.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID), UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING,
   * OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL),
   * FAILED_PRECONDITION (REQUEST_ID_REUSED). `request_id` works as in MemoryService.
   * </pre>
   */
  public static final class NamespaceServiceStub
      extends io.grpc.stub.AbstractAsyncStub<NamespaceServiceStub> {
    private NamespaceServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected NamespaceServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new NamespaceServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Creates a namespace.
     * Errors: ALREADY_EXISTS (NAMESPACE_EXISTS).
     * Example:
     *     {
     *       "namespace": {
     *         "name": "namespaces/example",
     *         "description": "Memories of the example",
     *         "memory_limit": 100000,
     *         "settings": {"short_term.ttl": "2h"}
     *       }
     *     }
     * </pre>
     */
    public void createNamespace(dev.mneme.v1.CreateNamespaceRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.CreateNamespaceResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCreateNamespaceMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads one namespace.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public void getNamespace(dev.mneme.v1.GetNamespaceRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetNamespaceResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetNamespaceMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Lists all namespaces, ordered by name, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public void listNamespaces(dev.mneme.v1.ListNamespacesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListNamespacesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListNamespacesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Changes the fields of a namespace that are named in `update_mask`.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), ABORTED (VERSION_MISMATCH).
     * Example (grpcurl takes a field mask as an object; the standard JSON form is the string `"description,settings"`):
     *     {
     *       "namespace": {
     *         "name": "namespaces/example",
     *         "description": "Memories of the example",
     *         "settings": {"short_term.memory_limit": "20000", "short_term.ttl": ""}
     *       },
     *       "update_mask": {"paths": ["description", "settings"]}
     *     }
     * </pre>
     */
    public void updateNamespace(dev.mneme.v1.UpdateNamespaceRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.UpdateNamespaceResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getUpdateNamespaceMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Deletes a namespace. A namespace that contains memories is deleted, with its memories, only when `force` is set.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), FAILED_PRECONDITION (NAMESPACE_NOT_EMPTY) unless `force` is set,
     * FAILED_PRECONDITION (SCOPE_READ_ONLY) when one of the memories belongs to a read-only scope, PERMISSION_DENIED
     * (SCOPE_PRIVATE) when a policy hides a part of the namespace from the caller.
     * </pre>
     */
    public void deleteNamespace(dev.mneme.v1.DeleteNamespaceRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.DeleteNamespaceResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getDeleteNamespaceMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Lists the scopes of a namespace's memories, with the number of memories in each, page by page.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public void listScopes(dev.mneme.v1.ListScopesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListScopesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListScopesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Returns statistics of a namespace, or of one agent's memories in it.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public void getNamespaceStatistics(dev.mneme.v1.GetNamespaceStatisticsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetNamespaceStatisticsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetNamespaceStatisticsMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service NamespaceService.
   * <pre>
   * Creates, reads, updates and deletes namespaces.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID), UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING,
   * OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL),
   * FAILED_PRECONDITION (REQUEST_ID_REUSED). `request_id` works as in MemoryService.
   * </pre>
   */
  public static final class NamespaceServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<NamespaceServiceBlockingV2Stub> {
    private NamespaceServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected NamespaceServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new NamespaceServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Creates a namespace.
     * Errors: ALREADY_EXISTS (NAMESPACE_EXISTS).
     * Example:
     *     {
     *       "namespace": {
     *         "name": "namespaces/example",
     *         "description": "Memories of the example",
     *         "memory_limit": 100000,
     *         "settings": {"short_term.ttl": "2h"}
     *       }
     *     }
     * </pre>
     */
    public dev.mneme.v1.CreateNamespaceResponse createNamespace(dev.mneme.v1.CreateNamespaceRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCreateNamespaceMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads one namespace.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.GetNamespaceResponse getNamespace(dev.mneme.v1.GetNamespaceRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetNamespaceMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists all namespaces, ordered by name, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public dev.mneme.v1.ListNamespacesResponse listNamespaces(dev.mneme.v1.ListNamespacesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListNamespacesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Changes the fields of a namespace that are named in `update_mask`.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), ABORTED (VERSION_MISMATCH).
     * Example (grpcurl takes a field mask as an object; the standard JSON form is the string `"description,settings"`):
     *     {
     *       "namespace": {
     *         "name": "namespaces/example",
     *         "description": "Memories of the example",
     *         "settings": {"short_term.memory_limit": "20000", "short_term.ttl": ""}
     *       },
     *       "update_mask": {"paths": ["description", "settings"]}
     *     }
     * </pre>
     */
    public dev.mneme.v1.UpdateNamespaceResponse updateNamespace(dev.mneme.v1.UpdateNamespaceRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getUpdateNamespaceMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes a namespace. A namespace that contains memories is deleted, with its memories, only when `force` is set.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), FAILED_PRECONDITION (NAMESPACE_NOT_EMPTY) unless `force` is set,
     * FAILED_PRECONDITION (SCOPE_READ_ONLY) when one of the memories belongs to a read-only scope, PERMISSION_DENIED
     * (SCOPE_PRIVATE) when a policy hides a part of the namespace from the caller.
     * </pre>
     */
    public dev.mneme.v1.DeleteNamespaceResponse deleteNamespace(dev.mneme.v1.DeleteNamespaceRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getDeleteNamespaceMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists the scopes of a namespace's memories, with the number of memories in each, page by page.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public dev.mneme.v1.ListScopesResponse listScopes(dev.mneme.v1.ListScopesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListScopesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns statistics of a namespace, or of one agent's memories in it.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.GetNamespaceStatisticsResponse getNamespaceStatistics(dev.mneme.v1.GetNamespaceStatisticsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetNamespaceStatisticsMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service NamespaceService.
   * <pre>
   * Creates, reads, updates and deletes namespaces.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID), UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING,
   * OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL),
   * FAILED_PRECONDITION (REQUEST_ID_REUSED). `request_id` works as in MemoryService.
   * </pre>
   */
  public static final class NamespaceServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<NamespaceServiceBlockingStub> {
    private NamespaceServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected NamespaceServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new NamespaceServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Creates a namespace.
     * Errors: ALREADY_EXISTS (NAMESPACE_EXISTS).
     * Example:
     *     {
     *       "namespace": {
     *         "name": "namespaces/example",
     *         "description": "Memories of the example",
     *         "memory_limit": 100000,
     *         "settings": {"short_term.ttl": "2h"}
     *       }
     *     }
     * </pre>
     */
    public dev.mneme.v1.CreateNamespaceResponse createNamespace(dev.mneme.v1.CreateNamespaceRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCreateNamespaceMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads one namespace.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.GetNamespaceResponse getNamespace(dev.mneme.v1.GetNamespaceRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetNamespaceMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists all namespaces, ordered by name, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public dev.mneme.v1.ListNamespacesResponse listNamespaces(dev.mneme.v1.ListNamespacesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListNamespacesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Changes the fields of a namespace that are named in `update_mask`.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), ABORTED (VERSION_MISMATCH).
     * Example (grpcurl takes a field mask as an object; the standard JSON form is the string `"description,settings"`):
     *     {
     *       "namespace": {
     *         "name": "namespaces/example",
     *         "description": "Memories of the example",
     *         "settings": {"short_term.memory_limit": "20000", "short_term.ttl": ""}
     *       },
     *       "update_mask": {"paths": ["description", "settings"]}
     *     }
     * </pre>
     */
    public dev.mneme.v1.UpdateNamespaceResponse updateNamespace(dev.mneme.v1.UpdateNamespaceRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getUpdateNamespaceMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes a namespace. A namespace that contains memories is deleted, with its memories, only when `force` is set.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), FAILED_PRECONDITION (NAMESPACE_NOT_EMPTY) unless `force` is set,
     * FAILED_PRECONDITION (SCOPE_READ_ONLY) when one of the memories belongs to a read-only scope, PERMISSION_DENIED
     * (SCOPE_PRIVATE) when a policy hides a part of the namespace from the caller.
     * </pre>
     */
    public dev.mneme.v1.DeleteNamespaceResponse deleteNamespace(dev.mneme.v1.DeleteNamespaceRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getDeleteNamespaceMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists the scopes of a namespace's memories, with the number of memories in each, page by page.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public dev.mneme.v1.ListScopesResponse listScopes(dev.mneme.v1.ListScopesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListScopesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns statistics of a namespace, or of one agent's memories in it.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.GetNamespaceStatisticsResponse getNamespaceStatistics(dev.mneme.v1.GetNamespaceStatisticsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetNamespaceStatisticsMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service NamespaceService.
   * <pre>
   * Creates, reads, updates and deletes namespaces.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID), UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING,
   * OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL),
   * FAILED_PRECONDITION (REQUEST_ID_REUSED). `request_id` works as in MemoryService.
   * </pre>
   */
  public static final class NamespaceServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<NamespaceServiceFutureStub> {
    private NamespaceServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected NamespaceServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new NamespaceServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Creates a namespace.
     * Errors: ALREADY_EXISTS (NAMESPACE_EXISTS).
     * Example:
     *     {
     *       "namespace": {
     *         "name": "namespaces/example",
     *         "description": "Memories of the example",
     *         "memory_limit": 100000,
     *         "settings": {"short_term.ttl": "2h"}
     *       }
     *     }
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.CreateNamespaceResponse> createNamespace(
        dev.mneme.v1.CreateNamespaceRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCreateNamespaceMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads one namespace.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.GetNamespaceResponse> getNamespace(
        dev.mneme.v1.GetNamespaceRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetNamespaceMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Lists all namespaces, ordered by name, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ListNamespacesResponse> listNamespaces(
        dev.mneme.v1.ListNamespacesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListNamespacesMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Changes the fields of a namespace that are named in `update_mask`.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), ABORTED (VERSION_MISMATCH).
     * Example (grpcurl takes a field mask as an object; the standard JSON form is the string `"description,settings"`):
     *     {
     *       "namespace": {
     *         "name": "namespaces/example",
     *         "description": "Memories of the example",
     *         "settings": {"short_term.memory_limit": "20000", "short_term.ttl": ""}
     *       },
     *       "update_mask": {"paths": ["description", "settings"]}
     *     }
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.UpdateNamespaceResponse> updateNamespace(
        dev.mneme.v1.UpdateNamespaceRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getUpdateNamespaceMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Deletes a namespace. A namespace that contains memories is deleted, with its memories, only when `force` is set.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), FAILED_PRECONDITION (NAMESPACE_NOT_EMPTY) unless `force` is set,
     * FAILED_PRECONDITION (SCOPE_READ_ONLY) when one of the memories belongs to a read-only scope, PERMISSION_DENIED
     * (SCOPE_PRIVATE) when a policy hides a part of the namespace from the caller.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.DeleteNamespaceResponse> deleteNamespace(
        dev.mneme.v1.DeleteNamespaceRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getDeleteNamespaceMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Lists the scopes of a namespace's memories, with the number of memories in each, page by page.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ListScopesResponse> listScopes(
        dev.mneme.v1.ListScopesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListScopesMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Returns statistics of a namespace, or of one agent's memories in it.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.GetNamespaceStatisticsResponse> getNamespaceStatistics(
        dev.mneme.v1.GetNamespaceStatisticsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetNamespaceStatisticsMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_CREATE_NAMESPACE = 0;
  private static final int METHODID_GET_NAMESPACE = 1;
  private static final int METHODID_LIST_NAMESPACES = 2;
  private static final int METHODID_UPDATE_NAMESPACE = 3;
  private static final int METHODID_DELETE_NAMESPACE = 4;
  private static final int METHODID_LIST_SCOPES = 5;
  private static final int METHODID_GET_NAMESPACE_STATISTICS = 6;

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
        case METHODID_CREATE_NAMESPACE:
          serviceImpl.createNamespace((dev.mneme.v1.CreateNamespaceRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.CreateNamespaceResponse>) responseObserver);
          break;
        case METHODID_GET_NAMESPACE:
          serviceImpl.getNamespace((dev.mneme.v1.GetNamespaceRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.GetNamespaceResponse>) responseObserver);
          break;
        case METHODID_LIST_NAMESPACES:
          serviceImpl.listNamespaces((dev.mneme.v1.ListNamespacesRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ListNamespacesResponse>) responseObserver);
          break;
        case METHODID_UPDATE_NAMESPACE:
          serviceImpl.updateNamespace((dev.mneme.v1.UpdateNamespaceRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.UpdateNamespaceResponse>) responseObserver);
          break;
        case METHODID_DELETE_NAMESPACE:
          serviceImpl.deleteNamespace((dev.mneme.v1.DeleteNamespaceRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.DeleteNamespaceResponse>) responseObserver);
          break;
        case METHODID_LIST_SCOPES:
          serviceImpl.listScopes((dev.mneme.v1.ListScopesRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ListScopesResponse>) responseObserver);
          break;
        case METHODID_GET_NAMESPACE_STATISTICS:
          serviceImpl.getNamespaceStatistics((dev.mneme.v1.GetNamespaceStatisticsRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.GetNamespaceStatisticsResponse>) responseObserver);
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
          getCreateNamespaceMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.CreateNamespaceRequest,
              dev.mneme.v1.CreateNamespaceResponse>(
                service, METHODID_CREATE_NAMESPACE)))
        .addMethod(
          getGetNamespaceMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.GetNamespaceRequest,
              dev.mneme.v1.GetNamespaceResponse>(
                service, METHODID_GET_NAMESPACE)))
        .addMethod(
          getListNamespacesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ListNamespacesRequest,
              dev.mneme.v1.ListNamespacesResponse>(
                service, METHODID_LIST_NAMESPACES)))
        .addMethod(
          getUpdateNamespaceMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.UpdateNamespaceRequest,
              dev.mneme.v1.UpdateNamespaceResponse>(
                service, METHODID_UPDATE_NAMESPACE)))
        .addMethod(
          getDeleteNamespaceMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.DeleteNamespaceRequest,
              dev.mneme.v1.DeleteNamespaceResponse>(
                service, METHODID_DELETE_NAMESPACE)))
        .addMethod(
          getListScopesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ListScopesRequest,
              dev.mneme.v1.ListScopesResponse>(
                service, METHODID_LIST_SCOPES)))
        .addMethod(
          getGetNamespaceStatisticsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.GetNamespaceStatisticsRequest,
              dev.mneme.v1.GetNamespaceStatisticsResponse>(
                service, METHODID_GET_NAMESPACE_STATISTICS)))
        .build();
  }

  private static abstract class NamespaceServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    NamespaceServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.mneme.v1.NamespaceServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("NamespaceService");
    }
  }

  private static final class NamespaceServiceFileDescriptorSupplier
      extends NamespaceServiceBaseDescriptorSupplier {
    NamespaceServiceFileDescriptorSupplier() {}
  }

  private static final class NamespaceServiceMethodDescriptorSupplier
      extends NamespaceServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    NamespaceServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (NamespaceServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new NamespaceServiceFileDescriptorSupplier())
              .addMethod(getCreateNamespaceMethod())
              .addMethod(getGetNamespaceMethod())
              .addMethod(getListNamespacesMethod())
              .addMethod(getUpdateNamespaceMethod())
              .addMethod(getDeleteNamespaceMethod())
              .addMethod(getListScopesMethod())
              .addMethod(getGetNamespaceStatisticsMethod())
              .build();
        }
      }
    }
    return result;
  }
}
