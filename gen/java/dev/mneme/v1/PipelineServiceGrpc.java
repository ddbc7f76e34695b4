package dev.mneme.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Runs many operations over one stream, for agents that call in a loop.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class PipelineServiceGrpc {

  private PipelineServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "mneme.v1.PipelineService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.PipelineRequest,
      dev.mneme.v1.PipelineResponse> getPipelineMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "Pipeline",
      requestType = dev.mneme.v1.PipelineRequest.class,
      responseType = dev.mneme.v1.PipelineResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.PipelineRequest,
      dev.mneme.v1.PipelineResponse> getPipelineMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.PipelineRequest, dev.mneme.v1.PipelineResponse> getPipelineMethod;
    if ((getPipelineMethod = PipelineServiceGrpc.getPipelineMethod) == null) {
      synchronized (PipelineServiceGrpc.class) {
        if ((getPipelineMethod = PipelineServiceGrpc.getPipelineMethod) == null) {
          PipelineServiceGrpc.getPipelineMethod = getPipelineMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.PipelineRequest, dev.mneme.v1.PipelineResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "Pipeline"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.PipelineRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.PipelineResponse.getDefaultInstance()))
              .setSchemaDescriptor(new PipelineServiceMethodDescriptorSupplier("Pipeline"))
              .build();
        }
      }
    }
    return getPipelineMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static PipelineServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<PipelineServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<PipelineServiceStub>() {
        @java.lang.Override
        public PipelineServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new PipelineServiceStub(channel, callOptions);
        }
      };
    return PipelineServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static PipelineServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<PipelineServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<PipelineServiceBlockingV2Stub>() {
        @java.lang.Override
        public PipelineServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new PipelineServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return PipelineServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static PipelineServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<PipelineServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<PipelineServiceBlockingStub>() {
        @java.lang.Override
        public PipelineServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new PipelineServiceBlockingStub(channel, callOptions);
        }
      };
    return PipelineServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static PipelineServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<PipelineServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<PipelineServiceFutureStub>() {
        @java.lang.Override
        public PipelineServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new PipelineServiceFutureStub(channel, callOptions);
        }
      };
    return PipelineServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Runs many operations over one stream, for agents that call in a loop.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Runs operations of MemoryService, RecallService, WorkingMemoryService and LifecycleService over one stream, at a
     * fraction of the cost of separate calls.
     * Each operation behaves as its own method, with the same checks, limits, deadlines, request ids and errors.
     * Operations run concurrently and are answered as they finish, not in the order of the requests: to run one operation
     * after another, wait for the answer of the first. A failed operation is answered with its status and does not end
     * the stream.
     * The server stops reading while the pipeline has its maximum number of unanswered operations (256 by default), and
     * while the caller does not read the answers. When the caller half-closes the stream, all operations are answered
     * before the stream ends with OK. When the stream breaks, operations without an answer may or may not have taken
     * effect; repeat mutations with the same `request_id`.
     * Errors that end the stream: INVALID_ARGUMENT (MESSAGE_MALFORMED, FIELD_INVALID) for a message that cannot be
     * decoded or contains too many operations, RESOURCE_EXHAUSTED (MESSAGE_TOO_LARGE, TOO_MANY_STREAMS, SLOW_CONSUMER),
     * UNAUTHENTICATED, UNAVAILABLE (DRAINING, OVERLOADED), INTERNAL.
     * </pre>
     */
    default io.grpc.stub.StreamObserver<dev.mneme.v1.PipelineRequest> pipeline(
        io.grpc.stub.StreamObserver<dev.mneme.v1.PipelineResponse> responseObserver) {
      return io.grpc.stub.ServerCalls.asyncUnimplementedStreamingCall(getPipelineMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service PipelineService.
   * <pre>
   * Runs many operations over one stream, for agents that call in a loop.
   * </pre>
   */
  public static abstract class PipelineServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return PipelineServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service PipelineService.
   * <pre>
   * Runs many operations over one stream, for agents that call in a loop.
   * </pre>
   */
  public static final class PipelineServiceStub
      extends io.grpc.stub.AbstractAsyncStub<PipelineServiceStub> {
    private PipelineServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected PipelineServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new PipelineServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Runs operations of MemoryService, RecallService, WorkingMemoryService and LifecycleService over one stream, at a
     * fraction of the cost of separate calls.
     * Each operation behaves as its own method, with the same checks, limits, deadlines, request ids and errors.
     * Operations run concurrently and are answered as they finish, not in the order of the requests: to run one operation
     * after another, wait for the answer of the first. A failed operation is answered with its status and does not end
     * the stream.
     * The server stops reading while the pipeline has its maximum number of unanswered operations (256 by default), and
     * while the caller does not read the answers. When the caller half-closes the stream, all operations are answered
     * before the stream ends with OK. When the stream breaks, operations without an answer may or may not have taken
     * effect; repeat mutations with the same `request_id`.
     * Errors that end the stream: INVALID_ARGUMENT (MESSAGE_MALFORMED, FIELD_INVALID) for a message that cannot be
     * decoded or contains too many operations, RESOURCE_EXHAUSTED (MESSAGE_TOO_LARGE, TOO_MANY_STREAMS, SLOW_CONSUMER),
     * UNAUTHENTICATED, UNAVAILABLE (DRAINING, OVERLOADED), INTERNAL.
     * </pre>
     */
    public io.grpc.stub.StreamObserver<dev.mneme.v1.PipelineRequest> pipeline(
        io.grpc.stub.StreamObserver<dev.mneme.v1.PipelineResponse> responseObserver) {
      return io.grpc.stub.ClientCalls.asyncBidiStreamingCall(
          getChannel().newCall(getPipelineMethod(), getCallOptions()), responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service PipelineService.
   * <pre>
   * Runs many operations over one stream, for agents that call in a loop.
   * </pre>
   */
  public static final class PipelineServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<PipelineServiceBlockingV2Stub> {
    private PipelineServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected PipelineServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new PipelineServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Runs operations of MemoryService, RecallService, WorkingMemoryService and LifecycleService over one stream, at a
     * fraction of the cost of separate calls.
     * Each operation behaves as its own method, with the same checks, limits, deadlines, request ids and errors.
     * Operations run concurrently and are answered as they finish, not in the order of the requests: to run one operation
     * after another, wait for the answer of the first. A failed operation is answered with its status and does not end
     * the stream.
     * The server stops reading while the pipeline has its maximum number of unanswered operations (256 by default), and
     * while the caller does not read the answers. When the caller half-closes the stream, all operations are answered
     * before the stream ends with OK. When the stream breaks, operations without an answer may or may not have taken
     * effect; repeat mutations with the same `request_id`.
     * Errors that end the stream: INVALID_ARGUMENT (MESSAGE_MALFORMED, FIELD_INVALID) for a message that cannot be
     * decoded or contains too many operations, RESOURCE_EXHAUSTED (MESSAGE_TOO_LARGE, TOO_MANY_STREAMS, SLOW_CONSUMER),
     * UNAUTHENTICATED, UNAVAILABLE (DRAINING, OVERLOADED), INTERNAL.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<dev.mneme.v1.PipelineRequest, dev.mneme.v1.PipelineResponse>
        pipeline() {
      return io.grpc.stub.ClientCalls.blockingBidiStreamingCall(
          getChannel(), getPipelineMethod(), getCallOptions());
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service PipelineService.
   * <pre>
   * Runs many operations over one stream, for agents that call in a loop.
   * </pre>
   */
  public static final class PipelineServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<PipelineServiceBlockingStub> {
    private PipelineServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected PipelineServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new PipelineServiceBlockingStub(channel, callOptions);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service PipelineService.
   * <pre>
   * Runs many operations over one stream, for agents that call in a loop.
   * </pre>
   */
  public static final class PipelineServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<PipelineServiceFutureStub> {
    private PipelineServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected PipelineServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new PipelineServiceFutureStub(channel, callOptions);
    }
  }

  private static final int METHODID_PIPELINE = 0;

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
        case METHODID_PIPELINE:
          return (io.grpc.stub.StreamObserver<Req>) serviceImpl.pipeline(
              (io.grpc.stub.StreamObserver<dev.mneme.v1.PipelineResponse>) responseObserver);
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getPipelineMethod(),
          io.grpc.stub.ServerCalls.asyncBidiStreamingCall(
            new MethodHandlers<
              dev.mneme.v1.PipelineRequest,
              dev.mneme.v1.PipelineResponse>(
                service, METHODID_PIPELINE)))
        .build();
  }

  private static abstract class PipelineServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    PipelineServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.mneme.v1.PipelineServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("PipelineService");
    }
  }

  private static final class PipelineServiceFileDescriptorSupplier
      extends PipelineServiceBaseDescriptorSupplier {
    PipelineServiceFileDescriptorSupplier() {}
  }

  private static final class PipelineServiceMethodDescriptorSupplier
      extends PipelineServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    PipelineServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (PipelineServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new PipelineServiceFileDescriptorSupplier())
              .addMethod(getPipelineMethod())
              .build();
        }
      }
    }
    return result;
  }
}
