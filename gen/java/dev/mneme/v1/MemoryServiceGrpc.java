package dev.mneme.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Stores memories and reads them back.
 * Every mutation takes a `request_id` (1 to 128 printable ASCII characters, preferably a UUID). A call repeated with
 * the same id and the same request takes effect once and returns the first answer; with a different request it fails
 * with FAILED_PRECONDITION (REQUEST_ID_REUSED). The server keeps ids for 24 hours unless `idempotency_retention_ms` is
 * configured otherwise. Every answer carries the `revision` of the change log that it reflects. A read with
 * `min_revision` set to that number sees at least that state; it fails with UNAVAILABLE (REVISION_NOT_YET) when the
 * server does not reach the revision before the deadline.
 * Reads of a namespace that does not exist yet answer as those of an empty one, and streams wait for it, unless the
 * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads and streams is of such a server.
 * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
 * UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Every mutation can also fail with
 * RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL) and FAILED_PRECONDITION (REQUEST_ID_REUSED).
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class MemoryServiceGrpc {

  private MemoryServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "mneme.v1.MemoryService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.StoreMemoryRequest,
      dev.mneme.v1.StoreMemoryResponse> getStoreMemoryMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "StoreMemory",
      requestType = dev.mneme.v1.StoreMemoryRequest.class,
      responseType = dev.mneme.v1.StoreMemoryResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.StoreMemoryRequest,
      dev.mneme.v1.StoreMemoryResponse> getStoreMemoryMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.StoreMemoryRequest, dev.mneme.v1.StoreMemoryResponse> getStoreMemoryMethod;
    if ((getStoreMemoryMethod = MemoryServiceGrpc.getStoreMemoryMethod) == null) {
      synchronized (MemoryServiceGrpc.class) {
        if ((getStoreMemoryMethod = MemoryServiceGrpc.getStoreMemoryMethod) == null) {
          MemoryServiceGrpc.getStoreMemoryMethod = getStoreMemoryMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.StoreMemoryRequest, dev.mneme.v1.StoreMemoryResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "StoreMemory"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.StoreMemoryRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.StoreMemoryResponse.getDefaultInstance()))
              .setSchemaDescriptor(new MemoryServiceMethodDescriptorSupplier("StoreMemory"))
              .build();
        }
      }
    }
    return getStoreMemoryMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.BatchStoreMemoriesRequest,
      dev.mneme.v1.BatchStoreMemoriesResponse> getBatchStoreMemoriesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "BatchStoreMemories",
      requestType = dev.mneme.v1.BatchStoreMemoriesRequest.class,
      responseType = dev.mneme.v1.BatchStoreMemoriesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.BatchStoreMemoriesRequest,
      dev.mneme.v1.BatchStoreMemoriesResponse> getBatchStoreMemoriesMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.BatchStoreMemoriesRequest, dev.mneme.v1.BatchStoreMemoriesResponse> getBatchStoreMemoriesMethod;
    if ((getBatchStoreMemoriesMethod = MemoryServiceGrpc.getBatchStoreMemoriesMethod) == null) {
      synchronized (MemoryServiceGrpc.class) {
        if ((getBatchStoreMemoriesMethod = MemoryServiceGrpc.getBatchStoreMemoriesMethod) == null) {
          MemoryServiceGrpc.getBatchStoreMemoriesMethod = getBatchStoreMemoriesMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.BatchStoreMemoriesRequest, dev.mneme.v1.BatchStoreMemoriesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "BatchStoreMemories"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.BatchStoreMemoriesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.BatchStoreMemoriesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new MemoryServiceMethodDescriptorSupplier("BatchStoreMemories"))
              .build();
        }
      }
    }
    return getBatchStoreMemoriesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.GetMemoryRequest,
      dev.mneme.v1.GetMemoryResponse> getGetMemoryMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetMemory",
      requestType = dev.mneme.v1.GetMemoryRequest.class,
      responseType = dev.mneme.v1.GetMemoryResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.GetMemoryRequest,
      dev.mneme.v1.GetMemoryResponse> getGetMemoryMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.GetMemoryRequest, dev.mneme.v1.GetMemoryResponse> getGetMemoryMethod;
    if ((getGetMemoryMethod = MemoryServiceGrpc.getGetMemoryMethod) == null) {
      synchronized (MemoryServiceGrpc.class) {
        if ((getGetMemoryMethod = MemoryServiceGrpc.getGetMemoryMethod) == null) {
          MemoryServiceGrpc.getGetMemoryMethod = getGetMemoryMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.GetMemoryRequest, dev.mneme.v1.GetMemoryResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetMemory"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetMemoryRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetMemoryResponse.getDefaultInstance()))
              .setSchemaDescriptor(new MemoryServiceMethodDescriptorSupplier("GetMemory"))
              .build();
        }
      }
    }
    return getGetMemoryMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.BatchGetMemoriesRequest,
      dev.mneme.v1.BatchGetMemoriesResponse> getBatchGetMemoriesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "BatchGetMemories",
      requestType = dev.mneme.v1.BatchGetMemoriesRequest.class,
      responseType = dev.mneme.v1.BatchGetMemoriesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.BatchGetMemoriesRequest,
      dev.mneme.v1.BatchGetMemoriesResponse> getBatchGetMemoriesMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.BatchGetMemoriesRequest, dev.mneme.v1.BatchGetMemoriesResponse> getBatchGetMemoriesMethod;
    if ((getBatchGetMemoriesMethod = MemoryServiceGrpc.getBatchGetMemoriesMethod) == null) {
      synchronized (MemoryServiceGrpc.class) {
        if ((getBatchGetMemoriesMethod = MemoryServiceGrpc.getBatchGetMemoriesMethod) == null) {
          MemoryServiceGrpc.getBatchGetMemoriesMethod = getBatchGetMemoriesMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.BatchGetMemoriesRequest, dev.mneme.v1.BatchGetMemoriesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "BatchGetMemories"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.BatchGetMemoriesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.BatchGetMemoriesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new MemoryServiceMethodDescriptorSupplier("BatchGetMemories"))
              .build();
        }
      }
    }
    return getBatchGetMemoriesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.UpdateMemoryRequest,
      dev.mneme.v1.UpdateMemoryResponse> getUpdateMemoryMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "UpdateMemory",
      requestType = dev.mneme.v1.UpdateMemoryRequest.class,
      responseType = dev.mneme.v1.UpdateMemoryResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.UpdateMemoryRequest,
      dev.mneme.v1.UpdateMemoryResponse> getUpdateMemoryMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.UpdateMemoryRequest, dev.mneme.v1.UpdateMemoryResponse> getUpdateMemoryMethod;
    if ((getUpdateMemoryMethod = MemoryServiceGrpc.getUpdateMemoryMethod) == null) {
      synchronized (MemoryServiceGrpc.class) {
        if ((getUpdateMemoryMethod = MemoryServiceGrpc.getUpdateMemoryMethod) == null) {
          MemoryServiceGrpc.getUpdateMemoryMethod = getUpdateMemoryMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.UpdateMemoryRequest, dev.mneme.v1.UpdateMemoryResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "UpdateMemory"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.UpdateMemoryRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.UpdateMemoryResponse.getDefaultInstance()))
              .setSchemaDescriptor(new MemoryServiceMethodDescriptorSupplier("UpdateMemory"))
              .build();
        }
      }
    }
    return getUpdateMemoryMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.SetMemoryImportanceRequest,
      dev.mneme.v1.SetMemoryImportanceResponse> getSetMemoryImportanceMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "SetMemoryImportance",
      requestType = dev.mneme.v1.SetMemoryImportanceRequest.class,
      responseType = dev.mneme.v1.SetMemoryImportanceResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.SetMemoryImportanceRequest,
      dev.mneme.v1.SetMemoryImportanceResponse> getSetMemoryImportanceMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.SetMemoryImportanceRequest, dev.mneme.v1.SetMemoryImportanceResponse> getSetMemoryImportanceMethod;
    if ((getSetMemoryImportanceMethod = MemoryServiceGrpc.getSetMemoryImportanceMethod) == null) {
      synchronized (MemoryServiceGrpc.class) {
        if ((getSetMemoryImportanceMethod = MemoryServiceGrpc.getSetMemoryImportanceMethod) == null) {
          MemoryServiceGrpc.getSetMemoryImportanceMethod = getSetMemoryImportanceMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.SetMemoryImportanceRequest, dev.mneme.v1.SetMemoryImportanceResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "SetMemoryImportance"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.SetMemoryImportanceRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.SetMemoryImportanceResponse.getDefaultInstance()))
              .setSchemaDescriptor(new MemoryServiceMethodDescriptorSupplier("SetMemoryImportance"))
              .build();
        }
      }
    }
    return getSetMemoryImportanceMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.DeleteMemoryRequest,
      dev.mneme.v1.DeleteMemoryResponse> getDeleteMemoryMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "DeleteMemory",
      requestType = dev.mneme.v1.DeleteMemoryRequest.class,
      responseType = dev.mneme.v1.DeleteMemoryResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.DeleteMemoryRequest,
      dev.mneme.v1.DeleteMemoryResponse> getDeleteMemoryMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.DeleteMemoryRequest, dev.mneme.v1.DeleteMemoryResponse> getDeleteMemoryMethod;
    if ((getDeleteMemoryMethod = MemoryServiceGrpc.getDeleteMemoryMethod) == null) {
      synchronized (MemoryServiceGrpc.class) {
        if ((getDeleteMemoryMethod = MemoryServiceGrpc.getDeleteMemoryMethod) == null) {
          MemoryServiceGrpc.getDeleteMemoryMethod = getDeleteMemoryMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.DeleteMemoryRequest, dev.mneme.v1.DeleteMemoryResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "DeleteMemory"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.DeleteMemoryRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.DeleteMemoryResponse.getDefaultInstance()))
              .setSchemaDescriptor(new MemoryServiceMethodDescriptorSupplier("DeleteMemory"))
              .build();
        }
      }
    }
    return getDeleteMemoryMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.SupersedeMemoryRequest,
      dev.mneme.v1.SupersedeMemoryResponse> getSupersedeMemoryMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "SupersedeMemory",
      requestType = dev.mneme.v1.SupersedeMemoryRequest.class,
      responseType = dev.mneme.v1.SupersedeMemoryResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.SupersedeMemoryRequest,
      dev.mneme.v1.SupersedeMemoryResponse> getSupersedeMemoryMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.SupersedeMemoryRequest, dev.mneme.v1.SupersedeMemoryResponse> getSupersedeMemoryMethod;
    if ((getSupersedeMemoryMethod = MemoryServiceGrpc.getSupersedeMemoryMethod) == null) {
      synchronized (MemoryServiceGrpc.class) {
        if ((getSupersedeMemoryMethod = MemoryServiceGrpc.getSupersedeMemoryMethod) == null) {
          MemoryServiceGrpc.getSupersedeMemoryMethod = getSupersedeMemoryMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.SupersedeMemoryRequest, dev.mneme.v1.SupersedeMemoryResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "SupersedeMemory"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.SupersedeMemoryRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.SupersedeMemoryResponse.getDefaultInstance()))
              .setSchemaDescriptor(new MemoryServiceMethodDescriptorSupplier("SupersedeMemory"))
              .build();
        }
      }
    }
    return getSupersedeMemoryMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ForgetMemoriesRequest,
      dev.mneme.v1.ForgetMemoriesResponse> getForgetMemoriesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ForgetMemories",
      requestType = dev.mneme.v1.ForgetMemoriesRequest.class,
      responseType = dev.mneme.v1.ForgetMemoriesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ForgetMemoriesRequest,
      dev.mneme.v1.ForgetMemoriesResponse> getForgetMemoriesMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ForgetMemoriesRequest, dev.mneme.v1.ForgetMemoriesResponse> getForgetMemoriesMethod;
    if ((getForgetMemoriesMethod = MemoryServiceGrpc.getForgetMemoriesMethod) == null) {
      synchronized (MemoryServiceGrpc.class) {
        if ((getForgetMemoriesMethod = MemoryServiceGrpc.getForgetMemoriesMethod) == null) {
          MemoryServiceGrpc.getForgetMemoriesMethod = getForgetMemoriesMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ForgetMemoriesRequest, dev.mneme.v1.ForgetMemoriesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ForgetMemories"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ForgetMemoriesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ForgetMemoriesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new MemoryServiceMethodDescriptorSupplier("ForgetMemories"))
              .build();
        }
      }
    }
    return getForgetMemoriesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ListMemoriesRequest,
      dev.mneme.v1.ListMemoriesResponse> getListMemoriesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListMemories",
      requestType = dev.mneme.v1.ListMemoriesRequest.class,
      responseType = dev.mneme.v1.ListMemoriesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ListMemoriesRequest,
      dev.mneme.v1.ListMemoriesResponse> getListMemoriesMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ListMemoriesRequest, dev.mneme.v1.ListMemoriesResponse> getListMemoriesMethod;
    if ((getListMemoriesMethod = MemoryServiceGrpc.getListMemoriesMethod) == null) {
      synchronized (MemoryServiceGrpc.class) {
        if ((getListMemoriesMethod = MemoryServiceGrpc.getListMemoriesMethod) == null) {
          MemoryServiceGrpc.getListMemoriesMethod = getListMemoriesMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ListMemoriesRequest, dev.mneme.v1.ListMemoriesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListMemories"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListMemoriesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListMemoriesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new MemoryServiceMethodDescriptorSupplier("ListMemories"))
              .build();
        }
      }
    }
    return getListMemoriesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.CountMemoriesRequest,
      dev.mneme.v1.CountMemoriesResponse> getCountMemoriesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CountMemories",
      requestType = dev.mneme.v1.CountMemoriesRequest.class,
      responseType = dev.mneme.v1.CountMemoriesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.CountMemoriesRequest,
      dev.mneme.v1.CountMemoriesResponse> getCountMemoriesMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.CountMemoriesRequest, dev.mneme.v1.CountMemoriesResponse> getCountMemoriesMethod;
    if ((getCountMemoriesMethod = MemoryServiceGrpc.getCountMemoriesMethod) == null) {
      synchronized (MemoryServiceGrpc.class) {
        if ((getCountMemoriesMethod = MemoryServiceGrpc.getCountMemoriesMethod) == null) {
          MemoryServiceGrpc.getCountMemoriesMethod = getCountMemoriesMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.CountMemoriesRequest, dev.mneme.v1.CountMemoriesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CountMemories"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.CountMemoriesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.CountMemoriesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new MemoryServiceMethodDescriptorSupplier("CountMemories"))
              .build();
        }
      }
    }
    return getCountMemoriesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ListMemoryRevisionsRequest,
      dev.mneme.v1.ListMemoryRevisionsResponse> getListMemoryRevisionsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListMemoryRevisions",
      requestType = dev.mneme.v1.ListMemoryRevisionsRequest.class,
      responseType = dev.mneme.v1.ListMemoryRevisionsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ListMemoryRevisionsRequest,
      dev.mneme.v1.ListMemoryRevisionsResponse> getListMemoryRevisionsMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ListMemoryRevisionsRequest, dev.mneme.v1.ListMemoryRevisionsResponse> getListMemoryRevisionsMethod;
    if ((getListMemoryRevisionsMethod = MemoryServiceGrpc.getListMemoryRevisionsMethod) == null) {
      synchronized (MemoryServiceGrpc.class) {
        if ((getListMemoryRevisionsMethod = MemoryServiceGrpc.getListMemoryRevisionsMethod) == null) {
          MemoryServiceGrpc.getListMemoryRevisionsMethod = getListMemoryRevisionsMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ListMemoryRevisionsRequest, dev.mneme.v1.ListMemoryRevisionsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListMemoryRevisions"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListMemoryRevisionsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListMemoryRevisionsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new MemoryServiceMethodDescriptorSupplier("ListMemoryRevisions"))
              .build();
        }
      }
    }
    return getListMemoryRevisionsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.GetAttributeHistoryRequest,
      dev.mneme.v1.GetAttributeHistoryResponse> getGetAttributeHistoryMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetAttributeHistory",
      requestType = dev.mneme.v1.GetAttributeHistoryRequest.class,
      responseType = dev.mneme.v1.GetAttributeHistoryResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.GetAttributeHistoryRequest,
      dev.mneme.v1.GetAttributeHistoryResponse> getGetAttributeHistoryMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.GetAttributeHistoryRequest, dev.mneme.v1.GetAttributeHistoryResponse> getGetAttributeHistoryMethod;
    if ((getGetAttributeHistoryMethod = MemoryServiceGrpc.getGetAttributeHistoryMethod) == null) {
      synchronized (MemoryServiceGrpc.class) {
        if ((getGetAttributeHistoryMethod = MemoryServiceGrpc.getGetAttributeHistoryMethod) == null) {
          MemoryServiceGrpc.getGetAttributeHistoryMethod = getGetAttributeHistoryMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.GetAttributeHistoryRequest, dev.mneme.v1.GetAttributeHistoryResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetAttributeHistory"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetAttributeHistoryRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetAttributeHistoryResponse.getDefaultInstance()))
              .setSchemaDescriptor(new MemoryServiceMethodDescriptorSupplier("GetAttributeHistory"))
              .build();
        }
      }
    }
    return getGetAttributeHistoryMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.GetStatesAtStepsRequest,
      dev.mneme.v1.GetStatesAtStepsResponse> getGetStatesAtStepsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetStatesAtSteps",
      requestType = dev.mneme.v1.GetStatesAtStepsRequest.class,
      responseType = dev.mneme.v1.GetStatesAtStepsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.GetStatesAtStepsRequest,
      dev.mneme.v1.GetStatesAtStepsResponse> getGetStatesAtStepsMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.GetStatesAtStepsRequest, dev.mneme.v1.GetStatesAtStepsResponse> getGetStatesAtStepsMethod;
    if ((getGetStatesAtStepsMethod = MemoryServiceGrpc.getGetStatesAtStepsMethod) == null) {
      synchronized (MemoryServiceGrpc.class) {
        if ((getGetStatesAtStepsMethod = MemoryServiceGrpc.getGetStatesAtStepsMethod) == null) {
          MemoryServiceGrpc.getGetStatesAtStepsMethod = getGetStatesAtStepsMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.GetStatesAtStepsRequest, dev.mneme.v1.GetStatesAtStepsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetStatesAtSteps"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetStatesAtStepsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetStatesAtStepsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new MemoryServiceMethodDescriptorSupplier("GetStatesAtSteps"))
              .build();
        }
      }
    }
    return getGetStatesAtStepsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.GetMemorySequenceRequest,
      dev.mneme.v1.GetMemorySequenceResponse> getGetMemorySequenceMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetMemorySequence",
      requestType = dev.mneme.v1.GetMemorySequenceRequest.class,
      responseType = dev.mneme.v1.GetMemorySequenceResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.GetMemorySequenceRequest,
      dev.mneme.v1.GetMemorySequenceResponse> getGetMemorySequenceMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.GetMemorySequenceRequest, dev.mneme.v1.GetMemorySequenceResponse> getGetMemorySequenceMethod;
    if ((getGetMemorySequenceMethod = MemoryServiceGrpc.getGetMemorySequenceMethod) == null) {
      synchronized (MemoryServiceGrpc.class) {
        if ((getGetMemorySequenceMethod = MemoryServiceGrpc.getGetMemorySequenceMethod) == null) {
          MemoryServiceGrpc.getGetMemorySequenceMethod = getGetMemorySequenceMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.GetMemorySequenceRequest, dev.mneme.v1.GetMemorySequenceResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetMemorySequence"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetMemorySequenceRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetMemorySequenceResponse.getDefaultInstance()))
              .setSchemaDescriptor(new MemoryServiceMethodDescriptorSupplier("GetMemorySequence"))
              .build();
        }
      }
    }
    return getGetMemorySequenceMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ExportMemoriesRequest,
      dev.mneme.v1.ExportMemoriesResponse> getExportMemoriesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ExportMemories",
      requestType = dev.mneme.v1.ExportMemoriesRequest.class,
      responseType = dev.mneme.v1.ExportMemoriesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ExportMemoriesRequest,
      dev.mneme.v1.ExportMemoriesResponse> getExportMemoriesMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ExportMemoriesRequest, dev.mneme.v1.ExportMemoriesResponse> getExportMemoriesMethod;
    if ((getExportMemoriesMethod = MemoryServiceGrpc.getExportMemoriesMethod) == null) {
      synchronized (MemoryServiceGrpc.class) {
        if ((getExportMemoriesMethod = MemoryServiceGrpc.getExportMemoriesMethod) == null) {
          MemoryServiceGrpc.getExportMemoriesMethod = getExportMemoriesMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ExportMemoriesRequest, dev.mneme.v1.ExportMemoriesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ExportMemories"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ExportMemoriesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ExportMemoriesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new MemoryServiceMethodDescriptorSupplier("ExportMemories"))
              .build();
        }
      }
    }
    return getExportMemoriesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ImportMemoriesRequest,
      dev.mneme.v1.ImportMemoriesResponse> getImportMemoriesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ImportMemories",
      requestType = dev.mneme.v1.ImportMemoriesRequest.class,
      responseType = dev.mneme.v1.ImportMemoriesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ImportMemoriesRequest,
      dev.mneme.v1.ImportMemoriesResponse> getImportMemoriesMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ImportMemoriesRequest, dev.mneme.v1.ImportMemoriesResponse> getImportMemoriesMethod;
    if ((getImportMemoriesMethod = MemoryServiceGrpc.getImportMemoriesMethod) == null) {
      synchronized (MemoryServiceGrpc.class) {
        if ((getImportMemoriesMethod = MemoryServiceGrpc.getImportMemoriesMethod) == null) {
          MemoryServiceGrpc.getImportMemoriesMethod = getImportMemoriesMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ImportMemoriesRequest, dev.mneme.v1.ImportMemoriesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ImportMemories"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ImportMemoriesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ImportMemoriesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new MemoryServiceMethodDescriptorSupplier("ImportMemories"))
              .build();
        }
      }
    }
    return getImportMemoriesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.DemoteMemoriesRequest,
      dev.mneme.v1.DemoteMemoriesResponse> getDemoteMemoriesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "DemoteMemories",
      requestType = dev.mneme.v1.DemoteMemoriesRequest.class,
      responseType = dev.mneme.v1.DemoteMemoriesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.DemoteMemoriesRequest,
      dev.mneme.v1.DemoteMemoriesResponse> getDemoteMemoriesMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.DemoteMemoriesRequest, dev.mneme.v1.DemoteMemoriesResponse> getDemoteMemoriesMethod;
    if ((getDemoteMemoriesMethod = MemoryServiceGrpc.getDemoteMemoriesMethod) == null) {
      synchronized (MemoryServiceGrpc.class) {
        if ((getDemoteMemoriesMethod = MemoryServiceGrpc.getDemoteMemoriesMethod) == null) {
          MemoryServiceGrpc.getDemoteMemoriesMethod = getDemoteMemoriesMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.DemoteMemoriesRequest, dev.mneme.v1.DemoteMemoriesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "DemoteMemories"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.DemoteMemoriesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.DemoteMemoriesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new MemoryServiceMethodDescriptorSupplier("DemoteMemories"))
              .build();
        }
      }
    }
    return getDemoteMemoriesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.PromoteMemoriesRequest,
      dev.mneme.v1.PromoteMemoriesResponse> getPromoteMemoriesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "PromoteMemories",
      requestType = dev.mneme.v1.PromoteMemoriesRequest.class,
      responseType = dev.mneme.v1.PromoteMemoriesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.PromoteMemoriesRequest,
      dev.mneme.v1.PromoteMemoriesResponse> getPromoteMemoriesMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.PromoteMemoriesRequest, dev.mneme.v1.PromoteMemoriesResponse> getPromoteMemoriesMethod;
    if ((getPromoteMemoriesMethod = MemoryServiceGrpc.getPromoteMemoriesMethod) == null) {
      synchronized (MemoryServiceGrpc.class) {
        if ((getPromoteMemoriesMethod = MemoryServiceGrpc.getPromoteMemoriesMethod) == null) {
          MemoryServiceGrpc.getPromoteMemoriesMethod = getPromoteMemoriesMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.PromoteMemoriesRequest, dev.mneme.v1.PromoteMemoriesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "PromoteMemories"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.PromoteMemoriesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.PromoteMemoriesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new MemoryServiceMethodDescriptorSupplier("PromoteMemories"))
              .build();
        }
      }
    }
    return getPromoteMemoriesMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static MemoryServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<MemoryServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<MemoryServiceStub>() {
        @java.lang.Override
        public MemoryServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new MemoryServiceStub(channel, callOptions);
        }
      };
    return MemoryServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static MemoryServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<MemoryServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<MemoryServiceBlockingV2Stub>() {
        @java.lang.Override
        public MemoryServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new MemoryServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return MemoryServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static MemoryServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<MemoryServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<MemoryServiceBlockingStub>() {
        @java.lang.Override
        public MemoryServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new MemoryServiceBlockingStub(channel, callOptions);
        }
      };
    return MemoryServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static MemoryServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<MemoryServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<MemoryServiceFutureStub>() {
        @java.lang.Override
        public MemoryServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new MemoryServiceFutureStub(channel, callOptions);
        }
      };
    return MemoryServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Stores memories and reads them back.
   * Every mutation takes a `request_id` (1 to 128 printable ASCII characters, preferably a UUID). A call repeated with
   * the same id and the same request takes effect once and returns the first answer; with a different request it fails
   * with FAILED_PRECONDITION (REQUEST_ID_REUSED). The server keeps ids for 24 hours unless `idempotency_retention_ms` is
   * configured otherwise. Every answer carries the `revision` of the change log that it reflects. A read with
   * `min_revision` set to that number sees at least that state; it fails with UNAVAILABLE (REVISION_NOT_YET) when the
   * server does not reach the revision before the deadline.
   * Reads of a namespace that does not exist yet answer as those of an empty one, and streams wait for it, unless the
   * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads and streams is of such a server.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Every mutation can also fail with
   * RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL) and FAILED_PRECONDITION (REQUEST_ID_REUSED).
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Stores one memory and returns when it is durable.
     * Errors: ALREADY_EXISTS (MEMORY_EXISTS), INVALID_ARGUMENT (DIMENSION_MISMATCH, MODEL_MISMATCH), RESOURCE_EXHAUSTED
     * (NAMESPACE_FULL), NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use.
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "memory_id": "step-12",
     *       "memory": {
     *         "type": "state",
     *         "step": 12,
     *         "text": "The agent is in the kitchen and holds the brass key.",
     *         "content": {"json": "{&#92;"position&#92;": [12, 22], &#92;"inventory&#92;": [&#92;"brass key&#92;"]}"},
     *         "tags": ["kitchen"]
     *       },
     *       "request_id": "store-step-12"
     *     }
     * </pre>
     */
    default void storeMemory(dev.mneme.v1.StoreMemoryRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.StoreMemoryResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getStoreMemoryMethod(), responseObserver);
    }

    /**
     * <pre>
     * Stores up to 1,000 memories of one namespace atomically: all of them or none.
     * Errors: those of StoreMemory; a field violation names the item, such as `requests[3].memory.text`.
     * </pre>
     */
    default void batchStoreMemories(dev.mneme.v1.BatchStoreMemoriesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.BatchStoreMemoriesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getBatchStoreMemoriesMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads one memory by its resource name. The call changes nothing unless `touch` or `focus` is set.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), DATA_LOSS (CHECKSUM_MISMATCH).
     * Example:
     *     {"name": "namespaces/example/memories/step-12"}
     * </pre>
     */
    default void getMemory(dev.mneme.v1.GetMemoryRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetMemoryResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetMemoryMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads up to 1,000 memories of one namespace, in the order of the request. Names without a memory are listed in
     * `missing`.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    default void batchGetMemories(dev.mneme.v1.BatchGetMemoriesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.BatchGetMemoriesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getBatchGetMemoriesMethod(), responseObserver);
    }

    /**
     * <pre>
     * Changes the fields named in `update_mask` and keeps the previous state as a revision.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), ABORTED (VERSION_MISMATCH), INVALID_ARGUMENT (DIMENSION_MISMATCH,
     * MODEL_MISMATCH).
     * Example (grpcurl takes a field mask as an object; the standard JSON form is the string `"text,tags"`):
     *     {
     *       "memory": {
     *         "name": "namespaces/example/memories/step-12",
     *         "text": "The agent is in the cellar and holds the brass key.",
     *         "tags": ["cellar"]
     *       },
     *       "update_mask": {"paths": ["text", "tags"]}
     *     }
     * Without the verb `read`, the answer has no checksum.
     * </pre>
     */
    default void updateMemory(dev.mneme.v1.UpdateMemoryRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.UpdateMemoryResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getUpdateMemoryMethod(), responseObserver);
    }

    /**
     * <pre>
     * Sets the importance of one memory.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), ABORTED (VERSION_MISMATCH).
     * Without the verb `read`, the answer has no checksum.
     * </pre>
     */
    default void setMemoryImportance(dev.mneme.v1.SetMemoryImportanceRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.SetMemoryImportanceResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSetMemoryImportanceMethod(), responseObserver);
    }

    /**
     * <pre>
     * Erases one memory and its revisions.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND) unless `allow_missing` is set, ABORTED (VERSION_MISMATCH).
     * </pre>
     */
    default void deleteMemory(dev.mneme.v1.DeleteMemoryRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.DeleteMemoryResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getDeleteMemoryMethod(), responseObserver);
    }

    /**
     * <pre>
     * Stores a new memory that replaces an existing one. In the same transaction, `superseded_by` of the existing memory
     * is set to the name of the new memory, and its `valid_until` to the instant at which the new memory becomes valid.
     * Recall then returns the new memory; it returns the superseded one only with `as_of` or `include_invalid`. To undo
     * the call, clear `superseded_by` and `valid_until` of the superseded memory with UpdateMemory (both in the mask,
     * neither in the memory) and delete the new memory.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), ABORTED (VERSION_MISMATCH), FAILED_PRECONDITION (MEMORY_SUPERSEDED),
     * ALREADY_EXISTS (MEMORY_EXISTS), INVALID_ARGUMENT (DIMENSION_MISMATCH, MODEL_MISMATCH).
     * Without the verb `read`, the answer has no checksum.
     * </pre>
     */
    default void supersedeMemory(dev.mneme.v1.SupersedeMemoryRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.SupersedeMemoryResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSupersedeMemoryMethod(), responseObserver);
    }

    /**
     * <pre>
     * Erases every memory that matches the filter, with its revisions. Memories are erased in batches: a call that is
     * interrupted has erased some of them, and repeating it erases the rest.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID).
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "filter_text": "type = &#92;"state&#92;" AND step &lt; 100",
     *       "dry_run": true
     *     }
     * A filter or `dry_run` needs the verb `read` too.
     * </pre>
     */
    default void forgetMemories(dev.mneme.v1.ForgetMemoriesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ForgetMemoriesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getForgetMemoriesMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads memories page by page in a stable order. A memory that exists during the whole listing is returned exactly
     * once.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID, PAGE_TOKEN_INVALID).
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "filter_text": "type = &#92;"state&#92;" AND content.position.0 &gt;= 10",
     *       "order": "MEMORY_ORDER_STEP_ASC",
     *       "page_size": 100
     *     }
     * </pre>
     */
    default void listMemories(dev.mneme.v1.ListMemoriesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListMemoriesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListMemoriesMethod(), responseObserver);
    }

    /**
     * <pre>
     * Counts memories exactly: the same number that ListMemories would return. A filter that no index supports is
     * evaluated on every memory, in a separate thread. The server's own records (memories of the types `fact_key`,
     * `consolidation` and `extraction_failure`) are listed, counted and exported as all others, since exports need them and
     * limits include them; the filter `type != "fact_key" AND type != "consolidation" AND type != "extraction_failure"`
     * leaves them out.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID), DEADLINE_EXCEEDED.
     * </pre>
     */
    default void countMemories(dev.mneme.v1.CountMemoriesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.CountMemoriesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCountMemoriesMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads the states that a memory has had, newest first.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    default void listMemoryRevisions(dev.mneme.v1.ListMemoryRevisionsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListMemoryRevisionsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListMemoryRevisionsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads how one value of JSON content changed over the steps of a run: when it appeared, its value before and after
     * each change, and when it disappeared.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID).
     * </pre>
     */
    default void getAttributeHistory(dev.mneme.v1.GetAttributeHistoryRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetAttributeHistoryResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetAttributeHistoryMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads the state at each of several steps.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID).
     * </pre>
     */
    default void getStatesAtSteps(dev.mneme.v1.GetStatesAtStepsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetStatesAtStepsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetStatesAtStepsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads the memories immediately before and after a memory, in the order of `event_time`.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID).
     * </pre>
     */
    default void getMemorySequence(dev.mneme.v1.GetMemorySequenceRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetMemorySequenceResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetMemorySequenceMethod(), responseObserver);
    }

    /**
     * <pre>
     * Streams every memory of a namespace, with vectors, in the order in which they were stored. A memory that changes
     * during the export may be sent in its old or its new state. A memory that exists during the whole export is sent
     * exactly once.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID).
     * </pre>
     */
    default void exportMemories(dev.mneme.v1.ExportMemoriesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ExportMemoriesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getExportMemoriesMethod(), responseObserver);
    }

    /**
     * <pre>
     * Stores memories with their ids, times and counts. Each message of the stream is stored atomically and is
     * acknowledged, in order, when it is durable. After a broken stream, continue with the message after the last
     * acknowledged one; sending a message again changes nothing. Errors end the stream; they are those of
     * `MemoryService.StoreMemory`.
     * </pre>
     */
    default io.grpc.stub.StreamObserver<dev.mneme.v1.ImportMemoriesRequest> importMemories(
        io.grpc.stub.StreamObserver<dev.mneme.v1.ImportMemoriesResponse> responseObserver) {
      return io.grpc.stub.ServerCalls.asyncUnimplementedStreamingCall(getImportMemoriesMethod(), responseObserver);
    }

    /**
     * <pre>
     * Moves memories one tier down, or to `to_tier`. A memory that is already in that tier or a lower one stays. A memory
     * with damaged bytes also stays and is listed in `damaged`. Types that the retention settings exclude from long-term
     * memory are moved too.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND); nothing is moved then.
     * </pre>
     */
    default void demoteMemories(dev.mneme.v1.DemoteMemoriesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.DemoteMemoriesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getDemoteMemoriesMethod(), responseObserver);
    }

    /**
     * <pre>
     * Moves memories one tier up, or to `to_tier`, and restores their full resolution. A memory that is already in that
     * tier or a higher one stays. The move does not count as a retrieval.
     * Errors: those of DemoteMemories.
     * </pre>
     */
    default void promoteMemories(dev.mneme.v1.PromoteMemoriesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.PromoteMemoriesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getPromoteMemoriesMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service MemoryService.
   * <pre>
   * Stores memories and reads them back.
   * Every mutation takes a `request_id` (1 to 128 printable ASCII characters, preferably a UUID). A call repeated with
   * the same id and the same request takes effect once and returns the first answer; with a different request it fails
   * with FAILED_PRECONDITION (REQUEST_ID_REUSED). The server keeps ids for 24 hours unless `idempotency_retention_ms` is
   * configured otherwise. Every answer carries the `revision` of the change log that it reflects. A read with
   * `min_revision` set to that number sees at least that state; it fails with UNAVAILABLE (REVISION_NOT_YET) when the
   * server does not reach the revision before the deadline.
   * Reads of a namespace that does not exist yet answer as those of an empty one, and streams wait for it, unless the
   * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads and streams is of such a server.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Every mutation can also fail with
   * RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL) and FAILED_PRECONDITION (REQUEST_ID_REUSED).
   * </pre>
   */
  public static abstract class MemoryServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return MemoryServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service MemoryService.
   * <pre>
   * Stores memories and reads them back.
   * Every mutation takes a `request_id` (1 to 128 printable ASCII characters, preferably a UUID). A call repeated with
   * the same id and the same request takes effect once and returns the first answer; with a different request it fails
   * with FAILED_PRECONDITION (REQUEST_ID_REUSED). The server keeps ids for 24 hours unless `idempotency_retention_ms` is
   * configured otherwise. Every answer carries the `revision` of the change log that it reflects. A read with
   * `min_revision` set to that number sees at least that state; it fails with UNAVAILABLE (REVISION_NOT_YET) when the
   * server does not reach the revision before the deadline.
   * Reads of a namespace that does not exist yet answer as those of an empty one, and streams wait for it, unless the
   * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads and streams is of such a server.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Every mutation can also fail with
   * RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL) and FAILED_PRECONDITION (REQUEST_ID_REUSED).
   * </pre>
   */
  public static final class MemoryServiceStub
      extends io.grpc.stub.AbstractAsyncStub<MemoryServiceStub> {
    private MemoryServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected MemoryServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new MemoryServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Stores one memory and returns when it is durable.
     * Errors: ALREADY_EXISTS (MEMORY_EXISTS), INVALID_ARGUMENT (DIMENSION_MISMATCH, MODEL_MISMATCH), RESOURCE_EXHAUSTED
     * (NAMESPACE_FULL), NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use.
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "memory_id": "step-12",
     *       "memory": {
     *         "type": "state",
     *         "step": 12,
     *         "text": "The agent is in the kitchen and holds the brass key.",
     *         "content": {"json": "{&#92;"position&#92;": [12, 22], &#92;"inventory&#92;": [&#92;"brass key&#92;"]}"},
     *         "tags": ["kitchen"]
     *       },
     *       "request_id": "store-step-12"
     *     }
     * </pre>
     */
    public void storeMemory(dev.mneme.v1.StoreMemoryRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.StoreMemoryResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getStoreMemoryMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Stores up to 1,000 memories of one namespace atomically: all of them or none.
     * Errors: those of StoreMemory; a field violation names the item, such as `requests[3].memory.text`.
     * </pre>
     */
    public void batchStoreMemories(dev.mneme.v1.BatchStoreMemoriesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.BatchStoreMemoriesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getBatchStoreMemoriesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads one memory by its resource name. The call changes nothing unless `touch` or `focus` is set.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), DATA_LOSS (CHECKSUM_MISMATCH).
     * Example:
     *     {"name": "namespaces/example/memories/step-12"}
     * </pre>
     */
    public void getMemory(dev.mneme.v1.GetMemoryRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetMemoryResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetMemoryMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads up to 1,000 memories of one namespace, in the order of the request. Names without a memory are listed in
     * `missing`.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public void batchGetMemories(dev.mneme.v1.BatchGetMemoriesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.BatchGetMemoriesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getBatchGetMemoriesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Changes the fields named in `update_mask` and keeps the previous state as a revision.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), ABORTED (VERSION_MISMATCH), INVALID_ARGUMENT (DIMENSION_MISMATCH,
     * MODEL_MISMATCH).
     * Example (grpcurl takes a field mask as an object; the standard JSON form is the string `"text,tags"`):
     *     {
     *       "memory": {
     *         "name": "namespaces/example/memories/step-12",
     *         "text": "The agent is in the cellar and holds the brass key.",
     *         "tags": ["cellar"]
     *       },
     *       "update_mask": {"paths": ["text", "tags"]}
     *     }
     * Without the verb `read`, the answer has no checksum.
     * </pre>
     */
    public void updateMemory(dev.mneme.v1.UpdateMemoryRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.UpdateMemoryResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getUpdateMemoryMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Sets the importance of one memory.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), ABORTED (VERSION_MISMATCH).
     * Without the verb `read`, the answer has no checksum.
     * </pre>
     */
    public void setMemoryImportance(dev.mneme.v1.SetMemoryImportanceRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.SetMemoryImportanceResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getSetMemoryImportanceMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Erases one memory and its revisions.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND) unless `allow_missing` is set, ABORTED (VERSION_MISMATCH).
     * </pre>
     */
    public void deleteMemory(dev.mneme.v1.DeleteMemoryRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.DeleteMemoryResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getDeleteMemoryMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Stores a new memory that replaces an existing one. In the same transaction, `superseded_by` of the existing memory
     * is set to the name of the new memory, and its `valid_until` to the instant at which the new memory becomes valid.
     * Recall then returns the new memory; it returns the superseded one only with `as_of` or `include_invalid`. To undo
     * the call, clear `superseded_by` and `valid_until` of the superseded memory with UpdateMemory (both in the mask,
     * neither in the memory) and delete the new memory.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), ABORTED (VERSION_MISMATCH), FAILED_PRECONDITION (MEMORY_SUPERSEDED),
     * ALREADY_EXISTS (MEMORY_EXISTS), INVALID_ARGUMENT (DIMENSION_MISMATCH, MODEL_MISMATCH).
     * Without the verb `read`, the answer has no checksum.
     * </pre>
     */
    public void supersedeMemory(dev.mneme.v1.SupersedeMemoryRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.SupersedeMemoryResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getSupersedeMemoryMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Erases every memory that matches the filter, with its revisions. Memories are erased in batches: a call that is
     * interrupted has erased some of them, and repeating it erases the rest.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID).
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "filter_text": "type = &#92;"state&#92;" AND step &lt; 100",
     *       "dry_run": true
     *     }
     * A filter or `dry_run` needs the verb `read` too.
     * </pre>
     */
    public void forgetMemories(dev.mneme.v1.ForgetMemoriesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ForgetMemoriesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getForgetMemoriesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads memories page by page in a stable order. A memory that exists during the whole listing is returned exactly
     * once.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID, PAGE_TOKEN_INVALID).
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "filter_text": "type = &#92;"state&#92;" AND content.position.0 &gt;= 10",
     *       "order": "MEMORY_ORDER_STEP_ASC",
     *       "page_size": 100
     *     }
     * </pre>
     */
    public void listMemories(dev.mneme.v1.ListMemoriesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListMemoriesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListMemoriesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Counts memories exactly: the same number that ListMemories would return. A filter that no index supports is
     * evaluated on every memory, in a separate thread. The server's own records (memories of the types `fact_key`,
     * `consolidation` and `extraction_failure`) are listed, counted and exported as all others, since exports need them and
     * limits include them; the filter `type != "fact_key" AND type != "consolidation" AND type != "extraction_failure"`
     * leaves them out.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID), DEADLINE_EXCEEDED.
     * </pre>
     */
    public void countMemories(dev.mneme.v1.CountMemoriesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.CountMemoriesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCountMemoriesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads the states that a memory has had, newest first.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public void listMemoryRevisions(dev.mneme.v1.ListMemoryRevisionsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListMemoryRevisionsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListMemoryRevisionsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads how one value of JSON content changed over the steps of a run: when it appeared, its value before and after
     * each change, and when it disappeared.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID).
     * </pre>
     */
    public void getAttributeHistory(dev.mneme.v1.GetAttributeHistoryRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetAttributeHistoryResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetAttributeHistoryMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads the state at each of several steps.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID).
     * </pre>
     */
    public void getStatesAtSteps(dev.mneme.v1.GetStatesAtStepsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetStatesAtStepsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetStatesAtStepsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads the memories immediately before and after a memory, in the order of `event_time`.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID).
     * </pre>
     */
    public void getMemorySequence(dev.mneme.v1.GetMemorySequenceRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetMemorySequenceResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetMemorySequenceMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Streams every memory of a namespace, with vectors, in the order in which they were stored. A memory that changes
     * during the export may be sent in its old or its new state. A memory that exists during the whole export is sent
     * exactly once.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID).
     * </pre>
     */
    public void exportMemories(dev.mneme.v1.ExportMemoriesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ExportMemoriesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getExportMemoriesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Stores memories with their ids, times and counts. Each message of the stream is stored atomically and is
     * acknowledged, in order, when it is durable. After a broken stream, continue with the message after the last
     * acknowledged one; sending a message again changes nothing. Errors end the stream; they are those of
     * `MemoryService.StoreMemory`.
     * </pre>
     */
    public io.grpc.stub.StreamObserver<dev.mneme.v1.ImportMemoriesRequest> importMemories(
        io.grpc.stub.StreamObserver<dev.mneme.v1.ImportMemoriesResponse> responseObserver) {
      return io.grpc.stub.ClientCalls.asyncBidiStreamingCall(
          getChannel().newCall(getImportMemoriesMethod(), getCallOptions()), responseObserver);
    }

    /**
     * <pre>
     * Moves memories one tier down, or to `to_tier`. A memory that is already in that tier or a lower one stays. A memory
     * with damaged bytes also stays and is listed in `damaged`. Types that the retention settings exclude from long-term
     * memory are moved too.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND); nothing is moved then.
     * </pre>
     */
    public void demoteMemories(dev.mneme.v1.DemoteMemoriesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.DemoteMemoriesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getDemoteMemoriesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Moves memories one tier up, or to `to_tier`, and restores their full resolution. A memory that is already in that
     * tier or a higher one stays. The move does not count as a retrieval.
     * Errors: those of DemoteMemories.
     * </pre>
     */
    public void promoteMemories(dev.mneme.v1.PromoteMemoriesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.PromoteMemoriesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getPromoteMemoriesMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service MemoryService.
   * <pre>
   * Stores memories and reads them back.
   * Every mutation takes a `request_id` (1 to 128 printable ASCII characters, preferably a UUID). A call repeated with
   * the same id and the same request takes effect once and returns the first answer; with a different request it fails
   * with FAILED_PRECONDITION (REQUEST_ID_REUSED). The server keeps ids for 24 hours unless `idempotency_retention_ms` is
   * configured otherwise. Every answer carries the `revision` of the change log that it reflects. A read with
   * `min_revision` set to that number sees at least that state; it fails with UNAVAILABLE (REVISION_NOT_YET) when the
   * server does not reach the revision before the deadline.
   * Reads of a namespace that does not exist yet answer as those of an empty one, and streams wait for it, unless the
   * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads and streams is of such a server.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Every mutation can also fail with
   * RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL) and FAILED_PRECONDITION (REQUEST_ID_REUSED).
   * </pre>
   */
  public static final class MemoryServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<MemoryServiceBlockingV2Stub> {
    private MemoryServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected MemoryServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new MemoryServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Stores one memory and returns when it is durable.
     * Errors: ALREADY_EXISTS (MEMORY_EXISTS), INVALID_ARGUMENT (DIMENSION_MISMATCH, MODEL_MISMATCH), RESOURCE_EXHAUSTED
     * (NAMESPACE_FULL), NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use.
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "memory_id": "step-12",
     *       "memory": {
     *         "type": "state",
     *         "step": 12,
     *         "text": "The agent is in the kitchen and holds the brass key.",
     *         "content": {"json": "{&#92;"position&#92;": [12, 22], &#92;"inventory&#92;": [&#92;"brass key&#92;"]}"},
     *         "tags": ["kitchen"]
     *       },
     *       "request_id": "store-step-12"
     *     }
     * </pre>
     */
    public dev.mneme.v1.StoreMemoryResponse storeMemory(dev.mneme.v1.StoreMemoryRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getStoreMemoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Stores up to 1,000 memories of one namespace atomically: all of them or none.
     * Errors: those of StoreMemory; a field violation names the item, such as `requests[3].memory.text`.
     * </pre>
     */
    public dev.mneme.v1.BatchStoreMemoriesResponse batchStoreMemories(dev.mneme.v1.BatchStoreMemoriesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getBatchStoreMemoriesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads one memory by its resource name. The call changes nothing unless `touch` or `focus` is set.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), DATA_LOSS (CHECKSUM_MISMATCH).
     * Example:
     *     {"name": "namespaces/example/memories/step-12"}
     * </pre>
     */
    public dev.mneme.v1.GetMemoryResponse getMemory(dev.mneme.v1.GetMemoryRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetMemoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads up to 1,000 memories of one namespace, in the order of the request. Names without a memory are listed in
     * `missing`.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.BatchGetMemoriesResponse batchGetMemories(dev.mneme.v1.BatchGetMemoriesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getBatchGetMemoriesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Changes the fields named in `update_mask` and keeps the previous state as a revision.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), ABORTED (VERSION_MISMATCH), INVALID_ARGUMENT (DIMENSION_MISMATCH,
     * MODEL_MISMATCH).
     * Example (grpcurl takes a field mask as an object; the standard JSON form is the string `"text,tags"`):
     *     {
     *       "memory": {
     *         "name": "namespaces/example/memories/step-12",
     *         "text": "The agent is in the cellar and holds the brass key.",
     *         "tags": ["cellar"]
     *       },
     *       "update_mask": {"paths": ["text", "tags"]}
     *     }
     * Without the verb `read`, the answer has no checksum.
     * </pre>
     */
    public dev.mneme.v1.UpdateMemoryResponse updateMemory(dev.mneme.v1.UpdateMemoryRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getUpdateMemoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sets the importance of one memory.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), ABORTED (VERSION_MISMATCH).
     * Without the verb `read`, the answer has no checksum.
     * </pre>
     */
    public dev.mneme.v1.SetMemoryImportanceResponse setMemoryImportance(dev.mneme.v1.SetMemoryImportanceRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getSetMemoryImportanceMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Erases one memory and its revisions.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND) unless `allow_missing` is set, ABORTED (VERSION_MISMATCH).
     * </pre>
     */
    public dev.mneme.v1.DeleteMemoryResponse deleteMemory(dev.mneme.v1.DeleteMemoryRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getDeleteMemoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Stores a new memory that replaces an existing one. In the same transaction, `superseded_by` of the existing memory
     * is set to the name of the new memory, and its `valid_until` to the instant at which the new memory becomes valid.
     * Recall then returns the new memory; it returns the superseded one only with `as_of` or `include_invalid`. To undo
     * the call, clear `superseded_by` and `valid_until` of the superseded memory with UpdateMemory (both in the mask,
     * neither in the memory) and delete the new memory.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), ABORTED (VERSION_MISMATCH), FAILED_PRECONDITION (MEMORY_SUPERSEDED),
     * ALREADY_EXISTS (MEMORY_EXISTS), INVALID_ARGUMENT (DIMENSION_MISMATCH, MODEL_MISMATCH).
     * Without the verb `read`, the answer has no checksum.
     * </pre>
     */
    public dev.mneme.v1.SupersedeMemoryResponse supersedeMemory(dev.mneme.v1.SupersedeMemoryRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getSupersedeMemoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Erases every memory that matches the filter, with its revisions. Memories are erased in batches: a call that is
     * interrupted has erased some of them, and repeating it erases the rest.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID).
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "filter_text": "type = &#92;"state&#92;" AND step &lt; 100",
     *       "dry_run": true
     *     }
     * A filter or `dry_run` needs the verb `read` too.
     * </pre>
     */
    public dev.mneme.v1.ForgetMemoriesResponse forgetMemories(dev.mneme.v1.ForgetMemoriesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getForgetMemoriesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads memories page by page in a stable order. A memory that exists during the whole listing is returned exactly
     * once.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID, PAGE_TOKEN_INVALID).
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "filter_text": "type = &#92;"state&#92;" AND content.position.0 &gt;= 10",
     *       "order": "MEMORY_ORDER_STEP_ASC",
     *       "page_size": 100
     *     }
     * </pre>
     */
    public dev.mneme.v1.ListMemoriesResponse listMemories(dev.mneme.v1.ListMemoriesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListMemoriesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Counts memories exactly: the same number that ListMemories would return. A filter that no index supports is
     * evaluated on every memory, in a separate thread. The server's own records (memories of the types `fact_key`,
     * `consolidation` and `extraction_failure`) are listed, counted and exported as all others, since exports need them and
     * limits include them; the filter `type != "fact_key" AND type != "consolidation" AND type != "extraction_failure"`
     * leaves them out.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID), DEADLINE_EXCEEDED.
     * </pre>
     */
    public dev.mneme.v1.CountMemoriesResponse countMemories(dev.mneme.v1.CountMemoriesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCountMemoriesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads the states that a memory has had, newest first.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public dev.mneme.v1.ListMemoryRevisionsResponse listMemoryRevisions(dev.mneme.v1.ListMemoryRevisionsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListMemoryRevisionsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads how one value of JSON content changed over the steps of a run: when it appeared, its value before and after
     * each change, and when it disappeared.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID).
     * </pre>
     */
    public dev.mneme.v1.GetAttributeHistoryResponse getAttributeHistory(dev.mneme.v1.GetAttributeHistoryRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetAttributeHistoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads the state at each of several steps.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID).
     * </pre>
     */
    public dev.mneme.v1.GetStatesAtStepsResponse getStatesAtSteps(dev.mneme.v1.GetStatesAtStepsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetStatesAtStepsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads the memories immediately before and after a memory, in the order of `event_time`.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID).
     * </pre>
     */
    public dev.mneme.v1.GetMemorySequenceResponse getMemorySequence(dev.mneme.v1.GetMemorySequenceRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetMemorySequenceMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Streams every memory of a namespace, with vectors, in the order in which they were stored. A memory that changes
     * during the export may be sent in its old or its new state. A memory that exists during the whole export is sent
     * exactly once.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID).
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, dev.mneme.v1.ExportMemoriesResponse>
        exportMemories(dev.mneme.v1.ExportMemoriesRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getExportMemoriesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Stores memories with their ids, times and counts. Each message of the stream is stored atomically and is
     * acknowledged, in order, when it is durable. After a broken stream, continue with the message after the last
     * acknowledged one; sending a message again changes nothing. Errors end the stream; they are those of
     * `MemoryService.StoreMemory`.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<dev.mneme.v1.ImportMemoriesRequest, dev.mneme.v1.ImportMemoriesResponse>
        importMemories() {
      return io.grpc.stub.ClientCalls.blockingBidiStreamingCall(
          getChannel(), getImportMemoriesMethod(), getCallOptions());
    }

    /**
     * <pre>
     * Moves memories one tier down, or to `to_tier`. A memory that is already in that tier or a lower one stays. A memory
     * with damaged bytes also stays and is listed in `damaged`. Types that the retention settings exclude from long-term
     * memory are moved too.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND); nothing is moved then.
     * </pre>
     */
    public dev.mneme.v1.DemoteMemoriesResponse demoteMemories(dev.mneme.v1.DemoteMemoriesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getDemoteMemoriesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Moves memories one tier up, or to `to_tier`, and restores their full resolution. A memory that is already in that
     * tier or a higher one stays. The move does not count as a retrieval.
     * Errors: those of DemoteMemories.
     * </pre>
     */
    public dev.mneme.v1.PromoteMemoriesResponse promoteMemories(dev.mneme.v1.PromoteMemoriesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getPromoteMemoriesMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service MemoryService.
   * <pre>
   * Stores memories and reads them back.
   * Every mutation takes a `request_id` (1 to 128 printable ASCII characters, preferably a UUID). A call repeated with
   * the same id and the same request takes effect once and returns the first answer; with a different request it fails
   * with FAILED_PRECONDITION (REQUEST_ID_REUSED). The server keeps ids for 24 hours unless `idempotency_retention_ms` is
   * configured otherwise. Every answer carries the `revision` of the change log that it reflects. A read with
   * `min_revision` set to that number sees at least that state; it fails with UNAVAILABLE (REVISION_NOT_YET) when the
   * server does not reach the revision before the deadline.
   * Reads of a namespace that does not exist yet answer as those of an empty one, and streams wait for it, unless the
   * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads and streams is of such a server.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Every mutation can also fail with
   * RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL) and FAILED_PRECONDITION (REQUEST_ID_REUSED).
   * </pre>
   */
  public static final class MemoryServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<MemoryServiceBlockingStub> {
    private MemoryServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected MemoryServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new MemoryServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Stores one memory and returns when it is durable.
     * Errors: ALREADY_EXISTS (MEMORY_EXISTS), INVALID_ARGUMENT (DIMENSION_MISMATCH, MODEL_MISMATCH), RESOURCE_EXHAUSTED
     * (NAMESPACE_FULL), NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use.
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "memory_id": "step-12",
     *       "memory": {
     *         "type": "state",
     *         "step": 12,
     *         "text": "The agent is in the kitchen and holds the brass key.",
     *         "content": {"json": "{&#92;"position&#92;": [12, 22], &#92;"inventory&#92;": [&#92;"brass key&#92;"]}"},
     *         "tags": ["kitchen"]
     *       },
     *       "request_id": "store-step-12"
     *     }
     * </pre>
     */
    public dev.mneme.v1.StoreMemoryResponse storeMemory(dev.mneme.v1.StoreMemoryRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getStoreMemoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Stores up to 1,000 memories of one namespace atomically: all of them or none.
     * Errors: those of StoreMemory; a field violation names the item, such as `requests[3].memory.text`.
     * </pre>
     */
    public dev.mneme.v1.BatchStoreMemoriesResponse batchStoreMemories(dev.mneme.v1.BatchStoreMemoriesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getBatchStoreMemoriesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads one memory by its resource name. The call changes nothing unless `touch` or `focus` is set.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), DATA_LOSS (CHECKSUM_MISMATCH).
     * Example:
     *     {"name": "namespaces/example/memories/step-12"}
     * </pre>
     */
    public dev.mneme.v1.GetMemoryResponse getMemory(dev.mneme.v1.GetMemoryRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetMemoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads up to 1,000 memories of one namespace, in the order of the request. Names without a memory are listed in
     * `missing`.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.BatchGetMemoriesResponse batchGetMemories(dev.mneme.v1.BatchGetMemoriesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getBatchGetMemoriesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Changes the fields named in `update_mask` and keeps the previous state as a revision.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), ABORTED (VERSION_MISMATCH), INVALID_ARGUMENT (DIMENSION_MISMATCH,
     * MODEL_MISMATCH).
     * Example (grpcurl takes a field mask as an object; the standard JSON form is the string `"text,tags"`):
     *     {
     *       "memory": {
     *         "name": "namespaces/example/memories/step-12",
     *         "text": "The agent is in the cellar and holds the brass key.",
     *         "tags": ["cellar"]
     *       },
     *       "update_mask": {"paths": ["text", "tags"]}
     *     }
     * Without the verb `read`, the answer has no checksum.
     * </pre>
     */
    public dev.mneme.v1.UpdateMemoryResponse updateMemory(dev.mneme.v1.UpdateMemoryRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getUpdateMemoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sets the importance of one memory.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), ABORTED (VERSION_MISMATCH).
     * Without the verb `read`, the answer has no checksum.
     * </pre>
     */
    public dev.mneme.v1.SetMemoryImportanceResponse setMemoryImportance(dev.mneme.v1.SetMemoryImportanceRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getSetMemoryImportanceMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Erases one memory and its revisions.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND) unless `allow_missing` is set, ABORTED (VERSION_MISMATCH).
     * </pre>
     */
    public dev.mneme.v1.DeleteMemoryResponse deleteMemory(dev.mneme.v1.DeleteMemoryRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getDeleteMemoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Stores a new memory that replaces an existing one. In the same transaction, `superseded_by` of the existing memory
     * is set to the name of the new memory, and its `valid_until` to the instant at which the new memory becomes valid.
     * Recall then returns the new memory; it returns the superseded one only with `as_of` or `include_invalid`. To undo
     * the call, clear `superseded_by` and `valid_until` of the superseded memory with UpdateMemory (both in the mask,
     * neither in the memory) and delete the new memory.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), ABORTED (VERSION_MISMATCH), FAILED_PRECONDITION (MEMORY_SUPERSEDED),
     * ALREADY_EXISTS (MEMORY_EXISTS), INVALID_ARGUMENT (DIMENSION_MISMATCH, MODEL_MISMATCH).
     * Without the verb `read`, the answer has no checksum.
     * </pre>
     */
    public dev.mneme.v1.SupersedeMemoryResponse supersedeMemory(dev.mneme.v1.SupersedeMemoryRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getSupersedeMemoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Erases every memory that matches the filter, with its revisions. Memories are erased in batches: a call that is
     * interrupted has erased some of them, and repeating it erases the rest.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID).
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "filter_text": "type = &#92;"state&#92;" AND step &lt; 100",
     *       "dry_run": true
     *     }
     * A filter or `dry_run` needs the verb `read` too.
     * </pre>
     */
    public dev.mneme.v1.ForgetMemoriesResponse forgetMemories(dev.mneme.v1.ForgetMemoriesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getForgetMemoriesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads memories page by page in a stable order. A memory that exists during the whole listing is returned exactly
     * once.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID, PAGE_TOKEN_INVALID).
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "filter_text": "type = &#92;"state&#92;" AND content.position.0 &gt;= 10",
     *       "order": "MEMORY_ORDER_STEP_ASC",
     *       "page_size": 100
     *     }
     * </pre>
     */
    public dev.mneme.v1.ListMemoriesResponse listMemories(dev.mneme.v1.ListMemoriesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListMemoriesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Counts memories exactly: the same number that ListMemories would return. A filter that no index supports is
     * evaluated on every memory, in a separate thread. The server's own records (memories of the types `fact_key`,
     * `consolidation` and `extraction_failure`) are listed, counted and exported as all others, since exports need them and
     * limits include them; the filter `type != "fact_key" AND type != "consolidation" AND type != "extraction_failure"`
     * leaves them out.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID), DEADLINE_EXCEEDED.
     * </pre>
     */
    public dev.mneme.v1.CountMemoriesResponse countMemories(dev.mneme.v1.CountMemoriesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCountMemoriesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads the states that a memory has had, newest first.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public dev.mneme.v1.ListMemoryRevisionsResponse listMemoryRevisions(dev.mneme.v1.ListMemoryRevisionsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListMemoryRevisionsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads how one value of JSON content changed over the steps of a run: when it appeared, its value before and after
     * each change, and when it disappeared.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID).
     * </pre>
     */
    public dev.mneme.v1.GetAttributeHistoryResponse getAttributeHistory(dev.mneme.v1.GetAttributeHistoryRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetAttributeHistoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads the state at each of several steps.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID).
     * </pre>
     */
    public dev.mneme.v1.GetStatesAtStepsResponse getStatesAtSteps(dev.mneme.v1.GetStatesAtStepsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetStatesAtStepsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads the memories immediately before and after a memory, in the order of `event_time`.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID).
     * </pre>
     */
    public dev.mneme.v1.GetMemorySequenceResponse getMemorySequence(dev.mneme.v1.GetMemorySequenceRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetMemorySequenceMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Streams every memory of a namespace, with vectors, in the order in which they were stored. A memory that changes
     * during the export may be sent in its old or its new state. A memory that exists during the whole export is sent
     * exactly once.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID).
     * </pre>
     */
    public java.util.Iterator<dev.mneme.v1.ExportMemoriesResponse> exportMemories(
        dev.mneme.v1.ExportMemoriesRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getExportMemoriesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Moves memories one tier down, or to `to_tier`. A memory that is already in that tier or a lower one stays. A memory
     * with damaged bytes also stays and is listed in `damaged`. Types that the retention settings exclude from long-term
     * memory are moved too.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND); nothing is moved then.
     * </pre>
     */
    public dev.mneme.v1.DemoteMemoriesResponse demoteMemories(dev.mneme.v1.DemoteMemoriesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getDemoteMemoriesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Moves memories one tier up, or to `to_tier`, and restores their full resolution. A memory that is already in that
     * tier or a higher one stays. The move does not count as a retrieval.
     * Errors: those of DemoteMemories.
     * </pre>
     */
    public dev.mneme.v1.PromoteMemoriesResponse promoteMemories(dev.mneme.v1.PromoteMemoriesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getPromoteMemoriesMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service MemoryService.
   * <pre>
   * Stores memories and reads them back.
   * Every mutation takes a `request_id` (1 to 128 printable ASCII characters, preferably a UUID). A call repeated with
   * the same id and the same request takes effect once and returns the first answer; with a different request it fails
   * with FAILED_PRECONDITION (REQUEST_ID_REUSED). The server keeps ids for 24 hours unless `idempotency_retention_ms` is
   * configured otherwise. Every answer carries the `revision` of the change log that it reflects. A read with
   * `min_revision` set to that number sees at least that state; it fails with UNAVAILABLE (REVISION_NOT_YET) when the
   * server does not reach the revision before the deadline.
   * Reads of a namespace that does not exist yet answer as those of an empty one, and streams wait for it, unless the
   * server does not create namespaces on first use: NAMESPACE_NOT_FOUND of reads and streams is of such a server.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL. Every mutation can also fail with
   * RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL) and FAILED_PRECONDITION (REQUEST_ID_REUSED).
   * </pre>
   */
  public static final class MemoryServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<MemoryServiceFutureStub> {
    private MemoryServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected MemoryServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new MemoryServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Stores one memory and returns when it is durable.
     * Errors: ALREADY_EXISTS (MEMORY_EXISTS), INVALID_ARGUMENT (DIMENSION_MISMATCH, MODEL_MISMATCH), RESOURCE_EXHAUSTED
     * (NAMESPACE_FULL), NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use.
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "memory_id": "step-12",
     *       "memory": {
     *         "type": "state",
     *         "step": 12,
     *         "text": "The agent is in the kitchen and holds the brass key.",
     *         "content": {"json": "{&#92;"position&#92;": [12, 22], &#92;"inventory&#92;": [&#92;"brass key&#92;"]}"},
     *         "tags": ["kitchen"]
     *       },
     *       "request_id": "store-step-12"
     *     }
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.StoreMemoryResponse> storeMemory(
        dev.mneme.v1.StoreMemoryRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getStoreMemoryMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Stores up to 1,000 memories of one namespace atomically: all of them or none.
     * Errors: those of StoreMemory; a field violation names the item, such as `requests[3].memory.text`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.BatchStoreMemoriesResponse> batchStoreMemories(
        dev.mneme.v1.BatchStoreMemoriesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getBatchStoreMemoriesMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads one memory by its resource name. The call changes nothing unless `touch` or `focus` is set.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), DATA_LOSS (CHECKSUM_MISMATCH).
     * Example:
     *     {"name": "namespaces/example/memories/step-12"}
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.GetMemoryResponse> getMemory(
        dev.mneme.v1.GetMemoryRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetMemoryMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads up to 1,000 memories of one namespace, in the order of the request. Names without a memory are listed in
     * `missing`.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.BatchGetMemoriesResponse> batchGetMemories(
        dev.mneme.v1.BatchGetMemoriesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getBatchGetMemoriesMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Changes the fields named in `update_mask` and keeps the previous state as a revision.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), ABORTED (VERSION_MISMATCH), INVALID_ARGUMENT (DIMENSION_MISMATCH,
     * MODEL_MISMATCH).
     * Example (grpcurl takes a field mask as an object; the standard JSON form is the string `"text,tags"`):
     *     {
     *       "memory": {
     *         "name": "namespaces/example/memories/step-12",
     *         "text": "The agent is in the cellar and holds the brass key.",
     *         "tags": ["cellar"]
     *       },
     *       "update_mask": {"paths": ["text", "tags"]}
     *     }
     * Without the verb `read`, the answer has no checksum.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.UpdateMemoryResponse> updateMemory(
        dev.mneme.v1.UpdateMemoryRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getUpdateMemoryMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Sets the importance of one memory.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), ABORTED (VERSION_MISMATCH).
     * Without the verb `read`, the answer has no checksum.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.SetMemoryImportanceResponse> setMemoryImportance(
        dev.mneme.v1.SetMemoryImportanceRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getSetMemoryImportanceMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Erases one memory and its revisions.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND) unless `allow_missing` is set, ABORTED (VERSION_MISMATCH).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.DeleteMemoryResponse> deleteMemory(
        dev.mneme.v1.DeleteMemoryRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getDeleteMemoryMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Stores a new memory that replaces an existing one. In the same transaction, `superseded_by` of the existing memory
     * is set to the name of the new memory, and its `valid_until` to the instant at which the new memory becomes valid.
     * Recall then returns the new memory; it returns the superseded one only with `as_of` or `include_invalid`. To undo
     * the call, clear `superseded_by` and `valid_until` of the superseded memory with UpdateMemory (both in the mask,
     * neither in the memory) and delete the new memory.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), ABORTED (VERSION_MISMATCH), FAILED_PRECONDITION (MEMORY_SUPERSEDED),
     * ALREADY_EXISTS (MEMORY_EXISTS), INVALID_ARGUMENT (DIMENSION_MISMATCH, MODEL_MISMATCH).
     * Without the verb `read`, the answer has no checksum.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.SupersedeMemoryResponse> supersedeMemory(
        dev.mneme.v1.SupersedeMemoryRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getSupersedeMemoryMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Erases every memory that matches the filter, with its revisions. Memories are erased in batches: a call that is
     * interrupted has erased some of them, and repeating it erases the rest.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID).
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "filter_text": "type = &#92;"state&#92;" AND step &lt; 100",
     *       "dry_run": true
     *     }
     * A filter or `dry_run` needs the verb `read` too.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ForgetMemoriesResponse> forgetMemories(
        dev.mneme.v1.ForgetMemoriesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getForgetMemoriesMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads memories page by page in a stable order. A memory that exists during the whole listing is returned exactly
     * once.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID, PAGE_TOKEN_INVALID).
     * Example:
     *     {
     *       "parent": "namespaces/example",
     *       "filter_text": "type = &#92;"state&#92;" AND content.position.0 &gt;= 10",
     *       "order": "MEMORY_ORDER_STEP_ASC",
     *       "page_size": 100
     *     }
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ListMemoriesResponse> listMemories(
        dev.mneme.v1.ListMemoriesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListMemoriesMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Counts memories exactly: the same number that ListMemories would return. A filter that no index supports is
     * evaluated on every memory, in a separate thread. The server's own records (memories of the types `fact_key`,
     * `consolidation` and `extraction_failure`) are listed, counted and exported as all others, since exports need them and
     * limits include them; the filter `type != "fact_key" AND type != "consolidation" AND type != "extraction_failure"`
     * leaves them out.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID), DEADLINE_EXCEEDED.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.CountMemoriesResponse> countMemories(
        dev.mneme.v1.CountMemoriesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCountMemoriesMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads the states that a memory has had, newest first.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND), INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ListMemoryRevisionsResponse> listMemoryRevisions(
        dev.mneme.v1.ListMemoryRevisionsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListMemoryRevisionsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads how one value of JSON content changed over the steps of a run: when it appeared, its value before and after
     * each change, and when it disappeared.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.GetAttributeHistoryResponse> getAttributeHistory(
        dev.mneme.v1.GetAttributeHistoryRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetAttributeHistoryMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads the state at each of several steps.
     * Errors: NOT_FOUND (NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.GetStatesAtStepsResponse> getStatesAtSteps(
        dev.mneme.v1.GetStatesAtStepsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetStatesAtStepsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads the memories immediately before and after a memory, in the order of `event_time`.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND), INVALID_ARGUMENT (FILTER_INVALID).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.GetMemorySequenceResponse> getMemorySequence(
        dev.mneme.v1.GetMemorySequenceRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetMemorySequenceMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Moves memories one tier down, or to `to_tier`. A memory that is already in that tier or a lower one stays. A memory
     * with damaged bytes also stays and is listed in `damaged`. Types that the retention settings exclude from long-term
     * memory are moved too.
     * Errors: NOT_FOUND (MEMORY_NOT_FOUND, NAMESPACE_NOT_FOUND); nothing is moved then.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.DemoteMemoriesResponse> demoteMemories(
        dev.mneme.v1.DemoteMemoriesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getDemoteMemoriesMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Moves memories one tier up, or to `to_tier`, and restores their full resolution. A memory that is already in that
     * tier or a higher one stays. The move does not count as a retrieval.
     * Errors: those of DemoteMemories.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.PromoteMemoriesResponse> promoteMemories(
        dev.mneme.v1.PromoteMemoriesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getPromoteMemoriesMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_STORE_MEMORY = 0;
  private static final int METHODID_BATCH_STORE_MEMORIES = 1;
  private static final int METHODID_GET_MEMORY = 2;
  private static final int METHODID_BATCH_GET_MEMORIES = 3;
  private static final int METHODID_UPDATE_MEMORY = 4;
  private static final int METHODID_SET_MEMORY_IMPORTANCE = 5;
  private static final int METHODID_DELETE_MEMORY = 6;
  private static final int METHODID_SUPERSEDE_MEMORY = 7;
  private static final int METHODID_FORGET_MEMORIES = 8;
  private static final int METHODID_LIST_MEMORIES = 9;
  private static final int METHODID_COUNT_MEMORIES = 10;
  private static final int METHODID_LIST_MEMORY_REVISIONS = 11;
  private static final int METHODID_GET_ATTRIBUTE_HISTORY = 12;
  private static final int METHODID_GET_STATES_AT_STEPS = 13;
  private static final int METHODID_GET_MEMORY_SEQUENCE = 14;
  private static final int METHODID_EXPORT_MEMORIES = 15;
  private static final int METHODID_DEMOTE_MEMORIES = 16;
  private static final int METHODID_PROMOTE_MEMORIES = 17;
  private static final int METHODID_IMPORT_MEMORIES = 18;

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
        case METHODID_STORE_MEMORY:
          serviceImpl.storeMemory((dev.mneme.v1.StoreMemoryRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.StoreMemoryResponse>) responseObserver);
          break;
        case METHODID_BATCH_STORE_MEMORIES:
          serviceImpl.batchStoreMemories((dev.mneme.v1.BatchStoreMemoriesRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.BatchStoreMemoriesResponse>) responseObserver);
          break;
        case METHODID_GET_MEMORY:
          serviceImpl.getMemory((dev.mneme.v1.GetMemoryRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.GetMemoryResponse>) responseObserver);
          break;
        case METHODID_BATCH_GET_MEMORIES:
          serviceImpl.batchGetMemories((dev.mneme.v1.BatchGetMemoriesRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.BatchGetMemoriesResponse>) responseObserver);
          break;
        case METHODID_UPDATE_MEMORY:
          serviceImpl.updateMemory((dev.mneme.v1.UpdateMemoryRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.UpdateMemoryResponse>) responseObserver);
          break;
        case METHODID_SET_MEMORY_IMPORTANCE:
          serviceImpl.setMemoryImportance((dev.mneme.v1.SetMemoryImportanceRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.SetMemoryImportanceResponse>) responseObserver);
          break;
        case METHODID_DELETE_MEMORY:
          serviceImpl.deleteMemory((dev.mneme.v1.DeleteMemoryRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.DeleteMemoryResponse>) responseObserver);
          break;
        case METHODID_SUPERSEDE_MEMORY:
          serviceImpl.supersedeMemory((dev.mneme.v1.SupersedeMemoryRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.SupersedeMemoryResponse>) responseObserver);
          break;
        case METHODID_FORGET_MEMORIES:
          serviceImpl.forgetMemories((dev.mneme.v1.ForgetMemoriesRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ForgetMemoriesResponse>) responseObserver);
          break;
        case METHODID_LIST_MEMORIES:
          serviceImpl.listMemories((dev.mneme.v1.ListMemoriesRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ListMemoriesResponse>) responseObserver);
          break;
        case METHODID_COUNT_MEMORIES:
          serviceImpl.countMemories((dev.mneme.v1.CountMemoriesRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.CountMemoriesResponse>) responseObserver);
          break;
        case METHODID_LIST_MEMORY_REVISIONS:
          serviceImpl.listMemoryRevisions((dev.mneme.v1.ListMemoryRevisionsRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ListMemoryRevisionsResponse>) responseObserver);
          break;
        case METHODID_GET_ATTRIBUTE_HISTORY:
          serviceImpl.getAttributeHistory((dev.mneme.v1.GetAttributeHistoryRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.GetAttributeHistoryResponse>) responseObserver);
          break;
        case METHODID_GET_STATES_AT_STEPS:
          serviceImpl.getStatesAtSteps((dev.mneme.v1.GetStatesAtStepsRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.GetStatesAtStepsResponse>) responseObserver);
          break;
        case METHODID_GET_MEMORY_SEQUENCE:
          serviceImpl.getMemorySequence((dev.mneme.v1.GetMemorySequenceRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.GetMemorySequenceResponse>) responseObserver);
          break;
        case METHODID_EXPORT_MEMORIES:
          serviceImpl.exportMemories((dev.mneme.v1.ExportMemoriesRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ExportMemoriesResponse>) responseObserver);
          break;
        case METHODID_DEMOTE_MEMORIES:
          serviceImpl.demoteMemories((dev.mneme.v1.DemoteMemoriesRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.DemoteMemoriesResponse>) responseObserver);
          break;
        case METHODID_PROMOTE_MEMORIES:
          serviceImpl.promoteMemories((dev.mneme.v1.PromoteMemoriesRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.PromoteMemoriesResponse>) responseObserver);
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
        case METHODID_IMPORT_MEMORIES:
          return (io.grpc.stub.StreamObserver<Req>) serviceImpl.importMemories(
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ImportMemoriesResponse>) responseObserver);
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getStoreMemoryMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.StoreMemoryRequest,
              dev.mneme.v1.StoreMemoryResponse>(
                service, METHODID_STORE_MEMORY)))
        .addMethod(
          getBatchStoreMemoriesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.BatchStoreMemoriesRequest,
              dev.mneme.v1.BatchStoreMemoriesResponse>(
                service, METHODID_BATCH_STORE_MEMORIES)))
        .addMethod(
          getGetMemoryMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.GetMemoryRequest,
              dev.mneme.v1.GetMemoryResponse>(
                service, METHODID_GET_MEMORY)))
        .addMethod(
          getBatchGetMemoriesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.BatchGetMemoriesRequest,
              dev.mneme.v1.BatchGetMemoriesResponse>(
                service, METHODID_BATCH_GET_MEMORIES)))
        .addMethod(
          getUpdateMemoryMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.UpdateMemoryRequest,
              dev.mneme.v1.UpdateMemoryResponse>(
                service, METHODID_UPDATE_MEMORY)))
        .addMethod(
          getSetMemoryImportanceMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.SetMemoryImportanceRequest,
              dev.mneme.v1.SetMemoryImportanceResponse>(
                service, METHODID_SET_MEMORY_IMPORTANCE)))
        .addMethod(
          getDeleteMemoryMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.DeleteMemoryRequest,
              dev.mneme.v1.DeleteMemoryResponse>(
                service, METHODID_DELETE_MEMORY)))
        .addMethod(
          getSupersedeMemoryMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.SupersedeMemoryRequest,
              dev.mneme.v1.SupersedeMemoryResponse>(
                service, METHODID_SUPERSEDE_MEMORY)))
        .addMethod(
          getForgetMemoriesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ForgetMemoriesRequest,
              dev.mneme.v1.ForgetMemoriesResponse>(
                service, METHODID_FORGET_MEMORIES)))
        .addMethod(
          getListMemoriesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ListMemoriesRequest,
              dev.mneme.v1.ListMemoriesResponse>(
                service, METHODID_LIST_MEMORIES)))
        .addMethod(
          getCountMemoriesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.CountMemoriesRequest,
              dev.mneme.v1.CountMemoriesResponse>(
                service, METHODID_COUNT_MEMORIES)))
        .addMethod(
          getListMemoryRevisionsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ListMemoryRevisionsRequest,
              dev.mneme.v1.ListMemoryRevisionsResponse>(
                service, METHODID_LIST_MEMORY_REVISIONS)))
        .addMethod(
          getGetAttributeHistoryMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.GetAttributeHistoryRequest,
              dev.mneme.v1.GetAttributeHistoryResponse>(
                service, METHODID_GET_ATTRIBUTE_HISTORY)))
        .addMethod(
          getGetStatesAtStepsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.GetStatesAtStepsRequest,
              dev.mneme.v1.GetStatesAtStepsResponse>(
                service, METHODID_GET_STATES_AT_STEPS)))
        .addMethod(
          getGetMemorySequenceMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.GetMemorySequenceRequest,
              dev.mneme.v1.GetMemorySequenceResponse>(
                service, METHODID_GET_MEMORY_SEQUENCE)))
        .addMethod(
          getExportMemoriesMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              dev.mneme.v1.ExportMemoriesRequest,
              dev.mneme.v1.ExportMemoriesResponse>(
                service, METHODID_EXPORT_MEMORIES)))
        .addMethod(
          getImportMemoriesMethod(),
          io.grpc.stub.ServerCalls.asyncBidiStreamingCall(
            new MethodHandlers<
              dev.mneme.v1.ImportMemoriesRequest,
              dev.mneme.v1.ImportMemoriesResponse>(
                service, METHODID_IMPORT_MEMORIES)))
        .addMethod(
          getDemoteMemoriesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.DemoteMemoriesRequest,
              dev.mneme.v1.DemoteMemoriesResponse>(
                service, METHODID_DEMOTE_MEMORIES)))
        .addMethod(
          getPromoteMemoriesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.PromoteMemoriesRequest,
              dev.mneme.v1.PromoteMemoriesResponse>(
                service, METHODID_PROMOTE_MEMORIES)))
        .build();
  }

  private static abstract class MemoryServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    MemoryServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.mneme.v1.MemoryServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("MemoryService");
    }
  }

  private static final class MemoryServiceFileDescriptorSupplier
      extends MemoryServiceBaseDescriptorSupplier {
    MemoryServiceFileDescriptorSupplier() {}
  }

  private static final class MemoryServiceMethodDescriptorSupplier
      extends MemoryServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    MemoryServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (MemoryServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new MemoryServiceFileDescriptorSupplier())
              .addMethod(getStoreMemoryMethod())
              .addMethod(getBatchStoreMemoriesMethod())
              .addMethod(getGetMemoryMethod())
              .addMethod(getBatchGetMemoriesMethod())
              .addMethod(getUpdateMemoryMethod())
              .addMethod(getSetMemoryImportanceMethod())
              .addMethod(getDeleteMemoryMethod())
              .addMethod(getSupersedeMemoryMethod())
              .addMethod(getForgetMemoriesMethod())
              .addMethod(getListMemoriesMethod())
              .addMethod(getCountMemoriesMethod())
              .addMethod(getListMemoryRevisionsMethod())
              .addMethod(getGetAttributeHistoryMethod())
              .addMethod(getGetStatesAtStepsMethod())
              .addMethod(getGetMemorySequenceMethod())
              .addMethod(getExportMemoriesMethod())
              .addMethod(getImportMemoriesMethod())
              .addMethod(getDemoteMemoriesMethod())
              .addMethod(getPromoteMemoriesMethod())
              .build();
        }
      }
    }
    return result;
  }
}
