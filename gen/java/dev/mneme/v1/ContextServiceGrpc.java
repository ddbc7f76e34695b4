package dev.mneme.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Builds text for the context window of a model from what is remembered.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class ContextServiceGrpc {

  private ContextServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "mneme.v1.ContextService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.BuildContextRequest,
      dev.mneme.v1.BuildContextResponse> getBuildContextMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "BuildContext",
      requestType = dev.mneme.v1.BuildContextRequest.class,
      responseType = dev.mneme.v1.BuildContextResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.BuildContextRequest,
      dev.mneme.v1.BuildContextResponse> getBuildContextMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.BuildContextRequest, dev.mneme.v1.BuildContextResponse> getBuildContextMethod;
    if ((getBuildContextMethod = ContextServiceGrpc.getBuildContextMethod) == null) {
      synchronized (ContextServiceGrpc.class) {
        if ((getBuildContextMethod = ContextServiceGrpc.getBuildContextMethod) == null) {
          ContextServiceGrpc.getBuildContextMethod = getBuildContextMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.BuildContextRequest, dev.mneme.v1.BuildContextResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "BuildContext"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.BuildContextRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.BuildContextResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ContextServiceMethodDescriptorSupplier("BuildContext"))
              .build();
        }
      }
    }
    return getBuildContextMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static ContextServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ContextServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ContextServiceStub>() {
        @java.lang.Override
        public ContextServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ContextServiceStub(channel, callOptions);
        }
      };
    return ContextServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static ContextServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ContextServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ContextServiceBlockingV2Stub>() {
        @java.lang.Override
        public ContextServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ContextServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return ContextServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static ContextServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ContextServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ContextServiceBlockingStub>() {
        @java.lang.Override
        public ContextServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ContextServiceBlockingStub(channel, callOptions);
        }
      };
    return ContextServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static ContextServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ContextServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ContextServiceFutureStub>() {
        @java.lang.Override
        public ContextServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ContextServiceFutureStub(channel, callOptions);
        }
      };
    return ContextServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Builds text for the context window of a model from what is remembered.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Selects the working memory of a session and the memories that answer a query, and formats them as quoted data
     * within a token budget.
     * Working memory and memories are read at the same time; each read has four fifths of the time to the deadline. A
     * read that fails or is late does not fail the call: it is named in `degraded`, and `complete` is false. Restatements
     * of one memory go in once. Remembered text is escaped: it cannot end its entry, imitate a role or a fence, and has
     * no invisible or bidirectional control characters. A namespace that does not exist yet gives an empty context,
     * unless the server does not create namespaces on first use.
     * Errors: INVALID_ARGUMENT (FIELD_INVALID), NOT_FOUND (NAMESPACE_NOT_FOUND), UNAUTHENTICATED, UNAVAILABLE (DRAINING,
     * OVERLOADED), INTERNAL.
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "query": "Where is the brass key?",
     *       "token_budget": 500
     *     }
     * </pre>
     */
    default void buildContext(dev.mneme.v1.BuildContextRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.BuildContextResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getBuildContextMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service ContextService.
   * <pre>
   * Builds text for the context window of a model from what is remembered.
   * </pre>
   */
  public static abstract class ContextServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return ContextServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service ContextService.
   * <pre>
   * Builds text for the context window of a model from what is remembered.
   * </pre>
   */
  public static final class ContextServiceStub
      extends io.grpc.stub.AbstractAsyncStub<ContextServiceStub> {
    private ContextServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ContextServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ContextServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Selects the working memory of a session and the memories that answer a query, and formats them as quoted data
     * within a token budget.
     * Working memory and memories are read at the same time; each read has four fifths of the time to the deadline. A
     * read that fails or is late does not fail the call: it is named in `degraded`, and `complete` is false. Restatements
     * of one memory go in once. Remembered text is escaped: it cannot end its entry, imitate a role or a fence, and has
     * no invisible or bidirectional control characters. A namespace that does not exist yet gives an empty context,
     * unless the server does not create namespaces on first use.
     * Errors: INVALID_ARGUMENT (FIELD_INVALID), NOT_FOUND (NAMESPACE_NOT_FOUND), UNAUTHENTICATED, UNAVAILABLE (DRAINING,
     * OVERLOADED), INTERNAL.
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "query": "Where is the brass key?",
     *       "token_budget": 500
     *     }
     * </pre>
     */
    public void buildContext(dev.mneme.v1.BuildContextRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.BuildContextResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getBuildContextMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service ContextService.
   * <pre>
   * Builds text for the context window of a model from what is remembered.
   * </pre>
   */
  public static final class ContextServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<ContextServiceBlockingV2Stub> {
    private ContextServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ContextServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ContextServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Selects the working memory of a session and the memories that answer a query, and formats them as quoted data
     * within a token budget.
     * Working memory and memories are read at the same time; each read has four fifths of the time to the deadline. A
     * read that fails or is late does not fail the call: it is named in `degraded`, and `complete` is false. Restatements
     * of one memory go in once. Remembered text is escaped: it cannot end its entry, imitate a role or a fence, and has
     * no invisible or bidirectional control characters. A namespace that does not exist yet gives an empty context,
     * unless the server does not create namespaces on first use.
     * Errors: INVALID_ARGUMENT (FIELD_INVALID), NOT_FOUND (NAMESPACE_NOT_FOUND), UNAUTHENTICATED, UNAVAILABLE (DRAINING,
     * OVERLOADED), INTERNAL.
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "query": "Where is the brass key?",
     *       "token_budget": 500
     *     }
     * </pre>
     */
    public dev.mneme.v1.BuildContextResponse buildContext(dev.mneme.v1.BuildContextRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getBuildContextMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service ContextService.
   * <pre>
   * Builds text for the context window of a model from what is remembered.
   * </pre>
   */
  public static final class ContextServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<ContextServiceBlockingStub> {
    private ContextServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ContextServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ContextServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Selects the working memory of a session and the memories that answer a query, and formats them as quoted data
     * within a token budget.
     * Working memory and memories are read at the same time; each read has four fifths of the time to the deadline. A
     * read that fails or is late does not fail the call: it is named in `degraded`, and `complete` is false. Restatements
     * of one memory go in once. Remembered text is escaped: it cannot end its entry, imitate a role or a fence, and has
     * no invisible or bidirectional control characters. A namespace that does not exist yet gives an empty context,
     * unless the server does not create namespaces on first use.
     * Errors: INVALID_ARGUMENT (FIELD_INVALID), NOT_FOUND (NAMESPACE_NOT_FOUND), UNAUTHENTICATED, UNAVAILABLE (DRAINING,
     * OVERLOADED), INTERNAL.
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "query": "Where is the brass key?",
     *       "token_budget": 500
     *     }
     * </pre>
     */
    public dev.mneme.v1.BuildContextResponse buildContext(dev.mneme.v1.BuildContextRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getBuildContextMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service ContextService.
   * <pre>
   * Builds text for the context window of a model from what is remembered.
   * </pre>
   */
  public static final class ContextServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<ContextServiceFutureStub> {
    private ContextServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ContextServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ContextServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Selects the working memory of a session and the memories that answer a query, and formats them as quoted data
     * within a token budget.
     * Working memory and memories are read at the same time; each read has four fifths of the time to the deadline. A
     * read that fails or is late does not fail the call: it is named in `degraded`, and `complete` is false. Restatements
     * of one memory go in once. Remembered text is escaped: it cannot end its entry, imitate a role or a fence, and has
     * no invisible or bidirectional control characters. A namespace that does not exist yet gives an empty context,
     * unless the server does not create namespaces on first use.
     * Errors: INVALID_ARGUMENT (FIELD_INVALID), NOT_FOUND (NAMESPACE_NOT_FOUND), UNAUTHENTICATED, UNAVAILABLE (DRAINING,
     * OVERLOADED), INTERNAL.
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "query": "Where is the brass key?",
     *       "token_budget": 500
     *     }
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.BuildContextResponse> buildContext(
        dev.mneme.v1.BuildContextRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getBuildContextMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_BUILD_CONTEXT = 0;

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
        case METHODID_BUILD_CONTEXT:
          serviceImpl.buildContext((dev.mneme.v1.BuildContextRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.BuildContextResponse>) responseObserver);
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
          getBuildContextMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.BuildContextRequest,
              dev.mneme.v1.BuildContextResponse>(
                service, METHODID_BUILD_CONTEXT)))
        .build();
  }

  private static abstract class ContextServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    ContextServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.mneme.v1.ContextServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("ContextService");
    }
  }

  private static final class ContextServiceFileDescriptorSupplier
      extends ContextServiceBaseDescriptorSupplier {
    ContextServiceFileDescriptorSupplier() {}
  }

  private static final class ContextServiceMethodDescriptorSupplier
      extends ContextServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    ContextServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (ContextServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new ContextServiceFileDescriptorSupplier())
              .addMethod(getBuildContextMethod())
              .build();
        }
      }
    }
    return result;
  }
}
