package dev.mneme.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Asserts facts and reads what is known, what was known, and when it was so.
 * A fact is a memory of type `fact` that states the value of one attribute of one subject; recall finds it as any other
 * memory. Facts with the same scope, subject and attribute (compared without regard to case, spaces and known
 * synonyms) form one timeline. A new value of an attribute that has one value at a time, such as `home_city`,
 * supersedes the one before; other attributes have several values at a time. The guide to facts lists both. Superseded
 * facts are kept, and recall does not return them by default. Facts have two time axes: the valid time, at which they
 * hold (`valid_from`, `valid_until`), and the recorded time, at which the server learned of them.
 * A value that was forgotten, or taken back by UndoSupersession, does not come back by extraction, import or the
 * restore of an agent; AssertFact brings it back.
 * Reads of a namespace that does not exist yet answer as those of an empty one, unless the
 * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads is of such a server.
 * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
 * PERMISSION_DENIED (SCOPE_PRIVATE), UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Every mutation
 * can also fail with RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL) and FAILED_PRECONDITION (REQUEST_ID_REUSED,
 * SCOPE_READ_ONLY).
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class KnowledgeServiceGrpc {

  private KnowledgeServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "mneme.v1.KnowledgeService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.AssertFactRequest,
      dev.mneme.v1.AssertFactResponse> getAssertFactMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "AssertFact",
      requestType = dev.mneme.v1.AssertFactRequest.class,
      responseType = dev.mneme.v1.AssertFactResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.AssertFactRequest,
      dev.mneme.v1.AssertFactResponse> getAssertFactMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.AssertFactRequest, dev.mneme.v1.AssertFactResponse> getAssertFactMethod;
    if ((getAssertFactMethod = KnowledgeServiceGrpc.getAssertFactMethod) == null) {
      synchronized (KnowledgeServiceGrpc.class) {
        if ((getAssertFactMethod = KnowledgeServiceGrpc.getAssertFactMethod) == null) {
          KnowledgeServiceGrpc.getAssertFactMethod = getAssertFactMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.AssertFactRequest, dev.mneme.v1.AssertFactResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "AssertFact"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.AssertFactRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.AssertFactResponse.getDefaultInstance()))
              .setSchemaDescriptor(new KnowledgeServiceMethodDescriptorSupplier("AssertFact"))
              .build();
        }
      }
    }
    return getAssertFactMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.GetFactRequest,
      dev.mneme.v1.GetFactResponse> getGetFactMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetFact",
      requestType = dev.mneme.v1.GetFactRequest.class,
      responseType = dev.mneme.v1.GetFactResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.GetFactRequest,
      dev.mneme.v1.GetFactResponse> getGetFactMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.GetFactRequest, dev.mneme.v1.GetFactResponse> getGetFactMethod;
    if ((getGetFactMethod = KnowledgeServiceGrpc.getGetFactMethod) == null) {
      synchronized (KnowledgeServiceGrpc.class) {
        if ((getGetFactMethod = KnowledgeServiceGrpc.getGetFactMethod) == null) {
          KnowledgeServiceGrpc.getGetFactMethod = getGetFactMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.GetFactRequest, dev.mneme.v1.GetFactResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetFact"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetFactRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetFactResponse.getDefaultInstance()))
              .setSchemaDescriptor(new KnowledgeServiceMethodDescriptorSupplier("GetFact"))
              .build();
        }
      }
    }
    return getGetFactMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ListFactsRequest,
      dev.mneme.v1.ListFactsResponse> getListFactsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListFacts",
      requestType = dev.mneme.v1.ListFactsRequest.class,
      responseType = dev.mneme.v1.ListFactsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ListFactsRequest,
      dev.mneme.v1.ListFactsResponse> getListFactsMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ListFactsRequest, dev.mneme.v1.ListFactsResponse> getListFactsMethod;
    if ((getListFactsMethod = KnowledgeServiceGrpc.getListFactsMethod) == null) {
      synchronized (KnowledgeServiceGrpc.class) {
        if ((getListFactsMethod = KnowledgeServiceGrpc.getListFactsMethod) == null) {
          KnowledgeServiceGrpc.getListFactsMethod = getListFactsMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ListFactsRequest, dev.mneme.v1.ListFactsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListFacts"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListFactsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListFactsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new KnowledgeServiceMethodDescriptorSupplier("ListFacts"))
              .build();
        }
      }
    }
    return getListFactsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ListFactHistoryRequest,
      dev.mneme.v1.ListFactHistoryResponse> getListFactHistoryMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListFactHistory",
      requestType = dev.mneme.v1.ListFactHistoryRequest.class,
      responseType = dev.mneme.v1.ListFactHistoryResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ListFactHistoryRequest,
      dev.mneme.v1.ListFactHistoryResponse> getListFactHistoryMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ListFactHistoryRequest, dev.mneme.v1.ListFactHistoryResponse> getListFactHistoryMethod;
    if ((getListFactHistoryMethod = KnowledgeServiceGrpc.getListFactHistoryMethod) == null) {
      synchronized (KnowledgeServiceGrpc.class) {
        if ((getListFactHistoryMethod = KnowledgeServiceGrpc.getListFactHistoryMethod) == null) {
          KnowledgeServiceGrpc.getListFactHistoryMethod = getListFactHistoryMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ListFactHistoryRequest, dev.mneme.v1.ListFactHistoryResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListFactHistory"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListFactHistoryRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListFactHistoryResponse.getDefaultInstance()))
              .setSchemaDescriptor(new KnowledgeServiceMethodDescriptorSupplier("ListFactHistory"))
              .build();
        }
      }
    }
    return getListFactHistoryMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.UndoSupersessionRequest,
      dev.mneme.v1.UndoSupersessionResponse> getUndoSupersessionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "UndoSupersession",
      requestType = dev.mneme.v1.UndoSupersessionRequest.class,
      responseType = dev.mneme.v1.UndoSupersessionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.UndoSupersessionRequest,
      dev.mneme.v1.UndoSupersessionResponse> getUndoSupersessionMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.UndoSupersessionRequest, dev.mneme.v1.UndoSupersessionResponse> getUndoSupersessionMethod;
    if ((getUndoSupersessionMethod = KnowledgeServiceGrpc.getUndoSupersessionMethod) == null) {
      synchronized (KnowledgeServiceGrpc.class) {
        if ((getUndoSupersessionMethod = KnowledgeServiceGrpc.getUndoSupersessionMethod) == null) {
          KnowledgeServiceGrpc.getUndoSupersessionMethod = getUndoSupersessionMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.UndoSupersessionRequest, dev.mneme.v1.UndoSupersessionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "UndoSupersession"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.UndoSupersessionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.UndoSupersessionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new KnowledgeServiceMethodDescriptorSupplier("UndoSupersession"))
              .build();
        }
      }
    }
    return getUndoSupersessionMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ForgetFactsRequest,
      dev.mneme.v1.ForgetFactsResponse> getForgetFactsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ForgetFacts",
      requestType = dev.mneme.v1.ForgetFactsRequest.class,
      responseType = dev.mneme.v1.ForgetFactsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ForgetFactsRequest,
      dev.mneme.v1.ForgetFactsResponse> getForgetFactsMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ForgetFactsRequest, dev.mneme.v1.ForgetFactsResponse> getForgetFactsMethod;
    if ((getForgetFactsMethod = KnowledgeServiceGrpc.getForgetFactsMethod) == null) {
      synchronized (KnowledgeServiceGrpc.class) {
        if ((getForgetFactsMethod = KnowledgeServiceGrpc.getForgetFactsMethod) == null) {
          KnowledgeServiceGrpc.getForgetFactsMethod = getForgetFactsMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ForgetFactsRequest, dev.mneme.v1.ForgetFactsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ForgetFacts"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ForgetFactsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ForgetFactsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new KnowledgeServiceMethodDescriptorSupplier("ForgetFacts"))
              .build();
        }
      }
    }
    return getForgetFactsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.RecordEpisodeRequest,
      dev.mneme.v1.RecordEpisodeResponse> getRecordEpisodeMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "RecordEpisode",
      requestType = dev.mneme.v1.RecordEpisodeRequest.class,
      responseType = dev.mneme.v1.RecordEpisodeResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.RecordEpisodeRequest,
      dev.mneme.v1.RecordEpisodeResponse> getRecordEpisodeMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.RecordEpisodeRequest, dev.mneme.v1.RecordEpisodeResponse> getRecordEpisodeMethod;
    if ((getRecordEpisodeMethod = KnowledgeServiceGrpc.getRecordEpisodeMethod) == null) {
      synchronized (KnowledgeServiceGrpc.class) {
        if ((getRecordEpisodeMethod = KnowledgeServiceGrpc.getRecordEpisodeMethod) == null) {
          KnowledgeServiceGrpc.getRecordEpisodeMethod = getRecordEpisodeMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.RecordEpisodeRequest, dev.mneme.v1.RecordEpisodeResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "RecordEpisode"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.RecordEpisodeRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.RecordEpisodeResponse.getDefaultInstance()))
              .setSchemaDescriptor(new KnowledgeServiceMethodDescriptorSupplier("RecordEpisode"))
              .build();
        }
      }
    }
    return getRecordEpisodeMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.RecordProcedureRequest,
      dev.mneme.v1.RecordProcedureResponse> getRecordProcedureMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "RecordProcedure",
      requestType = dev.mneme.v1.RecordProcedureRequest.class,
      responseType = dev.mneme.v1.RecordProcedureResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.RecordProcedureRequest,
      dev.mneme.v1.RecordProcedureResponse> getRecordProcedureMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.RecordProcedureRequest, dev.mneme.v1.RecordProcedureResponse> getRecordProcedureMethod;
    if ((getRecordProcedureMethod = KnowledgeServiceGrpc.getRecordProcedureMethod) == null) {
      synchronized (KnowledgeServiceGrpc.class) {
        if ((getRecordProcedureMethod = KnowledgeServiceGrpc.getRecordProcedureMethod) == null) {
          KnowledgeServiceGrpc.getRecordProcedureMethod = getRecordProcedureMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.RecordProcedureRequest, dev.mneme.v1.RecordProcedureResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "RecordProcedure"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.RecordProcedureRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.RecordProcedureResponse.getDefaultInstance()))
              .setSchemaDescriptor(new KnowledgeServiceMethodDescriptorSupplier("RecordProcedure"))
              .build();
        }
      }
    }
    return getRecordProcedureMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.FindProceduresRequest,
      dev.mneme.v1.FindProceduresResponse> getFindProceduresMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "FindProcedures",
      requestType = dev.mneme.v1.FindProceduresRequest.class,
      responseType = dev.mneme.v1.FindProceduresResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.FindProceduresRequest,
      dev.mneme.v1.FindProceduresResponse> getFindProceduresMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.FindProceduresRequest, dev.mneme.v1.FindProceduresResponse> getFindProceduresMethod;
    if ((getFindProceduresMethod = KnowledgeServiceGrpc.getFindProceduresMethod) == null) {
      synchronized (KnowledgeServiceGrpc.class) {
        if ((getFindProceduresMethod = KnowledgeServiceGrpc.getFindProceduresMethod) == null) {
          KnowledgeServiceGrpc.getFindProceduresMethod = getFindProceduresMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.FindProceduresRequest, dev.mneme.v1.FindProceduresResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "FindProcedures"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.FindProceduresRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.FindProceduresResponse.getDefaultInstance()))
              .setSchemaDescriptor(new KnowledgeServiceMethodDescriptorSupplier("FindProcedures"))
              .build();
        }
      }
    }
    return getFindProceduresMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.RecordOutcomeRequest,
      dev.mneme.v1.RecordOutcomeResponse> getRecordOutcomeMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "RecordOutcome",
      requestType = dev.mneme.v1.RecordOutcomeRequest.class,
      responseType = dev.mneme.v1.RecordOutcomeResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.RecordOutcomeRequest,
      dev.mneme.v1.RecordOutcomeResponse> getRecordOutcomeMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.RecordOutcomeRequest, dev.mneme.v1.RecordOutcomeResponse> getRecordOutcomeMethod;
    if ((getRecordOutcomeMethod = KnowledgeServiceGrpc.getRecordOutcomeMethod) == null) {
      synchronized (KnowledgeServiceGrpc.class) {
        if ((getRecordOutcomeMethod = KnowledgeServiceGrpc.getRecordOutcomeMethod) == null) {
          KnowledgeServiceGrpc.getRecordOutcomeMethod = getRecordOutcomeMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.RecordOutcomeRequest, dev.mneme.v1.RecordOutcomeResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "RecordOutcome"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.RecordOutcomeRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.RecordOutcomeResponse.getDefaultInstance()))
              .setSchemaDescriptor(new KnowledgeServiceMethodDescriptorSupplier("RecordOutcome"))
              .build();
        }
      }
    }
    return getRecordOutcomeMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ReflectRequest,
      dev.mneme.v1.ReflectResponse> getReflectMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "Reflect",
      requestType = dev.mneme.v1.ReflectRequest.class,
      responseType = dev.mneme.v1.ReflectResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ReflectRequest,
      dev.mneme.v1.ReflectResponse> getReflectMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ReflectRequest, dev.mneme.v1.ReflectResponse> getReflectMethod;
    if ((getReflectMethod = KnowledgeServiceGrpc.getReflectMethod) == null) {
      synchronized (KnowledgeServiceGrpc.class) {
        if ((getReflectMethod = KnowledgeServiceGrpc.getReflectMethod) == null) {
          KnowledgeServiceGrpc.getReflectMethod = getReflectMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ReflectRequest, dev.mneme.v1.ReflectResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "Reflect"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ReflectRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ReflectResponse.getDefaultInstance()))
              .setSchemaDescriptor(new KnowledgeServiceMethodDescriptorSupplier("Reflect"))
              .build();
        }
      }
    }
    return getReflectMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static KnowledgeServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<KnowledgeServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<KnowledgeServiceStub>() {
        @java.lang.Override
        public KnowledgeServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new KnowledgeServiceStub(channel, callOptions);
        }
      };
    return KnowledgeServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static KnowledgeServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<KnowledgeServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<KnowledgeServiceBlockingV2Stub>() {
        @java.lang.Override
        public KnowledgeServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new KnowledgeServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return KnowledgeServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static KnowledgeServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<KnowledgeServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<KnowledgeServiceBlockingStub>() {
        @java.lang.Override
        public KnowledgeServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new KnowledgeServiceBlockingStub(channel, callOptions);
        }
      };
    return KnowledgeServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static KnowledgeServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<KnowledgeServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<KnowledgeServiceFutureStub>() {
        @java.lang.Override
        public KnowledgeServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new KnowledgeServiceFutureStub(channel, callOptions);
        }
      };
    return KnowledgeServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Asserts facts and reads what is known, what was known, and when it was so.
   * A fact is a memory of type `fact` that states the value of one attribute of one subject; recall finds it as any other
   * memory. Facts with the same scope, subject and attribute (compared without regard to case, spaces and known
   * synonyms) form one timeline. A new value of an attribute that has one value at a time, such as `home_city`,
   * supersedes the one before; other attributes have several values at a time. The guide to facts lists both. Superseded
   * facts are kept, and recall does not return them by default. Facts have two time axes: the valid time, at which they
   * hold (`valid_from`, `valid_until`), and the recorded time, at which the server learned of them.
   * A value that was forgotten, or taken back by UndoSupersession, does not come back by extraction, import or the
   * restore of an agent; AssertFact brings it back.
   * Reads of a namespace that does not exist yet answer as those of an empty one, unless the
   * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads is of such a server.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * PERMISSION_DENIED (SCOPE_PRIVATE), UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Every mutation
   * can also fail with RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL) and FAILED_PRECONDITION (REQUEST_ID_REUSED,
   * SCOPE_READ_ONLY).
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Asserts that an attribute of a subject has a value, or no longer has it, and returns when that is durable.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use,
     * RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "fact": {
     *         "subject": "user",
     *         "attribute": "home_city",
     *         "value": "Lisbon",
     *         "valid_from": "2026-01-15T00:00:00Z"
     *       },
     *       "request_id": "assert-home-city"
     *     }
     * Without the verb `read`, the answer has the revision only.
     * </pre>
     */
    default void assertFact(dev.mneme.v1.AssertFactRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.AssertFactResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getAssertFactMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads one fact by the resource name of its memory.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), also when the memory is not a fact.
     * </pre>
     */
    default void getFact(dev.mneme.v1.GetFactRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetFactResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetFactMethod(), responseObserver);
    }

    /**
     * <pre>
     * Lists facts page by page, the newest record first. Default: the facts that hold now.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * Example:
     *     {"parent": "namespaces/example", "subject": "user", "as_of": "2026-03-01T00:00:00Z"}
     * </pre>
     */
    default void listFacts(dev.mneme.v1.ListFactsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListFactsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListFactsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Lists every fact that one attribute of one subject had, ordered by `valid_from`, with the states of each: when it
     * was known to hold, and which fact superseded it.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    default void listFactHistory(dev.mneme.v1.ListFactHistoryRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListFactHistoryResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListFactHistoryMethod(), responseObserver);
    }

    /**
     * <pre>
     * Makes a superseded or retracted fact hold again. The fact that superseded it is taken back, unless the attribute
     * has several values at a time; it stays in the history.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), FAILED_PRECONDITION (FACT_NOT_SUPERSEDED).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    default void undoSupersession(dev.mneme.v1.UndoSupersessionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.UndoSupersessionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getUndoSupersessionMethod(), responseObserver);
    }

    /**
     * <pre>
     * Erases facts with their history. Only AssertFact brings their values back. Facts are erased in batches of 100: a
     * call that is interrupted has erased some of them, and repeating it erases the rest.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND).
     * A subject, attribute, value or `dry_run` needs the verb `read` too.
     * </pre>
     */
    default void forgetFacts(dev.mneme.v1.ForgetFactsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ForgetFactsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getForgetFactsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Stores what was done and how it went, as a memory of type `episode`, and returns when it is durable.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use,
     * RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * </pre>
     */
    default void recordEpisode(dev.mneme.v1.RecordEpisodeRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.RecordEpisodeResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getRecordEpisodeMethod(), responseObserver);
    }

    /**
     * <pre>
     * Stores how something is done, as a memory of type `procedure`. A procedure that has the same name in the same scope
     * is merged with it: steps that it lacks are added where they belong.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use,
     * RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * Without the verb `read`, the answer has the revision only.
     * </pre>
     */
    default void recordProcedure(dev.mneme.v1.RecordProcedureRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.RecordProcedureResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getRecordProcedureMethod(), responseObserver);
    }

    /**
     * <pre>
     * Finds the procedures that fit a situation, the best first: relevance in recall times success rate.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    default void findProcedures(dev.mneme.v1.FindProceduresRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.FindProceduresResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getFindProceduresMethod(), responseObserver);
    }

    /**
     * <pre>
     * Counts how a procedure went.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), also when the memory is not a procedure.
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    default void recordOutcome(dev.mneme.v1.RecordOutcomeRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.RecordOutcomeResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getRecordOutcomeMethod(), responseObserver);
    }

    /**
     * <pre>
     * Computes patterns of the episodes of a time range: tasks that mostly fail, features that go with success, episodes
     * that are unusual compared with the 30 days before, and changes over time. Reads only. All results are computed from
     * the recorded episodes without a model; with `phrase` a model words the insights. Results that chance alone explains
     * are left out: see `min_confidence`. The same episodes give the same results.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * Example:
     *     {"parent": "namespaces/example", "task": "deploy", "min_support": 5}
     * </pre>
     */
    default void reflect(dev.mneme.v1.ReflectRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ReflectResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getReflectMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service KnowledgeService.
   * <pre>
   * Asserts facts and reads what is known, what was known, and when it was so.
   * A fact is a memory of type `fact` that states the value of one attribute of one subject; recall finds it as any other
   * memory. Facts with the same scope, subject and attribute (compared without regard to case, spaces and known
   * synonyms) form one timeline. A new value of an attribute that has one value at a time, such as `home_city`,
   * supersedes the one before; other attributes have several values at a time. The guide to facts lists both. Superseded
   * facts are kept, and recall does not return them by default. Facts have two time axes: the valid time, at which they
   * hold (`valid_from`, `valid_until`), and the recorded time, at which the server learned of them.
   * A value that was forgotten, or taken back by UndoSupersession, does not come back by extraction, import or the
   * restore of an agent; AssertFact brings it back.
   * Reads of a namespace that does not exist yet answer as those of an empty one, unless the
   * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads is of such a server.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * PERMISSION_DENIED (SCOPE_PRIVATE), UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Every mutation
   * can also fail with RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL) and FAILED_PRECONDITION (REQUEST_ID_REUSED,
   * SCOPE_READ_ONLY).
   * </pre>
   */
  public static abstract class KnowledgeServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return KnowledgeServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service KnowledgeService.
   * <pre>
   * Asserts facts and reads what is known, what was known, and when it was so.
   * A fact is a memory of type `fact` that states the value of one attribute of one subject; recall finds it as any other
   * memory. Facts with the same scope, subject and attribute (compared without regard to case, spaces and known
   * synonyms) form one timeline. A new value of an attribute that has one value at a time, such as `home_city`,
   * supersedes the one before; other attributes have several values at a time. The guide to facts lists both. Superseded
   * facts are kept, and recall does not return them by default. Facts have two time axes: the valid time, at which they
   * hold (`valid_from`, `valid_until`), and the recorded time, at which the server learned of them.
   * A value that was forgotten, or taken back by UndoSupersession, does not come back by extraction, import or the
   * restore of an agent; AssertFact brings it back.
   * Reads of a namespace that does not exist yet answer as those of an empty one, unless the
   * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads is of such a server.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * PERMISSION_DENIED (SCOPE_PRIVATE), UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Every mutation
   * can also fail with RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL) and FAILED_PRECONDITION (REQUEST_ID_REUSED,
   * SCOPE_READ_ONLY).
   * </pre>
   */
  public static final class KnowledgeServiceStub
      extends io.grpc.stub.AbstractAsyncStub<KnowledgeServiceStub> {
    private KnowledgeServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected KnowledgeServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new KnowledgeServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Asserts that an attribute of a subject has a value, or no longer has it, and returns when that is durable.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use,
     * RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "fact": {
     *         "subject": "user",
     *         "attribute": "home_city",
     *         "value": "Lisbon",
     *         "valid_from": "2026-01-15T00:00:00Z"
     *       },
     *       "request_id": "assert-home-city"
     *     }
     * Without the verb `read`, the answer has the revision only.
     * </pre>
     */
    public void assertFact(dev.mneme.v1.AssertFactRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.AssertFactResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getAssertFactMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads one fact by the resource name of its memory.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), also when the memory is not a fact.
     * </pre>
     */
    public void getFact(dev.mneme.v1.GetFactRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetFactResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetFactMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Lists facts page by page, the newest record first. Default: the facts that hold now.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * Example:
     *     {"parent": "namespaces/example", "subject": "user", "as_of": "2026-03-01T00:00:00Z"}
     * </pre>
     */
    public void listFacts(dev.mneme.v1.ListFactsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListFactsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListFactsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Lists every fact that one attribute of one subject had, ordered by `valid_from`, with the states of each: when it
     * was known to hold, and which fact superseded it.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public void listFactHistory(dev.mneme.v1.ListFactHistoryRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListFactHistoryResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListFactHistoryMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Makes a superseded or retracted fact hold again. The fact that superseded it is taken back, unless the attribute
     * has several values at a time; it stays in the history.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), FAILED_PRECONDITION (FACT_NOT_SUPERSEDED).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public void undoSupersession(dev.mneme.v1.UndoSupersessionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.UndoSupersessionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getUndoSupersessionMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Erases facts with their history. Only AssertFact brings their values back. Facts are erased in batches of 100: a
     * call that is interrupted has erased some of them, and repeating it erases the rest.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND).
     * A subject, attribute, value or `dry_run` needs the verb `read` too.
     * </pre>
     */
    public void forgetFacts(dev.mneme.v1.ForgetFactsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ForgetFactsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getForgetFactsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Stores what was done and how it went, as a memory of type `episode`, and returns when it is durable.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use,
     * RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * </pre>
     */
    public void recordEpisode(dev.mneme.v1.RecordEpisodeRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.RecordEpisodeResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getRecordEpisodeMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Stores how something is done, as a memory of type `procedure`. A procedure that has the same name in the same scope
     * is merged with it: steps that it lacks are added where they belong.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use,
     * RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * Without the verb `read`, the answer has the revision only.
     * </pre>
     */
    public void recordProcedure(dev.mneme.v1.RecordProcedureRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.RecordProcedureResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getRecordProcedureMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Finds the procedures that fit a situation, the best first: relevance in recall times success rate.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public void findProcedures(dev.mneme.v1.FindProceduresRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.FindProceduresResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getFindProceduresMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Counts how a procedure went.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), also when the memory is not a procedure.
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public void recordOutcome(dev.mneme.v1.RecordOutcomeRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.RecordOutcomeResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getRecordOutcomeMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Computes patterns of the episodes of a time range: tasks that mostly fail, features that go with success, episodes
     * that are unusual compared with the 30 days before, and changes over time. Reads only. All results are computed from
     * the recorded episodes without a model; with `phrase` a model words the insights. Results that chance alone explains
     * are left out: see `min_confidence`. The same episodes give the same results.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * Example:
     *     {"parent": "namespaces/example", "task": "deploy", "min_support": 5}
     * </pre>
     */
    public void reflect(dev.mneme.v1.ReflectRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ReflectResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getReflectMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service KnowledgeService.
   * <pre>
   * Asserts facts and reads what is known, what was known, and when it was so.
   * A fact is a memory of type `fact` that states the value of one attribute of one subject; recall finds it as any other
   * memory. Facts with the same scope, subject and attribute (compared without regard to case, spaces and known
   * synonyms) form one timeline. A new value of an attribute that has one value at a time, such as `home_city`,
   * supersedes the one before; other attributes have several values at a time. The guide to facts lists both. Superseded
   * facts are kept, and recall does not return them by default. Facts have two time axes: the valid time, at which they
   * hold (`valid_from`, `valid_until`), and the recorded time, at which the server learned of them.
   * A value that was forgotten, or taken back by UndoSupersession, does not come back by extraction, import or the
   * restore of an agent; AssertFact brings it back.
   * Reads of a namespace that does not exist yet answer as those of an empty one, unless the
   * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads is of such a server.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * PERMISSION_DENIED (SCOPE_PRIVATE), UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Every mutation
   * can also fail with RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL) and FAILED_PRECONDITION (REQUEST_ID_REUSED,
   * SCOPE_READ_ONLY).
   * </pre>
   */
  public static final class KnowledgeServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<KnowledgeServiceBlockingV2Stub> {
    private KnowledgeServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected KnowledgeServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new KnowledgeServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Asserts that an attribute of a subject has a value, or no longer has it, and returns when that is durable.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use,
     * RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "fact": {
     *         "subject": "user",
     *         "attribute": "home_city",
     *         "value": "Lisbon",
     *         "valid_from": "2026-01-15T00:00:00Z"
     *       },
     *       "request_id": "assert-home-city"
     *     }
     * Without the verb `read`, the answer has the revision only.
     * </pre>
     */
    public dev.mneme.v1.AssertFactResponse assertFact(dev.mneme.v1.AssertFactRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getAssertFactMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads one fact by the resource name of its memory.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), also when the memory is not a fact.
     * </pre>
     */
    public dev.mneme.v1.GetFactResponse getFact(dev.mneme.v1.GetFactRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetFactMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists facts page by page, the newest record first. Default: the facts that hold now.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * Example:
     *     {"parent": "namespaces/example", "subject": "user", "as_of": "2026-03-01T00:00:00Z"}
     * </pre>
     */
    public dev.mneme.v1.ListFactsResponse listFacts(dev.mneme.v1.ListFactsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListFactsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists every fact that one attribute of one subject had, ordered by `valid_from`, with the states of each: when it
     * was known to hold, and which fact superseded it.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.ListFactHistoryResponse listFactHistory(dev.mneme.v1.ListFactHistoryRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListFactHistoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Makes a superseded or retracted fact hold again. The fact that superseded it is taken back, unless the attribute
     * has several values at a time; it stays in the history.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), FAILED_PRECONDITION (FACT_NOT_SUPERSEDED).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.UndoSupersessionResponse undoSupersession(dev.mneme.v1.UndoSupersessionRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getUndoSupersessionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Erases facts with their history. Only AssertFact brings their values back. Facts are erased in batches of 100: a
     * call that is interrupted has erased some of them, and repeating it erases the rest.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND).
     * A subject, attribute, value or `dry_run` needs the verb `read` too.
     * </pre>
     */
    public dev.mneme.v1.ForgetFactsResponse forgetFacts(dev.mneme.v1.ForgetFactsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getForgetFactsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Stores what was done and how it went, as a memory of type `episode`, and returns when it is durable.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use,
     * RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * </pre>
     */
    public dev.mneme.v1.RecordEpisodeResponse recordEpisode(dev.mneme.v1.RecordEpisodeRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getRecordEpisodeMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Stores how something is done, as a memory of type `procedure`. A procedure that has the same name in the same scope
     * is merged with it: steps that it lacks are added where they belong.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use,
     * RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * Without the verb `read`, the answer has the revision only.
     * </pre>
     */
    public dev.mneme.v1.RecordProcedureResponse recordProcedure(dev.mneme.v1.RecordProcedureRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getRecordProcedureMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Finds the procedures that fit a situation, the best first: relevance in recall times success rate.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.FindProceduresResponse findProcedures(dev.mneme.v1.FindProceduresRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getFindProceduresMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Counts how a procedure went.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), also when the memory is not a procedure.
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.RecordOutcomeResponse recordOutcome(dev.mneme.v1.RecordOutcomeRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getRecordOutcomeMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Computes patterns of the episodes of a time range: tasks that mostly fail, features that go with success, episodes
     * that are unusual compared with the 30 days before, and changes over time. Reads only. All results are computed from
     * the recorded episodes without a model; with `phrase` a model words the insights. Results that chance alone explains
     * are left out: see `min_confidence`. The same episodes give the same results.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * Example:
     *     {"parent": "namespaces/example", "task": "deploy", "min_support": 5}
     * </pre>
     */
    public dev.mneme.v1.ReflectResponse reflect(dev.mneme.v1.ReflectRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getReflectMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service KnowledgeService.
   * <pre>
   * Asserts facts and reads what is known, what was known, and when it was so.
   * A fact is a memory of type `fact` that states the value of one attribute of one subject; recall finds it as any other
   * memory. Facts with the same scope, subject and attribute (compared without regard to case, spaces and known
   * synonyms) form one timeline. A new value of an attribute that has one value at a time, such as `home_city`,
   * supersedes the one before; other attributes have several values at a time. The guide to facts lists both. Superseded
   * facts are kept, and recall does not return them by default. Facts have two time axes: the valid time, at which they
   * hold (`valid_from`, `valid_until`), and the recorded time, at which the server learned of them.
   * A value that was forgotten, or taken back by UndoSupersession, does not come back by extraction, import or the
   * restore of an agent; AssertFact brings it back.
   * Reads of a namespace that does not exist yet answer as those of an empty one, unless the
   * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads is of such a server.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * PERMISSION_DENIED (SCOPE_PRIVATE), UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Every mutation
   * can also fail with RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL) and FAILED_PRECONDITION (REQUEST_ID_REUSED,
   * SCOPE_READ_ONLY).
   * </pre>
   */
  public static final class KnowledgeServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<KnowledgeServiceBlockingStub> {
    private KnowledgeServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected KnowledgeServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new KnowledgeServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Asserts that an attribute of a subject has a value, or no longer has it, and returns when that is durable.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use,
     * RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "fact": {
     *         "subject": "user",
     *         "attribute": "home_city",
     *         "value": "Lisbon",
     *         "valid_from": "2026-01-15T00:00:00Z"
     *       },
     *       "request_id": "assert-home-city"
     *     }
     * Without the verb `read`, the answer has the revision only.
     * </pre>
     */
    public dev.mneme.v1.AssertFactResponse assertFact(dev.mneme.v1.AssertFactRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getAssertFactMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads one fact by the resource name of its memory.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), also when the memory is not a fact.
     * </pre>
     */
    public dev.mneme.v1.GetFactResponse getFact(dev.mneme.v1.GetFactRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetFactMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists facts page by page, the newest record first. Default: the facts that hold now.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * Example:
     *     {"parent": "namespaces/example", "subject": "user", "as_of": "2026-03-01T00:00:00Z"}
     * </pre>
     */
    public dev.mneme.v1.ListFactsResponse listFacts(dev.mneme.v1.ListFactsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListFactsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists every fact that one attribute of one subject had, ordered by `valid_from`, with the states of each: when it
     * was known to hold, and which fact superseded it.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.ListFactHistoryResponse listFactHistory(dev.mneme.v1.ListFactHistoryRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListFactHistoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Makes a superseded or retracted fact hold again. The fact that superseded it is taken back, unless the attribute
     * has several values at a time; it stays in the history.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), FAILED_PRECONDITION (FACT_NOT_SUPERSEDED).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.UndoSupersessionResponse undoSupersession(dev.mneme.v1.UndoSupersessionRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getUndoSupersessionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Erases facts with their history. Only AssertFact brings their values back. Facts are erased in batches of 100: a
     * call that is interrupted has erased some of them, and repeating it erases the rest.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND).
     * A subject, attribute, value or `dry_run` needs the verb `read` too.
     * </pre>
     */
    public dev.mneme.v1.ForgetFactsResponse forgetFacts(dev.mneme.v1.ForgetFactsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getForgetFactsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Stores what was done and how it went, as a memory of type `episode`, and returns when it is durable.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use,
     * RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * </pre>
     */
    public dev.mneme.v1.RecordEpisodeResponse recordEpisode(dev.mneme.v1.RecordEpisodeRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getRecordEpisodeMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Stores how something is done, as a memory of type `procedure`. A procedure that has the same name in the same scope
     * is merged with it: steps that it lacks are added where they belong.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use,
     * RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * Without the verb `read`, the answer has the revision only.
     * </pre>
     */
    public dev.mneme.v1.RecordProcedureResponse recordProcedure(dev.mneme.v1.RecordProcedureRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getRecordProcedureMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Finds the procedures that fit a situation, the best first: relevance in recall times success rate.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.FindProceduresResponse findProcedures(dev.mneme.v1.FindProceduresRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getFindProceduresMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Counts how a procedure went.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), also when the memory is not a procedure.
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.RecordOutcomeResponse recordOutcome(dev.mneme.v1.RecordOutcomeRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getRecordOutcomeMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Computes patterns of the episodes of a time range: tasks that mostly fail, features that go with success, episodes
     * that are unusual compared with the 30 days before, and changes over time. Reads only. All results are computed from
     * the recorded episodes without a model; with `phrase` a model words the insights. Results that chance alone explains
     * are left out: see `min_confidence`. The same episodes give the same results.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * Example:
     *     {"parent": "namespaces/example", "task": "deploy", "min_support": 5}
     * </pre>
     */
    public dev.mneme.v1.ReflectResponse reflect(dev.mneme.v1.ReflectRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getReflectMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service KnowledgeService.
   * <pre>
   * Asserts facts and reads what is known, what was known, and when it was so.
   * A fact is a memory of type `fact` that states the value of one attribute of one subject; recall finds it as any other
   * memory. Facts with the same scope, subject and attribute (compared without regard to case, spaces and known
   * synonyms) form one timeline. A new value of an attribute that has one value at a time, such as `home_city`,
   * supersedes the one before; other attributes have several values at a time. The guide to facts lists both. Superseded
   * facts are kept, and recall does not return them by default. Facts have two time axes: the valid time, at which they
   * hold (`valid_from`, `valid_until`), and the recorded time, at which the server learned of them.
   * A value that was forgotten, or taken back by UndoSupersession, does not come back by extraction, import or the
   * restore of an agent; AssertFact brings it back.
   * Reads of a namespace that does not exist yet answer as those of an empty one, unless the
   * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads is of such a server.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * PERMISSION_DENIED (SCOPE_PRIVATE), UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Every mutation
   * can also fail with RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL) and FAILED_PRECONDITION (REQUEST_ID_REUSED,
   * SCOPE_READ_ONLY).
   * </pre>
   */
  public static final class KnowledgeServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<KnowledgeServiceFutureStub> {
    private KnowledgeServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected KnowledgeServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new KnowledgeServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Asserts that an attribute of a subject has a value, or no longer has it, and returns when that is durable.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use,
     * RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "fact": {
     *         "subject": "user",
     *         "attribute": "home_city",
     *         "value": "Lisbon",
     *         "valid_from": "2026-01-15T00:00:00Z"
     *       },
     *       "request_id": "assert-home-city"
     *     }
     * Without the verb `read`, the answer has the revision only.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.AssertFactResponse> assertFact(
        dev.mneme.v1.AssertFactRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getAssertFactMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads one fact by the resource name of its memory.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), also when the memory is not a fact.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.GetFactResponse> getFact(
        dev.mneme.v1.GetFactRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetFactMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Lists facts page by page, the newest record first. Default: the facts that hold now.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * Example:
     *     {"parent": "namespaces/example", "subject": "user", "as_of": "2026-03-01T00:00:00Z"}
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ListFactsResponse> listFacts(
        dev.mneme.v1.ListFactsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListFactsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Lists every fact that one attribute of one subject had, ordered by `valid_from`, with the states of each: when it
     * was known to hold, and which fact superseded it.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ListFactHistoryResponse> listFactHistory(
        dev.mneme.v1.ListFactHistoryRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListFactHistoryMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Makes a superseded or retracted fact hold again. The fact that superseded it is taken back, unless the attribute
     * has several values at a time; it stays in the history.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), FAILED_PRECONDITION (FACT_NOT_SUPERSEDED).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.UndoSupersessionResponse> undoSupersession(
        dev.mneme.v1.UndoSupersessionRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getUndoSupersessionMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Erases facts with their history. Only AssertFact brings their values back. Facts are erased in batches of 100: a
     * call that is interrupted has erased some of them, and repeating it erases the rest.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND).
     * A subject, attribute, value or `dry_run` needs the verb `read` too.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ForgetFactsResponse> forgetFacts(
        dev.mneme.v1.ForgetFactsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getForgetFactsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Stores what was done and how it went, as a memory of type `episode`, and returns when it is durable.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use,
     * RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.RecordEpisodeResponse> recordEpisode(
        dev.mneme.v1.RecordEpisodeRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getRecordEpisodeMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Stores how something is done, as a memory of type `procedure`. A procedure that has the same name in the same scope
     * is merged with it: steps that it lacks are added where they belong.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use,
     * RESOURCE_EXHAUSTED (NAMESPACE_FULL).
     * Without the verb `read`, the answer has the revision only.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.RecordProcedureResponse> recordProcedure(
        dev.mneme.v1.RecordProcedureRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getRecordProcedureMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Finds the procedures that fit a situation, the best first: relevance in recall times success rate.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.FindProceduresResponse> findProcedures(
        dev.mneme.v1.FindProceduresRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getFindProceduresMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Counts how a procedure went.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), also when the memory is not a procedure.
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.RecordOutcomeResponse> recordOutcome(
        dev.mneme.v1.RecordOutcomeRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getRecordOutcomeMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Computes patterns of the episodes of a time range: tasks that mostly fail, features that go with success, episodes
     * that are unusual compared with the 30 days before, and changes over time. Reads only. All results are computed from
     * the recorded episodes without a model; with `phrase` a model words the insights. Results that chance alone explains
     * are left out: see `min_confidence`. The same episodes give the same results.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * Example:
     *     {"parent": "namespaces/example", "task": "deploy", "min_support": 5}
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ReflectResponse> reflect(
        dev.mneme.v1.ReflectRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getReflectMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_ASSERT_FACT = 0;
  private static final int METHODID_GET_FACT = 1;
  private static final int METHODID_LIST_FACTS = 2;
  private static final int METHODID_LIST_FACT_HISTORY = 3;
  private static final int METHODID_UNDO_SUPERSESSION = 4;
  private static final int METHODID_FORGET_FACTS = 5;
  private static final int METHODID_RECORD_EPISODE = 6;
  private static final int METHODID_RECORD_PROCEDURE = 7;
  private static final int METHODID_FIND_PROCEDURES = 8;
  private static final int METHODID_RECORD_OUTCOME = 9;
  private static final int METHODID_REFLECT = 10;

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
        case METHODID_ASSERT_FACT:
          serviceImpl.assertFact((dev.mneme.v1.AssertFactRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.AssertFactResponse>) responseObserver);
          break;
        case METHODID_GET_FACT:
          serviceImpl.getFact((dev.mneme.v1.GetFactRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.GetFactResponse>) responseObserver);
          break;
        case METHODID_LIST_FACTS:
          serviceImpl.listFacts((dev.mneme.v1.ListFactsRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ListFactsResponse>) responseObserver);
          break;
        case METHODID_LIST_FACT_HISTORY:
          serviceImpl.listFactHistory((dev.mneme.v1.ListFactHistoryRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ListFactHistoryResponse>) responseObserver);
          break;
        case METHODID_UNDO_SUPERSESSION:
          serviceImpl.undoSupersession((dev.mneme.v1.UndoSupersessionRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.UndoSupersessionResponse>) responseObserver);
          break;
        case METHODID_FORGET_FACTS:
          serviceImpl.forgetFacts((dev.mneme.v1.ForgetFactsRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ForgetFactsResponse>) responseObserver);
          break;
        case METHODID_RECORD_EPISODE:
          serviceImpl.recordEpisode((dev.mneme.v1.RecordEpisodeRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.RecordEpisodeResponse>) responseObserver);
          break;
        case METHODID_RECORD_PROCEDURE:
          serviceImpl.recordProcedure((dev.mneme.v1.RecordProcedureRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.RecordProcedureResponse>) responseObserver);
          break;
        case METHODID_FIND_PROCEDURES:
          serviceImpl.findProcedures((dev.mneme.v1.FindProceduresRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.FindProceduresResponse>) responseObserver);
          break;
        case METHODID_RECORD_OUTCOME:
          serviceImpl.recordOutcome((dev.mneme.v1.RecordOutcomeRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.RecordOutcomeResponse>) responseObserver);
          break;
        case METHODID_REFLECT:
          serviceImpl.reflect((dev.mneme.v1.ReflectRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ReflectResponse>) responseObserver);
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
          getAssertFactMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.AssertFactRequest,
              dev.mneme.v1.AssertFactResponse>(
                service, METHODID_ASSERT_FACT)))
        .addMethod(
          getGetFactMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.GetFactRequest,
              dev.mneme.v1.GetFactResponse>(
                service, METHODID_GET_FACT)))
        .addMethod(
          getListFactsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ListFactsRequest,
              dev.mneme.v1.ListFactsResponse>(
                service, METHODID_LIST_FACTS)))
        .addMethod(
          getListFactHistoryMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ListFactHistoryRequest,
              dev.mneme.v1.ListFactHistoryResponse>(
                service, METHODID_LIST_FACT_HISTORY)))
        .addMethod(
          getUndoSupersessionMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.UndoSupersessionRequest,
              dev.mneme.v1.UndoSupersessionResponse>(
                service, METHODID_UNDO_SUPERSESSION)))
        .addMethod(
          getForgetFactsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ForgetFactsRequest,
              dev.mneme.v1.ForgetFactsResponse>(
                service, METHODID_FORGET_FACTS)))
        .addMethod(
          getRecordEpisodeMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.RecordEpisodeRequest,
              dev.mneme.v1.RecordEpisodeResponse>(
                service, METHODID_RECORD_EPISODE)))
        .addMethod(
          getRecordProcedureMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.RecordProcedureRequest,
              dev.mneme.v1.RecordProcedureResponse>(
                service, METHODID_RECORD_PROCEDURE)))
        .addMethod(
          getFindProceduresMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.FindProceduresRequest,
              dev.mneme.v1.FindProceduresResponse>(
                service, METHODID_FIND_PROCEDURES)))
        .addMethod(
          getRecordOutcomeMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.RecordOutcomeRequest,
              dev.mneme.v1.RecordOutcomeResponse>(
                service, METHODID_RECORD_OUTCOME)))
        .addMethod(
          getReflectMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ReflectRequest,
              dev.mneme.v1.ReflectResponse>(
                service, METHODID_REFLECT)))
        .build();
  }

  private static abstract class KnowledgeServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    KnowledgeServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.mneme.v1.KnowledgeServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("KnowledgeService");
    }
  }

  private static final class KnowledgeServiceFileDescriptorSupplier
      extends KnowledgeServiceBaseDescriptorSupplier {
    KnowledgeServiceFileDescriptorSupplier() {}
  }

  private static final class KnowledgeServiceMethodDescriptorSupplier
      extends KnowledgeServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    KnowledgeServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (KnowledgeServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new KnowledgeServiceFileDescriptorSupplier())
              .addMethod(getAssertFactMethod())
              .addMethod(getGetFactMethod())
              .addMethod(getListFactsMethod())
              .addMethod(getListFactHistoryMethod())
              .addMethod(getUndoSupersessionMethod())
              .addMethod(getForgetFactsMethod())
              .addMethod(getRecordEpisodeMethod())
              .addMethod(getRecordProcedureMethod())
              .addMethod(getFindProceduresMethod())
              .addMethod(getRecordOutcomeMethod())
              .addMethod(getReflectMethod())
              .build();
        }
      }
    }
    return result;
  }
}
