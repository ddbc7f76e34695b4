package dev.mneme.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Merges notes that say the same, and makes episodes of finished conversations.
 * Notes are current memories of type `fact` and `note` with a text and without content, place, step and validity. Notes
 * of one scope, type, speaker, trust and set of tags are merged when the most complete one has all words of the others
 * in the same order, and at most 15 % more, of which none is a number, a negation or a limiting word such as `formerly`.
 * The new memory cites them, and recall does not return them by default. Facts of KnowledgeService are not merged: a
 * repeated fact is reinforced when it is asserted. Messages are never hidden: an episode of a conversation only cites
 * them. Nothing is deleted: every memory is still found by its name and by a recall with `include_invalid`.
 * What is made has the least trust of its sources.
 * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
 * NOT_FOUND (NAMESPACE_NOT_FOUND), UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), RESOURCE_EXHAUSTED
 * (QUEUE_FULL, STORAGE_FULL), INTERNAL.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class ConsolidationServiceGrpc {

  private ConsolidationServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "mneme.v1.ConsolidationService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ConsolidateRequest,
      dev.mneme.v1.ConsolidateResponse> getConsolidateMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "Consolidate",
      requestType = dev.mneme.v1.ConsolidateRequest.class,
      responseType = dev.mneme.v1.ConsolidateResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ConsolidateRequest,
      dev.mneme.v1.ConsolidateResponse> getConsolidateMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ConsolidateRequest, dev.mneme.v1.ConsolidateResponse> getConsolidateMethod;
    if ((getConsolidateMethod = ConsolidationServiceGrpc.getConsolidateMethod) == null) {
      synchronized (ConsolidationServiceGrpc.class) {
        if ((getConsolidateMethod = ConsolidationServiceGrpc.getConsolidateMethod) == null) {
          ConsolidationServiceGrpc.getConsolidateMethod = getConsolidateMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ConsolidateRequest, dev.mneme.v1.ConsolidateResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "Consolidate"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ConsolidateRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ConsolidateResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ConsolidationServiceMethodDescriptorSupplier("Consolidate"))
              .build();
        }
      }
    }
    return getConsolidateMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.UndoConsolidationRequest,
      dev.mneme.v1.UndoConsolidationResponse> getUndoConsolidationMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "UndoConsolidation",
      requestType = dev.mneme.v1.UndoConsolidationRequest.class,
      responseType = dev.mneme.v1.UndoConsolidationResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.UndoConsolidationRequest,
      dev.mneme.v1.UndoConsolidationResponse> getUndoConsolidationMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.UndoConsolidationRequest, dev.mneme.v1.UndoConsolidationResponse> getUndoConsolidationMethod;
    if ((getUndoConsolidationMethod = ConsolidationServiceGrpc.getUndoConsolidationMethod) == null) {
      synchronized (ConsolidationServiceGrpc.class) {
        if ((getUndoConsolidationMethod = ConsolidationServiceGrpc.getUndoConsolidationMethod) == null) {
          ConsolidationServiceGrpc.getUndoConsolidationMethod = getUndoConsolidationMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.UndoConsolidationRequest, dev.mneme.v1.UndoConsolidationResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "UndoConsolidation"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.UndoConsolidationRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.UndoConsolidationResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ConsolidationServiceMethodDescriptorSupplier("UndoConsolidation"))
              .build();
        }
      }
    }
    return getUndoConsolidationMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static ConsolidationServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ConsolidationServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ConsolidationServiceStub>() {
        @java.lang.Override
        public ConsolidationServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ConsolidationServiceStub(channel, callOptions);
        }
      };
    return ConsolidationServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static ConsolidationServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ConsolidationServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ConsolidationServiceBlockingV2Stub>() {
        @java.lang.Override
        public ConsolidationServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ConsolidationServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return ConsolidationServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static ConsolidationServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ConsolidationServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ConsolidationServiceBlockingStub>() {
        @java.lang.Override
        public ConsolidationServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ConsolidationServiceBlockingStub(channel, callOptions);
        }
      };
    return ConsolidationServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static ConsolidationServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ConsolidationServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ConsolidationServiceFutureStub>() {
        @java.lang.Override
        public ConsolidationServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ConsolidationServiceFutureStub(channel, callOptions);
        }
      };
    return ConsolidationServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Merges notes that say the same, and makes episodes of finished conversations.
   * Notes are current memories of type `fact` and `note` with a text and without content, place, step and validity. Notes
   * of one scope, type, speaker, trust and set of tags are merged when the most complete one has all words of the others
   * in the same order, and at most 15 % more, of which none is a number, a negation or a limiting word such as `formerly`.
   * The new memory cites them, and recall does not return them by default. Facts of KnowledgeService are not merged: a
   * repeated fact is reinforced when it is asserted. Messages are never hidden: an episode of a conversation only cites
   * them. Nothing is deleted: every memory is still found by its name and by a recall with `include_invalid`.
   * What is made has the least trust of its sources.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * NOT_FOUND (NAMESPACE_NOT_FOUND), UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), RESOURCE_EXHAUSTED
   * (QUEUE_FULL, STORAGE_FULL), INTERNAL.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Consolidates the memories of a namespace, each scope by itself. The call may be cut off at any time: what it has
     * made stays, and repeating it goes on with the same report. Errors: RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * Example:
     *     {"parent": "namespaces/example", "dry_run": true}
     * With `dry_run` the verb `read` is needed too; without it, the answer has no texts.
     * </pre>
     */
    default void consolidate(dev.mneme.v1.ConsolidateRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ConsolidateResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getConsolidateMethod(), responseObserver);
    }

    /**
     * <pre>
     * Takes back what a consolidation made: the memories that it hid are as they were before, but for their versions, and
     * the new memories are deleted. They are not made again by later consolidations. A call that is cut off is finished by
     * repeating it.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), FAILED_PRECONDITION (MEMORY_SUPERSEDED) when a later consolidation has merged
     * what this one made, PERMISSION_DENIED (SCOPE_PRIVATE), FAILED_PRECONDITION (SCOPE_READ_ONLY).
     * </pre>
     */
    default void undoConsolidation(dev.mneme.v1.UndoConsolidationRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.UndoConsolidationResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getUndoConsolidationMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service ConsolidationService.
   * <pre>
   * Merges notes that say the same, and makes episodes of finished conversations.
   * Notes are current memories of type `fact` and `note` with a text and without content, place, step and validity. Notes
   * of one scope, type, speaker, trust and set of tags are merged when the most complete one has all words of the others
   * in the same order, and at most 15 % more, of which none is a number, a negation or a limiting word such as `formerly`.
   * The new memory cites them, and recall does not return them by default. Facts of KnowledgeService are not merged: a
   * repeated fact is reinforced when it is asserted. Messages are never hidden: an episode of a conversation only cites
   * them. Nothing is deleted: every memory is still found by its name and by a recall with `include_invalid`.
   * What is made has the least trust of its sources.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * NOT_FOUND (NAMESPACE_NOT_FOUND), UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), RESOURCE_EXHAUSTED
   * (QUEUE_FULL, STORAGE_FULL), INTERNAL.
   * </pre>
   */
  public static abstract class ConsolidationServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return ConsolidationServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service ConsolidationService.
   * <pre>
   * Merges notes that say the same, and makes episodes of finished conversations.
   * Notes are current memories of type `fact` and `note` with a text and without content, place, step and validity. Notes
   * of one scope, type, speaker, trust and set of tags are merged when the most complete one has all words of the others
   * in the same order, and at most 15 % more, of which none is a number, a negation or a limiting word such as `formerly`.
   * The new memory cites them, and recall does not return them by default. Facts of KnowledgeService are not merged: a
   * repeated fact is reinforced when it is asserted. Messages are never hidden: an episode of a conversation only cites
   * them. Nothing is deleted: every memory is still found by its name and by a recall with `include_invalid`.
   * What is made has the least trust of its sources.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * NOT_FOUND (NAMESPACE_NOT_FOUND), UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), RESOURCE_EXHAUSTED
   * (QUEUE_FULL, STORAGE_FULL), INTERNAL.
   * </pre>
   */
  public static final class ConsolidationServiceStub
      extends io.grpc.stub.AbstractAsyncStub<ConsolidationServiceStub> {
    private ConsolidationServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ConsolidationServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ConsolidationServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Consolidates the memories of a namespace, each scope by itself. The call may be cut off at any time: what it has
     * made stays, and repeating it goes on with the same report. Errors: RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * Example:
     *     {"parent": "namespaces/example", "dry_run": true}
     * With `dry_run` the verb `read` is needed too; without it, the answer has no texts.
     * </pre>
     */
    public void consolidate(dev.mneme.v1.ConsolidateRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ConsolidateResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getConsolidateMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Takes back what a consolidation made: the memories that it hid are as they were before, but for their versions, and
     * the new memories are deleted. They are not made again by later consolidations. A call that is cut off is finished by
     * repeating it.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), FAILED_PRECONDITION (MEMORY_SUPERSEDED) when a later consolidation has merged
     * what this one made, PERMISSION_DENIED (SCOPE_PRIVATE), FAILED_PRECONDITION (SCOPE_READ_ONLY).
     * </pre>
     */
    public void undoConsolidation(dev.mneme.v1.UndoConsolidationRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.UndoConsolidationResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getUndoConsolidationMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service ConsolidationService.
   * <pre>
   * Merges notes that say the same, and makes episodes of finished conversations.
   * Notes are current memories of type `fact` and `note` with a text and without content, place, step and validity. Notes
   * of one scope, type, speaker, trust and set of tags are merged when the most complete one has all words of the others
   * in the same order, and at most 15 % more, of which none is a number, a negation or a limiting word such as `formerly`.
   * The new memory cites them, and recall does not return them by default. Facts of KnowledgeService are not merged: a
   * repeated fact is reinforced when it is asserted. Messages are never hidden: an episode of a conversation only cites
   * them. Nothing is deleted: every memory is still found by its name and by a recall with `include_invalid`.
   * What is made has the least trust of its sources.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * NOT_FOUND (NAMESPACE_NOT_FOUND), UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), RESOURCE_EXHAUSTED
   * (QUEUE_FULL, STORAGE_FULL), INTERNAL.
   * </pre>
   */
  public static final class ConsolidationServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<ConsolidationServiceBlockingV2Stub> {
    private ConsolidationServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ConsolidationServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ConsolidationServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Consolidates the memories of a namespace, each scope by itself. The call may be cut off at any time: what it has
     * made stays, and repeating it goes on with the same report. Errors: RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * Example:
     *     {"parent": "namespaces/example", "dry_run": true}
     * With `dry_run` the verb `read` is needed too; without it, the answer has no texts.
     * </pre>
     */
    public dev.mneme.v1.ConsolidateResponse consolidate(dev.mneme.v1.ConsolidateRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getConsolidateMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Takes back what a consolidation made: the memories that it hid are as they were before, but for their versions, and
     * the new memories are deleted. They are not made again by later consolidations. A call that is cut off is finished by
     * repeating it.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), FAILED_PRECONDITION (MEMORY_SUPERSEDED) when a later consolidation has merged
     * what this one made, PERMISSION_DENIED (SCOPE_PRIVATE), FAILED_PRECONDITION (SCOPE_READ_ONLY).
     * </pre>
     */
    public dev.mneme.v1.UndoConsolidationResponse undoConsolidation(dev.mneme.v1.UndoConsolidationRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getUndoConsolidationMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service ConsolidationService.
   * <pre>
   * Merges notes that say the same, and makes episodes of finished conversations.
   * Notes are current memories of type `fact` and `note` with a text and without content, place, step and validity. Notes
   * of one scope, type, speaker, trust and set of tags are merged when the most complete one has all words of the others
   * in the same order, and at most 15 % more, of which none is a number, a negation or a limiting word such as `formerly`.
   * The new memory cites them, and recall does not return them by default. Facts of KnowledgeService are not merged: a
   * repeated fact is reinforced when it is asserted. Messages are never hidden: an episode of a conversation only cites
   * them. Nothing is deleted: every memory is still found by its name and by a recall with `include_invalid`.
   * What is made has the least trust of its sources.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * NOT_FOUND (NAMESPACE_NOT_FOUND), UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), RESOURCE_EXHAUSTED
   * (QUEUE_FULL, STORAGE_FULL), INTERNAL.
   * </pre>
   */
  public static final class ConsolidationServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<ConsolidationServiceBlockingStub> {
    private ConsolidationServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ConsolidationServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ConsolidationServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Consolidates the memories of a namespace, each scope by itself. The call may be cut off at any time: what it has
     * made stays, and repeating it goes on with the same report. Errors: RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * Example:
     *     {"parent": "namespaces/example", "dry_run": true}
     * With `dry_run` the verb `read` is needed too; without it, the answer has no texts.
     * </pre>
     */
    public dev.mneme.v1.ConsolidateResponse consolidate(dev.mneme.v1.ConsolidateRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getConsolidateMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Takes back what a consolidation made: the memories that it hid are as they were before, but for their versions, and
     * the new memories are deleted. They are not made again by later consolidations. A call that is cut off is finished by
     * repeating it.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), FAILED_PRECONDITION (MEMORY_SUPERSEDED) when a later consolidation has merged
     * what this one made, PERMISSION_DENIED (SCOPE_PRIVATE), FAILED_PRECONDITION (SCOPE_READ_ONLY).
     * </pre>
     */
    public dev.mneme.v1.UndoConsolidationResponse undoConsolidation(dev.mneme.v1.UndoConsolidationRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getUndoConsolidationMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service ConsolidationService.
   * <pre>
   * Merges notes that say the same, and makes episodes of finished conversations.
   * Notes are current memories of type `fact` and `note` with a text and without content, place, step and validity. Notes
   * of one scope, type, speaker, trust and set of tags are merged when the most complete one has all words of the others
   * in the same order, and at most 15 % more, of which none is a number, a negation or a limiting word such as `formerly`.
   * The new memory cites them, and recall does not return them by default. Facts of KnowledgeService are not merged: a
   * repeated fact is reinforced when it is asserted. Messages are never hidden: an episode of a conversation only cites
   * them. Nothing is deleted: every memory is still found by its name and by a recall with `include_invalid`.
   * What is made has the least trust of its sources.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * NOT_FOUND (NAMESPACE_NOT_FOUND), UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), RESOURCE_EXHAUSTED
   * (QUEUE_FULL, STORAGE_FULL), INTERNAL.
   * </pre>
   */
  public static final class ConsolidationServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<ConsolidationServiceFutureStub> {
    private ConsolidationServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ConsolidationServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ConsolidationServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Consolidates the memories of a namespace, each scope by itself. The call may be cut off at any time: what it has
     * made stays, and repeating it goes on with the same report. Errors: RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * Example:
     *     {"parent": "namespaces/example", "dry_run": true}
     * With `dry_run` the verb `read` is needed too; without it, the answer has no texts.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ConsolidateResponse> consolidate(
        dev.mneme.v1.ConsolidateRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getConsolidateMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Takes back what a consolidation made: the memories that it hid are as they were before, but for their versions, and
     * the new memories are deleted. They are not made again by later consolidations. A call that is cut off is finished by
     * repeating it.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), FAILED_PRECONDITION (MEMORY_SUPERSEDED) when a later consolidation has merged
     * what this one made, PERMISSION_DENIED (SCOPE_PRIVATE), FAILED_PRECONDITION (SCOPE_READ_ONLY).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.UndoConsolidationResponse> undoConsolidation(
        dev.mneme.v1.UndoConsolidationRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getUndoConsolidationMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_CONSOLIDATE = 0;
  private static final int METHODID_UNDO_CONSOLIDATION = 1;

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
        case METHODID_CONSOLIDATE:
          serviceImpl.consolidate((dev.mneme.v1.ConsolidateRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ConsolidateResponse>) responseObserver);
          break;
        case METHODID_UNDO_CONSOLIDATION:
          serviceImpl.undoConsolidation((dev.mneme.v1.UndoConsolidationRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.UndoConsolidationResponse>) responseObserver);
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
          getConsolidateMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ConsolidateRequest,
              dev.mneme.v1.ConsolidateResponse>(
                service, METHODID_CONSOLIDATE)))
        .addMethod(
          getUndoConsolidationMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.UndoConsolidationRequest,
              dev.mneme.v1.UndoConsolidationResponse>(
                service, METHODID_UNDO_CONSOLIDATION)))
        .build();
  }

  private static abstract class ConsolidationServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    ConsolidationServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.mneme.v1.ConsolidationServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("ConsolidationService");
    }
  }

  private static final class ConsolidationServiceFileDescriptorSupplier
      extends ConsolidationServiceBaseDescriptorSupplier {
    ConsolidationServiceFileDescriptorSupplier() {}
  }

  private static final class ConsolidationServiceMethodDescriptorSupplier
      extends ConsolidationServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    ConsolidationServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (ConsolidationServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new ConsolidationServiceFileDescriptorSupplier())
              .addMethod(getConsolidateMethod())
              .addMethod(getUndoConsolidationMethod())
              .build();
        }
      }
    }
    return result;
  }
}
