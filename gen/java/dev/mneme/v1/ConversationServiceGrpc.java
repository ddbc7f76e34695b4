package dev.mneme.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Takes in conversations message by message, and reports what is extracted from them.
 * A message is a memory of type `message`: its `scope.session` is the id of the conversation, its `step` is the
 * sequence number, its `text` is the text blocks joined by an empty line, and `source.uri` is
 * `conversations/{conversation}/messages/{sequence}`. It is stored whole before the call is answered, and every service
 * that reads memories finds it. Extraction runs after the answer, in the background: it follows the change log, takes
 * the messages of a conversation in order, and repeats what failed without a second effect.
 * A conversation needs no creation; it exists while it has messages. `request_id` works as in MemoryService.
 * Reads of a namespace that does not exist yet answer as those of an empty one, and streams wait for it, unless the
 * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads and streams is of such a server.
 * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
 * UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every method but AppendMessages and
 * ServeExtractor also: NOT_FOUND (NAMESPACE_NOT_FOUND). Of every mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL,
 * STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED, SCOPE_READ_ONLY).
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class ConversationServiceGrpc {

  private ConversationServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "mneme.v1.ConversationService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.AppendMessagesRequest,
      dev.mneme.v1.AppendMessagesResponse> getAppendMessagesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "AppendMessages",
      requestType = dev.mneme.v1.AppendMessagesRequest.class,
      responseType = dev.mneme.v1.AppendMessagesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.AppendMessagesRequest,
      dev.mneme.v1.AppendMessagesResponse> getAppendMessagesMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.AppendMessagesRequest, dev.mneme.v1.AppendMessagesResponse> getAppendMessagesMethod;
    if ((getAppendMessagesMethod = ConversationServiceGrpc.getAppendMessagesMethod) == null) {
      synchronized (ConversationServiceGrpc.class) {
        if ((getAppendMessagesMethod = ConversationServiceGrpc.getAppendMessagesMethod) == null) {
          ConversationServiceGrpc.getAppendMessagesMethod = getAppendMessagesMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.AppendMessagesRequest, dev.mneme.v1.AppendMessagesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "AppendMessages"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.AppendMessagesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.AppendMessagesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ConversationServiceMethodDescriptorSupplier("AppendMessages"))
              .build();
        }
      }
    }
    return getAppendMessagesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ListMessagesRequest,
      dev.mneme.v1.ListMessagesResponse> getListMessagesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListMessages",
      requestType = dev.mneme.v1.ListMessagesRequest.class,
      responseType = dev.mneme.v1.ListMessagesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ListMessagesRequest,
      dev.mneme.v1.ListMessagesResponse> getListMessagesMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ListMessagesRequest, dev.mneme.v1.ListMessagesResponse> getListMessagesMethod;
    if ((getListMessagesMethod = ConversationServiceGrpc.getListMessagesMethod) == null) {
      synchronized (ConversationServiceGrpc.class) {
        if ((getListMessagesMethod = ConversationServiceGrpc.getListMessagesMethod) == null) {
          ConversationServiceGrpc.getListMessagesMethod = getListMessagesMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ListMessagesRequest, dev.mneme.v1.ListMessagesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListMessages"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListMessagesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListMessagesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ConversationServiceMethodDescriptorSupplier("ListMessages"))
              .build();
        }
      }
    }
    return getListMessagesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.PopMessageRequest,
      dev.mneme.v1.PopMessageResponse> getPopMessageMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "PopMessage",
      requestType = dev.mneme.v1.PopMessageRequest.class,
      responseType = dev.mneme.v1.PopMessageResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.PopMessageRequest,
      dev.mneme.v1.PopMessageResponse> getPopMessageMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.PopMessageRequest, dev.mneme.v1.PopMessageResponse> getPopMessageMethod;
    if ((getPopMessageMethod = ConversationServiceGrpc.getPopMessageMethod) == null) {
      synchronized (ConversationServiceGrpc.class) {
        if ((getPopMessageMethod = ConversationServiceGrpc.getPopMessageMethod) == null) {
          ConversationServiceGrpc.getPopMessageMethod = getPopMessageMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.PopMessageRequest, dev.mneme.v1.PopMessageResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "PopMessage"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.PopMessageRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.PopMessageResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ConversationServiceMethodDescriptorSupplier("PopMessage"))
              .build();
        }
      }
    }
    return getPopMessageMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ReplaceSuffixRequest,
      dev.mneme.v1.ReplaceSuffixResponse> getReplaceSuffixMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ReplaceSuffix",
      requestType = dev.mneme.v1.ReplaceSuffixRequest.class,
      responseType = dev.mneme.v1.ReplaceSuffixResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ReplaceSuffixRequest,
      dev.mneme.v1.ReplaceSuffixResponse> getReplaceSuffixMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ReplaceSuffixRequest, dev.mneme.v1.ReplaceSuffixResponse> getReplaceSuffixMethod;
    if ((getReplaceSuffixMethod = ConversationServiceGrpc.getReplaceSuffixMethod) == null) {
      synchronized (ConversationServiceGrpc.class) {
        if ((getReplaceSuffixMethod = ConversationServiceGrpc.getReplaceSuffixMethod) == null) {
          ConversationServiceGrpc.getReplaceSuffixMethod = getReplaceSuffixMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ReplaceSuffixRequest, dev.mneme.v1.ReplaceSuffixResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ReplaceSuffix"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ReplaceSuffixRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ReplaceSuffixResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ConversationServiceMethodDescriptorSupplier("ReplaceSuffix"))
              .build();
        }
      }
    }
    return getReplaceSuffixMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ClearMessagesRequest,
      dev.mneme.v1.ClearMessagesResponse> getClearMessagesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ClearMessages",
      requestType = dev.mneme.v1.ClearMessagesRequest.class,
      responseType = dev.mneme.v1.ClearMessagesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ClearMessagesRequest,
      dev.mneme.v1.ClearMessagesResponse> getClearMessagesMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ClearMessagesRequest, dev.mneme.v1.ClearMessagesResponse> getClearMessagesMethod;
    if ((getClearMessagesMethod = ConversationServiceGrpc.getClearMessagesMethod) == null) {
      synchronized (ConversationServiceGrpc.class) {
        if ((getClearMessagesMethod = ConversationServiceGrpc.getClearMessagesMethod) == null) {
          ConversationServiceGrpc.getClearMessagesMethod = getClearMessagesMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ClearMessagesRequest, dev.mneme.v1.ClearMessagesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ClearMessages"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ClearMessagesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ClearMessagesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ConversationServiceMethodDescriptorSupplier("ClearMessages"))
              .build();
        }
      }
    }
    return getClearMessagesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.FlushRequest,
      dev.mneme.v1.FlushResponse> getFlushMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "Flush",
      requestType = dev.mneme.v1.FlushRequest.class,
      responseType = dev.mneme.v1.FlushResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.FlushRequest,
      dev.mneme.v1.FlushResponse> getFlushMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.FlushRequest, dev.mneme.v1.FlushResponse> getFlushMethod;
    if ((getFlushMethod = ConversationServiceGrpc.getFlushMethod) == null) {
      synchronized (ConversationServiceGrpc.class) {
        if ((getFlushMethod = ConversationServiceGrpc.getFlushMethod) == null) {
          ConversationServiceGrpc.getFlushMethod = getFlushMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.FlushRequest, dev.mneme.v1.FlushResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "Flush"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.FlushRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.FlushResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ConversationServiceMethodDescriptorSupplier("Flush"))
              .build();
        }
      }
    }
    return getFlushMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.GetExtractionStatusRequest,
      dev.mneme.v1.GetExtractionStatusResponse> getGetExtractionStatusMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetExtractionStatus",
      requestType = dev.mneme.v1.GetExtractionStatusRequest.class,
      responseType = dev.mneme.v1.GetExtractionStatusResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.GetExtractionStatusRequest,
      dev.mneme.v1.GetExtractionStatusResponse> getGetExtractionStatusMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.GetExtractionStatusRequest, dev.mneme.v1.GetExtractionStatusResponse> getGetExtractionStatusMethod;
    if ((getGetExtractionStatusMethod = ConversationServiceGrpc.getGetExtractionStatusMethod) == null) {
      synchronized (ConversationServiceGrpc.class) {
        if ((getGetExtractionStatusMethod = ConversationServiceGrpc.getGetExtractionStatusMethod) == null) {
          ConversationServiceGrpc.getGetExtractionStatusMethod = getGetExtractionStatusMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.GetExtractionStatusRequest, dev.mneme.v1.GetExtractionStatusResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetExtractionStatus"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetExtractionStatusRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetExtractionStatusResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ConversationServiceMethodDescriptorSupplier("GetExtractionStatus"))
              .build();
        }
      }
    }
    return getGetExtractionStatusMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.WatchExtractionRequest,
      dev.mneme.v1.WatchExtractionResponse> getWatchExtractionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "WatchExtraction",
      requestType = dev.mneme.v1.WatchExtractionRequest.class,
      responseType = dev.mneme.v1.WatchExtractionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.WatchExtractionRequest,
      dev.mneme.v1.WatchExtractionResponse> getWatchExtractionMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.WatchExtractionRequest, dev.mneme.v1.WatchExtractionResponse> getWatchExtractionMethod;
    if ((getWatchExtractionMethod = ConversationServiceGrpc.getWatchExtractionMethod) == null) {
      synchronized (ConversationServiceGrpc.class) {
        if ((getWatchExtractionMethod = ConversationServiceGrpc.getWatchExtractionMethod) == null) {
          ConversationServiceGrpc.getWatchExtractionMethod = getWatchExtractionMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.WatchExtractionRequest, dev.mneme.v1.WatchExtractionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "WatchExtraction"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.WatchExtractionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.WatchExtractionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ConversationServiceMethodDescriptorSupplier("WatchExtraction"))
              .build();
        }
      }
    }
    return getWatchExtractionMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.RetryExtractionRequest,
      dev.mneme.v1.RetryExtractionResponse> getRetryExtractionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "RetryExtraction",
      requestType = dev.mneme.v1.RetryExtractionRequest.class,
      responseType = dev.mneme.v1.RetryExtractionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.RetryExtractionRequest,
      dev.mneme.v1.RetryExtractionResponse> getRetryExtractionMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.RetryExtractionRequest, dev.mneme.v1.RetryExtractionResponse> getRetryExtractionMethod;
    if ((getRetryExtractionMethod = ConversationServiceGrpc.getRetryExtractionMethod) == null) {
      synchronized (ConversationServiceGrpc.class) {
        if ((getRetryExtractionMethod = ConversationServiceGrpc.getRetryExtractionMethod) == null) {
          ConversationServiceGrpc.getRetryExtractionMethod = getRetryExtractionMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.RetryExtractionRequest, dev.mneme.v1.RetryExtractionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "RetryExtraction"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.RetryExtractionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.RetryExtractionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ConversationServiceMethodDescriptorSupplier("RetryExtraction"))
              .build();
        }
      }
    }
    return getRetryExtractionMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ServeExtractorRequest,
      dev.mneme.v1.ServeExtractorResponse> getServeExtractorMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ServeExtractor",
      requestType = dev.mneme.v1.ServeExtractorRequest.class,
      responseType = dev.mneme.v1.ServeExtractorResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ServeExtractorRequest,
      dev.mneme.v1.ServeExtractorResponse> getServeExtractorMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ServeExtractorRequest, dev.mneme.v1.ServeExtractorResponse> getServeExtractorMethod;
    if ((getServeExtractorMethod = ConversationServiceGrpc.getServeExtractorMethod) == null) {
      synchronized (ConversationServiceGrpc.class) {
        if ((getServeExtractorMethod = ConversationServiceGrpc.getServeExtractorMethod) == null) {
          ConversationServiceGrpc.getServeExtractorMethod = getServeExtractorMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ServeExtractorRequest, dev.mneme.v1.ServeExtractorResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ServeExtractor"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ServeExtractorRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ServeExtractorResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ConversationServiceMethodDescriptorSupplier("ServeExtractor"))
              .build();
        }
      }
    }
    return getServeExtractorMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static ConversationServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ConversationServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ConversationServiceStub>() {
        @java.lang.Override
        public ConversationServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ConversationServiceStub(channel, callOptions);
        }
      };
    return ConversationServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static ConversationServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ConversationServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ConversationServiceBlockingV2Stub>() {
        @java.lang.Override
        public ConversationServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ConversationServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return ConversationServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static ConversationServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ConversationServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ConversationServiceBlockingStub>() {
        @java.lang.Override
        public ConversationServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ConversationServiceBlockingStub(channel, callOptions);
        }
      };
    return ConversationServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static ConversationServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ConversationServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ConversationServiceFutureStub>() {
        @java.lang.Override
        public ConversationServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ConversationServiceFutureStub(channel, callOptions);
        }
      };
    return ConversationServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Takes in conversations message by message, and reports what is extracted from them.
   * A message is a memory of type `message`: its `scope.session` is the id of the conversation, its `step` is the
   * sequence number, its `text` is the text blocks joined by an empty line, and `source.uri` is
   * `conversations/{conversation}/messages/{sequence}`. It is stored whole before the call is answered, and every service
   * that reads memories finds it. Extraction runs after the answer, in the background: it follows the change log, takes
   * the messages of a conversation in order, and repeats what failed without a second effect.
   * A conversation needs no creation; it exists while it has messages. `request_id` works as in MemoryService.
   * Reads of a namespace that does not exist yet answer as those of an empty one, and streams wait for it, unless the
   * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads and streams is of such a server.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every method but AppendMessages and
   * ServeExtractor also: NOT_FOUND (NAMESPACE_NOT_FOUND). Of every mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL,
   * STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED, SCOPE_READ_ONLY).
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Appends messages to a conversation: all of them or none. The namespace is created on first use, as by StoreMemory.
     * Answers when they are durable; no extractor, model or network is waited for.
     * A message that is already stored under its sequence number is not stored again. Callers that number messages
     * themselves can repeat the call safely; other callers repeat it with the same `request_id`.
     * Errors: ALREADY_EXISTS (MESSAGE_CONFLICT) when a different message has the sequence number, RESOURCE_EXHAUSTED
     * (NAMESPACE_FULL), PERMISSION_DENIED (SCOPE_PRIVATE).
     * Example:
     *     {
     *       "conversation": "namespaces/example/conversations/c1",
     *       "messages": [
     *         {"role": "MESSAGE_ROLE_USER", "blocks": [{"text": "I moved to Bern in May."}]},
     *         {"role": "MESSAGE_ROLE_ASSISTANT", "blocks": [{"text": "Noted."}]}
     *       ]
     *     }
     * </pre>
     */
    default void appendMessages(dev.mneme.v1.AppendMessagesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.AppendMessagesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getAppendMessagesMethod(), responseObserver);
    }

    /**
     * <pre>
     * Lists the messages of a conversation by sequence number, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    default void listMessages(dev.mneme.v1.ListMessagesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListMessagesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListMessagesMethod(), responseObserver);
    }

    /**
     * <pre>
     * Removes the message with the highest sequence number and returns it.
     * Errors: NOT_FOUND (CONVERSATION_NOT_FOUND), ABORTED (SUFFIX_MISMATCH).
     * Needs the verbs `delete` and `read`.
     * </pre>
     */
    default void popMessage(dev.mneme.v1.PopMessageRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.PopMessageResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getPopMessageMethod(), responseObserver);
    }

    /**
     * <pre>
     * Replaces the messages from a sequence number on, for example after the user has edited a turn: all of them or none,
     * whenever the server dies. A repetition with the same `request_id` has no second effect.
     * Errors: ABORTED (SUFFIX_MISMATCH).
     * </pre>
     */
    default void replaceSuffix(dev.mneme.v1.ReplaceSuffixRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ReplaceSuffixResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getReplaceSuffixMethod(), responseObserver);
    }

    /**
     * <pre>
     * Removes all messages of a conversation. Facts that only they state are withdrawn soon after, unless a caller has
     * asserted them; Flush waits for it. Messages that expire withdraw no facts: a fact has an expiry of its own.
     * </pre>
     */
    default void clearMessages(dev.mneme.v1.ClearMessagesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ClearMessagesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getClearMessagesMethod(), responseObserver);
    }

    /**
     * <pre>
     * Starts the extraction of everything that was accepted before the call, and waits for it until the deadline. The
     * answer names what is still pending or has failed; reaching the deadline is no error.
     * </pre>
     */
    default void flush(dev.mneme.v1.FlushRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.FlushResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getFlushMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads how far extraction has come in a namespace.
     * </pre>
     */
    default void getExtractionStatus(dev.mneme.v1.GetExtractionStatusRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetExtractionStatusResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetExtractionStatusMethod(), responseObserver);
    }

    /**
     * <pre>
     * Sends the extraction status of a namespace, and again after every change, at most once per interval. For a namespace
     * that does not exist yet it first sends an empty status.
     * Errors: RESOURCE_EXHAUSTED (TOO_MANY_STREAMS).
     * </pre>
     */
    default void watchExtraction(dev.mneme.v1.WatchExtractionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.WatchExtractionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getWatchExtractionMethod(), responseObserver);
    }

    /**
     * <pre>
     * Tries again to extract from conversations whose extraction has failed for good (dead letters).
     * </pre>
     */
    default void retryExtraction(dev.mneme.v1.RetryExtractionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.RetryExtractionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getRetryExtractionMethod(), responseObserver);
    }

    /**
     * <pre>
     * Serves the extractor `client`: the server sends messages to extract from as jobs, and the caller, usually an agent
     * with its own model, answers with claims and notes. The first message of the caller is `start`, all others are
     * `answer`; the first message of the server is `started`. Jobs come while the setting `extraction.extractor` of the
     * namespace is `client`. The namespace need not exist yet.
     * The callers that serve a namespace share its jobs in turn, and each job is with one caller at a time. When a stream
     * ends, its jobs are given to other callers, or wait for one; this counts as no attempt. While no caller serves the
     * namespace, messages wait, and their extraction status has EXTRACTOR_UNAVAILABLE.
     * Errors: RESOURCE_EXHAUSTED (TOO_MANY_STREAMS) also when the server has its maximum number of such streams (256
     * unless configured otherwise).
     * Needs the verbs `admin` and `read`.
     * </pre>
     */
    default io.grpc.stub.StreamObserver<dev.mneme.v1.ServeExtractorRequest> serveExtractor(
        io.grpc.stub.StreamObserver<dev.mneme.v1.ServeExtractorResponse> responseObserver) {
      return io.grpc.stub.ServerCalls.asyncUnimplementedStreamingCall(getServeExtractorMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service ConversationService.
   * <pre>
   * Takes in conversations message by message, and reports what is extracted from them.
   * A message is a memory of type `message`: its `scope.session` is the id of the conversation, its `step` is the
   * sequence number, its `text` is the text blocks joined by an empty line, and `source.uri` is
   * `conversations/{conversation}/messages/{sequence}`. It is stored whole before the call is answered, and every service
   * that reads memories finds it. Extraction runs after the answer, in the background: it follows the change log, takes
   * the messages of a conversation in order, and repeats what failed without a second effect.
   * A conversation needs no creation; it exists while it has messages. `request_id` works as in MemoryService.
   * Reads of a namespace that does not exist yet answer as those of an empty one, and streams wait for it, unless the
   * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads and streams is of such a server.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every method but AppendMessages and
   * ServeExtractor also: NOT_FOUND (NAMESPACE_NOT_FOUND). Of every mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL,
   * STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED, SCOPE_READ_ONLY).
   * </pre>
   */
  public static abstract class ConversationServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return ConversationServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service ConversationService.
   * <pre>
   * Takes in conversations message by message, and reports what is extracted from them.
   * A message is a memory of type `message`: its `scope.session` is the id of the conversation, its `step` is the
   * sequence number, its `text` is the text blocks joined by an empty line, and `source.uri` is
   * `conversations/{conversation}/messages/{sequence}`. It is stored whole before the call is answered, and every service
   * that reads memories finds it. Extraction runs after the answer, in the background: it follows the change log, takes
   * the messages of a conversation in order, and repeats what failed without a second effect.
   * A conversation needs no creation; it exists while it has messages. `request_id` works as in MemoryService.
   * Reads of a namespace that does not exist yet answer as those of an empty one, and streams wait for it, unless the
   * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads and streams is of such a server.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every method but AppendMessages and
   * ServeExtractor also: NOT_FOUND (NAMESPACE_NOT_FOUND). Of every mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL,
   * STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED, SCOPE_READ_ONLY).
   * </pre>
   */
  public static final class ConversationServiceStub
      extends io.grpc.stub.AbstractAsyncStub<ConversationServiceStub> {
    private ConversationServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ConversationServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ConversationServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Appends messages to a conversation: all of them or none. The namespace is created on first use, as by StoreMemory.
     * Answers when they are durable; no extractor, model or network is waited for.
     * A message that is already stored under its sequence number is not stored again. Callers that number messages
     * themselves can repeat the call safely; other callers repeat it with the same `request_id`.
     * Errors: ALREADY_EXISTS (MESSAGE_CONFLICT) when a different message has the sequence number, RESOURCE_EXHAUSTED
     * (NAMESPACE_FULL), PERMISSION_DENIED (SCOPE_PRIVATE).
     * Example:
     *     {
     *       "conversation": "namespaces/example/conversations/c1",
     *       "messages": [
     *         {"role": "MESSAGE_ROLE_USER", "blocks": [{"text": "I moved to Bern in May."}]},
     *         {"role": "MESSAGE_ROLE_ASSISTANT", "blocks": [{"text": "Noted."}]}
     *       ]
     *     }
     * </pre>
     */
    public void appendMessages(dev.mneme.v1.AppendMessagesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.AppendMessagesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getAppendMessagesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Lists the messages of a conversation by sequence number, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public void listMessages(dev.mneme.v1.ListMessagesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListMessagesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListMessagesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Removes the message with the highest sequence number and returns it.
     * Errors: NOT_FOUND (CONVERSATION_NOT_FOUND), ABORTED (SUFFIX_MISMATCH).
     * Needs the verbs `delete` and `read`.
     * </pre>
     */
    public void popMessage(dev.mneme.v1.PopMessageRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.PopMessageResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getPopMessageMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Replaces the messages from a sequence number on, for example after the user has edited a turn: all of them or none,
     * whenever the server dies. A repetition with the same `request_id` has no second effect.
     * Errors: ABORTED (SUFFIX_MISMATCH).
     * </pre>
     */
    public void replaceSuffix(dev.mneme.v1.ReplaceSuffixRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ReplaceSuffixResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getReplaceSuffixMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Removes all messages of a conversation. Facts that only they state are withdrawn soon after, unless a caller has
     * asserted them; Flush waits for it. Messages that expire withdraw no facts: a fact has an expiry of its own.
     * </pre>
     */
    public void clearMessages(dev.mneme.v1.ClearMessagesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ClearMessagesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getClearMessagesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Starts the extraction of everything that was accepted before the call, and waits for it until the deadline. The
     * answer names what is still pending or has failed; reaching the deadline is no error.
     * </pre>
     */
    public void flush(dev.mneme.v1.FlushRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.FlushResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getFlushMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads how far extraction has come in a namespace.
     * </pre>
     */
    public void getExtractionStatus(dev.mneme.v1.GetExtractionStatusRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetExtractionStatusResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetExtractionStatusMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Sends the extraction status of a namespace, and again after every change, at most once per interval. For a namespace
     * that does not exist yet it first sends an empty status.
     * Errors: RESOURCE_EXHAUSTED (TOO_MANY_STREAMS).
     * </pre>
     */
    public void watchExtraction(dev.mneme.v1.WatchExtractionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.WatchExtractionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getWatchExtractionMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Tries again to extract from conversations whose extraction has failed for good (dead letters).
     * </pre>
     */
    public void retryExtraction(dev.mneme.v1.RetryExtractionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.RetryExtractionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getRetryExtractionMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Serves the extractor `client`: the server sends messages to extract from as jobs, and the caller, usually an agent
     * with its own model, answers with claims and notes. The first message of the caller is `start`, all others are
     * `answer`; the first message of the server is `started`. Jobs come while the setting `extraction.extractor` of the
     * namespace is `client`. The namespace need not exist yet.
     * The callers that serve a namespace share its jobs in turn, and each job is with one caller at a time. When a stream
     * ends, its jobs are given to other callers, or wait for one; this counts as no attempt. While no caller serves the
     * namespace, messages wait, and their extraction status has EXTRACTOR_UNAVAILABLE.
     * Errors: RESOURCE_EXHAUSTED (TOO_MANY_STREAMS) also when the server has its maximum number of such streams (256
     * unless configured otherwise).
     * Needs the verbs `admin` and `read`.
     * </pre>
     */
    public io.grpc.stub.StreamObserver<dev.mneme.v1.ServeExtractorRequest> serveExtractor(
        io.grpc.stub.StreamObserver<dev.mneme.v1.ServeExtractorResponse> responseObserver) {
      return io.grpc.stub.ClientCalls.asyncBidiStreamingCall(
          getChannel().newCall(getServeExtractorMethod(), getCallOptions()), responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service ConversationService.
   * <pre>
   * Takes in conversations message by message, and reports what is extracted from them.
   * A message is a memory of type `message`: its `scope.session` is the id of the conversation, its `step` is the
   * sequence number, its `text` is the text blocks joined by an empty line, and `source.uri` is
   * `conversations/{conversation}/messages/{sequence}`. It is stored whole before the call is answered, and every service
   * that reads memories finds it. Extraction runs after the answer, in the background: it follows the change log, takes
   * the messages of a conversation in order, and repeats what failed without a second effect.
   * A conversation needs no creation; it exists while it has messages. `request_id` works as in MemoryService.
   * Reads of a namespace that does not exist yet answer as those of an empty one, and streams wait for it, unless the
   * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads and streams is of such a server.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every method but AppendMessages and
   * ServeExtractor also: NOT_FOUND (NAMESPACE_NOT_FOUND). Of every mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL,
   * STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED, SCOPE_READ_ONLY).
   * </pre>
   */
  public static final class ConversationServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<ConversationServiceBlockingV2Stub> {
    private ConversationServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ConversationServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ConversationServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Appends messages to a conversation: all of them or none. The namespace is created on first use, as by StoreMemory.
     * Answers when they are durable; no extractor, model or network is waited for.
     * A message that is already stored under its sequence number is not stored again. Callers that number messages
     * themselves can repeat the call safely; other callers repeat it with the same `request_id`.
     * Errors: ALREADY_EXISTS (MESSAGE_CONFLICT) when a different message has the sequence number, RESOURCE_EXHAUSTED
     * (NAMESPACE_FULL), PERMISSION_DENIED (SCOPE_PRIVATE).
     * Example:
     *     {
     *       "conversation": "namespaces/example/conversations/c1",
     *       "messages": [
     *         {"role": "MESSAGE_ROLE_USER", "blocks": [{"text": "I moved to Bern in May."}]},
     *         {"role": "MESSAGE_ROLE_ASSISTANT", "blocks": [{"text": "Noted."}]}
     *       ]
     *     }
     * </pre>
     */
    public dev.mneme.v1.AppendMessagesResponse appendMessages(dev.mneme.v1.AppendMessagesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getAppendMessagesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists the messages of a conversation by sequence number, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public dev.mneme.v1.ListMessagesResponse listMessages(dev.mneme.v1.ListMessagesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListMessagesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Removes the message with the highest sequence number and returns it.
     * Errors: NOT_FOUND (CONVERSATION_NOT_FOUND), ABORTED (SUFFIX_MISMATCH).
     * Needs the verbs `delete` and `read`.
     * </pre>
     */
    public dev.mneme.v1.PopMessageResponse popMessage(dev.mneme.v1.PopMessageRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getPopMessageMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Replaces the messages from a sequence number on, for example after the user has edited a turn: all of them or none,
     * whenever the server dies. A repetition with the same `request_id` has no second effect.
     * Errors: ABORTED (SUFFIX_MISMATCH).
     * </pre>
     */
    public dev.mneme.v1.ReplaceSuffixResponse replaceSuffix(dev.mneme.v1.ReplaceSuffixRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getReplaceSuffixMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Removes all messages of a conversation. Facts that only they state are withdrawn soon after, unless a caller has
     * asserted them; Flush waits for it. Messages that expire withdraw no facts: a fact has an expiry of its own.
     * </pre>
     */
    public dev.mneme.v1.ClearMessagesResponse clearMessages(dev.mneme.v1.ClearMessagesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getClearMessagesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Starts the extraction of everything that was accepted before the call, and waits for it until the deadline. The
     * answer names what is still pending or has failed; reaching the deadline is no error.
     * </pre>
     */
    public dev.mneme.v1.FlushResponse flush(dev.mneme.v1.FlushRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getFlushMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads how far extraction has come in a namespace.
     * </pre>
     */
    public dev.mneme.v1.GetExtractionStatusResponse getExtractionStatus(dev.mneme.v1.GetExtractionStatusRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetExtractionStatusMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sends the extraction status of a namespace, and again after every change, at most once per interval. For a namespace
     * that does not exist yet it first sends an empty status.
     * Errors: RESOURCE_EXHAUSTED (TOO_MANY_STREAMS).
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, dev.mneme.v1.WatchExtractionResponse>
        watchExtraction(dev.mneme.v1.WatchExtractionRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getWatchExtractionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Tries again to extract from conversations whose extraction has failed for good (dead letters).
     * </pre>
     */
    public dev.mneme.v1.RetryExtractionResponse retryExtraction(dev.mneme.v1.RetryExtractionRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getRetryExtractionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Serves the extractor `client`: the server sends messages to extract from as jobs, and the caller, usually an agent
     * with its own model, answers with claims and notes. The first message of the caller is `start`, all others are
     * `answer`; the first message of the server is `started`. Jobs come while the setting `extraction.extractor` of the
     * namespace is `client`. The namespace need not exist yet.
     * The callers that serve a namespace share its jobs in turn, and each job is with one caller at a time. When a stream
     * ends, its jobs are given to other callers, or wait for one; this counts as no attempt. While no caller serves the
     * namespace, messages wait, and their extraction status has EXTRACTOR_UNAVAILABLE.
     * Errors: RESOURCE_EXHAUSTED (TOO_MANY_STREAMS) also when the server has its maximum number of such streams (256
     * unless configured otherwise).
     * Needs the verbs `admin` and `read`.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<dev.mneme.v1.ServeExtractorRequest, dev.mneme.v1.ServeExtractorResponse>
        serveExtractor() {
      return io.grpc.stub.ClientCalls.blockingBidiStreamingCall(
          getChannel(), getServeExtractorMethod(), getCallOptions());
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service ConversationService.
   * <pre>
   * Takes in conversations message by message, and reports what is extracted from them.
   * A message is a memory of type `message`: its `scope.session` is the id of the conversation, its `step` is the
   * sequence number, its `text` is the text blocks joined by an empty line, and `source.uri` is
   * `conversations/{conversation}/messages/{sequence}`. It is stored whole before the call is answered, and every service
   * that reads memories finds it. Extraction runs after the answer, in the background: it follows the change log, takes
   * the messages of a conversation in order, and repeats what failed without a second effect.
   * A conversation needs no creation; it exists while it has messages. `request_id` works as in MemoryService.
   * Reads of a namespace that does not exist yet answer as those of an empty one, and streams wait for it, unless the
   * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads and streams is of such a server.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every method but AppendMessages and
   * ServeExtractor also: NOT_FOUND (NAMESPACE_NOT_FOUND). Of every mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL,
   * STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED, SCOPE_READ_ONLY).
   * </pre>
   */
  public static final class ConversationServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<ConversationServiceBlockingStub> {
    private ConversationServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ConversationServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ConversationServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Appends messages to a conversation: all of them or none. The namespace is created on first use, as by StoreMemory.
     * Answers when they are durable; no extractor, model or network is waited for.
     * A message that is already stored under its sequence number is not stored again. Callers that number messages
     * themselves can repeat the call safely; other callers repeat it with the same `request_id`.
     * Errors: ALREADY_EXISTS (MESSAGE_CONFLICT) when a different message has the sequence number, RESOURCE_EXHAUSTED
     * (NAMESPACE_FULL), PERMISSION_DENIED (SCOPE_PRIVATE).
     * Example:
     *     {
     *       "conversation": "namespaces/example/conversations/c1",
     *       "messages": [
     *         {"role": "MESSAGE_ROLE_USER", "blocks": [{"text": "I moved to Bern in May."}]},
     *         {"role": "MESSAGE_ROLE_ASSISTANT", "blocks": [{"text": "Noted."}]}
     *       ]
     *     }
     * </pre>
     */
    public dev.mneme.v1.AppendMessagesResponse appendMessages(dev.mneme.v1.AppendMessagesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getAppendMessagesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists the messages of a conversation by sequence number, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public dev.mneme.v1.ListMessagesResponse listMessages(dev.mneme.v1.ListMessagesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListMessagesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Removes the message with the highest sequence number and returns it.
     * Errors: NOT_FOUND (CONVERSATION_NOT_FOUND), ABORTED (SUFFIX_MISMATCH).
     * Needs the verbs `delete` and `read`.
     * </pre>
     */
    public dev.mneme.v1.PopMessageResponse popMessage(dev.mneme.v1.PopMessageRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getPopMessageMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Replaces the messages from a sequence number on, for example after the user has edited a turn: all of them or none,
     * whenever the server dies. A repetition with the same `request_id` has no second effect.
     * Errors: ABORTED (SUFFIX_MISMATCH).
     * </pre>
     */
    public dev.mneme.v1.ReplaceSuffixResponse replaceSuffix(dev.mneme.v1.ReplaceSuffixRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getReplaceSuffixMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Removes all messages of a conversation. Facts that only they state are withdrawn soon after, unless a caller has
     * asserted them; Flush waits for it. Messages that expire withdraw no facts: a fact has an expiry of its own.
     * </pre>
     */
    public dev.mneme.v1.ClearMessagesResponse clearMessages(dev.mneme.v1.ClearMessagesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getClearMessagesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Starts the extraction of everything that was accepted before the call, and waits for it until the deadline. The
     * answer names what is still pending or has failed; reaching the deadline is no error.
     * </pre>
     */
    public dev.mneme.v1.FlushResponse flush(dev.mneme.v1.FlushRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getFlushMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads how far extraction has come in a namespace.
     * </pre>
     */
    public dev.mneme.v1.GetExtractionStatusResponse getExtractionStatus(dev.mneme.v1.GetExtractionStatusRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetExtractionStatusMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sends the extraction status of a namespace, and again after every change, at most once per interval. For a namespace
     * that does not exist yet it first sends an empty status.
     * Errors: RESOURCE_EXHAUSTED (TOO_MANY_STREAMS).
     * </pre>
     */
    public java.util.Iterator<dev.mneme.v1.WatchExtractionResponse> watchExtraction(
        dev.mneme.v1.WatchExtractionRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getWatchExtractionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Tries again to extract from conversations whose extraction has failed for good (dead letters).
     * </pre>
     */
    public dev.mneme.v1.RetryExtractionResponse retryExtraction(dev.mneme.v1.RetryExtractionRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getRetryExtractionMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service ConversationService.
   * <pre>
   * Takes in conversations message by message, and reports what is extracted from them.
   * A message is a memory of type `message`: its `scope.session` is the id of the conversation, its `step` is the
   * sequence number, its `text` is the text blocks joined by an empty line, and `source.uri` is
   * `conversations/{conversation}/messages/{sequence}`. It is stored whole before the call is answered, and every service
   * that reads memories finds it. Extraction runs after the answer, in the background: it follows the change log, takes
   * the messages of a conversation in order, and repeats what failed without a second effect.
   * A conversation needs no creation; it exists while it has messages. `request_id` works as in MemoryService.
   * Reads of a namespace that does not exist yet answer as those of an empty one, and streams wait for it, unless the
   * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads and streams is of such a server.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every method but AppendMessages and
   * ServeExtractor also: NOT_FOUND (NAMESPACE_NOT_FOUND). Of every mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL,
   * STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED, SCOPE_READ_ONLY).
   * </pre>
   */
  public static final class ConversationServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<ConversationServiceFutureStub> {
    private ConversationServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ConversationServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ConversationServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Appends messages to a conversation: all of them or none. The namespace is created on first use, as by StoreMemory.
     * Answers when they are durable; no extractor, model or network is waited for.
     * A message that is already stored under its sequence number is not stored again. Callers that number messages
     * themselves can repeat the call safely; other callers repeat it with the same `request_id`.
     * Errors: ALREADY_EXISTS (MESSAGE_CONFLICT) when a different message has the sequence number, RESOURCE_EXHAUSTED
     * (NAMESPACE_FULL), PERMISSION_DENIED (SCOPE_PRIVATE).
     * Example:
     *     {
     *       "conversation": "namespaces/example/conversations/c1",
     *       "messages": [
     *         {"role": "MESSAGE_ROLE_USER", "blocks": [{"text": "I moved to Bern in May."}]},
     *         {"role": "MESSAGE_ROLE_ASSISTANT", "blocks": [{"text": "Noted."}]}
     *       ]
     *     }
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.AppendMessagesResponse> appendMessages(
        dev.mneme.v1.AppendMessagesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getAppendMessagesMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Lists the messages of a conversation by sequence number, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ListMessagesResponse> listMessages(
        dev.mneme.v1.ListMessagesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListMessagesMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Removes the message with the highest sequence number and returns it.
     * Errors: NOT_FOUND (CONVERSATION_NOT_FOUND), ABORTED (SUFFIX_MISMATCH).
     * Needs the verbs `delete` and `read`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.PopMessageResponse> popMessage(
        dev.mneme.v1.PopMessageRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getPopMessageMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Replaces the messages from a sequence number on, for example after the user has edited a turn: all of them or none,
     * whenever the server dies. A repetition with the same `request_id` has no second effect.
     * Errors: ABORTED (SUFFIX_MISMATCH).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ReplaceSuffixResponse> replaceSuffix(
        dev.mneme.v1.ReplaceSuffixRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getReplaceSuffixMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Removes all messages of a conversation. Facts that only they state are withdrawn soon after, unless a caller has
     * asserted them; Flush waits for it. Messages that expire withdraw no facts: a fact has an expiry of its own.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ClearMessagesResponse> clearMessages(
        dev.mneme.v1.ClearMessagesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getClearMessagesMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Starts the extraction of everything that was accepted before the call, and waits for it until the deadline. The
     * answer names what is still pending or has failed; reaching the deadline is no error.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.FlushResponse> flush(
        dev.mneme.v1.FlushRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getFlushMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads how far extraction has come in a namespace.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.GetExtractionStatusResponse> getExtractionStatus(
        dev.mneme.v1.GetExtractionStatusRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetExtractionStatusMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Tries again to extract from conversations whose extraction has failed for good (dead letters).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.RetryExtractionResponse> retryExtraction(
        dev.mneme.v1.RetryExtractionRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getRetryExtractionMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_APPEND_MESSAGES = 0;
  private static final int METHODID_LIST_MESSAGES = 1;
  private static final int METHODID_POP_MESSAGE = 2;
  private static final int METHODID_REPLACE_SUFFIX = 3;
  private static final int METHODID_CLEAR_MESSAGES = 4;
  private static final int METHODID_FLUSH = 5;
  private static final int METHODID_GET_EXTRACTION_STATUS = 6;
  private static final int METHODID_WATCH_EXTRACTION = 7;
  private static final int METHODID_RETRY_EXTRACTION = 8;
  private static final int METHODID_SERVE_EXTRACTOR = 9;

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
        case METHODID_APPEND_MESSAGES:
          serviceImpl.appendMessages((dev.mneme.v1.AppendMessagesRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.AppendMessagesResponse>) responseObserver);
          break;
        case METHODID_LIST_MESSAGES:
          serviceImpl.listMessages((dev.mneme.v1.ListMessagesRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ListMessagesResponse>) responseObserver);
          break;
        case METHODID_POP_MESSAGE:
          serviceImpl.popMessage((dev.mneme.v1.PopMessageRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.PopMessageResponse>) responseObserver);
          break;
        case METHODID_REPLACE_SUFFIX:
          serviceImpl.replaceSuffix((dev.mneme.v1.ReplaceSuffixRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ReplaceSuffixResponse>) responseObserver);
          break;
        case METHODID_CLEAR_MESSAGES:
          serviceImpl.clearMessages((dev.mneme.v1.ClearMessagesRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ClearMessagesResponse>) responseObserver);
          break;
        case METHODID_FLUSH:
          serviceImpl.flush((dev.mneme.v1.FlushRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.FlushResponse>) responseObserver);
          break;
        case METHODID_GET_EXTRACTION_STATUS:
          serviceImpl.getExtractionStatus((dev.mneme.v1.GetExtractionStatusRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.GetExtractionStatusResponse>) responseObserver);
          break;
        case METHODID_WATCH_EXTRACTION:
          serviceImpl.watchExtraction((dev.mneme.v1.WatchExtractionRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.WatchExtractionResponse>) responseObserver);
          break;
        case METHODID_RETRY_EXTRACTION:
          serviceImpl.retryExtraction((dev.mneme.v1.RetryExtractionRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.RetryExtractionResponse>) responseObserver);
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
        case METHODID_SERVE_EXTRACTOR:
          return (io.grpc.stub.StreamObserver<Req>) serviceImpl.serveExtractor(
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ServeExtractorResponse>) responseObserver);
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getAppendMessagesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.AppendMessagesRequest,
              dev.mneme.v1.AppendMessagesResponse>(
                service, METHODID_APPEND_MESSAGES)))
        .addMethod(
          getListMessagesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ListMessagesRequest,
              dev.mneme.v1.ListMessagesResponse>(
                service, METHODID_LIST_MESSAGES)))
        .addMethod(
          getPopMessageMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.PopMessageRequest,
              dev.mneme.v1.PopMessageResponse>(
                service, METHODID_POP_MESSAGE)))
        .addMethod(
          getReplaceSuffixMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ReplaceSuffixRequest,
              dev.mneme.v1.ReplaceSuffixResponse>(
                service, METHODID_REPLACE_SUFFIX)))
        .addMethod(
          getClearMessagesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ClearMessagesRequest,
              dev.mneme.v1.ClearMessagesResponse>(
                service, METHODID_CLEAR_MESSAGES)))
        .addMethod(
          getFlushMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.FlushRequest,
              dev.mneme.v1.FlushResponse>(
                service, METHODID_FLUSH)))
        .addMethod(
          getGetExtractionStatusMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.GetExtractionStatusRequest,
              dev.mneme.v1.GetExtractionStatusResponse>(
                service, METHODID_GET_EXTRACTION_STATUS)))
        .addMethod(
          getWatchExtractionMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              dev.mneme.v1.WatchExtractionRequest,
              dev.mneme.v1.WatchExtractionResponse>(
                service, METHODID_WATCH_EXTRACTION)))
        .addMethod(
          getRetryExtractionMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.RetryExtractionRequest,
              dev.mneme.v1.RetryExtractionResponse>(
                service, METHODID_RETRY_EXTRACTION)))
        .addMethod(
          getServeExtractorMethod(),
          io.grpc.stub.ServerCalls.asyncBidiStreamingCall(
            new MethodHandlers<
              dev.mneme.v1.ServeExtractorRequest,
              dev.mneme.v1.ServeExtractorResponse>(
                service, METHODID_SERVE_EXTRACTOR)))
        .build();
  }

  private static abstract class ConversationServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    ConversationServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.mneme.v1.ConversationServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("ConversationService");
    }
  }

  private static final class ConversationServiceFileDescriptorSupplier
      extends ConversationServiceBaseDescriptorSupplier {
    ConversationServiceFileDescriptorSupplier() {}
  }

  private static final class ConversationServiceMethodDescriptorSupplier
      extends ConversationServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    ConversationServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (ConversationServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new ConversationServiceFileDescriptorSupplier())
              .addMethod(getAppendMessagesMethod())
              .addMethod(getListMessagesMethod())
              .addMethod(getPopMessageMethod())
              .addMethod(getReplaceSuffixMethod())
              .addMethod(getClearMessagesMethod())
              .addMethod(getFlushMethod())
              .addMethod(getGetExtractionStatusMethod())
              .addMethod(getWatchExtractionMethod())
              .addMethod(getRetryExtractionMethod())
              .addMethod(getServeExtractorMethod())
              .build();
        }
      }
    }
    return result;
  }
}
