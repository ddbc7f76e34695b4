package dev.mneme.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Creates, reads and deletes durable subscriptions, and delivers their changes.
 * A subscription keeps a position (cursor) in the change log for each consumer, across connections and restarts. It
 * does not keep the log itself: a consumer that stays away longer than the log is kept (see `StreamTerms`) fails with
 * REVISION_COMPACTED. `request_id` works as in MemoryService.
 * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID), NOT_FOUND (NAMESPACE_NOT_FOUND), UNAUTHENTICATED,
 * DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every mutation also:
 * RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED).
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class SubscriptionServiceGrpc {

  private SubscriptionServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "mneme.v1.SubscriptionService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.CreateSubscriptionRequest,
      dev.mneme.v1.CreateSubscriptionResponse> getCreateSubscriptionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CreateSubscription",
      requestType = dev.mneme.v1.CreateSubscriptionRequest.class,
      responseType = dev.mneme.v1.CreateSubscriptionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.CreateSubscriptionRequest,
      dev.mneme.v1.CreateSubscriptionResponse> getCreateSubscriptionMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.CreateSubscriptionRequest, dev.mneme.v1.CreateSubscriptionResponse> getCreateSubscriptionMethod;
    if ((getCreateSubscriptionMethod = SubscriptionServiceGrpc.getCreateSubscriptionMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getCreateSubscriptionMethod = SubscriptionServiceGrpc.getCreateSubscriptionMethod) == null) {
          SubscriptionServiceGrpc.getCreateSubscriptionMethod = getCreateSubscriptionMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.CreateSubscriptionRequest, dev.mneme.v1.CreateSubscriptionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CreateSubscription"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.CreateSubscriptionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.CreateSubscriptionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("CreateSubscription"))
              .build();
        }
      }
    }
    return getCreateSubscriptionMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.GetSubscriptionRequest,
      dev.mneme.v1.GetSubscriptionResponse> getGetSubscriptionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetSubscription",
      requestType = dev.mneme.v1.GetSubscriptionRequest.class,
      responseType = dev.mneme.v1.GetSubscriptionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.GetSubscriptionRequest,
      dev.mneme.v1.GetSubscriptionResponse> getGetSubscriptionMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.GetSubscriptionRequest, dev.mneme.v1.GetSubscriptionResponse> getGetSubscriptionMethod;
    if ((getGetSubscriptionMethod = SubscriptionServiceGrpc.getGetSubscriptionMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getGetSubscriptionMethod = SubscriptionServiceGrpc.getGetSubscriptionMethod) == null) {
          SubscriptionServiceGrpc.getGetSubscriptionMethod = getGetSubscriptionMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.GetSubscriptionRequest, dev.mneme.v1.GetSubscriptionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetSubscription"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetSubscriptionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetSubscriptionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("GetSubscription"))
              .build();
        }
      }
    }
    return getGetSubscriptionMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ListSubscriptionsRequest,
      dev.mneme.v1.ListSubscriptionsResponse> getListSubscriptionsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListSubscriptions",
      requestType = dev.mneme.v1.ListSubscriptionsRequest.class,
      responseType = dev.mneme.v1.ListSubscriptionsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ListSubscriptionsRequest,
      dev.mneme.v1.ListSubscriptionsResponse> getListSubscriptionsMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ListSubscriptionsRequest, dev.mneme.v1.ListSubscriptionsResponse> getListSubscriptionsMethod;
    if ((getListSubscriptionsMethod = SubscriptionServiceGrpc.getListSubscriptionsMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getListSubscriptionsMethod = SubscriptionServiceGrpc.getListSubscriptionsMethod) == null) {
          SubscriptionServiceGrpc.getListSubscriptionsMethod = getListSubscriptionsMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ListSubscriptionsRequest, dev.mneme.v1.ListSubscriptionsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListSubscriptions"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListSubscriptionsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListSubscriptionsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("ListSubscriptions"))
              .build();
        }
      }
    }
    return getListSubscriptionsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.DeleteSubscriptionRequest,
      dev.mneme.v1.DeleteSubscriptionResponse> getDeleteSubscriptionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "DeleteSubscription",
      requestType = dev.mneme.v1.DeleteSubscriptionRequest.class,
      responseType = dev.mneme.v1.DeleteSubscriptionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.DeleteSubscriptionRequest,
      dev.mneme.v1.DeleteSubscriptionResponse> getDeleteSubscriptionMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.DeleteSubscriptionRequest, dev.mneme.v1.DeleteSubscriptionResponse> getDeleteSubscriptionMethod;
    if ((getDeleteSubscriptionMethod = SubscriptionServiceGrpc.getDeleteSubscriptionMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getDeleteSubscriptionMethod = SubscriptionServiceGrpc.getDeleteSubscriptionMethod) == null) {
          SubscriptionServiceGrpc.getDeleteSubscriptionMethod = getDeleteSubscriptionMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.DeleteSubscriptionRequest, dev.mneme.v1.DeleteSubscriptionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "DeleteSubscription"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.DeleteSubscriptionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.DeleteSubscriptionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("DeleteSubscription"))
              .build();
        }
      }
    }
    return getDeleteSubscriptionMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ConsumeSubscriptionRequest,
      dev.mneme.v1.ConsumeSubscriptionResponse> getConsumeSubscriptionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ConsumeSubscription",
      requestType = dev.mneme.v1.ConsumeSubscriptionRequest.class,
      responseType = dev.mneme.v1.ConsumeSubscriptionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ConsumeSubscriptionRequest,
      dev.mneme.v1.ConsumeSubscriptionResponse> getConsumeSubscriptionMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ConsumeSubscriptionRequest, dev.mneme.v1.ConsumeSubscriptionResponse> getConsumeSubscriptionMethod;
    if ((getConsumeSubscriptionMethod = SubscriptionServiceGrpc.getConsumeSubscriptionMethod) == null) {
      synchronized (SubscriptionServiceGrpc.class) {
        if ((getConsumeSubscriptionMethod = SubscriptionServiceGrpc.getConsumeSubscriptionMethod) == null) {
          SubscriptionServiceGrpc.getConsumeSubscriptionMethod = getConsumeSubscriptionMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ConsumeSubscriptionRequest, dev.mneme.v1.ConsumeSubscriptionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ConsumeSubscription"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ConsumeSubscriptionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ConsumeSubscriptionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new SubscriptionServiceMethodDescriptorSupplier("ConsumeSubscription"))
              .build();
        }
      }
    }
    return getConsumeSubscriptionMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static SubscriptionServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<SubscriptionServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<SubscriptionServiceStub>() {
        @java.lang.Override
        public SubscriptionServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new SubscriptionServiceStub(channel, callOptions);
        }
      };
    return SubscriptionServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static SubscriptionServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<SubscriptionServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<SubscriptionServiceBlockingV2Stub>() {
        @java.lang.Override
        public SubscriptionServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new SubscriptionServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return SubscriptionServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static SubscriptionServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<SubscriptionServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<SubscriptionServiceBlockingStub>() {
        @java.lang.Override
        public SubscriptionServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new SubscriptionServiceBlockingStub(channel, callOptions);
        }
      };
    return SubscriptionServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static SubscriptionServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<SubscriptionServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<SubscriptionServiceFutureStub>() {
        @java.lang.Override
        public SubscriptionServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new SubscriptionServiceFutureStub(channel, callOptions);
        }
      };
    return SubscriptionServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Creates, reads and deletes durable subscriptions, and delivers their changes.
   * A subscription keeps a position (cursor) in the change log for each consumer, across connections and restarts. It
   * does not keep the log itself: a consumer that stays away longer than the log is kept (see `StreamTerms`) fails with
   * REVISION_COMPACTED. `request_id` works as in MemoryService.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID), NOT_FOUND (NAMESPACE_NOT_FOUND), UNAUTHENTICATED,
   * DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every mutation also:
   * RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED).
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Creates a subscription, which begins with the next change. The namespace is created on first use, as by
     * StoreMemory.
     * Errors: ALREADY_EXISTS (SUBSCRIPTION_EXISTS), INVALID_ARGUMENT (FILTER_INVALID), RESOURCE_EXHAUSTED
     * (TOO_MANY_STREAMS) when the namespace has 1,000 subscriptions.
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "subscription_id": "indexer",
     *       "subscription": {
     *         "mode": "DELIVERY_MODE_WORK_QUEUE",
     *         "filter_text": "type = &#92;"state&#92;"",
     *         "ack_deadline": "60s"
     *       }
     *     }
     * </pre>
     */
    default void createSubscription(dev.mneme.v1.CreateSubscriptionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.CreateSubscriptionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCreateSubscriptionMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads one subscription with its cursors.
     * Errors: NOT_FOUND (SUBSCRIPTION_NOT_FOUND).
     * </pre>
     */
    default void getSubscription(dev.mneme.v1.GetSubscriptionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetSubscriptionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetSubscriptionMethod(), responseObserver);
    }

    /**
     * <pre>
     * Lists all subscriptions of a namespace, at most 1,000, ordered by name.
     * </pre>
     */
    default void listSubscriptions(dev.mneme.v1.ListSubscriptionsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListSubscriptionsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListSubscriptionsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Deletes a subscription with its cursors and ends the streams that consume it.
     * Errors: NOT_FOUND (SUBSCRIPTION_NOT_FOUND).
     * </pre>
     */
    default void deleteSubscription(dev.mneme.v1.DeleteSubscriptionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.DeleteSubscriptionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getDeleteSubscriptionMethod(), responseObserver);
    }

    /**
     * <pre>
     * Delivers the changes of a subscription at least once. Changes that are not acknowledged are delivered again: to the
     * same consumer when it reconnects or, in a work queue, to another consumer. The first message of the caller is
     * `start`; all others are `acknowledge`.
     * Errors: NOT_FOUND (SUBSCRIPTION_NOT_FOUND), OUT_OF_RANGE (REVISION_COMPACTED: set `start_revision` to continue with
     * later changes; REVISION_AHEAD), RESOURCE_EXHAUSTED (SLOW_CONSUMER, TOO_MANY_STREAMS), CANCELLED when the same
     * consumer opens another stream.
     * </pre>
     */
    default io.grpc.stub.StreamObserver<dev.mneme.v1.ConsumeSubscriptionRequest> consumeSubscription(
        io.grpc.stub.StreamObserver<dev.mneme.v1.ConsumeSubscriptionResponse> responseObserver) {
      return io.grpc.stub.ServerCalls.asyncUnimplementedStreamingCall(getConsumeSubscriptionMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service SubscriptionService.
   * <pre>
   * Creates, reads and deletes durable subscriptions, and delivers their changes.
   * A subscription keeps a position (cursor) in the change log for each consumer, across connections and restarts. It
   * does not keep the log itself: a consumer that stays away longer than the log is kept (see `StreamTerms`) fails with
   * REVISION_COMPACTED. `request_id` works as in MemoryService.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID), NOT_FOUND (NAMESPACE_NOT_FOUND), UNAUTHENTICATED,
   * DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every mutation also:
   * RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED).
   * </pre>
   */
  public static abstract class SubscriptionServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return SubscriptionServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service SubscriptionService.
   * <pre>
   * Creates, reads and deletes durable subscriptions, and delivers their changes.
   * A subscription keeps a position (cursor) in the change log for each consumer, across connections and restarts. It
   * does not keep the log itself: a consumer that stays away longer than the log is kept (see `StreamTerms`) fails with
   * REVISION_COMPACTED. `request_id` works as in MemoryService.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID), NOT_FOUND (NAMESPACE_NOT_FOUND), UNAUTHENTICATED,
   * DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every mutation also:
   * RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED).
   * </pre>
   */
  public static final class SubscriptionServiceStub
      extends io.grpc.stub.AbstractAsyncStub<SubscriptionServiceStub> {
    private SubscriptionServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected SubscriptionServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new SubscriptionServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Creates a subscription, which begins with the next change. The namespace is created on first use, as by
     * StoreMemory.
     * Errors: ALREADY_EXISTS (SUBSCRIPTION_EXISTS), INVALID_ARGUMENT (FILTER_INVALID), RESOURCE_EXHAUSTED
     * (TOO_MANY_STREAMS) when the namespace has 1,000 subscriptions.
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "subscription_id": "indexer",
     *       "subscription": {
     *         "mode": "DELIVERY_MODE_WORK_QUEUE",
     *         "filter_text": "type = &#92;"state&#92;"",
     *         "ack_deadline": "60s"
     *       }
     *     }
     * </pre>
     */
    public void createSubscription(dev.mneme.v1.CreateSubscriptionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.CreateSubscriptionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCreateSubscriptionMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads one subscription with its cursors.
     * Errors: NOT_FOUND (SUBSCRIPTION_NOT_FOUND).
     * </pre>
     */
    public void getSubscription(dev.mneme.v1.GetSubscriptionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetSubscriptionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetSubscriptionMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Lists all subscriptions of a namespace, at most 1,000, ordered by name.
     * </pre>
     */
    public void listSubscriptions(dev.mneme.v1.ListSubscriptionsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListSubscriptionsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListSubscriptionsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Deletes a subscription with its cursors and ends the streams that consume it.
     * Errors: NOT_FOUND (SUBSCRIPTION_NOT_FOUND).
     * </pre>
     */
    public void deleteSubscription(dev.mneme.v1.DeleteSubscriptionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.DeleteSubscriptionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getDeleteSubscriptionMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Delivers the changes of a subscription at least once. Changes that are not acknowledged are delivered again: to the
     * same consumer when it reconnects or, in a work queue, to another consumer. The first message of the caller is
     * `start`; all others are `acknowledge`.
     * Errors: NOT_FOUND (SUBSCRIPTION_NOT_FOUND), OUT_OF_RANGE (REVISION_COMPACTED: set `start_revision` to continue with
     * later changes; REVISION_AHEAD), RESOURCE_EXHAUSTED (SLOW_CONSUMER, TOO_MANY_STREAMS), CANCELLED when the same
     * consumer opens another stream.
     * </pre>
     */
    public io.grpc.stub.StreamObserver<dev.mneme.v1.ConsumeSubscriptionRequest> consumeSubscription(
        io.grpc.stub.StreamObserver<dev.mneme.v1.ConsumeSubscriptionResponse> responseObserver) {
      return io.grpc.stub.ClientCalls.asyncBidiStreamingCall(
          getChannel().newCall(getConsumeSubscriptionMethod(), getCallOptions()), responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service SubscriptionService.
   * <pre>
   * Creates, reads and deletes durable subscriptions, and delivers their changes.
   * A subscription keeps a position (cursor) in the change log for each consumer, across connections and restarts. It
   * does not keep the log itself: a consumer that stays away longer than the log is kept (see `StreamTerms`) fails with
   * REVISION_COMPACTED. `request_id` works as in MemoryService.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID), NOT_FOUND (NAMESPACE_NOT_FOUND), UNAUTHENTICATED,
   * DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every mutation also:
   * RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED).
   * </pre>
   */
  public static final class SubscriptionServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<SubscriptionServiceBlockingV2Stub> {
    private SubscriptionServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected SubscriptionServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new SubscriptionServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Creates a subscription, which begins with the next change. The namespace is created on first use, as by
     * StoreMemory.
     * Errors: ALREADY_EXISTS (SUBSCRIPTION_EXISTS), INVALID_ARGUMENT (FILTER_INVALID), RESOURCE_EXHAUSTED
     * (TOO_MANY_STREAMS) when the namespace has 1,000 subscriptions.
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "subscription_id": "indexer",
     *       "subscription": {
     *         "mode": "DELIVERY_MODE_WORK_QUEUE",
     *         "filter_text": "type = &#92;"state&#92;"",
     *         "ack_deadline": "60s"
     *       }
     *     }
     * </pre>
     */
    public dev.mneme.v1.CreateSubscriptionResponse createSubscription(dev.mneme.v1.CreateSubscriptionRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCreateSubscriptionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads one subscription with its cursors.
     * Errors: NOT_FOUND (SUBSCRIPTION_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.GetSubscriptionResponse getSubscription(dev.mneme.v1.GetSubscriptionRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetSubscriptionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists all subscriptions of a namespace, at most 1,000, ordered by name.
     * </pre>
     */
    public dev.mneme.v1.ListSubscriptionsResponse listSubscriptions(dev.mneme.v1.ListSubscriptionsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListSubscriptionsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes a subscription with its cursors and ends the streams that consume it.
     * Errors: NOT_FOUND (SUBSCRIPTION_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.DeleteSubscriptionResponse deleteSubscription(dev.mneme.v1.DeleteSubscriptionRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getDeleteSubscriptionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Delivers the changes of a subscription at least once. Changes that are not acknowledged are delivered again: to the
     * same consumer when it reconnects or, in a work queue, to another consumer. The first message of the caller is
     * `start`; all others are `acknowledge`.
     * Errors: NOT_FOUND (SUBSCRIPTION_NOT_FOUND), OUT_OF_RANGE (REVISION_COMPACTED: set `start_revision` to continue with
     * later changes; REVISION_AHEAD), RESOURCE_EXHAUSTED (SLOW_CONSUMER, TOO_MANY_STREAMS), CANCELLED when the same
     * consumer opens another stream.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<dev.mneme.v1.ConsumeSubscriptionRequest, dev.mneme.v1.ConsumeSubscriptionResponse>
        consumeSubscription() {
      return io.grpc.stub.ClientCalls.blockingBidiStreamingCall(
          getChannel(), getConsumeSubscriptionMethod(), getCallOptions());
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service SubscriptionService.
   * <pre>
   * Creates, reads and deletes durable subscriptions, and delivers their changes.
   * A subscription keeps a position (cursor) in the change log for each consumer, across connections and restarts. It
   * does not keep the log itself: a consumer that stays away longer than the log is kept (see `StreamTerms`) fails with
   * REVISION_COMPACTED. `request_id` works as in MemoryService.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID), NOT_FOUND (NAMESPACE_NOT_FOUND), UNAUTHENTICATED,
   * DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every mutation also:
   * RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED).
   * </pre>
   */
  public static final class SubscriptionServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<SubscriptionServiceBlockingStub> {
    private SubscriptionServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected SubscriptionServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new SubscriptionServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Creates a subscription, which begins with the next change. The namespace is created on first use, as by
     * StoreMemory.
     * Errors: ALREADY_EXISTS (SUBSCRIPTION_EXISTS), INVALID_ARGUMENT (FILTER_INVALID), RESOURCE_EXHAUSTED
     * (TOO_MANY_STREAMS) when the namespace has 1,000 subscriptions.
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "subscription_id": "indexer",
     *       "subscription": {
     *         "mode": "DELIVERY_MODE_WORK_QUEUE",
     *         "filter_text": "type = &#92;"state&#92;"",
     *         "ack_deadline": "60s"
     *       }
     *     }
     * </pre>
     */
    public dev.mneme.v1.CreateSubscriptionResponse createSubscription(dev.mneme.v1.CreateSubscriptionRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCreateSubscriptionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads one subscription with its cursors.
     * Errors: NOT_FOUND (SUBSCRIPTION_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.GetSubscriptionResponse getSubscription(dev.mneme.v1.GetSubscriptionRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetSubscriptionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists all subscriptions of a namespace, at most 1,000, ordered by name.
     * </pre>
     */
    public dev.mneme.v1.ListSubscriptionsResponse listSubscriptions(dev.mneme.v1.ListSubscriptionsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListSubscriptionsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes a subscription with its cursors and ends the streams that consume it.
     * Errors: NOT_FOUND (SUBSCRIPTION_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.DeleteSubscriptionResponse deleteSubscription(dev.mneme.v1.DeleteSubscriptionRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getDeleteSubscriptionMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service SubscriptionService.
   * <pre>
   * Creates, reads and deletes durable subscriptions, and delivers their changes.
   * A subscription keeps a position (cursor) in the change log for each consumer, across connections and restarts. It
   * does not keep the log itself: a consumer that stays away longer than the log is kept (see `StreamTerms`) fails with
   * REVISION_COMPACTED. `request_id` works as in MemoryService.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID), NOT_FOUND (NAMESPACE_NOT_FOUND), UNAUTHENTICATED,
   * DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every mutation also:
   * RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED).
   * </pre>
   */
  public static final class SubscriptionServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<SubscriptionServiceFutureStub> {
    private SubscriptionServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected SubscriptionServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new SubscriptionServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Creates a subscription, which begins with the next change. The namespace is created on first use, as by
     * StoreMemory.
     * Errors: ALREADY_EXISTS (SUBSCRIPTION_EXISTS), INVALID_ARGUMENT (FILTER_INVALID), RESOURCE_EXHAUSTED
     * (TOO_MANY_STREAMS) when the namespace has 1,000 subscriptions.
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "subscription_id": "indexer",
     *       "subscription": {
     *         "mode": "DELIVERY_MODE_WORK_QUEUE",
     *         "filter_text": "type = &#92;"state&#92;"",
     *         "ack_deadline": "60s"
     *       }
     *     }
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.CreateSubscriptionResponse> createSubscription(
        dev.mneme.v1.CreateSubscriptionRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCreateSubscriptionMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads one subscription with its cursors.
     * Errors: NOT_FOUND (SUBSCRIPTION_NOT_FOUND).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.GetSubscriptionResponse> getSubscription(
        dev.mneme.v1.GetSubscriptionRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetSubscriptionMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Lists all subscriptions of a namespace, at most 1,000, ordered by name.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ListSubscriptionsResponse> listSubscriptions(
        dev.mneme.v1.ListSubscriptionsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListSubscriptionsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Deletes a subscription with its cursors and ends the streams that consume it.
     * Errors: NOT_FOUND (SUBSCRIPTION_NOT_FOUND).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.DeleteSubscriptionResponse> deleteSubscription(
        dev.mneme.v1.DeleteSubscriptionRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getDeleteSubscriptionMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_CREATE_SUBSCRIPTION = 0;
  private static final int METHODID_GET_SUBSCRIPTION = 1;
  private static final int METHODID_LIST_SUBSCRIPTIONS = 2;
  private static final int METHODID_DELETE_SUBSCRIPTION = 3;
  private static final int METHODID_CONSUME_SUBSCRIPTION = 4;

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
        case METHODID_CREATE_SUBSCRIPTION:
          serviceImpl.createSubscription((dev.mneme.v1.CreateSubscriptionRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.CreateSubscriptionResponse>) responseObserver);
          break;
        case METHODID_GET_SUBSCRIPTION:
          serviceImpl.getSubscription((dev.mneme.v1.GetSubscriptionRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.GetSubscriptionResponse>) responseObserver);
          break;
        case METHODID_LIST_SUBSCRIPTIONS:
          serviceImpl.listSubscriptions((dev.mneme.v1.ListSubscriptionsRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ListSubscriptionsResponse>) responseObserver);
          break;
        case METHODID_DELETE_SUBSCRIPTION:
          serviceImpl.deleteSubscription((dev.mneme.v1.DeleteSubscriptionRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.DeleteSubscriptionResponse>) responseObserver);
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
        case METHODID_CONSUME_SUBSCRIPTION:
          return (io.grpc.stub.StreamObserver<Req>) serviceImpl.consumeSubscription(
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ConsumeSubscriptionResponse>) responseObserver);
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getCreateSubscriptionMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.CreateSubscriptionRequest,
              dev.mneme.v1.CreateSubscriptionResponse>(
                service, METHODID_CREATE_SUBSCRIPTION)))
        .addMethod(
          getGetSubscriptionMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.GetSubscriptionRequest,
              dev.mneme.v1.GetSubscriptionResponse>(
                service, METHODID_GET_SUBSCRIPTION)))
        .addMethod(
          getListSubscriptionsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ListSubscriptionsRequest,
              dev.mneme.v1.ListSubscriptionsResponse>(
                service, METHODID_LIST_SUBSCRIPTIONS)))
        .addMethod(
          getDeleteSubscriptionMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.DeleteSubscriptionRequest,
              dev.mneme.v1.DeleteSubscriptionResponse>(
                service, METHODID_DELETE_SUBSCRIPTION)))
        .addMethod(
          getConsumeSubscriptionMethod(),
          io.grpc.stub.ServerCalls.asyncBidiStreamingCall(
            new MethodHandlers<
              dev.mneme.v1.ConsumeSubscriptionRequest,
              dev.mneme.v1.ConsumeSubscriptionResponse>(
                service, METHODID_CONSUME_SUBSCRIPTION)))
        .build();
  }

  private static abstract class SubscriptionServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    SubscriptionServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.mneme.v1.SubscriptionServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("SubscriptionService");
    }
  }

  private static final class SubscriptionServiceFileDescriptorSupplier
      extends SubscriptionServiceBaseDescriptorSupplier {
    SubscriptionServiceFileDescriptorSupplier() {}
  }

  private static final class SubscriptionServiceMethodDescriptorSupplier
      extends SubscriptionServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    SubscriptionServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (SubscriptionServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new SubscriptionServiceFileDescriptorSupplier())
              .addMethod(getCreateSubscriptionMethod())
              .addMethod(getGetSubscriptionMethod())
              .addMethod(getListSubscriptionsMethod())
              .addMethod(getDeleteSubscriptionMethod())
              .addMethod(getConsumeSubscriptionMethod())
              .build();
        }
      }
    }
    return result;
  }
}
