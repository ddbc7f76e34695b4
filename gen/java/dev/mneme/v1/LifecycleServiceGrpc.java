package dev.mneme.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Spawns, pauses, resumes, terminates and deletes sessions of agents.
 * Each of these transitions takes effect completely or not at all: state, working memory, checkpoint, episode, event
 * and the record of the `request_id` become durable together. A transition that the session's state does not allow
 * fails with FAILED_PRECONDITION (SESSION_STATE); the error's metadata has the state and the transition.
 * Reads of a namespace that does not exist yet answer as those of an empty one, and streams wait for it, unless the
 * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads and streams is of such a server.
 * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), NOT_FOUND (NAMESPACE_NOT_FOUND),
 * UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every
 * mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED). Of every
 * transition also: FAILED_PRECONDITION (HOOK_VETOED) when a before-hook refused it. Of every transition except
 * SpawnSession also: NOT_FOUND (SESSION_NOT_FOUND), FAILED_PRECONDITION (SESSION_STATE), ABORTED (VERSION_MISMATCH) for
 * `if_version`. Of SpawnSession also: PERMISSION_DENIED (SCOPE_PRIVATE) for the id of a hidden session. Of every method
 * with a `session` field also: DATA_LOSS (SESSION_LOST) when Redis has lost sessions and this session is missing.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class LifecycleServiceGrpc {

  private LifecycleServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "mneme.v1.LifecycleService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.SpawnSessionRequest,
      dev.mneme.v1.SpawnSessionResponse> getSpawnSessionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "SpawnSession",
      requestType = dev.mneme.v1.SpawnSessionRequest.class,
      responseType = dev.mneme.v1.SpawnSessionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.SpawnSessionRequest,
      dev.mneme.v1.SpawnSessionResponse> getSpawnSessionMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.SpawnSessionRequest, dev.mneme.v1.SpawnSessionResponse> getSpawnSessionMethod;
    if ((getSpawnSessionMethod = LifecycleServiceGrpc.getSpawnSessionMethod) == null) {
      synchronized (LifecycleServiceGrpc.class) {
        if ((getSpawnSessionMethod = LifecycleServiceGrpc.getSpawnSessionMethod) == null) {
          LifecycleServiceGrpc.getSpawnSessionMethod = getSpawnSessionMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.SpawnSessionRequest, dev.mneme.v1.SpawnSessionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "SpawnSession"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.SpawnSessionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.SpawnSessionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new LifecycleServiceMethodDescriptorSupplier("SpawnSession"))
              .build();
        }
      }
    }
    return getSpawnSessionMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.PauseSessionRequest,
      dev.mneme.v1.PauseSessionResponse> getPauseSessionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "PauseSession",
      requestType = dev.mneme.v1.PauseSessionRequest.class,
      responseType = dev.mneme.v1.PauseSessionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.PauseSessionRequest,
      dev.mneme.v1.PauseSessionResponse> getPauseSessionMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.PauseSessionRequest, dev.mneme.v1.PauseSessionResponse> getPauseSessionMethod;
    if ((getPauseSessionMethod = LifecycleServiceGrpc.getPauseSessionMethod) == null) {
      synchronized (LifecycleServiceGrpc.class) {
        if ((getPauseSessionMethod = LifecycleServiceGrpc.getPauseSessionMethod) == null) {
          LifecycleServiceGrpc.getPauseSessionMethod = getPauseSessionMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.PauseSessionRequest, dev.mneme.v1.PauseSessionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "PauseSession"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.PauseSessionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.PauseSessionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new LifecycleServiceMethodDescriptorSupplier("PauseSession"))
              .build();
        }
      }
    }
    return getPauseSessionMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ResumeSessionRequest,
      dev.mneme.v1.ResumeSessionResponse> getResumeSessionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ResumeSession",
      requestType = dev.mneme.v1.ResumeSessionRequest.class,
      responseType = dev.mneme.v1.ResumeSessionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ResumeSessionRequest,
      dev.mneme.v1.ResumeSessionResponse> getResumeSessionMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ResumeSessionRequest, dev.mneme.v1.ResumeSessionResponse> getResumeSessionMethod;
    if ((getResumeSessionMethod = LifecycleServiceGrpc.getResumeSessionMethod) == null) {
      synchronized (LifecycleServiceGrpc.class) {
        if ((getResumeSessionMethod = LifecycleServiceGrpc.getResumeSessionMethod) == null) {
          LifecycleServiceGrpc.getResumeSessionMethod = getResumeSessionMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ResumeSessionRequest, dev.mneme.v1.ResumeSessionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ResumeSession"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ResumeSessionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ResumeSessionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new LifecycleServiceMethodDescriptorSupplier("ResumeSession"))
              .build();
        }
      }
    }
    return getResumeSessionMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.TerminateSessionRequest,
      dev.mneme.v1.TerminateSessionResponse> getTerminateSessionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "TerminateSession",
      requestType = dev.mneme.v1.TerminateSessionRequest.class,
      responseType = dev.mneme.v1.TerminateSessionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.TerminateSessionRequest,
      dev.mneme.v1.TerminateSessionResponse> getTerminateSessionMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.TerminateSessionRequest, dev.mneme.v1.TerminateSessionResponse> getTerminateSessionMethod;
    if ((getTerminateSessionMethod = LifecycleServiceGrpc.getTerminateSessionMethod) == null) {
      synchronized (LifecycleServiceGrpc.class) {
        if ((getTerminateSessionMethod = LifecycleServiceGrpc.getTerminateSessionMethod) == null) {
          LifecycleServiceGrpc.getTerminateSessionMethod = getTerminateSessionMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.TerminateSessionRequest, dev.mneme.v1.TerminateSessionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "TerminateSession"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.TerminateSessionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.TerminateSessionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new LifecycleServiceMethodDescriptorSupplier("TerminateSession"))
              .build();
        }
      }
    }
    return getTerminateSessionMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.DeleteSessionRequest,
      dev.mneme.v1.DeleteSessionResponse> getDeleteSessionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "DeleteSession",
      requestType = dev.mneme.v1.DeleteSessionRequest.class,
      responseType = dev.mneme.v1.DeleteSessionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.DeleteSessionRequest,
      dev.mneme.v1.DeleteSessionResponse> getDeleteSessionMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.DeleteSessionRequest, dev.mneme.v1.DeleteSessionResponse> getDeleteSessionMethod;
    if ((getDeleteSessionMethod = LifecycleServiceGrpc.getDeleteSessionMethod) == null) {
      synchronized (LifecycleServiceGrpc.class) {
        if ((getDeleteSessionMethod = LifecycleServiceGrpc.getDeleteSessionMethod) == null) {
          LifecycleServiceGrpc.getDeleteSessionMethod = getDeleteSessionMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.DeleteSessionRequest, dev.mneme.v1.DeleteSessionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "DeleteSession"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.DeleteSessionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.DeleteSessionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new LifecycleServiceMethodDescriptorSupplier("DeleteSession"))
              .build();
        }
      }
    }
    return getDeleteSessionMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.GetSessionRequest,
      dev.mneme.v1.GetSessionResponse> getGetSessionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetSession",
      requestType = dev.mneme.v1.GetSessionRequest.class,
      responseType = dev.mneme.v1.GetSessionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.GetSessionRequest,
      dev.mneme.v1.GetSessionResponse> getGetSessionMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.GetSessionRequest, dev.mneme.v1.GetSessionResponse> getGetSessionMethod;
    if ((getGetSessionMethod = LifecycleServiceGrpc.getGetSessionMethod) == null) {
      synchronized (LifecycleServiceGrpc.class) {
        if ((getGetSessionMethod = LifecycleServiceGrpc.getGetSessionMethod) == null) {
          LifecycleServiceGrpc.getGetSessionMethod = getGetSessionMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.GetSessionRequest, dev.mneme.v1.GetSessionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetSession"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetSessionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetSessionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new LifecycleServiceMethodDescriptorSupplier("GetSession"))
              .build();
        }
      }
    }
    return getGetSessionMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ListSessionsRequest,
      dev.mneme.v1.ListSessionsResponse> getListSessionsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListSessions",
      requestType = dev.mneme.v1.ListSessionsRequest.class,
      responseType = dev.mneme.v1.ListSessionsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ListSessionsRequest,
      dev.mneme.v1.ListSessionsResponse> getListSessionsMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ListSessionsRequest, dev.mneme.v1.ListSessionsResponse> getListSessionsMethod;
    if ((getListSessionsMethod = LifecycleServiceGrpc.getListSessionsMethod) == null) {
      synchronized (LifecycleServiceGrpc.class) {
        if ((getListSessionsMethod = LifecycleServiceGrpc.getListSessionsMethod) == null) {
          LifecycleServiceGrpc.getListSessionsMethod = getListSessionsMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ListSessionsRequest, dev.mneme.v1.ListSessionsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListSessions"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListSessionsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListSessionsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new LifecycleServiceMethodDescriptorSupplier("ListSessions"))
              .build();
        }
      }
    }
    return getListSessionsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.WatchLifecycleEventsRequest,
      dev.mneme.v1.WatchLifecycleEventsResponse> getWatchLifecycleEventsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "WatchLifecycleEvents",
      requestType = dev.mneme.v1.WatchLifecycleEventsRequest.class,
      responseType = dev.mneme.v1.WatchLifecycleEventsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.WatchLifecycleEventsRequest,
      dev.mneme.v1.WatchLifecycleEventsResponse> getWatchLifecycleEventsMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.WatchLifecycleEventsRequest, dev.mneme.v1.WatchLifecycleEventsResponse> getWatchLifecycleEventsMethod;
    if ((getWatchLifecycleEventsMethod = LifecycleServiceGrpc.getWatchLifecycleEventsMethod) == null) {
      synchronized (LifecycleServiceGrpc.class) {
        if ((getWatchLifecycleEventsMethod = LifecycleServiceGrpc.getWatchLifecycleEventsMethod) == null) {
          LifecycleServiceGrpc.getWatchLifecycleEventsMethod = getWatchLifecycleEventsMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.WatchLifecycleEventsRequest, dev.mneme.v1.WatchLifecycleEventsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "WatchLifecycleEvents"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.WatchLifecycleEventsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.WatchLifecycleEventsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new LifecycleServiceMethodDescriptorSupplier("WatchLifecycleEvents"))
              .build();
        }
      }
    }
    return getWatchLifecycleEventsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.AcknowledgeLifecycleEventsRequest,
      dev.mneme.v1.AcknowledgeLifecycleEventsResponse> getAcknowledgeLifecycleEventsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "AcknowledgeLifecycleEvents",
      requestType = dev.mneme.v1.AcknowledgeLifecycleEventsRequest.class,
      responseType = dev.mneme.v1.AcknowledgeLifecycleEventsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.AcknowledgeLifecycleEventsRequest,
      dev.mneme.v1.AcknowledgeLifecycleEventsResponse> getAcknowledgeLifecycleEventsMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.AcknowledgeLifecycleEventsRequest, dev.mneme.v1.AcknowledgeLifecycleEventsResponse> getAcknowledgeLifecycleEventsMethod;
    if ((getAcknowledgeLifecycleEventsMethod = LifecycleServiceGrpc.getAcknowledgeLifecycleEventsMethod) == null) {
      synchronized (LifecycleServiceGrpc.class) {
        if ((getAcknowledgeLifecycleEventsMethod = LifecycleServiceGrpc.getAcknowledgeLifecycleEventsMethod) == null) {
          LifecycleServiceGrpc.getAcknowledgeLifecycleEventsMethod = getAcknowledgeLifecycleEventsMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.AcknowledgeLifecycleEventsRequest, dev.mneme.v1.AcknowledgeLifecycleEventsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "AcknowledgeLifecycleEvents"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.AcknowledgeLifecycleEventsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.AcknowledgeLifecycleEventsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new LifecycleServiceMethodDescriptorSupplier("AcknowledgeLifecycleEvents"))
              .build();
        }
      }
    }
    return getAcknowledgeLifecycleEventsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ServeHookRequest,
      dev.mneme.v1.ServeHookResponse> getServeHookMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ServeHook",
      requestType = dev.mneme.v1.ServeHookRequest.class,
      responseType = dev.mneme.v1.ServeHookResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ServeHookRequest,
      dev.mneme.v1.ServeHookResponse> getServeHookMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ServeHookRequest, dev.mneme.v1.ServeHookResponse> getServeHookMethod;
    if ((getServeHookMethod = LifecycleServiceGrpc.getServeHookMethod) == null) {
      synchronized (LifecycleServiceGrpc.class) {
        if ((getServeHookMethod = LifecycleServiceGrpc.getServeHookMethod) == null) {
          LifecycleServiceGrpc.getServeHookMethod = getServeHookMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ServeHookRequest, dev.mneme.v1.ServeHookResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ServeHook"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ServeHookRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ServeHookResponse.getDefaultInstance()))
              .setSchemaDescriptor(new LifecycleServiceMethodDescriptorSupplier("ServeHook"))
              .build();
        }
      }
    }
    return getServeHookMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static LifecycleServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<LifecycleServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<LifecycleServiceStub>() {
        @java.lang.Override
        public LifecycleServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new LifecycleServiceStub(channel, callOptions);
        }
      };
    return LifecycleServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static LifecycleServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<LifecycleServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<LifecycleServiceBlockingV2Stub>() {
        @java.lang.Override
        public LifecycleServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new LifecycleServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return LifecycleServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static LifecycleServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<LifecycleServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<LifecycleServiceBlockingStub>() {
        @java.lang.Override
        public LifecycleServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new LifecycleServiceBlockingStub(channel, callOptions);
        }
      };
    return LifecycleServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static LifecycleServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<LifecycleServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<LifecycleServiceFutureStub>() {
        @java.lang.Override
        public LifecycleServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new LifecycleServiceFutureStub(channel, callOptions);
        }
      };
    return LifecycleServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Spawns, pauses, resumes, terminates and deletes sessions of agents.
   * Each of these transitions takes effect completely or not at all: state, working memory, checkpoint, episode, event
   * and the record of the `request_id` become durable together. A transition that the session's state does not allow
   * fails with FAILED_PRECONDITION (SESSION_STATE); the error's metadata has the state and the transition.
   * Reads of a namespace that does not exist yet answer as those of an empty one, and streams wait for it, unless the
   * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads and streams is of such a server.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), NOT_FOUND (NAMESPACE_NOT_FOUND),
   * UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every
   * mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED). Of every
   * transition also: FAILED_PRECONDITION (HOOK_VETOED) when a before-hook refused it. Of every transition except
   * SpawnSession also: NOT_FOUND (SESSION_NOT_FOUND), FAILED_PRECONDITION (SESSION_STATE), ABORTED (VERSION_MISMATCH) for
   * `if_version`. Of SpawnSession also: PERMISSION_DENIED (SCOPE_PRIVATE) for the id of a hidden session. Of every method
   * with a `session` field also: DATA_LOSS (SESSION_LOST) when Redis has lost sessions and this session is missing.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Creates an active session with its initial values and returns when it is durable. Either the session is created
     * with all initial values, or nothing is.
     * Errors: ALREADY_EXISTS (SESSION_EXISTS), RESOURCE_EXHAUSTED (SESSION_FULL).
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "session_id": "run-2",
     *       "scope": {"project": "shop", "agent": "ada"},
     *       "initial_values": [
     *         {"key": "goal", "value": {"text": "Refund order 1042"}, "ttl": "3600s"}
     *       ],
     *       "metadata": {"ticket": "1042"}
     *     }
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    default void spawnSession(dev.mneme.v1.SpawnSessionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.SpawnSessionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSpawnSessionMethod(), responseObserver);
    }

    /**
     * <pre>
     * Pauses an active session. Creates a checkpoint of its values, task state and scratchpad, and refuses writes to its
     * working memory until it is resumed.
     * Errors: ALREADY_EXISTS (CHECKPOINT_EXISTS).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    default void pauseSession(dev.mneme.v1.PauseSessionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.PauseSessionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getPauseSessionMethod(), responseObserver);
    }

    /**
     * <pre>
     * Resumes a paused session with the contents of a checkpoint. Values that have expired since the checkpoint are not
     * restored. All checkpoints are kept.
     * Errors: NOT_FOUND (CHECKPOINT_NOT_FOUND).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    default void resumeSession(dev.mneme.v1.ResumeSessionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ResumeSessionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getResumeSessionMethod(), responseObserver);
    }

    /**
     * <pre>
     * Ends an active or paused session. Stores one memory of type `episode` that describes what the session did and its
     * outcome, and erases its working memory and checkpoints.
     * Errors: RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    default void terminateSession(dev.mneme.v1.TerminateSessionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.TerminateSessionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getTerminateSessionMethod(), responseObserver);
    }

    /**
     * <pre>
     * Deletes a session with its values, task state, scratchpad and checkpoints. The id can then be used again. The
     * session's events are kept for as long as other events, and one more event reports the deletion; the session's
     * episode is kept. An active session is refused with FAILED_PRECONDITION (SESSION_STATE) unless `force` is set.
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    default void deleteSession(dev.mneme.v1.DeleteSessionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.DeleteSessionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getDeleteSessionMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads one session.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND), FAILED_PRECONDITION (SESSION_SCOPE_MISMATCH).
     * </pre>
     */
    default void getSession(dev.mneme.v1.GetSessionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetSessionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetSessionMethod(), responseObserver);
    }

    /**
     * <pre>
     * Lists the sessions of a namespace, ordered by id, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    default void listSessions(dev.mneme.v1.ListSessionsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListSessionsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListSessionsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Streams the lifecycle events of a namespace's sessions in the order in which they became durable, each at least
     * once. First the stored events after the requested start, then new events as they happen. The first message is
     * `created`; `heartbeat` follows whenever nothing else was sent for `heartbeat_interval`. After UNAVAILABLE, call
     * again with the last `resume_token`. In a namespace that does not exist yet, all events are new. Events are kept for 7 days (`event_retention_ms`).
     * Errors: OUT_OF_RANGE (REVISION_COMPACTED) when events after the start are no longer kept, or when the token's event
     * no longer exists because the store was restored to an older state; start again with `from_oldest`.
     * </pre>
     */
    default void watchLifecycleEvents(dev.mneme.v1.WatchLifecycleEventsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.WatchLifecycleEventsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getWatchLifecycleEventsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Records that a consumer has processed all events up to a token. WatchLifecycleEvents with the consumer's name
     * continues after that token. A token before the recorded one changes nothing.
     * Errors: INVALID_ARGUMENT when the token's event does not exist on this server, or was lost since.
     * </pre>
     */
    default void acknowledgeLifecycleEvents(dev.mneme.v1.AcknowledgeLifecycleEventsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.AcknowledgeLifecycleEventsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getAcknowledgeLifecycleEventsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Registers a hook and streams it the server's calls before or after transitions; the hook replies to each within its
     * timeout. The first message of the caller is `registration`, all others are `reply`. The hook is unregistered when
     * the stream ends. `required` is refused as an invalid field where the server permits it to other callers only.
     * Errors: RESOURCE_EXHAUSTED (HOOKS_FULL) when the server already has its maximum number of hooks (64 unless
     * configured otherwise), or the caller (16).
     * Needs the verbs `admin` and `read`.
     * </pre>
     */
    default io.grpc.stub.StreamObserver<dev.mneme.v1.ServeHookRequest> serveHook(
        io.grpc.stub.StreamObserver<dev.mneme.v1.ServeHookResponse> responseObserver) {
      return io.grpc.stub.ServerCalls.asyncUnimplementedStreamingCall(getServeHookMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service LifecycleService.
   * <pre>
   * Spawns, pauses, resumes, terminates and deletes sessions of agents.
   * Each of these transitions takes effect completely or not at all: state, working memory, checkpoint, episode, event
   * and the record of the `request_id` become durable together. A transition that the session's state does not allow
   * fails with FAILED_PRECONDITION (SESSION_STATE); the error's metadata has the state and the transition.
   * Reads of a namespace that does not exist yet answer as those of an empty one, and streams wait for it, unless the
   * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads and streams is of such a server.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), NOT_FOUND (NAMESPACE_NOT_FOUND),
   * UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every
   * mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED). Of every
   * transition also: FAILED_PRECONDITION (HOOK_VETOED) when a before-hook refused it. Of every transition except
   * SpawnSession also: NOT_FOUND (SESSION_NOT_FOUND), FAILED_PRECONDITION (SESSION_STATE), ABORTED (VERSION_MISMATCH) for
   * `if_version`. Of SpawnSession also: PERMISSION_DENIED (SCOPE_PRIVATE) for the id of a hidden session. Of every method
   * with a `session` field also: DATA_LOSS (SESSION_LOST) when Redis has lost sessions and this session is missing.
   * </pre>
   */
  public static abstract class LifecycleServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return LifecycleServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service LifecycleService.
   * <pre>
   * Spawns, pauses, resumes, terminates and deletes sessions of agents.
   * Each of these transitions takes effect completely or not at all: state, working memory, checkpoint, episode, event
   * and the record of the `request_id` become durable together. A transition that the session's state does not allow
   * fails with FAILED_PRECONDITION (SESSION_STATE); the error's metadata has the state and the transition.
   * Reads of a namespace that does not exist yet answer as those of an empty one, and streams wait for it, unless the
   * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads and streams is of such a server.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), NOT_FOUND (NAMESPACE_NOT_FOUND),
   * UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every
   * mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED). Of every
   * transition also: FAILED_PRECONDITION (HOOK_VETOED) when a before-hook refused it. Of every transition except
   * SpawnSession also: NOT_FOUND (SESSION_NOT_FOUND), FAILED_PRECONDITION (SESSION_STATE), ABORTED (VERSION_MISMATCH) for
   * `if_version`. Of SpawnSession also: PERMISSION_DENIED (SCOPE_PRIVATE) for the id of a hidden session. Of every method
   * with a `session` field also: DATA_LOSS (SESSION_LOST) when Redis has lost sessions and this session is missing.
   * </pre>
   */
  public static final class LifecycleServiceStub
      extends io.grpc.stub.AbstractAsyncStub<LifecycleServiceStub> {
    private LifecycleServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected LifecycleServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new LifecycleServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Creates an active session with its initial values and returns when it is durable. Either the session is created
     * with all initial values, or nothing is.
     * Errors: ALREADY_EXISTS (SESSION_EXISTS), RESOURCE_EXHAUSTED (SESSION_FULL).
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "session_id": "run-2",
     *       "scope": {"project": "shop", "agent": "ada"},
     *       "initial_values": [
     *         {"key": "goal", "value": {"text": "Refund order 1042"}, "ttl": "3600s"}
     *       ],
     *       "metadata": {"ticket": "1042"}
     *     }
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public void spawnSession(dev.mneme.v1.SpawnSessionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.SpawnSessionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getSpawnSessionMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Pauses an active session. Creates a checkpoint of its values, task state and scratchpad, and refuses writes to its
     * working memory until it is resumed.
     * Errors: ALREADY_EXISTS (CHECKPOINT_EXISTS).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public void pauseSession(dev.mneme.v1.PauseSessionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.PauseSessionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getPauseSessionMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Resumes a paused session with the contents of a checkpoint. Values that have expired since the checkpoint are not
     * restored. All checkpoints are kept.
     * Errors: NOT_FOUND (CHECKPOINT_NOT_FOUND).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public void resumeSession(dev.mneme.v1.ResumeSessionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ResumeSessionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getResumeSessionMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Ends an active or paused session. Stores one memory of type `episode` that describes what the session did and its
     * outcome, and erases its working memory and checkpoints.
     * Errors: RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public void terminateSession(dev.mneme.v1.TerminateSessionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.TerminateSessionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getTerminateSessionMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Deletes a session with its values, task state, scratchpad and checkpoints. The id can then be used again. The
     * session's events are kept for as long as other events, and one more event reports the deletion; the session's
     * episode is kept. An active session is refused with FAILED_PRECONDITION (SESSION_STATE) unless `force` is set.
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public void deleteSession(dev.mneme.v1.DeleteSessionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.DeleteSessionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getDeleteSessionMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads one session.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND), FAILED_PRECONDITION (SESSION_SCOPE_MISMATCH).
     * </pre>
     */
    public void getSession(dev.mneme.v1.GetSessionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetSessionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetSessionMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Lists the sessions of a namespace, ordered by id, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public void listSessions(dev.mneme.v1.ListSessionsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListSessionsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListSessionsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Streams the lifecycle events of a namespace's sessions in the order in which they became durable, each at least
     * once. First the stored events after the requested start, then new events as they happen. The first message is
     * `created`; `heartbeat` follows whenever nothing else was sent for `heartbeat_interval`. After UNAVAILABLE, call
     * again with the last `resume_token`. In a namespace that does not exist yet, all events are new. Events are kept for 7 days (`event_retention_ms`).
     * Errors: OUT_OF_RANGE (REVISION_COMPACTED) when events after the start are no longer kept, or when the token's event
     * no longer exists because the store was restored to an older state; start again with `from_oldest`.
     * </pre>
     */
    public void watchLifecycleEvents(dev.mneme.v1.WatchLifecycleEventsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.WatchLifecycleEventsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getWatchLifecycleEventsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Records that a consumer has processed all events up to a token. WatchLifecycleEvents with the consumer's name
     * continues after that token. A token before the recorded one changes nothing.
     * Errors: INVALID_ARGUMENT when the token's event does not exist on this server, or was lost since.
     * </pre>
     */
    public void acknowledgeLifecycleEvents(dev.mneme.v1.AcknowledgeLifecycleEventsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.AcknowledgeLifecycleEventsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getAcknowledgeLifecycleEventsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Registers a hook and streams it the server's calls before or after transitions; the hook replies to each within its
     * timeout. The first message of the caller is `registration`, all others are `reply`. The hook is unregistered when
     * the stream ends. `required` is refused as an invalid field where the server permits it to other callers only.
     * Errors: RESOURCE_EXHAUSTED (HOOKS_FULL) when the server already has its maximum number of hooks (64 unless
     * configured otherwise), or the caller (16).
     * Needs the verbs `admin` and `read`.
     * </pre>
     */
    public io.grpc.stub.StreamObserver<dev.mneme.v1.ServeHookRequest> serveHook(
        io.grpc.stub.StreamObserver<dev.mneme.v1.ServeHookResponse> responseObserver) {
      return io.grpc.stub.ClientCalls.asyncBidiStreamingCall(
          getChannel().newCall(getServeHookMethod(), getCallOptions()), responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service LifecycleService.
   * <pre>
   * Spawns, pauses, resumes, terminates and deletes sessions of agents.
   * Each of these transitions takes effect completely or not at all: state, working memory, checkpoint, episode, event
   * and the record of the `request_id` become durable together. A transition that the session's state does not allow
   * fails with FAILED_PRECONDITION (SESSION_STATE); the error's metadata has the state and the transition.
   * Reads of a namespace that does not exist yet answer as those of an empty one, and streams wait for it, unless the
   * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads and streams is of such a server.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), NOT_FOUND (NAMESPACE_NOT_FOUND),
   * UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every
   * mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED). Of every
   * transition also: FAILED_PRECONDITION (HOOK_VETOED) when a before-hook refused it. Of every transition except
   * SpawnSession also: NOT_FOUND (SESSION_NOT_FOUND), FAILED_PRECONDITION (SESSION_STATE), ABORTED (VERSION_MISMATCH) for
   * `if_version`. Of SpawnSession also: PERMISSION_DENIED (SCOPE_PRIVATE) for the id of a hidden session. Of every method
   * with a `session` field also: DATA_LOSS (SESSION_LOST) when Redis has lost sessions and this session is missing.
   * </pre>
   */
  public static final class LifecycleServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<LifecycleServiceBlockingV2Stub> {
    private LifecycleServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected LifecycleServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new LifecycleServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Creates an active session with its initial values and returns when it is durable. Either the session is created
     * with all initial values, or nothing is.
     * Errors: ALREADY_EXISTS (SESSION_EXISTS), RESOURCE_EXHAUSTED (SESSION_FULL).
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "session_id": "run-2",
     *       "scope": {"project": "shop", "agent": "ada"},
     *       "initial_values": [
     *         {"key": "goal", "value": {"text": "Refund order 1042"}, "ttl": "3600s"}
     *       ],
     *       "metadata": {"ticket": "1042"}
     *     }
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.SpawnSessionResponse spawnSession(dev.mneme.v1.SpawnSessionRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getSpawnSessionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Pauses an active session. Creates a checkpoint of its values, task state and scratchpad, and refuses writes to its
     * working memory until it is resumed.
     * Errors: ALREADY_EXISTS (CHECKPOINT_EXISTS).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.PauseSessionResponse pauseSession(dev.mneme.v1.PauseSessionRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getPauseSessionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Resumes a paused session with the contents of a checkpoint. Values that have expired since the checkpoint are not
     * restored. All checkpoints are kept.
     * Errors: NOT_FOUND (CHECKPOINT_NOT_FOUND).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.ResumeSessionResponse resumeSession(dev.mneme.v1.ResumeSessionRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getResumeSessionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Ends an active or paused session. Stores one memory of type `episode` that describes what the session did and its
     * outcome, and erases its working memory and checkpoints.
     * Errors: RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.TerminateSessionResponse terminateSession(dev.mneme.v1.TerminateSessionRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getTerminateSessionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes a session with its values, task state, scratchpad and checkpoints. The id can then be used again. The
     * session's events are kept for as long as other events, and one more event reports the deletion; the session's
     * episode is kept. An active session is refused with FAILED_PRECONDITION (SESSION_STATE) unless `force` is set.
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.DeleteSessionResponse deleteSession(dev.mneme.v1.DeleteSessionRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getDeleteSessionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads one session.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND), FAILED_PRECONDITION (SESSION_SCOPE_MISMATCH).
     * </pre>
     */
    public dev.mneme.v1.GetSessionResponse getSession(dev.mneme.v1.GetSessionRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetSessionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists the sessions of a namespace, ordered by id, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public dev.mneme.v1.ListSessionsResponse listSessions(dev.mneme.v1.ListSessionsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListSessionsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Streams the lifecycle events of a namespace's sessions in the order in which they became durable, each at least
     * once. First the stored events after the requested start, then new events as they happen. The first message is
     * `created`; `heartbeat` follows whenever nothing else was sent for `heartbeat_interval`. After UNAVAILABLE, call
     * again with the last `resume_token`. In a namespace that does not exist yet, all events are new. Events are kept for 7 days (`event_retention_ms`).
     * Errors: OUT_OF_RANGE (REVISION_COMPACTED) when events after the start are no longer kept, or when the token's event
     * no longer exists because the store was restored to an older state; start again with `from_oldest`.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, dev.mneme.v1.WatchLifecycleEventsResponse>
        watchLifecycleEvents(dev.mneme.v1.WatchLifecycleEventsRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getWatchLifecycleEventsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Records that a consumer has processed all events up to a token. WatchLifecycleEvents with the consumer's name
     * continues after that token. A token before the recorded one changes nothing.
     * Errors: INVALID_ARGUMENT when the token's event does not exist on this server, or was lost since.
     * </pre>
     */
    public dev.mneme.v1.AcknowledgeLifecycleEventsResponse acknowledgeLifecycleEvents(dev.mneme.v1.AcknowledgeLifecycleEventsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getAcknowledgeLifecycleEventsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Registers a hook and streams it the server's calls before or after transitions; the hook replies to each within its
     * timeout. The first message of the caller is `registration`, all others are `reply`. The hook is unregistered when
     * the stream ends. `required` is refused as an invalid field where the server permits it to other callers only.
     * Errors: RESOURCE_EXHAUSTED (HOOKS_FULL) when the server already has its maximum number of hooks (64 unless
     * configured otherwise), or the caller (16).
     * Needs the verbs `admin` and `read`.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<dev.mneme.v1.ServeHookRequest, dev.mneme.v1.ServeHookResponse>
        serveHook() {
      return io.grpc.stub.ClientCalls.blockingBidiStreamingCall(
          getChannel(), getServeHookMethod(), getCallOptions());
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service LifecycleService.
   * <pre>
   * Spawns, pauses, resumes, terminates and deletes sessions of agents.
   * Each of these transitions takes effect completely or not at all: state, working memory, checkpoint, episode, event
   * and the record of the `request_id` become durable together. A transition that the session's state does not allow
   * fails with FAILED_PRECONDITION (SESSION_STATE); the error's metadata has the state and the transition.
   * Reads of a namespace that does not exist yet answer as those of an empty one, and streams wait for it, unless the
   * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads and streams is of such a server.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), NOT_FOUND (NAMESPACE_NOT_FOUND),
   * UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every
   * mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED). Of every
   * transition also: FAILED_PRECONDITION (HOOK_VETOED) when a before-hook refused it. Of every transition except
   * SpawnSession also: NOT_FOUND (SESSION_NOT_FOUND), FAILED_PRECONDITION (SESSION_STATE), ABORTED (VERSION_MISMATCH) for
   * `if_version`. Of SpawnSession also: PERMISSION_DENIED (SCOPE_PRIVATE) for the id of a hidden session. Of every method
   * with a `session` field also: DATA_LOSS (SESSION_LOST) when Redis has lost sessions and this session is missing.
   * </pre>
   */
  public static final class LifecycleServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<LifecycleServiceBlockingStub> {
    private LifecycleServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected LifecycleServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new LifecycleServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Creates an active session with its initial values and returns when it is durable. Either the session is created
     * with all initial values, or nothing is.
     * Errors: ALREADY_EXISTS (SESSION_EXISTS), RESOURCE_EXHAUSTED (SESSION_FULL).
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "session_id": "run-2",
     *       "scope": {"project": "shop", "agent": "ada"},
     *       "initial_values": [
     *         {"key": "goal", "value": {"text": "Refund order 1042"}, "ttl": "3600s"}
     *       ],
     *       "metadata": {"ticket": "1042"}
     *     }
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.SpawnSessionResponse spawnSession(dev.mneme.v1.SpawnSessionRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getSpawnSessionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Pauses an active session. Creates a checkpoint of its values, task state and scratchpad, and refuses writes to its
     * working memory until it is resumed.
     * Errors: ALREADY_EXISTS (CHECKPOINT_EXISTS).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.PauseSessionResponse pauseSession(dev.mneme.v1.PauseSessionRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getPauseSessionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Resumes a paused session with the contents of a checkpoint. Values that have expired since the checkpoint are not
     * restored. All checkpoints are kept.
     * Errors: NOT_FOUND (CHECKPOINT_NOT_FOUND).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.ResumeSessionResponse resumeSession(dev.mneme.v1.ResumeSessionRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getResumeSessionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Ends an active or paused session. Stores one memory of type `episode` that describes what the session did and its
     * outcome, and erases its working memory and checkpoints.
     * Errors: RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.TerminateSessionResponse terminateSession(dev.mneme.v1.TerminateSessionRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getTerminateSessionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes a session with its values, task state, scratchpad and checkpoints. The id can then be used again. The
     * session's events are kept for as long as other events, and one more event reports the deletion; the session's
     * episode is kept. An active session is refused with FAILED_PRECONDITION (SESSION_STATE) unless `force` is set.
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.DeleteSessionResponse deleteSession(dev.mneme.v1.DeleteSessionRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getDeleteSessionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads one session.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND), FAILED_PRECONDITION (SESSION_SCOPE_MISMATCH).
     * </pre>
     */
    public dev.mneme.v1.GetSessionResponse getSession(dev.mneme.v1.GetSessionRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetSessionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists the sessions of a namespace, ordered by id, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public dev.mneme.v1.ListSessionsResponse listSessions(dev.mneme.v1.ListSessionsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListSessionsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Streams the lifecycle events of a namespace's sessions in the order in which they became durable, each at least
     * once. First the stored events after the requested start, then new events as they happen. The first message is
     * `created`; `heartbeat` follows whenever nothing else was sent for `heartbeat_interval`. After UNAVAILABLE, call
     * again with the last `resume_token`. In a namespace that does not exist yet, all events are new. Events are kept for 7 days (`event_retention_ms`).
     * Errors: OUT_OF_RANGE (REVISION_COMPACTED) when events after the start are no longer kept, or when the token's event
     * no longer exists because the store was restored to an older state; start again with `from_oldest`.
     * </pre>
     */
    public java.util.Iterator<dev.mneme.v1.WatchLifecycleEventsResponse> watchLifecycleEvents(
        dev.mneme.v1.WatchLifecycleEventsRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getWatchLifecycleEventsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Records that a consumer has processed all events up to a token. WatchLifecycleEvents with the consumer's name
     * continues after that token. A token before the recorded one changes nothing.
     * Errors: INVALID_ARGUMENT when the token's event does not exist on this server, or was lost since.
     * </pre>
     */
    public dev.mneme.v1.AcknowledgeLifecycleEventsResponse acknowledgeLifecycleEvents(dev.mneme.v1.AcknowledgeLifecycleEventsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getAcknowledgeLifecycleEventsMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service LifecycleService.
   * <pre>
   * Spawns, pauses, resumes, terminates and deletes sessions of agents.
   * Each of these transitions takes effect completely or not at all: state, working memory, checkpoint, episode, event
   * and the record of the `request_id` become durable together. A transition that the session's state does not allow
   * fails with FAILED_PRECONDITION (SESSION_STATE); the error's metadata has the state and the transition.
   * Reads of a namespace that does not exist yet answer as those of an empty one, and streams wait for it, unless the
   * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads and streams is of such a server.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), NOT_FOUND (NAMESPACE_NOT_FOUND),
   * UNAUTHENTICATED, DEADLINE_EXCEEDED, UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Of every
   * mutation also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED). Of every
   * transition also: FAILED_PRECONDITION (HOOK_VETOED) when a before-hook refused it. Of every transition except
   * SpawnSession also: NOT_FOUND (SESSION_NOT_FOUND), FAILED_PRECONDITION (SESSION_STATE), ABORTED (VERSION_MISMATCH) for
   * `if_version`. Of SpawnSession also: PERMISSION_DENIED (SCOPE_PRIVATE) for the id of a hidden session. Of every method
   * with a `session` field also: DATA_LOSS (SESSION_LOST) when Redis has lost sessions and this session is missing.
   * </pre>
   */
  public static final class LifecycleServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<LifecycleServiceFutureStub> {
    private LifecycleServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected LifecycleServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new LifecycleServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Creates an active session with its initial values and returns when it is durable. Either the session is created
     * with all initial values, or nothing is.
     * Errors: ALREADY_EXISTS (SESSION_EXISTS), RESOURCE_EXHAUSTED (SESSION_FULL).
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "session_id": "run-2",
     *       "scope": {"project": "shop", "agent": "ada"},
     *       "initial_values": [
     *         {"key": "goal", "value": {"text": "Refund order 1042"}, "ttl": "3600s"}
     *       ],
     *       "metadata": {"ticket": "1042"}
     *     }
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.SpawnSessionResponse> spawnSession(
        dev.mneme.v1.SpawnSessionRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getSpawnSessionMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Pauses an active session. Creates a checkpoint of its values, task state and scratchpad, and refuses writes to its
     * working memory until it is resumed.
     * Errors: ALREADY_EXISTS (CHECKPOINT_EXISTS).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.PauseSessionResponse> pauseSession(
        dev.mneme.v1.PauseSessionRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getPauseSessionMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Resumes a paused session with the contents of a checkpoint. Values that have expired since the checkpoint are not
     * restored. All checkpoints are kept.
     * Errors: NOT_FOUND (CHECKPOINT_NOT_FOUND).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ResumeSessionResponse> resumeSession(
        dev.mneme.v1.ResumeSessionRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getResumeSessionMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Ends an active or paused session. Stores one memory of type `episode` that describes what the session did and its
     * outcome, and erases its working memory and checkpoints.
     * Errors: RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.TerminateSessionResponse> terminateSession(
        dev.mneme.v1.TerminateSessionRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getTerminateSessionMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Deletes a session with its values, task state, scratchpad and checkpoints. The id can then be used again. The
     * session's events are kept for as long as other events, and one more event reports the deletion; the session's
     * episode is kept. An active session is refused with FAILED_PRECONDITION (SESSION_STATE) unless `force` is set.
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.DeleteSessionResponse> deleteSession(
        dev.mneme.v1.DeleteSessionRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getDeleteSessionMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads one session.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND), FAILED_PRECONDITION (SESSION_SCOPE_MISMATCH).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.GetSessionResponse> getSession(
        dev.mneme.v1.GetSessionRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetSessionMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Lists the sessions of a namespace, ordered by id, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ListSessionsResponse> listSessions(
        dev.mneme.v1.ListSessionsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListSessionsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Records that a consumer has processed all events up to a token. WatchLifecycleEvents with the consumer's name
     * continues after that token. A token before the recorded one changes nothing.
     * Errors: INVALID_ARGUMENT when the token's event does not exist on this server, or was lost since.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.AcknowledgeLifecycleEventsResponse> acknowledgeLifecycleEvents(
        dev.mneme.v1.AcknowledgeLifecycleEventsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getAcknowledgeLifecycleEventsMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_SPAWN_SESSION = 0;
  private static final int METHODID_PAUSE_SESSION = 1;
  private static final int METHODID_RESUME_SESSION = 2;
  private static final int METHODID_TERMINATE_SESSION = 3;
  private static final int METHODID_DELETE_SESSION = 4;
  private static final int METHODID_GET_SESSION = 5;
  private static final int METHODID_LIST_SESSIONS = 6;
  private static final int METHODID_WATCH_LIFECYCLE_EVENTS = 7;
  private static final int METHODID_ACKNOWLEDGE_LIFECYCLE_EVENTS = 8;
  private static final int METHODID_SERVE_HOOK = 9;

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
        case METHODID_SPAWN_SESSION:
          serviceImpl.spawnSession((dev.mneme.v1.SpawnSessionRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.SpawnSessionResponse>) responseObserver);
          break;
        case METHODID_PAUSE_SESSION:
          serviceImpl.pauseSession((dev.mneme.v1.PauseSessionRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.PauseSessionResponse>) responseObserver);
          break;
        case METHODID_RESUME_SESSION:
          serviceImpl.resumeSession((dev.mneme.v1.ResumeSessionRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ResumeSessionResponse>) responseObserver);
          break;
        case METHODID_TERMINATE_SESSION:
          serviceImpl.terminateSession((dev.mneme.v1.TerminateSessionRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.TerminateSessionResponse>) responseObserver);
          break;
        case METHODID_DELETE_SESSION:
          serviceImpl.deleteSession((dev.mneme.v1.DeleteSessionRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.DeleteSessionResponse>) responseObserver);
          break;
        case METHODID_GET_SESSION:
          serviceImpl.getSession((dev.mneme.v1.GetSessionRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.GetSessionResponse>) responseObserver);
          break;
        case METHODID_LIST_SESSIONS:
          serviceImpl.listSessions((dev.mneme.v1.ListSessionsRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ListSessionsResponse>) responseObserver);
          break;
        case METHODID_WATCH_LIFECYCLE_EVENTS:
          serviceImpl.watchLifecycleEvents((dev.mneme.v1.WatchLifecycleEventsRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.WatchLifecycleEventsResponse>) responseObserver);
          break;
        case METHODID_ACKNOWLEDGE_LIFECYCLE_EVENTS:
          serviceImpl.acknowledgeLifecycleEvents((dev.mneme.v1.AcknowledgeLifecycleEventsRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.AcknowledgeLifecycleEventsResponse>) responseObserver);
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
        case METHODID_SERVE_HOOK:
          return (io.grpc.stub.StreamObserver<Req>) serviceImpl.serveHook(
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ServeHookResponse>) responseObserver);
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getSpawnSessionMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.SpawnSessionRequest,
              dev.mneme.v1.SpawnSessionResponse>(
                service, METHODID_SPAWN_SESSION)))
        .addMethod(
          getPauseSessionMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.PauseSessionRequest,
              dev.mneme.v1.PauseSessionResponse>(
                service, METHODID_PAUSE_SESSION)))
        .addMethod(
          getResumeSessionMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ResumeSessionRequest,
              dev.mneme.v1.ResumeSessionResponse>(
                service, METHODID_RESUME_SESSION)))
        .addMethod(
          getTerminateSessionMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.TerminateSessionRequest,
              dev.mneme.v1.TerminateSessionResponse>(
                service, METHODID_TERMINATE_SESSION)))
        .addMethod(
          getDeleteSessionMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.DeleteSessionRequest,
              dev.mneme.v1.DeleteSessionResponse>(
                service, METHODID_DELETE_SESSION)))
        .addMethod(
          getGetSessionMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.GetSessionRequest,
              dev.mneme.v1.GetSessionResponse>(
                service, METHODID_GET_SESSION)))
        .addMethod(
          getListSessionsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ListSessionsRequest,
              dev.mneme.v1.ListSessionsResponse>(
                service, METHODID_LIST_SESSIONS)))
        .addMethod(
          getWatchLifecycleEventsMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              dev.mneme.v1.WatchLifecycleEventsRequest,
              dev.mneme.v1.WatchLifecycleEventsResponse>(
                service, METHODID_WATCH_LIFECYCLE_EVENTS)))
        .addMethod(
          getAcknowledgeLifecycleEventsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.AcknowledgeLifecycleEventsRequest,
              dev.mneme.v1.AcknowledgeLifecycleEventsResponse>(
                service, METHODID_ACKNOWLEDGE_LIFECYCLE_EVENTS)))
        .addMethod(
          getServeHookMethod(),
          io.grpc.stub.ServerCalls.asyncBidiStreamingCall(
            new MethodHandlers<
              dev.mneme.v1.ServeHookRequest,
              dev.mneme.v1.ServeHookResponse>(
                service, METHODID_SERVE_HOOK)))
        .build();
  }

  private static abstract class LifecycleServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    LifecycleServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.mneme.v1.LifecycleServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("LifecycleService");
    }
  }

  private static final class LifecycleServiceFileDescriptorSupplier
      extends LifecycleServiceBaseDescriptorSupplier {
    LifecycleServiceFileDescriptorSupplier() {}
  }

  private static final class LifecycleServiceMethodDescriptorSupplier
      extends LifecycleServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    LifecycleServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (LifecycleServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new LifecycleServiceFileDescriptorSupplier())
              .addMethod(getSpawnSessionMethod())
              .addMethod(getPauseSessionMethod())
              .addMethod(getResumeSessionMethod())
              .addMethod(getTerminateSessionMethod())
              .addMethod(getDeleteSessionMethod())
              .addMethod(getGetSessionMethod())
              .addMethod(getListSessionsMethod())
              .addMethod(getWatchLifecycleEventsMethod())
              .addMethod(getAcknowledgeLifecycleEventsMethod())
              .addMethod(getServeHookMethod())
              .build();
        }
      }
    }
    return result;
  }
}
