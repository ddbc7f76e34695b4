package dev.mneme.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Sets and lists scope policies, which decide which callers see and change the memories of a scope.
 * A policy applies to its scope and to everything beneath that scope; when several policies apply, all of them hold.
 * Policies restrict writes, and what callers see through any method: reading by name, lists, recall, streams, exports,
 * sessions with their working memory and events, and agent snapshots.
 * The request header `mneme-scope` states the caller's scope, as parts such as `project=p&amp;agent=ada` (also
 * `agent_type`, `session`) with percent-encoded values, or `*` for an operator who sees everything. Without the header,
 * recalls, watches, lifecycle events and subscriptions use the scope that their request names; all other calls count as
 * outside of every scope. Hidden memories, sessions, snapshots and subscriptions are answered as if they did not exist;
 * a write that would create one of them anew, or that names a hidden agent, fails with PERMISSION_DENIED
 * (SCOPE_PRIVATE). Ids of erased memories, totals, and the revision, which counts the writes to all namespaces, are
 * visible to every caller. The server trusts the header: callers that must be separated securely need separate servers.
 * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), NOT_FOUND (NAMESPACE_NOT_FOUND),
 * UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class ScopeServiceGrpc {

  private ScopeServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "mneme.v1.ScopeService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.SetScopePolicyRequest,
      dev.mneme.v1.SetScopePolicyResponse> getSetScopePolicyMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "SetScopePolicy",
      requestType = dev.mneme.v1.SetScopePolicyRequest.class,
      responseType = dev.mneme.v1.SetScopePolicyResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.SetScopePolicyRequest,
      dev.mneme.v1.SetScopePolicyResponse> getSetScopePolicyMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.SetScopePolicyRequest, dev.mneme.v1.SetScopePolicyResponse> getSetScopePolicyMethod;
    if ((getSetScopePolicyMethod = ScopeServiceGrpc.getSetScopePolicyMethod) == null) {
      synchronized (ScopeServiceGrpc.class) {
        if ((getSetScopePolicyMethod = ScopeServiceGrpc.getSetScopePolicyMethod) == null) {
          ScopeServiceGrpc.getSetScopePolicyMethod = getSetScopePolicyMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.SetScopePolicyRequest, dev.mneme.v1.SetScopePolicyResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "SetScopePolicy"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.SetScopePolicyRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.SetScopePolicyResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ScopeServiceMethodDescriptorSupplier("SetScopePolicy"))
              .build();
        }
      }
    }
    return getSetScopePolicyMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ListScopePoliciesRequest,
      dev.mneme.v1.ListScopePoliciesResponse> getListScopePoliciesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListScopePolicies",
      requestType = dev.mneme.v1.ListScopePoliciesRequest.class,
      responseType = dev.mneme.v1.ListScopePoliciesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ListScopePoliciesRequest,
      dev.mneme.v1.ListScopePoliciesResponse> getListScopePoliciesMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ListScopePoliciesRequest, dev.mneme.v1.ListScopePoliciesResponse> getListScopePoliciesMethod;
    if ((getListScopePoliciesMethod = ScopeServiceGrpc.getListScopePoliciesMethod) == null) {
      synchronized (ScopeServiceGrpc.class) {
        if ((getListScopePoliciesMethod = ScopeServiceGrpc.getListScopePoliciesMethod) == null) {
          ScopeServiceGrpc.getListScopePoliciesMethod = getListScopePoliciesMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ListScopePoliciesRequest, dev.mneme.v1.ListScopePoliciesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListScopePolicies"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListScopePoliciesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListScopePoliciesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ScopeServiceMethodDescriptorSupplier("ListScopePolicies"))
              .build();
        }
      }
    }
    return getListScopePoliciesMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static ScopeServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ScopeServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ScopeServiceStub>() {
        @java.lang.Override
        public ScopeServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ScopeServiceStub(channel, callOptions);
        }
      };
    return ScopeServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static ScopeServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ScopeServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ScopeServiceBlockingV2Stub>() {
        @java.lang.Override
        public ScopeServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ScopeServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return ScopeServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static ScopeServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ScopeServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ScopeServiceBlockingStub>() {
        @java.lang.Override
        public ScopeServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ScopeServiceBlockingStub(channel, callOptions);
        }
      };
    return ScopeServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static ScopeServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ScopeServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ScopeServiceFutureStub>() {
        @java.lang.Override
        public ScopeServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ScopeServiceFutureStub(channel, callOptions);
        }
      };
    return ScopeServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Sets and lists scope policies, which decide which callers see and change the memories of a scope.
   * A policy applies to its scope and to everything beneath that scope; when several policies apply, all of them hold.
   * Policies restrict writes, and what callers see through any method: reading by name, lists, recall, streams, exports,
   * sessions with their working memory and events, and agent snapshots.
   * The request header `mneme-scope` states the caller's scope, as parts such as `project=p&amp;agent=ada` (also
   * `agent_type`, `session`) with percent-encoded values, or `*` for an operator who sees everything. Without the header,
   * recalls, watches, lifecycle events and subscriptions use the scope that their request names; all other calls count as
   * outside of every scope. Hidden memories, sessions, snapshots and subscriptions are answered as if they did not exist;
   * a write that would create one of them anew, or that names a hidden agent, fails with PERMISSION_DENIED
   * (SCOPE_PRIVATE). Ids of erased memories, totals, and the revision, which counts the writes to all namespaces, are
   * visible to every caller. The server trusts the header: callers that must be separated securely need separate servers.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), NOT_FOUND (NAMESPACE_NOT_FOUND),
   * UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Sets the policy of a scope, replacing any existing one. A policy with no restrictions deletes the existing policy.
     * Errors: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL; SCOPES_FULL when the namespace has 1,000 policies),
     * FAILED_PRECONDITION (REQUEST_ID_REUSED), PERMISSION_DENIED (SCOPE_PRIVATE) when a caller replaces a private or
     * read-only policy from a scope that is neither within the scope of the policy nor above it.
     * </pre>
     */
    default void setScopePolicy(dev.mneme.v1.SetScopePolicyRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.SetScopePolicyResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSetScopePolicyMethod(), responseObserver);
    }

    /**
     * <pre>
     * Lists all policies of a namespace, ordered by the parts of their scopes.
     * </pre>
     */
    default void listScopePolicies(dev.mneme.v1.ListScopePoliciesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListScopePoliciesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListScopePoliciesMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service ScopeService.
   * <pre>
   * Sets and lists scope policies, which decide which callers see and change the memories of a scope.
   * A policy applies to its scope and to everything beneath that scope; when several policies apply, all of them hold.
   * Policies restrict writes, and what callers see through any method: reading by name, lists, recall, streams, exports,
   * sessions with their working memory and events, and agent snapshots.
   * The request header `mneme-scope` states the caller's scope, as parts such as `project=p&amp;agent=ada` (also
   * `agent_type`, `session`) with percent-encoded values, or `*` for an operator who sees everything. Without the header,
   * recalls, watches, lifecycle events and subscriptions use the scope that their request names; all other calls count as
   * outside of every scope. Hidden memories, sessions, snapshots and subscriptions are answered as if they did not exist;
   * a write that would create one of them anew, or that names a hidden agent, fails with PERMISSION_DENIED
   * (SCOPE_PRIVATE). Ids of erased memories, totals, and the revision, which counts the writes to all namespaces, are
   * visible to every caller. The server trusts the header: callers that must be separated securely need separate servers.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), NOT_FOUND (NAMESPACE_NOT_FOUND),
   * UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL.
   * </pre>
   */
  public static abstract class ScopeServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return ScopeServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service ScopeService.
   * <pre>
   * Sets and lists scope policies, which decide which callers see and change the memories of a scope.
   * A policy applies to its scope and to everything beneath that scope; when several policies apply, all of them hold.
   * Policies restrict writes, and what callers see through any method: reading by name, lists, recall, streams, exports,
   * sessions with their working memory and events, and agent snapshots.
   * The request header `mneme-scope` states the caller's scope, as parts such as `project=p&amp;agent=ada` (also
   * `agent_type`, `session`) with percent-encoded values, or `*` for an operator who sees everything. Without the header,
   * recalls, watches, lifecycle events and subscriptions use the scope that their request names; all other calls count as
   * outside of every scope. Hidden memories, sessions, snapshots and subscriptions are answered as if they did not exist;
   * a write that would create one of them anew, or that names a hidden agent, fails with PERMISSION_DENIED
   * (SCOPE_PRIVATE). Ids of erased memories, totals, and the revision, which counts the writes to all namespaces, are
   * visible to every caller. The server trusts the header: callers that must be separated securely need separate servers.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), NOT_FOUND (NAMESPACE_NOT_FOUND),
   * UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL.
   * </pre>
   */
  public static final class ScopeServiceStub
      extends io.grpc.stub.AbstractAsyncStub<ScopeServiceStub> {
    private ScopeServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ScopeServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ScopeServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Sets the policy of a scope, replacing any existing one. A policy with no restrictions deletes the existing policy.
     * Errors: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL; SCOPES_FULL when the namespace has 1,000 policies),
     * FAILED_PRECONDITION (REQUEST_ID_REUSED), PERMISSION_DENIED (SCOPE_PRIVATE) when a caller replaces a private or
     * read-only policy from a scope that is neither within the scope of the policy nor above it.
     * </pre>
     */
    public void setScopePolicy(dev.mneme.v1.SetScopePolicyRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.SetScopePolicyResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getSetScopePolicyMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Lists all policies of a namespace, ordered by the parts of their scopes.
     * </pre>
     */
    public void listScopePolicies(dev.mneme.v1.ListScopePoliciesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListScopePoliciesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListScopePoliciesMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service ScopeService.
   * <pre>
   * Sets and lists scope policies, which decide which callers see and change the memories of a scope.
   * A policy applies to its scope and to everything beneath that scope; when several policies apply, all of them hold.
   * Policies restrict writes, and what callers see through any method: reading by name, lists, recall, streams, exports,
   * sessions with their working memory and events, and agent snapshots.
   * The request header `mneme-scope` states the caller's scope, as parts such as `project=p&amp;agent=ada` (also
   * `agent_type`, `session`) with percent-encoded values, or `*` for an operator who sees everything. Without the header,
   * recalls, watches, lifecycle events and subscriptions use the scope that their request names; all other calls count as
   * outside of every scope. Hidden memories, sessions, snapshots and subscriptions are answered as if they did not exist;
   * a write that would create one of them anew, or that names a hidden agent, fails with PERMISSION_DENIED
   * (SCOPE_PRIVATE). Ids of erased memories, totals, and the revision, which counts the writes to all namespaces, are
   * visible to every caller. The server trusts the header: callers that must be separated securely need separate servers.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), NOT_FOUND (NAMESPACE_NOT_FOUND),
   * UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL.
   * </pre>
   */
  public static final class ScopeServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<ScopeServiceBlockingV2Stub> {
    private ScopeServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ScopeServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ScopeServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Sets the policy of a scope, replacing any existing one. A policy with no restrictions deletes the existing policy.
     * Errors: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL; SCOPES_FULL when the namespace has 1,000 policies),
     * FAILED_PRECONDITION (REQUEST_ID_REUSED), PERMISSION_DENIED (SCOPE_PRIVATE) when a caller replaces a private or
     * read-only policy from a scope that is neither within the scope of the policy nor above it.
     * </pre>
     */
    public dev.mneme.v1.SetScopePolicyResponse setScopePolicy(dev.mneme.v1.SetScopePolicyRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getSetScopePolicyMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists all policies of a namespace, ordered by the parts of their scopes.
     * </pre>
     */
    public dev.mneme.v1.ListScopePoliciesResponse listScopePolicies(dev.mneme.v1.ListScopePoliciesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListScopePoliciesMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service ScopeService.
   * <pre>
   * Sets and lists scope policies, which decide which callers see and change the memories of a scope.
   * A policy applies to its scope and to everything beneath that scope; when several policies apply, all of them hold.
   * Policies restrict writes, and what callers see through any method: reading by name, lists, recall, streams, exports,
   * sessions with their working memory and events, and agent snapshots.
   * The request header `mneme-scope` states the caller's scope, as parts such as `project=p&amp;agent=ada` (also
   * `agent_type`, `session`) with percent-encoded values, or `*` for an operator who sees everything. Without the header,
   * recalls, watches, lifecycle events and subscriptions use the scope that their request names; all other calls count as
   * outside of every scope. Hidden memories, sessions, snapshots and subscriptions are answered as if they did not exist;
   * a write that would create one of them anew, or that names a hidden agent, fails with PERMISSION_DENIED
   * (SCOPE_PRIVATE). Ids of erased memories, totals, and the revision, which counts the writes to all namespaces, are
   * visible to every caller. The server trusts the header: callers that must be separated securely need separate servers.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), NOT_FOUND (NAMESPACE_NOT_FOUND),
   * UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL.
   * </pre>
   */
  public static final class ScopeServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<ScopeServiceBlockingStub> {
    private ScopeServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ScopeServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ScopeServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Sets the policy of a scope, replacing any existing one. A policy with no restrictions deletes the existing policy.
     * Errors: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL; SCOPES_FULL when the namespace has 1,000 policies),
     * FAILED_PRECONDITION (REQUEST_ID_REUSED), PERMISSION_DENIED (SCOPE_PRIVATE) when a caller replaces a private or
     * read-only policy from a scope that is neither within the scope of the policy nor above it.
     * </pre>
     */
    public dev.mneme.v1.SetScopePolicyResponse setScopePolicy(dev.mneme.v1.SetScopePolicyRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getSetScopePolicyMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists all policies of a namespace, ordered by the parts of their scopes.
     * </pre>
     */
    public dev.mneme.v1.ListScopePoliciesResponse listScopePolicies(dev.mneme.v1.ListScopePoliciesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListScopePoliciesMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service ScopeService.
   * <pre>
   * Sets and lists scope policies, which decide which callers see and change the memories of a scope.
   * A policy applies to its scope and to everything beneath that scope; when several policies apply, all of them hold.
   * Policies restrict writes, and what callers see through any method: reading by name, lists, recall, streams, exports,
   * sessions with their working memory and events, and agent snapshots.
   * The request header `mneme-scope` states the caller's scope, as parts such as `project=p&amp;agent=ada` (also
   * `agent_type`, `session`) with percent-encoded values, or `*` for an operator who sees everything. Without the header,
   * recalls, watches, lifecycle events and subscriptions use the scope that their request names; all other calls count as
   * outside of every scope. Hidden memories, sessions, snapshots and subscriptions are answered as if they did not exist;
   * a write that would create one of them anew, or that names a hidden agent, fails with PERMISSION_DENIED
   * (SCOPE_PRIVATE). Ids of erased memories, totals, and the revision, which counts the writes to all namespaces, are
   * visible to every caller. The server trusts the header: callers that must be separated securely need separate servers.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), NOT_FOUND (NAMESPACE_NOT_FOUND),
   * UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL.
   * </pre>
   */
  public static final class ScopeServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<ScopeServiceFutureStub> {
    private ScopeServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ScopeServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ScopeServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Sets the policy of a scope, replacing any existing one. A policy with no restrictions deletes the existing policy.
     * Errors: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL; SCOPES_FULL when the namespace has 1,000 policies),
     * FAILED_PRECONDITION (REQUEST_ID_REUSED), PERMISSION_DENIED (SCOPE_PRIVATE) when a caller replaces a private or
     * read-only policy from a scope that is neither within the scope of the policy nor above it.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.SetScopePolicyResponse> setScopePolicy(
        dev.mneme.v1.SetScopePolicyRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getSetScopePolicyMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Lists all policies of a namespace, ordered by the parts of their scopes.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ListScopePoliciesResponse> listScopePolicies(
        dev.mneme.v1.ListScopePoliciesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListScopePoliciesMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_SET_SCOPE_POLICY = 0;
  private static final int METHODID_LIST_SCOPE_POLICIES = 1;

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
        case METHODID_SET_SCOPE_POLICY:
          serviceImpl.setScopePolicy((dev.mneme.v1.SetScopePolicyRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.SetScopePolicyResponse>) responseObserver);
          break;
        case METHODID_LIST_SCOPE_POLICIES:
          serviceImpl.listScopePolicies((dev.mneme.v1.ListScopePoliciesRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ListScopePoliciesResponse>) responseObserver);
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
          getSetScopePolicyMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.SetScopePolicyRequest,
              dev.mneme.v1.SetScopePolicyResponse>(
                service, METHODID_SET_SCOPE_POLICY)))
        .addMethod(
          getListScopePoliciesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ListScopePoliciesRequest,
              dev.mneme.v1.ListScopePoliciesResponse>(
                service, METHODID_LIST_SCOPE_POLICIES)))
        .build();
  }

  private static abstract class ScopeServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    ScopeServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.mneme.v1.ScopeServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("ScopeService");
    }
  }

  private static final class ScopeServiceFileDescriptorSupplier
      extends ScopeServiceBaseDescriptorSupplier {
    ScopeServiceFileDescriptorSupplier() {}
  }

  private static final class ScopeServiceMethodDescriptorSupplier
      extends ScopeServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    ScopeServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (ScopeServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new ScopeServiceFileDescriptorSupplier())
              .addMethod(getSetScopePolicyMethod())
              .addMethod(getListScopePoliciesMethod())
              .build();
        }
      }
    }
    return result;
  }
}
