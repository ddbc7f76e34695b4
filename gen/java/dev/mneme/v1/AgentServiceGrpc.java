package dev.mneme.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Creates, compares, restores and forks snapshots of an agent's memories.
 * A snapshot covers the agent's memories of all tiers. Creating one is cheap: it records a revision of the change log,
 * and from then on the server keeps the former state of what is changed or erased. Vectors are not kept; they are
 * computed again from the texts. A memory that is erased while a snapshot exists stays in the snapshot until the
 * snapshot is deleted.
 * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), NOT_FOUND (NAMESPACE_NOT_FOUND),
 * UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every
 * mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED). Of every
 * method that reads a snapshot also: NOT_FOUND (SNAPSHOT_NOT_FOUND), RESOURCE_EXHAUSTED (AGENT_TOO_LARGE) for an agent
 * with more than 20,000 memories. Of every method that names an agent also: PERMISSION_DENIED (SCOPE_PRIVATE; see
 * ScopeService).
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class AgentServiceGrpc {

  private AgentServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "mneme.v1.AgentService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.CreateAgentSnapshotRequest,
      dev.mneme.v1.CreateAgentSnapshotResponse> getCreateAgentSnapshotMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CreateAgentSnapshot",
      requestType = dev.mneme.v1.CreateAgentSnapshotRequest.class,
      responseType = dev.mneme.v1.CreateAgentSnapshotResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.CreateAgentSnapshotRequest,
      dev.mneme.v1.CreateAgentSnapshotResponse> getCreateAgentSnapshotMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.CreateAgentSnapshotRequest, dev.mneme.v1.CreateAgentSnapshotResponse> getCreateAgentSnapshotMethod;
    if ((getCreateAgentSnapshotMethod = AgentServiceGrpc.getCreateAgentSnapshotMethod) == null) {
      synchronized (AgentServiceGrpc.class) {
        if ((getCreateAgentSnapshotMethod = AgentServiceGrpc.getCreateAgentSnapshotMethod) == null) {
          AgentServiceGrpc.getCreateAgentSnapshotMethod = getCreateAgentSnapshotMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.CreateAgentSnapshotRequest, dev.mneme.v1.CreateAgentSnapshotResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CreateAgentSnapshot"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.CreateAgentSnapshotRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.CreateAgentSnapshotResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AgentServiceMethodDescriptorSupplier("CreateAgentSnapshot"))
              .build();
        }
      }
    }
    return getCreateAgentSnapshotMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ListAgentSnapshotsRequest,
      dev.mneme.v1.ListAgentSnapshotsResponse> getListAgentSnapshotsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListAgentSnapshots",
      requestType = dev.mneme.v1.ListAgentSnapshotsRequest.class,
      responseType = dev.mneme.v1.ListAgentSnapshotsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ListAgentSnapshotsRequest,
      dev.mneme.v1.ListAgentSnapshotsResponse> getListAgentSnapshotsMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ListAgentSnapshotsRequest, dev.mneme.v1.ListAgentSnapshotsResponse> getListAgentSnapshotsMethod;
    if ((getListAgentSnapshotsMethod = AgentServiceGrpc.getListAgentSnapshotsMethod) == null) {
      synchronized (AgentServiceGrpc.class) {
        if ((getListAgentSnapshotsMethod = AgentServiceGrpc.getListAgentSnapshotsMethod) == null) {
          AgentServiceGrpc.getListAgentSnapshotsMethod = getListAgentSnapshotsMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ListAgentSnapshotsRequest, dev.mneme.v1.ListAgentSnapshotsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListAgentSnapshots"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListAgentSnapshotsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListAgentSnapshotsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AgentServiceMethodDescriptorSupplier("ListAgentSnapshots"))
              .build();
        }
      }
    }
    return getListAgentSnapshotsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.DeleteAgentSnapshotRequest,
      dev.mneme.v1.DeleteAgentSnapshotResponse> getDeleteAgentSnapshotMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "DeleteAgentSnapshot",
      requestType = dev.mneme.v1.DeleteAgentSnapshotRequest.class,
      responseType = dev.mneme.v1.DeleteAgentSnapshotResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.DeleteAgentSnapshotRequest,
      dev.mneme.v1.DeleteAgentSnapshotResponse> getDeleteAgentSnapshotMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.DeleteAgentSnapshotRequest, dev.mneme.v1.DeleteAgentSnapshotResponse> getDeleteAgentSnapshotMethod;
    if ((getDeleteAgentSnapshotMethod = AgentServiceGrpc.getDeleteAgentSnapshotMethod) == null) {
      synchronized (AgentServiceGrpc.class) {
        if ((getDeleteAgentSnapshotMethod = AgentServiceGrpc.getDeleteAgentSnapshotMethod) == null) {
          AgentServiceGrpc.getDeleteAgentSnapshotMethod = getDeleteAgentSnapshotMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.DeleteAgentSnapshotRequest, dev.mneme.v1.DeleteAgentSnapshotResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "DeleteAgentSnapshot"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.DeleteAgentSnapshotRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.DeleteAgentSnapshotResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AgentServiceMethodDescriptorSupplier("DeleteAgentSnapshot"))
              .build();
        }
      }
    }
    return getDeleteAgentSnapshotMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.DiffAgentSnapshotsRequest,
      dev.mneme.v1.DiffAgentSnapshotsResponse> getDiffAgentSnapshotsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "DiffAgentSnapshots",
      requestType = dev.mneme.v1.DiffAgentSnapshotsRequest.class,
      responseType = dev.mneme.v1.DiffAgentSnapshotsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.DiffAgentSnapshotsRequest,
      dev.mneme.v1.DiffAgentSnapshotsResponse> getDiffAgentSnapshotsMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.DiffAgentSnapshotsRequest, dev.mneme.v1.DiffAgentSnapshotsResponse> getDiffAgentSnapshotsMethod;
    if ((getDiffAgentSnapshotsMethod = AgentServiceGrpc.getDiffAgentSnapshotsMethod) == null) {
      synchronized (AgentServiceGrpc.class) {
        if ((getDiffAgentSnapshotsMethod = AgentServiceGrpc.getDiffAgentSnapshotsMethod) == null) {
          AgentServiceGrpc.getDiffAgentSnapshotsMethod = getDiffAgentSnapshotsMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.DiffAgentSnapshotsRequest, dev.mneme.v1.DiffAgentSnapshotsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "DiffAgentSnapshots"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.DiffAgentSnapshotsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.DiffAgentSnapshotsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AgentServiceMethodDescriptorSupplier("DiffAgentSnapshots"))
              .build();
        }
      }
    }
    return getDiffAgentSnapshotsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.RestoreAgentSnapshotRequest,
      dev.mneme.v1.RestoreAgentSnapshotResponse> getRestoreAgentSnapshotMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "RestoreAgentSnapshot",
      requestType = dev.mneme.v1.RestoreAgentSnapshotRequest.class,
      responseType = dev.mneme.v1.RestoreAgentSnapshotResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.RestoreAgentSnapshotRequest,
      dev.mneme.v1.RestoreAgentSnapshotResponse> getRestoreAgentSnapshotMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.RestoreAgentSnapshotRequest, dev.mneme.v1.RestoreAgentSnapshotResponse> getRestoreAgentSnapshotMethod;
    if ((getRestoreAgentSnapshotMethod = AgentServiceGrpc.getRestoreAgentSnapshotMethod) == null) {
      synchronized (AgentServiceGrpc.class) {
        if ((getRestoreAgentSnapshotMethod = AgentServiceGrpc.getRestoreAgentSnapshotMethod) == null) {
          AgentServiceGrpc.getRestoreAgentSnapshotMethod = getRestoreAgentSnapshotMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.RestoreAgentSnapshotRequest, dev.mneme.v1.RestoreAgentSnapshotResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "RestoreAgentSnapshot"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.RestoreAgentSnapshotRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.RestoreAgentSnapshotResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AgentServiceMethodDescriptorSupplier("RestoreAgentSnapshot"))
              .build();
        }
      }
    }
    return getRestoreAgentSnapshotMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ForkAgentSnapshotRequest,
      dev.mneme.v1.ForkAgentSnapshotResponse> getForkAgentSnapshotMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ForkAgentSnapshot",
      requestType = dev.mneme.v1.ForkAgentSnapshotRequest.class,
      responseType = dev.mneme.v1.ForkAgentSnapshotResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ForkAgentSnapshotRequest,
      dev.mneme.v1.ForkAgentSnapshotResponse> getForkAgentSnapshotMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ForkAgentSnapshotRequest, dev.mneme.v1.ForkAgentSnapshotResponse> getForkAgentSnapshotMethod;
    if ((getForkAgentSnapshotMethod = AgentServiceGrpc.getForkAgentSnapshotMethod) == null) {
      synchronized (AgentServiceGrpc.class) {
        if ((getForkAgentSnapshotMethod = AgentServiceGrpc.getForkAgentSnapshotMethod) == null) {
          AgentServiceGrpc.getForkAgentSnapshotMethod = getForkAgentSnapshotMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ForkAgentSnapshotRequest, dev.mneme.v1.ForkAgentSnapshotResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ForkAgentSnapshot"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ForkAgentSnapshotRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ForkAgentSnapshotResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AgentServiceMethodDescriptorSupplier("ForkAgentSnapshot"))
              .build();
        }
      }
    }
    return getForkAgentSnapshotMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static AgentServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<AgentServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<AgentServiceStub>() {
        @java.lang.Override
        public AgentServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new AgentServiceStub(channel, callOptions);
        }
      };
    return AgentServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static AgentServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<AgentServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<AgentServiceBlockingV2Stub>() {
        @java.lang.Override
        public AgentServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new AgentServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return AgentServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static AgentServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<AgentServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<AgentServiceBlockingStub>() {
        @java.lang.Override
        public AgentServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new AgentServiceBlockingStub(channel, callOptions);
        }
      };
    return AgentServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static AgentServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<AgentServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<AgentServiceFutureStub>() {
        @java.lang.Override
        public AgentServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new AgentServiceFutureStub(channel, callOptions);
        }
      };
    return AgentServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Creates, compares, restores and forks snapshots of an agent's memories.
   * A snapshot covers the agent's memories of all tiers. Creating one is cheap: it records a revision of the change log,
   * and from then on the server keeps the former state of what is changed or erased. Vectors are not kept; they are
   * computed again from the texts. A memory that is erased while a snapshot exists stays in the snapshot until the
   * snapshot is deleted.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), NOT_FOUND (NAMESPACE_NOT_FOUND),
   * UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every
   * mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED). Of every
   * method that reads a snapshot also: NOT_FOUND (SNAPSHOT_NOT_FOUND), RESOURCE_EXHAUSTED (AGENT_TOO_LARGE) for an agent
   * with more than 20,000 memories. Of every method that names an agent also: PERMISSION_DENIED (SCOPE_PRIVATE; see
   * ScopeService).
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Creates a snapshot of an agent's memories as they are now.
     * Errors: ALREADY_EXISTS (SNAPSHOT_EXISTS).
     * </pre>
     */
    default void createAgentSnapshot(dev.mneme.v1.CreateAgentSnapshotRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.CreateAgentSnapshotResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCreateAgentSnapshotMethod(), responseObserver);
    }

    /**
     * <pre>
     * Lists the snapshots of a namespace, ordered by id, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    default void listAgentSnapshots(dev.mneme.v1.ListAgentSnapshotsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListAgentSnapshotsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListAgentSnapshotsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Deletes a snapshot and the states of memories that were kept for it.
     * </pre>
     */
    default void deleteAgentSnapshot(dev.mneme.v1.DeleteAgentSnapshotRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.DeleteAgentSnapshotResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getDeleteAgentSnapshotMethod(), responseObserver);
    }

    /**
     * <pre>
     * Compares a snapshot with another snapshot, with the agent as it is now, or with a fork.
     * </pre>
     */
    default void diffAgentSnapshots(dev.mneme.v1.DiffAgentSnapshotsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.DiffAgentSnapshotsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getDiffAgentSnapshotsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Restores the agent's memories to their state in a snapshot: all of them or none. Changed memories get their former
     * state as a new revision, erased memories are stored again unless they have expired since, and memories stored after
     * the snapshot are erased.
     * </pre>
     */
    default void restoreAgentSnapshot(dev.mneme.v1.RestoreAgentSnapshotRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.RestoreAgentSnapshotResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getRestoreAgentSnapshotMethod(), responseObserver);
    }

    /**
     * <pre>
     * Copies the memories of a snapshot to another agent: all of them or none. The copies have new ids, which are the
     * same for every fork to that agent; copies that already exist are left unchanged.
     * </pre>
     */
    default void forkAgentSnapshot(dev.mneme.v1.ForkAgentSnapshotRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ForkAgentSnapshotResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getForkAgentSnapshotMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service AgentService.
   * <pre>
   * Creates, compares, restores and forks snapshots of an agent's memories.
   * A snapshot covers the agent's memories of all tiers. Creating one is cheap: it records a revision of the change log,
   * and from then on the server keeps the former state of what is changed or erased. Vectors are not kept; they are
   * computed again from the texts. A memory that is erased while a snapshot exists stays in the snapshot until the
   * snapshot is deleted.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), NOT_FOUND (NAMESPACE_NOT_FOUND),
   * UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every
   * mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED). Of every
   * method that reads a snapshot also: NOT_FOUND (SNAPSHOT_NOT_FOUND), RESOURCE_EXHAUSTED (AGENT_TOO_LARGE) for an agent
   * with more than 20,000 memories. Of every method that names an agent also: PERMISSION_DENIED (SCOPE_PRIVATE; see
   * ScopeService).
   * </pre>
   */
  public static abstract class AgentServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return AgentServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service AgentService.
   * <pre>
   * Creates, compares, restores and forks snapshots of an agent's memories.
   * A snapshot covers the agent's memories of all tiers. Creating one is cheap: it records a revision of the change log,
   * and from then on the server keeps the former state of what is changed or erased. Vectors are not kept; they are
   * computed again from the texts. A memory that is erased while a snapshot exists stays in the snapshot until the
   * snapshot is deleted.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), NOT_FOUND (NAMESPACE_NOT_FOUND),
   * UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every
   * mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED). Of every
   * method that reads a snapshot also: NOT_FOUND (SNAPSHOT_NOT_FOUND), RESOURCE_EXHAUSTED (AGENT_TOO_LARGE) for an agent
   * with more than 20,000 memories. Of every method that names an agent also: PERMISSION_DENIED (SCOPE_PRIVATE; see
   * ScopeService).
   * </pre>
   */
  public static final class AgentServiceStub
      extends io.grpc.stub.AbstractAsyncStub<AgentServiceStub> {
    private AgentServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected AgentServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new AgentServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Creates a snapshot of an agent's memories as they are now.
     * Errors: ALREADY_EXISTS (SNAPSHOT_EXISTS).
     * </pre>
     */
    public void createAgentSnapshot(dev.mneme.v1.CreateAgentSnapshotRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.CreateAgentSnapshotResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCreateAgentSnapshotMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Lists the snapshots of a namespace, ordered by id, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public void listAgentSnapshots(dev.mneme.v1.ListAgentSnapshotsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListAgentSnapshotsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListAgentSnapshotsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Deletes a snapshot and the states of memories that were kept for it.
     * </pre>
     */
    public void deleteAgentSnapshot(dev.mneme.v1.DeleteAgentSnapshotRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.DeleteAgentSnapshotResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getDeleteAgentSnapshotMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Compares a snapshot with another snapshot, with the agent as it is now, or with a fork.
     * </pre>
     */
    public void diffAgentSnapshots(dev.mneme.v1.DiffAgentSnapshotsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.DiffAgentSnapshotsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getDiffAgentSnapshotsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Restores the agent's memories to their state in a snapshot: all of them or none. Changed memories get their former
     * state as a new revision, erased memories are stored again unless they have expired since, and memories stored after
     * the snapshot are erased.
     * </pre>
     */
    public void restoreAgentSnapshot(dev.mneme.v1.RestoreAgentSnapshotRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.RestoreAgentSnapshotResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getRestoreAgentSnapshotMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Copies the memories of a snapshot to another agent: all of them or none. The copies have new ids, which are the
     * same for every fork to that agent; copies that already exist are left unchanged.
     * </pre>
     */
    public void forkAgentSnapshot(dev.mneme.v1.ForkAgentSnapshotRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ForkAgentSnapshotResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getForkAgentSnapshotMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service AgentService.
   * <pre>
   * Creates, compares, restores and forks snapshots of an agent's memories.
   * A snapshot covers the agent's memories of all tiers. Creating one is cheap: it records a revision of the change log,
   * and from then on the server keeps the former state of what is changed or erased. Vectors are not kept; they are
   * computed again from the texts. A memory that is erased while a snapshot exists stays in the snapshot until the
   * snapshot is deleted.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), NOT_FOUND (NAMESPACE_NOT_FOUND),
   * UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every
   * mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED). Of every
   * method that reads a snapshot also: NOT_FOUND (SNAPSHOT_NOT_FOUND), RESOURCE_EXHAUSTED (AGENT_TOO_LARGE) for an agent
   * with more than 20,000 memories. Of every method that names an agent also: PERMISSION_DENIED (SCOPE_PRIVATE; see
   * ScopeService).
   * </pre>
   */
  public static final class AgentServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<AgentServiceBlockingV2Stub> {
    private AgentServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected AgentServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new AgentServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Creates a snapshot of an agent's memories as they are now.
     * Errors: ALREADY_EXISTS (SNAPSHOT_EXISTS).
     * </pre>
     */
    public dev.mneme.v1.CreateAgentSnapshotResponse createAgentSnapshot(dev.mneme.v1.CreateAgentSnapshotRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCreateAgentSnapshotMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists the snapshots of a namespace, ordered by id, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public dev.mneme.v1.ListAgentSnapshotsResponse listAgentSnapshots(dev.mneme.v1.ListAgentSnapshotsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListAgentSnapshotsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes a snapshot and the states of memories that were kept for it.
     * </pre>
     */
    public dev.mneme.v1.DeleteAgentSnapshotResponse deleteAgentSnapshot(dev.mneme.v1.DeleteAgentSnapshotRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getDeleteAgentSnapshotMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Compares a snapshot with another snapshot, with the agent as it is now, or with a fork.
     * </pre>
     */
    public dev.mneme.v1.DiffAgentSnapshotsResponse diffAgentSnapshots(dev.mneme.v1.DiffAgentSnapshotsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getDiffAgentSnapshotsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Restores the agent's memories to their state in a snapshot: all of them or none. Changed memories get their former
     * state as a new revision, erased memories are stored again unless they have expired since, and memories stored after
     * the snapshot are erased.
     * </pre>
     */
    public dev.mneme.v1.RestoreAgentSnapshotResponse restoreAgentSnapshot(dev.mneme.v1.RestoreAgentSnapshotRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getRestoreAgentSnapshotMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Copies the memories of a snapshot to another agent: all of them or none. The copies have new ids, which are the
     * same for every fork to that agent; copies that already exist are left unchanged.
     * </pre>
     */
    public dev.mneme.v1.ForkAgentSnapshotResponse forkAgentSnapshot(dev.mneme.v1.ForkAgentSnapshotRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getForkAgentSnapshotMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service AgentService.
   * <pre>
   * Creates, compares, restores and forks snapshots of an agent's memories.
   * A snapshot covers the agent's memories of all tiers. Creating one is cheap: it records a revision of the change log,
   * and from then on the server keeps the former state of what is changed or erased. Vectors are not kept; they are
   * computed again from the texts. A memory that is erased while a snapshot exists stays in the snapshot until the
   * snapshot is deleted.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), NOT_FOUND (NAMESPACE_NOT_FOUND),
   * UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every
   * mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED). Of every
   * method that reads a snapshot also: NOT_FOUND (SNAPSHOT_NOT_FOUND), RESOURCE_EXHAUSTED (AGENT_TOO_LARGE) for an agent
   * with more than 20,000 memories. Of every method that names an agent also: PERMISSION_DENIED (SCOPE_PRIVATE; see
   * ScopeService).
   * </pre>
   */
  public static final class AgentServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<AgentServiceBlockingStub> {
    private AgentServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected AgentServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new AgentServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Creates a snapshot of an agent's memories as they are now.
     * Errors: ALREADY_EXISTS (SNAPSHOT_EXISTS).
     * </pre>
     */
    public dev.mneme.v1.CreateAgentSnapshotResponse createAgentSnapshot(dev.mneme.v1.CreateAgentSnapshotRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCreateAgentSnapshotMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists the snapshots of a namespace, ordered by id, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public dev.mneme.v1.ListAgentSnapshotsResponse listAgentSnapshots(dev.mneme.v1.ListAgentSnapshotsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListAgentSnapshotsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes a snapshot and the states of memories that were kept for it.
     * </pre>
     */
    public dev.mneme.v1.DeleteAgentSnapshotResponse deleteAgentSnapshot(dev.mneme.v1.DeleteAgentSnapshotRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getDeleteAgentSnapshotMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Compares a snapshot with another snapshot, with the agent as it is now, or with a fork.
     * </pre>
     */
    public dev.mneme.v1.DiffAgentSnapshotsResponse diffAgentSnapshots(dev.mneme.v1.DiffAgentSnapshotsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getDiffAgentSnapshotsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Restores the agent's memories to their state in a snapshot: all of them or none. Changed memories get their former
     * state as a new revision, erased memories are stored again unless they have expired since, and memories stored after
     * the snapshot are erased.
     * </pre>
     */
    public dev.mneme.v1.RestoreAgentSnapshotResponse restoreAgentSnapshot(dev.mneme.v1.RestoreAgentSnapshotRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getRestoreAgentSnapshotMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Copies the memories of a snapshot to another agent: all of them or none. The copies have new ids, which are the
     * same for every fork to that agent; copies that already exist are left unchanged.
     * </pre>
     */
    public dev.mneme.v1.ForkAgentSnapshotResponse forkAgentSnapshot(dev.mneme.v1.ForkAgentSnapshotRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getForkAgentSnapshotMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service AgentService.
   * <pre>
   * Creates, compares, restores and forks snapshots of an agent's memories.
   * A snapshot covers the agent's memories of all tiers. Creating one is cheap: it records a revision of the change log,
   * and from then on the server keeps the former state of what is changed or erased. Vectors are not kept; they are
   * computed again from the texts. A memory that is erased while a snapshot exists stays in the snapshot until the
   * snapshot is deleted.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), NOT_FOUND (NAMESPACE_NOT_FOUND),
   * UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every
   * mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED). Of every
   * method that reads a snapshot also: NOT_FOUND (SNAPSHOT_NOT_FOUND), RESOURCE_EXHAUSTED (AGENT_TOO_LARGE) for an agent
   * with more than 20,000 memories. Of every method that names an agent also: PERMISSION_DENIED (SCOPE_PRIVATE; see
   * ScopeService).
   * </pre>
   */
  public static final class AgentServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<AgentServiceFutureStub> {
    private AgentServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected AgentServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new AgentServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Creates a snapshot of an agent's memories as they are now.
     * Errors: ALREADY_EXISTS (SNAPSHOT_EXISTS).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.CreateAgentSnapshotResponse> createAgentSnapshot(
        dev.mneme.v1.CreateAgentSnapshotRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCreateAgentSnapshotMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Lists the snapshots of a namespace, ordered by id, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ListAgentSnapshotsResponse> listAgentSnapshots(
        dev.mneme.v1.ListAgentSnapshotsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListAgentSnapshotsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Deletes a snapshot and the states of memories that were kept for it.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.DeleteAgentSnapshotResponse> deleteAgentSnapshot(
        dev.mneme.v1.DeleteAgentSnapshotRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getDeleteAgentSnapshotMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Compares a snapshot with another snapshot, with the agent as it is now, or with a fork.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.DiffAgentSnapshotsResponse> diffAgentSnapshots(
        dev.mneme.v1.DiffAgentSnapshotsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getDiffAgentSnapshotsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Restores the agent's memories to their state in a snapshot: all of them or none. Changed memories get their former
     * state as a new revision, erased memories are stored again unless they have expired since, and memories stored after
     * the snapshot are erased.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.RestoreAgentSnapshotResponse> restoreAgentSnapshot(
        dev.mneme.v1.RestoreAgentSnapshotRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getRestoreAgentSnapshotMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Copies the memories of a snapshot to another agent: all of them or none. The copies have new ids, which are the
     * same for every fork to that agent; copies that already exist are left unchanged.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ForkAgentSnapshotResponse> forkAgentSnapshot(
        dev.mneme.v1.ForkAgentSnapshotRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getForkAgentSnapshotMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_CREATE_AGENT_SNAPSHOT = 0;
  private static final int METHODID_LIST_AGENT_SNAPSHOTS = 1;
  private static final int METHODID_DELETE_AGENT_SNAPSHOT = 2;
  private static final int METHODID_DIFF_AGENT_SNAPSHOTS = 3;
  private static final int METHODID_RESTORE_AGENT_SNAPSHOT = 4;
  private static final int METHODID_FORK_AGENT_SNAPSHOT = 5;

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
        case METHODID_CREATE_AGENT_SNAPSHOT:
          serviceImpl.createAgentSnapshot((dev.mneme.v1.CreateAgentSnapshotRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.CreateAgentSnapshotResponse>) responseObserver);
          break;
        case METHODID_LIST_AGENT_SNAPSHOTS:
          serviceImpl.listAgentSnapshots((dev.mneme.v1.ListAgentSnapshotsRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ListAgentSnapshotsResponse>) responseObserver);
          break;
        case METHODID_DELETE_AGENT_SNAPSHOT:
          serviceImpl.deleteAgentSnapshot((dev.mneme.v1.DeleteAgentSnapshotRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.DeleteAgentSnapshotResponse>) responseObserver);
          break;
        case METHODID_DIFF_AGENT_SNAPSHOTS:
          serviceImpl.diffAgentSnapshots((dev.mneme.v1.DiffAgentSnapshotsRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.DiffAgentSnapshotsResponse>) responseObserver);
          break;
        case METHODID_RESTORE_AGENT_SNAPSHOT:
          serviceImpl.restoreAgentSnapshot((dev.mneme.v1.RestoreAgentSnapshotRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.RestoreAgentSnapshotResponse>) responseObserver);
          break;
        case METHODID_FORK_AGENT_SNAPSHOT:
          serviceImpl.forkAgentSnapshot((dev.mneme.v1.ForkAgentSnapshotRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ForkAgentSnapshotResponse>) responseObserver);
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
          getCreateAgentSnapshotMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.CreateAgentSnapshotRequest,
              dev.mneme.v1.CreateAgentSnapshotResponse>(
                service, METHODID_CREATE_AGENT_SNAPSHOT)))
        .addMethod(
          getListAgentSnapshotsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ListAgentSnapshotsRequest,
              dev.mneme.v1.ListAgentSnapshotsResponse>(
                service, METHODID_LIST_AGENT_SNAPSHOTS)))
        .addMethod(
          getDeleteAgentSnapshotMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.DeleteAgentSnapshotRequest,
              dev.mneme.v1.DeleteAgentSnapshotResponse>(
                service, METHODID_DELETE_AGENT_SNAPSHOT)))
        .addMethod(
          getDiffAgentSnapshotsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.DiffAgentSnapshotsRequest,
              dev.mneme.v1.DiffAgentSnapshotsResponse>(
                service, METHODID_DIFF_AGENT_SNAPSHOTS)))
        .addMethod(
          getRestoreAgentSnapshotMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.RestoreAgentSnapshotRequest,
              dev.mneme.v1.RestoreAgentSnapshotResponse>(
                service, METHODID_RESTORE_AGENT_SNAPSHOT)))
        .addMethod(
          getForkAgentSnapshotMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ForkAgentSnapshotRequest,
              dev.mneme.v1.ForkAgentSnapshotResponse>(
                service, METHODID_FORK_AGENT_SNAPSHOT)))
        .build();
  }

  private static abstract class AgentServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    AgentServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.mneme.v1.AgentServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("AgentService");
    }
  }

  private static final class AgentServiceFileDescriptorSupplier
      extends AgentServiceBaseDescriptorSupplier {
    AgentServiceFileDescriptorSupplier() {}
  }

  private static final class AgentServiceMethodDescriptorSupplier
      extends AgentServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    AgentServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (AgentServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new AgentServiceFileDescriptorSupplier())
              .addMethod(getCreateAgentSnapshotMethod())
              .addMethod(getListAgentSnapshotsMethod())
              .addMethod(getDeleteAgentSnapshotMethod())
              .addMethod(getDiffAgentSnapshotsMethod())
              .addMethod(getRestoreAgentSnapshotMethod())
              .addMethod(getForkAgentSnapshotMethod())
              .build();
        }
      }
    }
    return result;
  }
}
