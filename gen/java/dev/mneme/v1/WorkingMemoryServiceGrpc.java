package dev.mneme.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Stores the working memory of sessions: values by key, one task state, a scratchpad of notes, and checkpoints.
 * A session is named `namespaces/{namespace}/sessions/{session}`. The session id is everything after `sessions/`: 1 to
 * 128 bytes of UTF-8 without control characters. The first write to a session creates it, and so does
 * `LifecycleService.SpawnSession`; reading a session that does not exist returns the same as an empty session. Keys are
 * 1 to 1,024 bytes of UTF-8 without control characters. No key is reserved: task state, scratchpad and checkpoints are
 * stored separately from keys.
 * Every mutation takes effect completely or not at all, and gives the session its next revision: a number that starts
 * at 1 and is counted per session, independent of the change log of memories. `request_id` works as in MemoryService. A
 * mutation fails with FAILED_PRECONDITION (SESSION_NOT_ACTIVE) while a pause has frozen the session and after the
 * session has ended, and with RESOURCE_EXHAUSTED (SESSION_FULL) when the session would exceed a limit of the server's
 * settings. By default a session holds at most 10,000 keys, 64 MiB of keys and values, 100,000 notes, 64 MiB of notes,
 * 1,000 checkpoints and 256 MiB of checkpoints; of notes, the oldest are dropped instead of failing the write. All
 * times are those of the server's clock: a key expires when that clock reaches the key's `expire_time`. The order of
 * writes does not depend on the clock.
 * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
 * UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL, PERMISSION_DENIED (SCOPE_PRIVATE) for writes that
 * would create a hidden session, DATA_LOSS (SESSION_LOST) when Redis has lost sessions and this session is missing. Of every mutation
 * also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL, SESSION_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED,
 * SESSION_NOT_ACTIVE), NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class WorkingMemoryServiceGrpc {

  private WorkingMemoryServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "mneme.v1.WorkingMemoryService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.SetValueRequest,
      dev.mneme.v1.SetValueResponse> getSetValueMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "SetValue",
      requestType = dev.mneme.v1.SetValueRequest.class,
      responseType = dev.mneme.v1.SetValueResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.SetValueRequest,
      dev.mneme.v1.SetValueResponse> getSetValueMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.SetValueRequest, dev.mneme.v1.SetValueResponse> getSetValueMethod;
    if ((getSetValueMethod = WorkingMemoryServiceGrpc.getSetValueMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getSetValueMethod = WorkingMemoryServiceGrpc.getSetValueMethod) == null) {
          WorkingMemoryServiceGrpc.getSetValueMethod = getSetValueMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.SetValueRequest, dev.mneme.v1.SetValueResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "SetValue"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.SetValueRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.SetValueResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("SetValue"))
              .build();
        }
      }
    }
    return getSetValueMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.GetValueRequest,
      dev.mneme.v1.GetValueResponse> getGetValueMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetValue",
      requestType = dev.mneme.v1.GetValueRequest.class,
      responseType = dev.mneme.v1.GetValueResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.GetValueRequest,
      dev.mneme.v1.GetValueResponse> getGetValueMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.GetValueRequest, dev.mneme.v1.GetValueResponse> getGetValueMethod;
    if ((getGetValueMethod = WorkingMemoryServiceGrpc.getGetValueMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getGetValueMethod = WorkingMemoryServiceGrpc.getGetValueMethod) == null) {
          WorkingMemoryServiceGrpc.getGetValueMethod = getGetValueMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.GetValueRequest, dev.mneme.v1.GetValueResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetValue"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetValueRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetValueResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("GetValue"))
              .build();
        }
      }
    }
    return getGetValueMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.BatchGetValuesRequest,
      dev.mneme.v1.BatchGetValuesResponse> getBatchGetValuesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "BatchGetValues",
      requestType = dev.mneme.v1.BatchGetValuesRequest.class,
      responseType = dev.mneme.v1.BatchGetValuesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.BatchGetValuesRequest,
      dev.mneme.v1.BatchGetValuesResponse> getBatchGetValuesMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.BatchGetValuesRequest, dev.mneme.v1.BatchGetValuesResponse> getBatchGetValuesMethod;
    if ((getBatchGetValuesMethod = WorkingMemoryServiceGrpc.getBatchGetValuesMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getBatchGetValuesMethod = WorkingMemoryServiceGrpc.getBatchGetValuesMethod) == null) {
          WorkingMemoryServiceGrpc.getBatchGetValuesMethod = getBatchGetValuesMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.BatchGetValuesRequest, dev.mneme.v1.BatchGetValuesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "BatchGetValues"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.BatchGetValuesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.BatchGetValuesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("BatchGetValues"))
              .build();
        }
      }
    }
    return getBatchGetValuesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.DeleteValueRequest,
      dev.mneme.v1.DeleteValueResponse> getDeleteValueMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "DeleteValue",
      requestType = dev.mneme.v1.DeleteValueRequest.class,
      responseType = dev.mneme.v1.DeleteValueResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.DeleteValueRequest,
      dev.mneme.v1.DeleteValueResponse> getDeleteValueMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.DeleteValueRequest, dev.mneme.v1.DeleteValueResponse> getDeleteValueMethod;
    if ((getDeleteValueMethod = WorkingMemoryServiceGrpc.getDeleteValueMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getDeleteValueMethod = WorkingMemoryServiceGrpc.getDeleteValueMethod) == null) {
          WorkingMemoryServiceGrpc.getDeleteValueMethod = getDeleteValueMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.DeleteValueRequest, dev.mneme.v1.DeleteValueResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "DeleteValue"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.DeleteValueRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.DeleteValueResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("DeleteValue"))
              .build();
        }
      }
    }
    return getDeleteValueMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.HasValueRequest,
      dev.mneme.v1.HasValueResponse> getHasValueMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "HasValue",
      requestType = dev.mneme.v1.HasValueRequest.class,
      responseType = dev.mneme.v1.HasValueResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.HasValueRequest,
      dev.mneme.v1.HasValueResponse> getHasValueMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.HasValueRequest, dev.mneme.v1.HasValueResponse> getHasValueMethod;
    if ((getHasValueMethod = WorkingMemoryServiceGrpc.getHasValueMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getHasValueMethod = WorkingMemoryServiceGrpc.getHasValueMethod) == null) {
          WorkingMemoryServiceGrpc.getHasValueMethod = getHasValueMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.HasValueRequest, dev.mneme.v1.HasValueResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "HasValue"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.HasValueRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.HasValueResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("HasValue"))
              .build();
        }
      }
    }
    return getHasValueMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ListKeysRequest,
      dev.mneme.v1.ListKeysResponse> getListKeysMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListKeys",
      requestType = dev.mneme.v1.ListKeysRequest.class,
      responseType = dev.mneme.v1.ListKeysResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ListKeysRequest,
      dev.mneme.v1.ListKeysResponse> getListKeysMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ListKeysRequest, dev.mneme.v1.ListKeysResponse> getListKeysMethod;
    if ((getListKeysMethod = WorkingMemoryServiceGrpc.getListKeysMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getListKeysMethod = WorkingMemoryServiceGrpc.getListKeysMethod) == null) {
          WorkingMemoryServiceGrpc.getListKeysMethod = getListKeysMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ListKeysRequest, dev.mneme.v1.ListKeysResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListKeys"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListKeysRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListKeysResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("ListKeys"))
              .build();
        }
      }
    }
    return getListKeysMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.GetAllValuesRequest,
      dev.mneme.v1.GetAllValuesResponse> getGetAllValuesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetAllValues",
      requestType = dev.mneme.v1.GetAllValuesRequest.class,
      responseType = dev.mneme.v1.GetAllValuesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.GetAllValuesRequest,
      dev.mneme.v1.GetAllValuesResponse> getGetAllValuesMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.GetAllValuesRequest, dev.mneme.v1.GetAllValuesResponse> getGetAllValuesMethod;
    if ((getGetAllValuesMethod = WorkingMemoryServiceGrpc.getGetAllValuesMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getGetAllValuesMethod = WorkingMemoryServiceGrpc.getGetAllValuesMethod) == null) {
          WorkingMemoryServiceGrpc.getGetAllValuesMethod = getGetAllValuesMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.GetAllValuesRequest, dev.mneme.v1.GetAllValuesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetAllValues"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetAllValuesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetAllValuesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("GetAllValues"))
              .build();
        }
      }
    }
    return getGetAllValuesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ClearWorkingMemoryRequest,
      dev.mneme.v1.ClearWorkingMemoryResponse> getClearWorkingMemoryMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ClearWorkingMemory",
      requestType = dev.mneme.v1.ClearWorkingMemoryRequest.class,
      responseType = dev.mneme.v1.ClearWorkingMemoryResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ClearWorkingMemoryRequest,
      dev.mneme.v1.ClearWorkingMemoryResponse> getClearWorkingMemoryMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ClearWorkingMemoryRequest, dev.mneme.v1.ClearWorkingMemoryResponse> getClearWorkingMemoryMethod;
    if ((getClearWorkingMemoryMethod = WorkingMemoryServiceGrpc.getClearWorkingMemoryMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getClearWorkingMemoryMethod = WorkingMemoryServiceGrpc.getClearWorkingMemoryMethod) == null) {
          WorkingMemoryServiceGrpc.getClearWorkingMemoryMethod = getClearWorkingMemoryMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ClearWorkingMemoryRequest, dev.mneme.v1.ClearWorkingMemoryResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ClearWorkingMemory"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ClearWorkingMemoryRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ClearWorkingMemoryResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("ClearWorkingMemory"))
              .build();
        }
      }
    }
    return getClearWorkingMemoryMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.TransactValuesRequest,
      dev.mneme.v1.TransactValuesResponse> getTransactValuesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "TransactValues",
      requestType = dev.mneme.v1.TransactValuesRequest.class,
      responseType = dev.mneme.v1.TransactValuesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.TransactValuesRequest,
      dev.mneme.v1.TransactValuesResponse> getTransactValuesMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.TransactValuesRequest, dev.mneme.v1.TransactValuesResponse> getTransactValuesMethod;
    if ((getTransactValuesMethod = WorkingMemoryServiceGrpc.getTransactValuesMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getTransactValuesMethod = WorkingMemoryServiceGrpc.getTransactValuesMethod) == null) {
          WorkingMemoryServiceGrpc.getTransactValuesMethod = getTransactValuesMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.TransactValuesRequest, dev.mneme.v1.TransactValuesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "TransactValues"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.TransactValuesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.TransactValuesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("TransactValues"))
              .build();
        }
      }
    }
    return getTransactValuesMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.SetTaskStateRequest,
      dev.mneme.v1.SetTaskStateResponse> getSetTaskStateMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "SetTaskState",
      requestType = dev.mneme.v1.SetTaskStateRequest.class,
      responseType = dev.mneme.v1.SetTaskStateResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.SetTaskStateRequest,
      dev.mneme.v1.SetTaskStateResponse> getSetTaskStateMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.SetTaskStateRequest, dev.mneme.v1.SetTaskStateResponse> getSetTaskStateMethod;
    if ((getSetTaskStateMethod = WorkingMemoryServiceGrpc.getSetTaskStateMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getSetTaskStateMethod = WorkingMemoryServiceGrpc.getSetTaskStateMethod) == null) {
          WorkingMemoryServiceGrpc.getSetTaskStateMethod = getSetTaskStateMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.SetTaskStateRequest, dev.mneme.v1.SetTaskStateResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "SetTaskState"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.SetTaskStateRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.SetTaskStateResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("SetTaskState"))
              .build();
        }
      }
    }
    return getSetTaskStateMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.GetTaskStateRequest,
      dev.mneme.v1.GetTaskStateResponse> getGetTaskStateMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetTaskState",
      requestType = dev.mneme.v1.GetTaskStateRequest.class,
      responseType = dev.mneme.v1.GetTaskStateResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.GetTaskStateRequest,
      dev.mneme.v1.GetTaskStateResponse> getGetTaskStateMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.GetTaskStateRequest, dev.mneme.v1.GetTaskStateResponse> getGetTaskStateMethod;
    if ((getGetTaskStateMethod = WorkingMemoryServiceGrpc.getGetTaskStateMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getGetTaskStateMethod = WorkingMemoryServiceGrpc.getGetTaskStateMethod) == null) {
          WorkingMemoryServiceGrpc.getGetTaskStateMethod = getGetTaskStateMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.GetTaskStateRequest, dev.mneme.v1.GetTaskStateResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetTaskState"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetTaskStateRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetTaskStateResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("GetTaskState"))
              .build();
        }
      }
    }
    return getGetTaskStateMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.UpdateTaskProgressRequest,
      dev.mneme.v1.UpdateTaskProgressResponse> getUpdateTaskProgressMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "UpdateTaskProgress",
      requestType = dev.mneme.v1.UpdateTaskProgressRequest.class,
      responseType = dev.mneme.v1.UpdateTaskProgressResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.UpdateTaskProgressRequest,
      dev.mneme.v1.UpdateTaskProgressResponse> getUpdateTaskProgressMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.UpdateTaskProgressRequest, dev.mneme.v1.UpdateTaskProgressResponse> getUpdateTaskProgressMethod;
    if ((getUpdateTaskProgressMethod = WorkingMemoryServiceGrpc.getUpdateTaskProgressMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getUpdateTaskProgressMethod = WorkingMemoryServiceGrpc.getUpdateTaskProgressMethod) == null) {
          WorkingMemoryServiceGrpc.getUpdateTaskProgressMethod = getUpdateTaskProgressMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.UpdateTaskProgressRequest, dev.mneme.v1.UpdateTaskProgressResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "UpdateTaskProgress"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.UpdateTaskProgressRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.UpdateTaskProgressResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("UpdateTaskProgress"))
              .build();
        }
      }
    }
    return getUpdateTaskProgressMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.AppendScratchpadRequest,
      dev.mneme.v1.AppendScratchpadResponse> getAppendScratchpadMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "AppendScratchpad",
      requestType = dev.mneme.v1.AppendScratchpadRequest.class,
      responseType = dev.mneme.v1.AppendScratchpadResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.AppendScratchpadRequest,
      dev.mneme.v1.AppendScratchpadResponse> getAppendScratchpadMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.AppendScratchpadRequest, dev.mneme.v1.AppendScratchpadResponse> getAppendScratchpadMethod;
    if ((getAppendScratchpadMethod = WorkingMemoryServiceGrpc.getAppendScratchpadMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getAppendScratchpadMethod = WorkingMemoryServiceGrpc.getAppendScratchpadMethod) == null) {
          WorkingMemoryServiceGrpc.getAppendScratchpadMethod = getAppendScratchpadMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.AppendScratchpadRequest, dev.mneme.v1.AppendScratchpadResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "AppendScratchpad"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.AppendScratchpadRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.AppendScratchpadResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("AppendScratchpad"))
              .build();
        }
      }
    }
    return getAppendScratchpadMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ListScratchpadRequest,
      dev.mneme.v1.ListScratchpadResponse> getListScratchpadMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListScratchpad",
      requestType = dev.mneme.v1.ListScratchpadRequest.class,
      responseType = dev.mneme.v1.ListScratchpadResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ListScratchpadRequest,
      dev.mneme.v1.ListScratchpadResponse> getListScratchpadMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ListScratchpadRequest, dev.mneme.v1.ListScratchpadResponse> getListScratchpadMethod;
    if ((getListScratchpadMethod = WorkingMemoryServiceGrpc.getListScratchpadMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getListScratchpadMethod = WorkingMemoryServiceGrpc.getListScratchpadMethod) == null) {
          WorkingMemoryServiceGrpc.getListScratchpadMethod = getListScratchpadMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ListScratchpadRequest, dev.mneme.v1.ListScratchpadResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListScratchpad"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListScratchpadRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListScratchpadResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("ListScratchpad"))
              .build();
        }
      }
    }
    return getListScratchpadMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ClearScratchpadRequest,
      dev.mneme.v1.ClearScratchpadResponse> getClearScratchpadMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ClearScratchpad",
      requestType = dev.mneme.v1.ClearScratchpadRequest.class,
      responseType = dev.mneme.v1.ClearScratchpadResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ClearScratchpadRequest,
      dev.mneme.v1.ClearScratchpadResponse> getClearScratchpadMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ClearScratchpadRequest, dev.mneme.v1.ClearScratchpadResponse> getClearScratchpadMethod;
    if ((getClearScratchpadMethod = WorkingMemoryServiceGrpc.getClearScratchpadMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getClearScratchpadMethod = WorkingMemoryServiceGrpc.getClearScratchpadMethod) == null) {
          WorkingMemoryServiceGrpc.getClearScratchpadMethod = getClearScratchpadMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ClearScratchpadRequest, dev.mneme.v1.ClearScratchpadResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ClearScratchpad"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ClearScratchpadRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ClearScratchpadResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("ClearScratchpad"))
              .build();
        }
      }
    }
    return getClearScratchpadMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.CreateCheckpointRequest,
      dev.mneme.v1.CreateCheckpointResponse> getCreateCheckpointMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CreateCheckpoint",
      requestType = dev.mneme.v1.CreateCheckpointRequest.class,
      responseType = dev.mneme.v1.CreateCheckpointResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.CreateCheckpointRequest,
      dev.mneme.v1.CreateCheckpointResponse> getCreateCheckpointMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.CreateCheckpointRequest, dev.mneme.v1.CreateCheckpointResponse> getCreateCheckpointMethod;
    if ((getCreateCheckpointMethod = WorkingMemoryServiceGrpc.getCreateCheckpointMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getCreateCheckpointMethod = WorkingMemoryServiceGrpc.getCreateCheckpointMethod) == null) {
          WorkingMemoryServiceGrpc.getCreateCheckpointMethod = getCreateCheckpointMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.CreateCheckpointRequest, dev.mneme.v1.CreateCheckpointResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CreateCheckpoint"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.CreateCheckpointRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.CreateCheckpointResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("CreateCheckpoint"))
              .build();
        }
      }
    }
    return getCreateCheckpointMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.RestoreCheckpointRequest,
      dev.mneme.v1.RestoreCheckpointResponse> getRestoreCheckpointMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "RestoreCheckpoint",
      requestType = dev.mneme.v1.RestoreCheckpointRequest.class,
      responseType = dev.mneme.v1.RestoreCheckpointResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.RestoreCheckpointRequest,
      dev.mneme.v1.RestoreCheckpointResponse> getRestoreCheckpointMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.RestoreCheckpointRequest, dev.mneme.v1.RestoreCheckpointResponse> getRestoreCheckpointMethod;
    if ((getRestoreCheckpointMethod = WorkingMemoryServiceGrpc.getRestoreCheckpointMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getRestoreCheckpointMethod = WorkingMemoryServiceGrpc.getRestoreCheckpointMethod) == null) {
          WorkingMemoryServiceGrpc.getRestoreCheckpointMethod = getRestoreCheckpointMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.RestoreCheckpointRequest, dev.mneme.v1.RestoreCheckpointResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "RestoreCheckpoint"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.RestoreCheckpointRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.RestoreCheckpointResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("RestoreCheckpoint"))
              .build();
        }
      }
    }
    return getRestoreCheckpointMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ListCheckpointsRequest,
      dev.mneme.v1.ListCheckpointsResponse> getListCheckpointsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListCheckpoints",
      requestType = dev.mneme.v1.ListCheckpointsRequest.class,
      responseType = dev.mneme.v1.ListCheckpointsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ListCheckpointsRequest,
      dev.mneme.v1.ListCheckpointsResponse> getListCheckpointsMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ListCheckpointsRequest, dev.mneme.v1.ListCheckpointsResponse> getListCheckpointsMethod;
    if ((getListCheckpointsMethod = WorkingMemoryServiceGrpc.getListCheckpointsMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getListCheckpointsMethod = WorkingMemoryServiceGrpc.getListCheckpointsMethod) == null) {
          WorkingMemoryServiceGrpc.getListCheckpointsMethod = getListCheckpointsMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ListCheckpointsRequest, dev.mneme.v1.ListCheckpointsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListCheckpoints"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListCheckpointsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ListCheckpointsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("ListCheckpoints"))
              .build();
        }
      }
    }
    return getListCheckpointsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.GetCheckpointRequest,
      dev.mneme.v1.GetCheckpointResponse> getGetCheckpointMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetCheckpoint",
      requestType = dev.mneme.v1.GetCheckpointRequest.class,
      responseType = dev.mneme.v1.GetCheckpointResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.GetCheckpointRequest,
      dev.mneme.v1.GetCheckpointResponse> getGetCheckpointMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.GetCheckpointRequest, dev.mneme.v1.GetCheckpointResponse> getGetCheckpointMethod;
    if ((getGetCheckpointMethod = WorkingMemoryServiceGrpc.getGetCheckpointMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getGetCheckpointMethod = WorkingMemoryServiceGrpc.getGetCheckpointMethod) == null) {
          WorkingMemoryServiceGrpc.getGetCheckpointMethod = getGetCheckpointMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.GetCheckpointRequest, dev.mneme.v1.GetCheckpointResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetCheckpoint"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetCheckpointRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetCheckpointResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("GetCheckpoint"))
              .build();
        }
      }
    }
    return getGetCheckpointMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.KeepCheckpointRequest,
      dev.mneme.v1.KeepCheckpointResponse> getKeepCheckpointMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "KeepCheckpoint",
      requestType = dev.mneme.v1.KeepCheckpointRequest.class,
      responseType = dev.mneme.v1.KeepCheckpointResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.KeepCheckpointRequest,
      dev.mneme.v1.KeepCheckpointResponse> getKeepCheckpointMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.KeepCheckpointRequest, dev.mneme.v1.KeepCheckpointResponse> getKeepCheckpointMethod;
    if ((getKeepCheckpointMethod = WorkingMemoryServiceGrpc.getKeepCheckpointMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getKeepCheckpointMethod = WorkingMemoryServiceGrpc.getKeepCheckpointMethod) == null) {
          WorkingMemoryServiceGrpc.getKeepCheckpointMethod = getKeepCheckpointMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.KeepCheckpointRequest, dev.mneme.v1.KeepCheckpointResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "KeepCheckpoint"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.KeepCheckpointRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.KeepCheckpointResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("KeepCheckpoint"))
              .build();
        }
      }
    }
    return getKeepCheckpointMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.DeleteCheckpointRequest,
      dev.mneme.v1.DeleteCheckpointResponse> getDeleteCheckpointMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "DeleteCheckpoint",
      requestType = dev.mneme.v1.DeleteCheckpointRequest.class,
      responseType = dev.mneme.v1.DeleteCheckpointResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.DeleteCheckpointRequest,
      dev.mneme.v1.DeleteCheckpointResponse> getDeleteCheckpointMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.DeleteCheckpointRequest, dev.mneme.v1.DeleteCheckpointResponse> getDeleteCheckpointMethod;
    if ((getDeleteCheckpointMethod = WorkingMemoryServiceGrpc.getDeleteCheckpointMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getDeleteCheckpointMethod = WorkingMemoryServiceGrpc.getDeleteCheckpointMethod) == null) {
          WorkingMemoryServiceGrpc.getDeleteCheckpointMethod = getDeleteCheckpointMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.DeleteCheckpointRequest, dev.mneme.v1.DeleteCheckpointResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "DeleteCheckpoint"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.DeleteCheckpointRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.DeleteCheckpointResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("DeleteCheckpoint"))
              .build();
        }
      }
    }
    return getDeleteCheckpointMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.ForkCheckpointRequest,
      dev.mneme.v1.ForkCheckpointResponse> getForkCheckpointMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ForkCheckpoint",
      requestType = dev.mneme.v1.ForkCheckpointRequest.class,
      responseType = dev.mneme.v1.ForkCheckpointResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.ForkCheckpointRequest,
      dev.mneme.v1.ForkCheckpointResponse> getForkCheckpointMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.ForkCheckpointRequest, dev.mneme.v1.ForkCheckpointResponse> getForkCheckpointMethod;
    if ((getForkCheckpointMethod = WorkingMemoryServiceGrpc.getForkCheckpointMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getForkCheckpointMethod = WorkingMemoryServiceGrpc.getForkCheckpointMethod) == null) {
          WorkingMemoryServiceGrpc.getForkCheckpointMethod = getForkCheckpointMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.ForkCheckpointRequest, dev.mneme.v1.ForkCheckpointResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ForkCheckpoint"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ForkCheckpointRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.ForkCheckpointResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("ForkCheckpoint"))
              .build();
        }
      }
    }
    return getForkCheckpointMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.DiffCheckpointsRequest,
      dev.mneme.v1.DiffCheckpointsResponse> getDiffCheckpointsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "DiffCheckpoints",
      requestType = dev.mneme.v1.DiffCheckpointsRequest.class,
      responseType = dev.mneme.v1.DiffCheckpointsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.DiffCheckpointsRequest,
      dev.mneme.v1.DiffCheckpointsResponse> getDiffCheckpointsMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.DiffCheckpointsRequest, dev.mneme.v1.DiffCheckpointsResponse> getDiffCheckpointsMethod;
    if ((getDiffCheckpointsMethod = WorkingMemoryServiceGrpc.getDiffCheckpointsMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getDiffCheckpointsMethod = WorkingMemoryServiceGrpc.getDiffCheckpointsMethod) == null) {
          WorkingMemoryServiceGrpc.getDiffCheckpointsMethod = getDiffCheckpointsMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.DiffCheckpointsRequest, dev.mneme.v1.DiffCheckpointsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "DiffCheckpoints"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.DiffCheckpointsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.DiffCheckpointsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("DiffCheckpoints"))
              .build();
        }
      }
    }
    return getDiffCheckpointsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.GetWorkingMemoryStatisticsRequest,
      dev.mneme.v1.GetWorkingMemoryStatisticsResponse> getGetWorkingMemoryStatisticsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetWorkingMemoryStatistics",
      requestType = dev.mneme.v1.GetWorkingMemoryStatisticsRequest.class,
      responseType = dev.mneme.v1.GetWorkingMemoryStatisticsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.GetWorkingMemoryStatisticsRequest,
      dev.mneme.v1.GetWorkingMemoryStatisticsResponse> getGetWorkingMemoryStatisticsMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.GetWorkingMemoryStatisticsRequest, dev.mneme.v1.GetWorkingMemoryStatisticsResponse> getGetWorkingMemoryStatisticsMethod;
    if ((getGetWorkingMemoryStatisticsMethod = WorkingMemoryServiceGrpc.getGetWorkingMemoryStatisticsMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getGetWorkingMemoryStatisticsMethod = WorkingMemoryServiceGrpc.getGetWorkingMemoryStatisticsMethod) == null) {
          WorkingMemoryServiceGrpc.getGetWorkingMemoryStatisticsMethod = getGetWorkingMemoryStatisticsMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.GetWorkingMemoryStatisticsRequest, dev.mneme.v1.GetWorkingMemoryStatisticsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetWorkingMemoryStatistics"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetWorkingMemoryStatisticsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.GetWorkingMemoryStatisticsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("GetWorkingMemoryStatistics"))
              .build();
        }
      }
    }
    return getGetWorkingMemoryStatisticsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<dev.mneme.v1.WatchSessionRequest,
      dev.mneme.v1.WatchSessionResponse> getWatchSessionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "WatchSession",
      requestType = dev.mneme.v1.WatchSessionRequest.class,
      responseType = dev.mneme.v1.WatchSessionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<dev.mneme.v1.WatchSessionRequest,
      dev.mneme.v1.WatchSessionResponse> getWatchSessionMethod() {
    io.grpc.MethodDescriptor<dev.mneme.v1.WatchSessionRequest, dev.mneme.v1.WatchSessionResponse> getWatchSessionMethod;
    if ((getWatchSessionMethod = WorkingMemoryServiceGrpc.getWatchSessionMethod) == null) {
      synchronized (WorkingMemoryServiceGrpc.class) {
        if ((getWatchSessionMethod = WorkingMemoryServiceGrpc.getWatchSessionMethod) == null) {
          WorkingMemoryServiceGrpc.getWatchSessionMethod = getWatchSessionMethod =
              io.grpc.MethodDescriptor.<dev.mneme.v1.WatchSessionRequest, dev.mneme.v1.WatchSessionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "WatchSession"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.WatchSessionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  dev.mneme.v1.WatchSessionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new WorkingMemoryServiceMethodDescriptorSupplier("WatchSession"))
              .build();
        }
      }
    }
    return getWatchSessionMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static WorkingMemoryServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<WorkingMemoryServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<WorkingMemoryServiceStub>() {
        @java.lang.Override
        public WorkingMemoryServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new WorkingMemoryServiceStub(channel, callOptions);
        }
      };
    return WorkingMemoryServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static WorkingMemoryServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<WorkingMemoryServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<WorkingMemoryServiceBlockingV2Stub>() {
        @java.lang.Override
        public WorkingMemoryServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new WorkingMemoryServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return WorkingMemoryServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static WorkingMemoryServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<WorkingMemoryServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<WorkingMemoryServiceBlockingStub>() {
        @java.lang.Override
        public WorkingMemoryServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new WorkingMemoryServiceBlockingStub(channel, callOptions);
        }
      };
    return WorkingMemoryServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static WorkingMemoryServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<WorkingMemoryServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<WorkingMemoryServiceFutureStub>() {
        @java.lang.Override
        public WorkingMemoryServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new WorkingMemoryServiceFutureStub(channel, callOptions);
        }
      };
    return WorkingMemoryServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Stores the working memory of sessions: values by key, one task state, a scratchpad of notes, and checkpoints.
   * A session is named `namespaces/{namespace}/sessions/{session}`. The session id is everything after `sessions/`: 1 to
   * 128 bytes of UTF-8 without control characters. The first write to a session creates it, and so does
   * `LifecycleService.SpawnSession`; reading a session that does not exist returns the same as an empty session. Keys are
   * 1 to 1,024 bytes of UTF-8 without control characters. No key is reserved: task state, scratchpad and checkpoints are
   * stored separately from keys.
   * Every mutation takes effect completely or not at all, and gives the session its next revision: a number that starts
   * at 1 and is counted per session, independent of the change log of memories. `request_id` works as in MemoryService. A
   * mutation fails with FAILED_PRECONDITION (SESSION_NOT_ACTIVE) while a pause has frozen the session and after the
   * session has ended, and with RESOURCE_EXHAUSTED (SESSION_FULL) when the session would exceed a limit of the server's
   * settings. By default a session holds at most 10,000 keys, 64 MiB of keys and values, 100,000 notes, 64 MiB of notes,
   * 1,000 checkpoints and 256 MiB of checkpoints; of notes, the oldest are dropped instead of failing the write. All
   * times are those of the server's clock: a key expires when that clock reaches the key's `expire_time`. The order of
   * writes does not depend on the clock.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL, PERMISSION_DENIED (SCOPE_PRIVATE) for writes that
   * would create a hidden session, DATA_LOSS (SESSION_LOST) when Redis has lost sessions and this session is missing. Of every mutation
   * also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL, SESSION_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED,
   * SESSION_NOT_ACTIVE), NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Sets one value and returns when it is durable. Creates the key, or replaces its value.
     * Errors: ABORTED (VERSION_MISMATCH).
     * Example:
     *     {
     *       "session": "namespaces/example/sessions/run-1",
     *       "key": "plan",
     *       "value": {"json": "{&#92;"step&#92;": 3}"},
     *       "expiry": {"ttl": "3600s"}
     *     }
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    default void setValue(dev.mneme.v1.SetValueRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.SetValueResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSetValueMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads one value. The answer has no `entry` when the key does not exist or has expired; it has one when the value is
     * JSON `null` or has no bytes.
     * Example:
     *     {
     *       "session": "namespaces/example/sessions/run-1",
     *       "key": "plan"
     *     }
     * </pre>
     */
    default void getValue(dev.mneme.v1.GetValueRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetValueResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetValueMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads up to 1,000 values as of one moment. Keys that do not exist are listed in `missing`.
     * </pre>
     */
    default void batchGetValues(dev.mneme.v1.BatchGetValuesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.BatchGetValuesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getBatchGetValuesMethod(), responseObserver);
    }

    /**
     * <pre>
     * Deletes one key and returns when the deletion is durable. A key that does not exist is not an error: the answer has
     * `deleted` false.
     * Errors: ABORTED (VERSION_MISMATCH).
     * </pre>
     */
    default void deleteValue(dev.mneme.v1.DeleteValueRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.DeleteValueResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getDeleteValueMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reports whether a key exists, without reading its value.
     * </pre>
     */
    default void hasValue(dev.mneme.v1.HasValueRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.HasValueResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getHasValueMethod(), responseObserver);
    }

    /**
     * <pre>
     * Lists keys without their values, ordered by code point, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    default void listKeys(dev.mneme.v1.ListKeysRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListKeysResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListKeysMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads all keys with their values, ordered by code point, page by page. Reads the session, or one of its checkpoints
     * when `checkpoint_id` is set.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID), NOT_FOUND (CHECKPOINT_NOT_FOUND).
     * </pre>
     */
    default void getAllValues(dev.mneme.v1.GetAllValuesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetAllValuesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetAllValuesMethod(), responseObserver);
    }

    /**
     * <pre>
     * Deletes the session's keys and, on request, its task state and notes, in one write. Checkpoints are kept.
     * </pre>
     */
    default void clearWorkingMemory(dev.mneme.v1.ClearWorkingMemoryRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ClearWorkingMemoryResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getClearWorkingMemoryMethod(), responseObserver);
    }

    /**
     * <pre>
     * Applies up to 1,000 operations on keys: all of them or none. Each key may occur once.
     * Errors: ABORTED (VERSION_MISMATCH).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    default void transactValues(dev.mneme.v1.TransactValuesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.TransactValuesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getTransactValuesMethod(), responseObserver);
    }

    /**
     * <pre>
     * Sets the task state, replacing any existing one.
     * Errors: ABORTED (VERSION_MISMATCH).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    default void setTaskState(dev.mneme.v1.SetTaskStateRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.SetTaskStateResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSetTaskStateMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads the task state. The answer has no `task` when the session has none.
     * </pre>
     */
    default void getTaskState(dev.mneme.v1.GetTaskStateRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetTaskStateResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetTaskStateMethod(), responseObserver);
    }

    /**
     * <pre>
     * Changes the fields of the task state that the request sets and keeps the others. Concurrent updates of different
     * fields all take effect.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND, TASK_NOT_FOUND), ABORTED (VERSION_MISMATCH).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    default void updateTaskProgress(dev.mneme.v1.UpdateTaskProgressRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.UpdateTaskProgressResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getUpdateTaskProgressMethod(), responseObserver);
    }

    /**
     * <pre>
     * Appends notes to the scratchpad. The cost does not grow with the number of notes in the scratchpad. When the
     * scratchpad exceeds its limit of notes or bytes, the oldest notes are dropped and counted.
     * </pre>
     */
    default void appendScratchpad(dev.mneme.v1.AppendScratchpadRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.AppendScratchpadResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getAppendScratchpadMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads notes page by page, oldest or newest first.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    default void listScratchpad(dev.mneme.v1.ListScratchpadRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListScratchpadResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListScratchpadMethod(), responseObserver);
    }

    /**
     * <pre>
     * Deletes all notes. Sequence numbers continue: they do not restart at 1.
     * </pre>
     */
    default void clearScratchpad(dev.mneme.v1.ClearScratchpadRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ClearScratchpadResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getClearScratchpadMethod(), responseObserver);
    }

    /**
     * <pre>
     * Creates a checkpoint of what the session holds now: keys that have not expired with their expiry times, the task
     * state and the scratchpad. Other checkpoints are not part of it. Data that has not changed since the previous
     * checkpoint is stored once for both.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND), ALREADY_EXISTS (CHECKPOINT_EXISTS).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    default void createCheckpoint(dev.mneme.v1.CreateCheckpointRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.CreateCheckpointResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCreateCheckpointMethod(), responseObserver);
    }

    /**
     * <pre>
     * Restores the session to the contents of a checkpoint in one write. After a crash the session has either its
     * previous contents or the restored ones. Keys that have expired since the checkpoint are not restored. The session's
     * checkpoints are kept.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND, CHECKPOINT_NOT_FOUND), DATA_LOSS (CHECKSUM_MISMATCH).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    default void restoreCheckpoint(dev.mneme.v1.RestoreCheckpointRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.RestoreCheckpointResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getRestoreCheckpointMethod(), responseObserver);
    }

    /**
     * <pre>
     * Lists checkpoints without their contents, newest first, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    default void listCheckpoints(dev.mneme.v1.ListCheckpointsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListCheckpointsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListCheckpointsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Reads one checkpoint without its contents; GetAllValues reads the contents.
     * Errors: NOT_FOUND (CHECKPOINT_NOT_FOUND).
     * </pre>
     */
    default void getCheckpoint(dev.mneme.v1.GetCheckpointRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetCheckpointResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetCheckpointMethod(), responseObserver);
    }

    /**
     * <pre>
     * Sets how long a checkpoint is kept.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND, CHECKPOINT_NOT_FOUND).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    default void keepCheckpoint(dev.mneme.v1.KeepCheckpointRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.KeepCheckpointResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getKeepCheckpointMethod(), responseObserver);
    }

    /**
     * <pre>
     * Deletes one checkpoint. Checkpoints that share data with it keep that data.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND, CHECKPOINT_NOT_FOUND).
     * </pre>
     */
    default void deleteCheckpoint(dev.mneme.v1.DeleteCheckpointRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.DeleteCheckpointResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getDeleteCheckpointMethod(), responseObserver);
    }

    /**
     * <pre>
     * Creates a new session with the contents of a checkpoint of another session.
     * Errors: NOT_FOUND (CHECKPOINT_NOT_FOUND), ALREADY_EXISTS (SESSION_EXISTS), DATA_LOSS (CHECKSUM_MISMATCH).
     * </pre>
     */
    default void forkCheckpoint(dev.mneme.v1.ForkCheckpointRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ForkCheckpointResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getForkCheckpointMethod(), responseObserver);
    }

    /**
     * <pre>
     * Compares a checkpoint with another checkpoint, or with the current contents of the session.
     * Errors: NOT_FOUND (CHECKPOINT_NOT_FOUND).
     * </pre>
     */
    default void diffCheckpoints(dev.mneme.v1.DiffCheckpointsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.DiffCheckpointsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getDiffCheckpointsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Returns the number and size of what the session holds, as of one moment, from maintained counters.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND).
     * </pre>
     */
    default void getWorkingMemoryStatistics(dev.mneme.v1.GetWorkingMemoryStatisticsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetWorkingMemoryStatisticsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetWorkingMemoryStatisticsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Streams the writes of a session as they happen: in order, each at least once. The first message is `created`;
     * `progress` follows whenever nothing else was sent for `heartbeat_interval`. The server waits for a slow reader. A
     * reader that needs revisions older than those the server keeps gets OUT_OF_RANGE (REVISION_COMPACTED); it then reads
     * everything with GetAllValues and continues from the revision of that answer. The server keeps the last 10,000
     * writes of a session (`max_session_changes`).
     * </pre>
     */
    default void watchSession(dev.mneme.v1.WatchSessionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.WatchSessionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getWatchSessionMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service WorkingMemoryService.
   * <pre>
   * Stores the working memory of sessions: values by key, one task state, a scratchpad of notes, and checkpoints.
   * A session is named `namespaces/{namespace}/sessions/{session}`. The session id is everything after `sessions/`: 1 to
   * 128 bytes of UTF-8 without control characters. The first write to a session creates it, and so does
   * `LifecycleService.SpawnSession`; reading a session that does not exist returns the same as an empty session. Keys are
   * 1 to 1,024 bytes of UTF-8 without control characters. No key is reserved: task state, scratchpad and checkpoints are
   * stored separately from keys.
   * Every mutation takes effect completely or not at all, and gives the session its next revision: a number that starts
   * at 1 and is counted per session, independent of the change log of memories. `request_id` works as in MemoryService. A
   * mutation fails with FAILED_PRECONDITION (SESSION_NOT_ACTIVE) while a pause has frozen the session and after the
   * session has ended, and with RESOURCE_EXHAUSTED (SESSION_FULL) when the session would exceed a limit of the server's
   * settings. By default a session holds at most 10,000 keys, 64 MiB of keys and values, 100,000 notes, 64 MiB of notes,
   * 1,000 checkpoints and 256 MiB of checkpoints; of notes, the oldest are dropped instead of failing the write. All
   * times are those of the server's clock: a key expires when that clock reaches the key's `expire_time`. The order of
   * writes does not depend on the clock.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL, PERMISSION_DENIED (SCOPE_PRIVATE) for writes that
   * would create a hidden session, DATA_LOSS (SESSION_LOST) when Redis has lost sessions and this session is missing. Of every mutation
   * also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL, SESSION_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED,
   * SESSION_NOT_ACTIVE), NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use.
   * </pre>
   */
  public static abstract class WorkingMemoryServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return WorkingMemoryServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service WorkingMemoryService.
   * <pre>
   * Stores the working memory of sessions: values by key, one task state, a scratchpad of notes, and checkpoints.
   * A session is named `namespaces/{namespace}/sessions/{session}`. The session id is everything after `sessions/`: 1 to
   * 128 bytes of UTF-8 without control characters. The first write to a session creates it, and so does
   * `LifecycleService.SpawnSession`; reading a session that does not exist returns the same as an empty session. Keys are
   * 1 to 1,024 bytes of UTF-8 without control characters. No key is reserved: task state, scratchpad and checkpoints are
   * stored separately from keys.
   * Every mutation takes effect completely or not at all, and gives the session its next revision: a number that starts
   * at 1 and is counted per session, independent of the change log of memories. `request_id` works as in MemoryService. A
   * mutation fails with FAILED_PRECONDITION (SESSION_NOT_ACTIVE) while a pause has frozen the session and after the
   * session has ended, and with RESOURCE_EXHAUSTED (SESSION_FULL) when the session would exceed a limit of the server's
   * settings. By default a session holds at most 10,000 keys, 64 MiB of keys and values, 100,000 notes, 64 MiB of notes,
   * 1,000 checkpoints and 256 MiB of checkpoints; of notes, the oldest are dropped instead of failing the write. All
   * times are those of the server's clock: a key expires when that clock reaches the key's `expire_time`. The order of
   * writes does not depend on the clock.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL, PERMISSION_DENIED (SCOPE_PRIVATE) for writes that
   * would create a hidden session, DATA_LOSS (SESSION_LOST) when Redis has lost sessions and this session is missing. Of every mutation
   * also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL, SESSION_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED,
   * SESSION_NOT_ACTIVE), NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use.
   * </pre>
   */
  public static final class WorkingMemoryServiceStub
      extends io.grpc.stub.AbstractAsyncStub<WorkingMemoryServiceStub> {
    private WorkingMemoryServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected WorkingMemoryServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new WorkingMemoryServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Sets one value and returns when it is durable. Creates the key, or replaces its value.
     * Errors: ABORTED (VERSION_MISMATCH).
     * Example:
     *     {
     *       "session": "namespaces/example/sessions/run-1",
     *       "key": "plan",
     *       "value": {"json": "{&#92;"step&#92;": 3}"},
     *       "expiry": {"ttl": "3600s"}
     *     }
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public void setValue(dev.mneme.v1.SetValueRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.SetValueResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getSetValueMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads one value. The answer has no `entry` when the key does not exist or has expired; it has one when the value is
     * JSON `null` or has no bytes.
     * Example:
     *     {
     *       "session": "namespaces/example/sessions/run-1",
     *       "key": "plan"
     *     }
     * </pre>
     */
    public void getValue(dev.mneme.v1.GetValueRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetValueResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetValueMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads up to 1,000 values as of one moment. Keys that do not exist are listed in `missing`.
     * </pre>
     */
    public void batchGetValues(dev.mneme.v1.BatchGetValuesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.BatchGetValuesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getBatchGetValuesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Deletes one key and returns when the deletion is durable. A key that does not exist is not an error: the answer has
     * `deleted` false.
     * Errors: ABORTED (VERSION_MISMATCH).
     * </pre>
     */
    public void deleteValue(dev.mneme.v1.DeleteValueRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.DeleteValueResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getDeleteValueMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reports whether a key exists, without reading its value.
     * </pre>
     */
    public void hasValue(dev.mneme.v1.HasValueRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.HasValueResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getHasValueMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Lists keys without their values, ordered by code point, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public void listKeys(dev.mneme.v1.ListKeysRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListKeysResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListKeysMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads all keys with their values, ordered by code point, page by page. Reads the session, or one of its checkpoints
     * when `checkpoint_id` is set.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID), NOT_FOUND (CHECKPOINT_NOT_FOUND).
     * </pre>
     */
    public void getAllValues(dev.mneme.v1.GetAllValuesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetAllValuesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetAllValuesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Deletes the session's keys and, on request, its task state and notes, in one write. Checkpoints are kept.
     * </pre>
     */
    public void clearWorkingMemory(dev.mneme.v1.ClearWorkingMemoryRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ClearWorkingMemoryResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getClearWorkingMemoryMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Applies up to 1,000 operations on keys: all of them or none. Each key may occur once.
     * Errors: ABORTED (VERSION_MISMATCH).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public void transactValues(dev.mneme.v1.TransactValuesRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.TransactValuesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getTransactValuesMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Sets the task state, replacing any existing one.
     * Errors: ABORTED (VERSION_MISMATCH).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public void setTaskState(dev.mneme.v1.SetTaskStateRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.SetTaskStateResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getSetTaskStateMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads the task state. The answer has no `task` when the session has none.
     * </pre>
     */
    public void getTaskState(dev.mneme.v1.GetTaskStateRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetTaskStateResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetTaskStateMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Changes the fields of the task state that the request sets and keeps the others. Concurrent updates of different
     * fields all take effect.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND, TASK_NOT_FOUND), ABORTED (VERSION_MISMATCH).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public void updateTaskProgress(dev.mneme.v1.UpdateTaskProgressRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.UpdateTaskProgressResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getUpdateTaskProgressMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Appends notes to the scratchpad. The cost does not grow with the number of notes in the scratchpad. When the
     * scratchpad exceeds its limit of notes or bytes, the oldest notes are dropped and counted.
     * </pre>
     */
    public void appendScratchpad(dev.mneme.v1.AppendScratchpadRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.AppendScratchpadResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getAppendScratchpadMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads notes page by page, oldest or newest first.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public void listScratchpad(dev.mneme.v1.ListScratchpadRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListScratchpadResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListScratchpadMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Deletes all notes. Sequence numbers continue: they do not restart at 1.
     * </pre>
     */
    public void clearScratchpad(dev.mneme.v1.ClearScratchpadRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ClearScratchpadResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getClearScratchpadMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Creates a checkpoint of what the session holds now: keys that have not expired with their expiry times, the task
     * state and the scratchpad. Other checkpoints are not part of it. Data that has not changed since the previous
     * checkpoint is stored once for both.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND), ALREADY_EXISTS (CHECKPOINT_EXISTS).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public void createCheckpoint(dev.mneme.v1.CreateCheckpointRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.CreateCheckpointResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCreateCheckpointMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Restores the session to the contents of a checkpoint in one write. After a crash the session has either its
     * previous contents or the restored ones. Keys that have expired since the checkpoint are not restored. The session's
     * checkpoints are kept.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND, CHECKPOINT_NOT_FOUND), DATA_LOSS (CHECKSUM_MISMATCH).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public void restoreCheckpoint(dev.mneme.v1.RestoreCheckpointRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.RestoreCheckpointResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getRestoreCheckpointMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Lists checkpoints without their contents, newest first, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public void listCheckpoints(dev.mneme.v1.ListCheckpointsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ListCheckpointsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListCheckpointsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Reads one checkpoint without its contents; GetAllValues reads the contents.
     * Errors: NOT_FOUND (CHECKPOINT_NOT_FOUND).
     * </pre>
     */
    public void getCheckpoint(dev.mneme.v1.GetCheckpointRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetCheckpointResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetCheckpointMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Sets how long a checkpoint is kept.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND, CHECKPOINT_NOT_FOUND).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public void keepCheckpoint(dev.mneme.v1.KeepCheckpointRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.KeepCheckpointResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getKeepCheckpointMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Deletes one checkpoint. Checkpoints that share data with it keep that data.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND, CHECKPOINT_NOT_FOUND).
     * </pre>
     */
    public void deleteCheckpoint(dev.mneme.v1.DeleteCheckpointRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.DeleteCheckpointResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getDeleteCheckpointMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Creates a new session with the contents of a checkpoint of another session.
     * Errors: NOT_FOUND (CHECKPOINT_NOT_FOUND), ALREADY_EXISTS (SESSION_EXISTS), DATA_LOSS (CHECKSUM_MISMATCH).
     * </pre>
     */
    public void forkCheckpoint(dev.mneme.v1.ForkCheckpointRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.ForkCheckpointResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getForkCheckpointMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Compares a checkpoint with another checkpoint, or with the current contents of the session.
     * Errors: NOT_FOUND (CHECKPOINT_NOT_FOUND).
     * </pre>
     */
    public void diffCheckpoints(dev.mneme.v1.DiffCheckpointsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.DiffCheckpointsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getDiffCheckpointsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Returns the number and size of what the session holds, as of one moment, from maintained counters.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND).
     * </pre>
     */
    public void getWorkingMemoryStatistics(dev.mneme.v1.GetWorkingMemoryStatisticsRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.GetWorkingMemoryStatisticsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetWorkingMemoryStatisticsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Streams the writes of a session as they happen: in order, each at least once. The first message is `created`;
     * `progress` follows whenever nothing else was sent for `heartbeat_interval`. The server waits for a slow reader. A
     * reader that needs revisions older than those the server keeps gets OUT_OF_RANGE (REVISION_COMPACTED); it then reads
     * everything with GetAllValues and continues from the revision of that answer. The server keeps the last 10,000
     * writes of a session (`max_session_changes`).
     * </pre>
     */
    public void watchSession(dev.mneme.v1.WatchSessionRequest request,
        io.grpc.stub.StreamObserver<dev.mneme.v1.WatchSessionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getWatchSessionMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service WorkingMemoryService.
   * <pre>
   * Stores the working memory of sessions: values by key, one task state, a scratchpad of notes, and checkpoints.
   * A session is named `namespaces/{namespace}/sessions/{session}`. The session id is everything after `sessions/`: 1 to
   * 128 bytes of UTF-8 without control characters. The first write to a session creates it, and so does
   * `LifecycleService.SpawnSession`; reading a session that does not exist returns the same as an empty session. Keys are
   * 1 to 1,024 bytes of UTF-8 without control characters. No key is reserved: task state, scratchpad and checkpoints are
   * stored separately from keys.
   * Every mutation takes effect completely or not at all, and gives the session its next revision: a number that starts
   * at 1 and is counted per session, independent of the change log of memories. `request_id` works as in MemoryService. A
   * mutation fails with FAILED_PRECONDITION (SESSION_NOT_ACTIVE) while a pause has frozen the session and after the
   * session has ended, and with RESOURCE_EXHAUSTED (SESSION_FULL) when the session would exceed a limit of the server's
   * settings. By default a session holds at most 10,000 keys, 64 MiB of keys and values, 100,000 notes, 64 MiB of notes,
   * 1,000 checkpoints and 256 MiB of checkpoints; of notes, the oldest are dropped instead of failing the write. All
   * times are those of the server's clock: a key expires when that clock reaches the key's `expire_time`. The order of
   * writes does not depend on the clock.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL, PERMISSION_DENIED (SCOPE_PRIVATE) for writes that
   * would create a hidden session, DATA_LOSS (SESSION_LOST) when Redis has lost sessions and this session is missing. Of every mutation
   * also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL, SESSION_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED,
   * SESSION_NOT_ACTIVE), NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use.
   * </pre>
   */
  public static final class WorkingMemoryServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<WorkingMemoryServiceBlockingV2Stub> {
    private WorkingMemoryServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected WorkingMemoryServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new WorkingMemoryServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Sets one value and returns when it is durable. Creates the key, or replaces its value.
     * Errors: ABORTED (VERSION_MISMATCH).
     * Example:
     *     {
     *       "session": "namespaces/example/sessions/run-1",
     *       "key": "plan",
     *       "value": {"json": "{&#92;"step&#92;": 3}"},
     *       "expiry": {"ttl": "3600s"}
     *     }
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.SetValueResponse setValue(dev.mneme.v1.SetValueRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getSetValueMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads one value. The answer has no `entry` when the key does not exist or has expired; it has one when the value is
     * JSON `null` or has no bytes.
     * Example:
     *     {
     *       "session": "namespaces/example/sessions/run-1",
     *       "key": "plan"
     *     }
     * </pre>
     */
    public dev.mneme.v1.GetValueResponse getValue(dev.mneme.v1.GetValueRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetValueMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads up to 1,000 values as of one moment. Keys that do not exist are listed in `missing`.
     * </pre>
     */
    public dev.mneme.v1.BatchGetValuesResponse batchGetValues(dev.mneme.v1.BatchGetValuesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getBatchGetValuesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes one key and returns when the deletion is durable. A key that does not exist is not an error: the answer has
     * `deleted` false.
     * Errors: ABORTED (VERSION_MISMATCH).
     * </pre>
     */
    public dev.mneme.v1.DeleteValueResponse deleteValue(dev.mneme.v1.DeleteValueRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getDeleteValueMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reports whether a key exists, without reading its value.
     * </pre>
     */
    public dev.mneme.v1.HasValueResponse hasValue(dev.mneme.v1.HasValueRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getHasValueMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists keys without their values, ordered by code point, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public dev.mneme.v1.ListKeysResponse listKeys(dev.mneme.v1.ListKeysRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListKeysMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads all keys with their values, ordered by code point, page by page. Reads the session, or one of its checkpoints
     * when `checkpoint_id` is set.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID), NOT_FOUND (CHECKPOINT_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.GetAllValuesResponse getAllValues(dev.mneme.v1.GetAllValuesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetAllValuesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes the session's keys and, on request, its task state and notes, in one write. Checkpoints are kept.
     * </pre>
     */
    public dev.mneme.v1.ClearWorkingMemoryResponse clearWorkingMemory(dev.mneme.v1.ClearWorkingMemoryRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getClearWorkingMemoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Applies up to 1,000 operations on keys: all of them or none. Each key may occur once.
     * Errors: ABORTED (VERSION_MISMATCH).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.TransactValuesResponse transactValues(dev.mneme.v1.TransactValuesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getTransactValuesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sets the task state, replacing any existing one.
     * Errors: ABORTED (VERSION_MISMATCH).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.SetTaskStateResponse setTaskState(dev.mneme.v1.SetTaskStateRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getSetTaskStateMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads the task state. The answer has no `task` when the session has none.
     * </pre>
     */
    public dev.mneme.v1.GetTaskStateResponse getTaskState(dev.mneme.v1.GetTaskStateRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetTaskStateMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Changes the fields of the task state that the request sets and keeps the others. Concurrent updates of different
     * fields all take effect.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND, TASK_NOT_FOUND), ABORTED (VERSION_MISMATCH).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.UpdateTaskProgressResponse updateTaskProgress(dev.mneme.v1.UpdateTaskProgressRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getUpdateTaskProgressMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Appends notes to the scratchpad. The cost does not grow with the number of notes in the scratchpad. When the
     * scratchpad exceeds its limit of notes or bytes, the oldest notes are dropped and counted.
     * </pre>
     */
    public dev.mneme.v1.AppendScratchpadResponse appendScratchpad(dev.mneme.v1.AppendScratchpadRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getAppendScratchpadMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads notes page by page, oldest or newest first.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public dev.mneme.v1.ListScratchpadResponse listScratchpad(dev.mneme.v1.ListScratchpadRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListScratchpadMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes all notes. Sequence numbers continue: they do not restart at 1.
     * </pre>
     */
    public dev.mneme.v1.ClearScratchpadResponse clearScratchpad(dev.mneme.v1.ClearScratchpadRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getClearScratchpadMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Creates a checkpoint of what the session holds now: keys that have not expired with their expiry times, the task
     * state and the scratchpad. Other checkpoints are not part of it. Data that has not changed since the previous
     * checkpoint is stored once for both.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND), ALREADY_EXISTS (CHECKPOINT_EXISTS).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.CreateCheckpointResponse createCheckpoint(dev.mneme.v1.CreateCheckpointRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCreateCheckpointMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Restores the session to the contents of a checkpoint in one write. After a crash the session has either its
     * previous contents or the restored ones. Keys that have expired since the checkpoint are not restored. The session's
     * checkpoints are kept.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND, CHECKPOINT_NOT_FOUND), DATA_LOSS (CHECKSUM_MISMATCH).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.RestoreCheckpointResponse restoreCheckpoint(dev.mneme.v1.RestoreCheckpointRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getRestoreCheckpointMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists checkpoints without their contents, newest first, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public dev.mneme.v1.ListCheckpointsResponse listCheckpoints(dev.mneme.v1.ListCheckpointsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListCheckpointsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads one checkpoint without its contents; GetAllValues reads the contents.
     * Errors: NOT_FOUND (CHECKPOINT_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.GetCheckpointResponse getCheckpoint(dev.mneme.v1.GetCheckpointRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetCheckpointMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sets how long a checkpoint is kept.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND, CHECKPOINT_NOT_FOUND).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.KeepCheckpointResponse keepCheckpoint(dev.mneme.v1.KeepCheckpointRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getKeepCheckpointMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes one checkpoint. Checkpoints that share data with it keep that data.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND, CHECKPOINT_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.DeleteCheckpointResponse deleteCheckpoint(dev.mneme.v1.DeleteCheckpointRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getDeleteCheckpointMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Creates a new session with the contents of a checkpoint of another session.
     * Errors: NOT_FOUND (CHECKPOINT_NOT_FOUND), ALREADY_EXISTS (SESSION_EXISTS), DATA_LOSS (CHECKSUM_MISMATCH).
     * </pre>
     */
    public dev.mneme.v1.ForkCheckpointResponse forkCheckpoint(dev.mneme.v1.ForkCheckpointRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getForkCheckpointMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Compares a checkpoint with another checkpoint, or with the current contents of the session.
     * Errors: NOT_FOUND (CHECKPOINT_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.DiffCheckpointsResponse diffCheckpoints(dev.mneme.v1.DiffCheckpointsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getDiffCheckpointsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the number and size of what the session holds, as of one moment, from maintained counters.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.GetWorkingMemoryStatisticsResponse getWorkingMemoryStatistics(dev.mneme.v1.GetWorkingMemoryStatisticsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetWorkingMemoryStatisticsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Streams the writes of a session as they happen: in order, each at least once. The first message is `created`;
     * `progress` follows whenever nothing else was sent for `heartbeat_interval`. The server waits for a slow reader. A
     * reader that needs revisions older than those the server keeps gets OUT_OF_RANGE (REVISION_COMPACTED); it then reads
     * everything with GetAllValues and continues from the revision of that answer. The server keeps the last 10,000
     * writes of a session (`max_session_changes`).
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, dev.mneme.v1.WatchSessionResponse>
        watchSession(dev.mneme.v1.WatchSessionRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getWatchSessionMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service WorkingMemoryService.
   * <pre>
   * Stores the working memory of sessions: values by key, one task state, a scratchpad of notes, and checkpoints.
   * A session is named `namespaces/{namespace}/sessions/{session}`. The session id is everything after `sessions/`: 1 to
   * 128 bytes of UTF-8 without control characters. The first write to a session creates it, and so does
   * `LifecycleService.SpawnSession`; reading a session that does not exist returns the same as an empty session. Keys are
   * 1 to 1,024 bytes of UTF-8 without control characters. No key is reserved: task state, scratchpad and checkpoints are
   * stored separately from keys.
   * Every mutation takes effect completely or not at all, and gives the session its next revision: a number that starts
   * at 1 and is counted per session, independent of the change log of memories. `request_id` works as in MemoryService. A
   * mutation fails with FAILED_PRECONDITION (SESSION_NOT_ACTIVE) while a pause has frozen the session and after the
   * session has ended, and with RESOURCE_EXHAUSTED (SESSION_FULL) when the session would exceed a limit of the server's
   * settings. By default a session holds at most 10,000 keys, 64 MiB of keys and values, 100,000 notes, 64 MiB of notes,
   * 1,000 checkpoints and 256 MiB of checkpoints; of notes, the oldest are dropped instead of failing the write. All
   * times are those of the server's clock: a key expires when that clock reaches the key's `expire_time`. The order of
   * writes does not depend on the clock.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL, PERMISSION_DENIED (SCOPE_PRIVATE) for writes that
   * would create a hidden session, DATA_LOSS (SESSION_LOST) when Redis has lost sessions and this session is missing. Of every mutation
   * also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL, SESSION_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED,
   * SESSION_NOT_ACTIVE), NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use.
   * </pre>
   */
  public static final class WorkingMemoryServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<WorkingMemoryServiceBlockingStub> {
    private WorkingMemoryServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected WorkingMemoryServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new WorkingMemoryServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Sets one value and returns when it is durable. Creates the key, or replaces its value.
     * Errors: ABORTED (VERSION_MISMATCH).
     * Example:
     *     {
     *       "session": "namespaces/example/sessions/run-1",
     *       "key": "plan",
     *       "value": {"json": "{&#92;"step&#92;": 3}"},
     *       "expiry": {"ttl": "3600s"}
     *     }
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.SetValueResponse setValue(dev.mneme.v1.SetValueRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getSetValueMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads one value. The answer has no `entry` when the key does not exist or has expired; it has one when the value is
     * JSON `null` or has no bytes.
     * Example:
     *     {
     *       "session": "namespaces/example/sessions/run-1",
     *       "key": "plan"
     *     }
     * </pre>
     */
    public dev.mneme.v1.GetValueResponse getValue(dev.mneme.v1.GetValueRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetValueMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads up to 1,000 values as of one moment. Keys that do not exist are listed in `missing`.
     * </pre>
     */
    public dev.mneme.v1.BatchGetValuesResponse batchGetValues(dev.mneme.v1.BatchGetValuesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getBatchGetValuesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes one key and returns when the deletion is durable. A key that does not exist is not an error: the answer has
     * `deleted` false.
     * Errors: ABORTED (VERSION_MISMATCH).
     * </pre>
     */
    public dev.mneme.v1.DeleteValueResponse deleteValue(dev.mneme.v1.DeleteValueRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getDeleteValueMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reports whether a key exists, without reading its value.
     * </pre>
     */
    public dev.mneme.v1.HasValueResponse hasValue(dev.mneme.v1.HasValueRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getHasValueMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists keys without their values, ordered by code point, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public dev.mneme.v1.ListKeysResponse listKeys(dev.mneme.v1.ListKeysRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListKeysMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads all keys with their values, ordered by code point, page by page. Reads the session, or one of its checkpoints
     * when `checkpoint_id` is set.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID), NOT_FOUND (CHECKPOINT_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.GetAllValuesResponse getAllValues(dev.mneme.v1.GetAllValuesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetAllValuesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes the session's keys and, on request, its task state and notes, in one write. Checkpoints are kept.
     * </pre>
     */
    public dev.mneme.v1.ClearWorkingMemoryResponse clearWorkingMemory(dev.mneme.v1.ClearWorkingMemoryRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getClearWorkingMemoryMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Applies up to 1,000 operations on keys: all of them or none. Each key may occur once.
     * Errors: ABORTED (VERSION_MISMATCH).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.TransactValuesResponse transactValues(dev.mneme.v1.TransactValuesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getTransactValuesMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sets the task state, replacing any existing one.
     * Errors: ABORTED (VERSION_MISMATCH).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.SetTaskStateResponse setTaskState(dev.mneme.v1.SetTaskStateRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getSetTaskStateMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads the task state. The answer has no `task` when the session has none.
     * </pre>
     */
    public dev.mneme.v1.GetTaskStateResponse getTaskState(dev.mneme.v1.GetTaskStateRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetTaskStateMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Changes the fields of the task state that the request sets and keeps the others. Concurrent updates of different
     * fields all take effect.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND, TASK_NOT_FOUND), ABORTED (VERSION_MISMATCH).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.UpdateTaskProgressResponse updateTaskProgress(dev.mneme.v1.UpdateTaskProgressRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getUpdateTaskProgressMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Appends notes to the scratchpad. The cost does not grow with the number of notes in the scratchpad. When the
     * scratchpad exceeds its limit of notes or bytes, the oldest notes are dropped and counted.
     * </pre>
     */
    public dev.mneme.v1.AppendScratchpadResponse appendScratchpad(dev.mneme.v1.AppendScratchpadRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getAppendScratchpadMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads notes page by page, oldest or newest first.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public dev.mneme.v1.ListScratchpadResponse listScratchpad(dev.mneme.v1.ListScratchpadRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListScratchpadMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes all notes. Sequence numbers continue: they do not restart at 1.
     * </pre>
     */
    public dev.mneme.v1.ClearScratchpadResponse clearScratchpad(dev.mneme.v1.ClearScratchpadRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getClearScratchpadMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Creates a checkpoint of what the session holds now: keys that have not expired with their expiry times, the task
     * state and the scratchpad. Other checkpoints are not part of it. Data that has not changed since the previous
     * checkpoint is stored once for both.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND), ALREADY_EXISTS (CHECKPOINT_EXISTS).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.CreateCheckpointResponse createCheckpoint(dev.mneme.v1.CreateCheckpointRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCreateCheckpointMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Restores the session to the contents of a checkpoint in one write. After a crash the session has either its
     * previous contents or the restored ones. Keys that have expired since the checkpoint are not restored. The session's
     * checkpoints are kept.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND, CHECKPOINT_NOT_FOUND), DATA_LOSS (CHECKSUM_MISMATCH).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.RestoreCheckpointResponse restoreCheckpoint(dev.mneme.v1.RestoreCheckpointRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getRestoreCheckpointMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lists checkpoints without their contents, newest first, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public dev.mneme.v1.ListCheckpointsResponse listCheckpoints(dev.mneme.v1.ListCheckpointsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListCheckpointsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Reads one checkpoint without its contents; GetAllValues reads the contents.
     * Errors: NOT_FOUND (CHECKPOINT_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.GetCheckpointResponse getCheckpoint(dev.mneme.v1.GetCheckpointRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetCheckpointMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sets how long a checkpoint is kept.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND, CHECKPOINT_NOT_FOUND).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public dev.mneme.v1.KeepCheckpointResponse keepCheckpoint(dev.mneme.v1.KeepCheckpointRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getKeepCheckpointMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes one checkpoint. Checkpoints that share data with it keep that data.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND, CHECKPOINT_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.DeleteCheckpointResponse deleteCheckpoint(dev.mneme.v1.DeleteCheckpointRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getDeleteCheckpointMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Creates a new session with the contents of a checkpoint of another session.
     * Errors: NOT_FOUND (CHECKPOINT_NOT_FOUND), ALREADY_EXISTS (SESSION_EXISTS), DATA_LOSS (CHECKSUM_MISMATCH).
     * </pre>
     */
    public dev.mneme.v1.ForkCheckpointResponse forkCheckpoint(dev.mneme.v1.ForkCheckpointRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getForkCheckpointMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Compares a checkpoint with another checkpoint, or with the current contents of the session.
     * Errors: NOT_FOUND (CHECKPOINT_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.DiffCheckpointsResponse diffCheckpoints(dev.mneme.v1.DiffCheckpointsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getDiffCheckpointsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the number and size of what the session holds, as of one moment, from maintained counters.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND).
     * </pre>
     */
    public dev.mneme.v1.GetWorkingMemoryStatisticsResponse getWorkingMemoryStatistics(dev.mneme.v1.GetWorkingMemoryStatisticsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetWorkingMemoryStatisticsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Streams the writes of a session as they happen: in order, each at least once. The first message is `created`;
     * `progress` follows whenever nothing else was sent for `heartbeat_interval`. The server waits for a slow reader. A
     * reader that needs revisions older than those the server keeps gets OUT_OF_RANGE (REVISION_COMPACTED); it then reads
     * everything with GetAllValues and continues from the revision of that answer. The server keeps the last 10,000
     * writes of a session (`max_session_changes`).
     * </pre>
     */
    public java.util.Iterator<dev.mneme.v1.WatchSessionResponse> watchSession(
        dev.mneme.v1.WatchSessionRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getWatchSessionMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service WorkingMemoryService.
   * <pre>
   * Stores the working memory of sessions: values by key, one task state, a scratchpad of notes, and checkpoints.
   * A session is named `namespaces/{namespace}/sessions/{session}`. The session id is everything after `sessions/`: 1 to
   * 128 bytes of UTF-8 without control characters. The first write to a session creates it, and so does
   * `LifecycleService.SpawnSession`; reading a session that does not exist returns the same as an empty session. Keys are
   * 1 to 1,024 bytes of UTF-8 without control characters. No key is reserved: task state, scratchpad and checkpoints are
   * stored separately from keys.
   * Every mutation takes effect completely or not at all, and gives the session its next revision: a number that starts
   * at 1 and is counted per session, independent of the change log of memories. `request_id` works as in MemoryService. A
   * mutation fails with FAILED_PRECONDITION (SESSION_NOT_ACTIVE) while a pause has frozen the session and after the
   * session has ended, and with RESOURCE_EXHAUSTED (SESSION_FULL) when the session would exceed a limit of the server's
   * settings. By default a session holds at most 10,000 keys, 64 MiB of keys and values, 100,000 notes, 64 MiB of notes,
   * 1,000 checkpoints and 256 MiB of checkpoints; of notes, the oldest are dropped instead of failing the write. All
   * times are those of the server's clock: a key expires when that clock reaches the key's `expire_time`. The order of
   * writes does not depend on the clock.
   * Errors of every method: INVALID_ARGUMENT (FIELD_INVALID, MESSAGE_MALFORMED), UNAUTHENTICATED, DEADLINE_EXCEEDED,
   * UNAVAILABLE (DRAINING, OVERLOADED, STORAGE_UNAVAILABLE), INTERNAL, PERMISSION_DENIED (SCOPE_PRIVATE) for writes that
   * would create a hidden session, DATA_LOSS (SESSION_LOST) when Redis has lost sessions and this session is missing. Of every mutation
   * also: RESOURCE_EXHAUSTED (QUEUE_FULL, STORAGE_FULL, SESSION_FULL), FAILED_PRECONDITION (REQUEST_ID_REUSED,
   * SESSION_NOT_ACTIVE), NOT_FOUND (NAMESPACE_NOT_FOUND) when the server does not create namespaces on first use.
   * </pre>
   */
  public static final class WorkingMemoryServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<WorkingMemoryServiceFutureStub> {
    private WorkingMemoryServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected WorkingMemoryServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new WorkingMemoryServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Sets one value and returns when it is durable. Creates the key, or replaces its value.
     * Errors: ABORTED (VERSION_MISMATCH).
     * Example:
     *     {
     *       "session": "namespaces/example/sessions/run-1",
     *       "key": "plan",
     *       "value": {"json": "{&#92;"step&#92;": 3}"},
     *       "expiry": {"ttl": "3600s"}
     *     }
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.SetValueResponse> setValue(
        dev.mneme.v1.SetValueRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getSetValueMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads one value. The answer has no `entry` when the key does not exist or has expired; it has one when the value is
     * JSON `null` or has no bytes.
     * Example:
     *     {
     *       "session": "namespaces/example/sessions/run-1",
     *       "key": "plan"
     *     }
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.GetValueResponse> getValue(
        dev.mneme.v1.GetValueRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetValueMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads up to 1,000 values as of one moment. Keys that do not exist are listed in `missing`.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.BatchGetValuesResponse> batchGetValues(
        dev.mneme.v1.BatchGetValuesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getBatchGetValuesMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Deletes one key and returns when the deletion is durable. A key that does not exist is not an error: the answer has
     * `deleted` false.
     * Errors: ABORTED (VERSION_MISMATCH).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.DeleteValueResponse> deleteValue(
        dev.mneme.v1.DeleteValueRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getDeleteValueMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reports whether a key exists, without reading its value.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.HasValueResponse> hasValue(
        dev.mneme.v1.HasValueRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getHasValueMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Lists keys without their values, ordered by code point, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ListKeysResponse> listKeys(
        dev.mneme.v1.ListKeysRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListKeysMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads all keys with their values, ordered by code point, page by page. Reads the session, or one of its checkpoints
     * when `checkpoint_id` is set.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID), NOT_FOUND (CHECKPOINT_NOT_FOUND).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.GetAllValuesResponse> getAllValues(
        dev.mneme.v1.GetAllValuesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetAllValuesMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Deletes the session's keys and, on request, its task state and notes, in one write. Checkpoints are kept.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ClearWorkingMemoryResponse> clearWorkingMemory(
        dev.mneme.v1.ClearWorkingMemoryRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getClearWorkingMemoryMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Applies up to 1,000 operations on keys: all of them or none. Each key may occur once.
     * Errors: ABORTED (VERSION_MISMATCH).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.TransactValuesResponse> transactValues(
        dev.mneme.v1.TransactValuesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getTransactValuesMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Sets the task state, replacing any existing one.
     * Errors: ABORTED (VERSION_MISMATCH).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.SetTaskStateResponse> setTaskState(
        dev.mneme.v1.SetTaskStateRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getSetTaskStateMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads the task state. The answer has no `task` when the session has none.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.GetTaskStateResponse> getTaskState(
        dev.mneme.v1.GetTaskStateRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetTaskStateMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Changes the fields of the task state that the request sets and keeps the others. Concurrent updates of different
     * fields all take effect.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND, TASK_NOT_FOUND), ABORTED (VERSION_MISMATCH).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.UpdateTaskProgressResponse> updateTaskProgress(
        dev.mneme.v1.UpdateTaskProgressRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getUpdateTaskProgressMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Appends notes to the scratchpad. The cost does not grow with the number of notes in the scratchpad. When the
     * scratchpad exceeds its limit of notes or bytes, the oldest notes are dropped and counted.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.AppendScratchpadResponse> appendScratchpad(
        dev.mneme.v1.AppendScratchpadRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getAppendScratchpadMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads notes page by page, oldest or newest first.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ListScratchpadResponse> listScratchpad(
        dev.mneme.v1.ListScratchpadRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListScratchpadMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Deletes all notes. Sequence numbers continue: they do not restart at 1.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ClearScratchpadResponse> clearScratchpad(
        dev.mneme.v1.ClearScratchpadRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getClearScratchpadMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Creates a checkpoint of what the session holds now: keys that have not expired with their expiry times, the task
     * state and the scratchpad. Other checkpoints are not part of it. Data that has not changed since the previous
     * checkpoint is stored once for both.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND), ALREADY_EXISTS (CHECKPOINT_EXISTS).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.CreateCheckpointResponse> createCheckpoint(
        dev.mneme.v1.CreateCheckpointRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCreateCheckpointMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Restores the session to the contents of a checkpoint in one write. After a crash the session has either its
     * previous contents or the restored ones. Keys that have expired since the checkpoint are not restored. The session's
     * checkpoints are kept.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND, CHECKPOINT_NOT_FOUND), DATA_LOSS (CHECKSUM_MISMATCH).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.RestoreCheckpointResponse> restoreCheckpoint(
        dev.mneme.v1.RestoreCheckpointRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getRestoreCheckpointMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Lists checkpoints without their contents, newest first, page by page.
     * Errors: INVALID_ARGUMENT (PAGE_TOKEN_INVALID).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ListCheckpointsResponse> listCheckpoints(
        dev.mneme.v1.ListCheckpointsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListCheckpointsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Reads one checkpoint without its contents; GetAllValues reads the contents.
     * Errors: NOT_FOUND (CHECKPOINT_NOT_FOUND).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.GetCheckpointResponse> getCheckpoint(
        dev.mneme.v1.GetCheckpointRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetCheckpointMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Sets how long a checkpoint is kept.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND, CHECKPOINT_NOT_FOUND).
     * Without the verb `read`, the answer has names, versions, times and counts only.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.KeepCheckpointResponse> keepCheckpoint(
        dev.mneme.v1.KeepCheckpointRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getKeepCheckpointMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Deletes one checkpoint. Checkpoints that share data with it keep that data.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND, CHECKPOINT_NOT_FOUND).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.DeleteCheckpointResponse> deleteCheckpoint(
        dev.mneme.v1.DeleteCheckpointRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getDeleteCheckpointMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Creates a new session with the contents of a checkpoint of another session.
     * Errors: NOT_FOUND (CHECKPOINT_NOT_FOUND), ALREADY_EXISTS (SESSION_EXISTS), DATA_LOSS (CHECKSUM_MISMATCH).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.ForkCheckpointResponse> forkCheckpoint(
        dev.mneme.v1.ForkCheckpointRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getForkCheckpointMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Compares a checkpoint with another checkpoint, or with the current contents of the session.
     * Errors: NOT_FOUND (CHECKPOINT_NOT_FOUND).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.DiffCheckpointsResponse> diffCheckpoints(
        dev.mneme.v1.DiffCheckpointsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getDiffCheckpointsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Returns the number and size of what the session holds, as of one moment, from maintained counters.
     * Errors: NOT_FOUND (SESSION_NOT_FOUND).
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<dev.mneme.v1.GetWorkingMemoryStatisticsResponse> getWorkingMemoryStatistics(
        dev.mneme.v1.GetWorkingMemoryStatisticsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetWorkingMemoryStatisticsMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_SET_VALUE = 0;
  private static final int METHODID_GET_VALUE = 1;
  private static final int METHODID_BATCH_GET_VALUES = 2;
  private static final int METHODID_DELETE_VALUE = 3;
  private static final int METHODID_HAS_VALUE = 4;
  private static final int METHODID_LIST_KEYS = 5;
  private static final int METHODID_GET_ALL_VALUES = 6;
  private static final int METHODID_CLEAR_WORKING_MEMORY = 7;
  private static final int METHODID_TRANSACT_VALUES = 8;
  private static final int METHODID_SET_TASK_STATE = 9;
  private static final int METHODID_GET_TASK_STATE = 10;
  private static final int METHODID_UPDATE_TASK_PROGRESS = 11;
  private static final int METHODID_APPEND_SCRATCHPAD = 12;
  private static final int METHODID_LIST_SCRATCHPAD = 13;
  private static final int METHODID_CLEAR_SCRATCHPAD = 14;
  private static final int METHODID_CREATE_CHECKPOINT = 15;
  private static final int METHODID_RESTORE_CHECKPOINT = 16;
  private static final int METHODID_LIST_CHECKPOINTS = 17;
  private static final int METHODID_GET_CHECKPOINT = 18;
  private static final int METHODID_KEEP_CHECKPOINT = 19;
  private static final int METHODID_DELETE_CHECKPOINT = 20;
  private static final int METHODID_FORK_CHECKPOINT = 21;
  private static final int METHODID_DIFF_CHECKPOINTS = 22;
  private static final int METHODID_GET_WORKING_MEMORY_STATISTICS = 23;
  private static final int METHODID_WATCH_SESSION = 24;

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
        case METHODID_SET_VALUE:
          serviceImpl.setValue((dev.mneme.v1.SetValueRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.SetValueResponse>) responseObserver);
          break;
        case METHODID_GET_VALUE:
          serviceImpl.getValue((dev.mneme.v1.GetValueRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.GetValueResponse>) responseObserver);
          break;
        case METHODID_BATCH_GET_VALUES:
          serviceImpl.batchGetValues((dev.mneme.v1.BatchGetValuesRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.BatchGetValuesResponse>) responseObserver);
          break;
        case METHODID_DELETE_VALUE:
          serviceImpl.deleteValue((dev.mneme.v1.DeleteValueRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.DeleteValueResponse>) responseObserver);
          break;
        case METHODID_HAS_VALUE:
          serviceImpl.hasValue((dev.mneme.v1.HasValueRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.HasValueResponse>) responseObserver);
          break;
        case METHODID_LIST_KEYS:
          serviceImpl.listKeys((dev.mneme.v1.ListKeysRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ListKeysResponse>) responseObserver);
          break;
        case METHODID_GET_ALL_VALUES:
          serviceImpl.getAllValues((dev.mneme.v1.GetAllValuesRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.GetAllValuesResponse>) responseObserver);
          break;
        case METHODID_CLEAR_WORKING_MEMORY:
          serviceImpl.clearWorkingMemory((dev.mneme.v1.ClearWorkingMemoryRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ClearWorkingMemoryResponse>) responseObserver);
          break;
        case METHODID_TRANSACT_VALUES:
          serviceImpl.transactValues((dev.mneme.v1.TransactValuesRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.TransactValuesResponse>) responseObserver);
          break;
        case METHODID_SET_TASK_STATE:
          serviceImpl.setTaskState((dev.mneme.v1.SetTaskStateRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.SetTaskStateResponse>) responseObserver);
          break;
        case METHODID_GET_TASK_STATE:
          serviceImpl.getTaskState((dev.mneme.v1.GetTaskStateRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.GetTaskStateResponse>) responseObserver);
          break;
        case METHODID_UPDATE_TASK_PROGRESS:
          serviceImpl.updateTaskProgress((dev.mneme.v1.UpdateTaskProgressRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.UpdateTaskProgressResponse>) responseObserver);
          break;
        case METHODID_APPEND_SCRATCHPAD:
          serviceImpl.appendScratchpad((dev.mneme.v1.AppendScratchpadRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.AppendScratchpadResponse>) responseObserver);
          break;
        case METHODID_LIST_SCRATCHPAD:
          serviceImpl.listScratchpad((dev.mneme.v1.ListScratchpadRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ListScratchpadResponse>) responseObserver);
          break;
        case METHODID_CLEAR_SCRATCHPAD:
          serviceImpl.clearScratchpad((dev.mneme.v1.ClearScratchpadRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ClearScratchpadResponse>) responseObserver);
          break;
        case METHODID_CREATE_CHECKPOINT:
          serviceImpl.createCheckpoint((dev.mneme.v1.CreateCheckpointRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.CreateCheckpointResponse>) responseObserver);
          break;
        case METHODID_RESTORE_CHECKPOINT:
          serviceImpl.restoreCheckpoint((dev.mneme.v1.RestoreCheckpointRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.RestoreCheckpointResponse>) responseObserver);
          break;
        case METHODID_LIST_CHECKPOINTS:
          serviceImpl.listCheckpoints((dev.mneme.v1.ListCheckpointsRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ListCheckpointsResponse>) responseObserver);
          break;
        case METHODID_GET_CHECKPOINT:
          serviceImpl.getCheckpoint((dev.mneme.v1.GetCheckpointRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.GetCheckpointResponse>) responseObserver);
          break;
        case METHODID_KEEP_CHECKPOINT:
          serviceImpl.keepCheckpoint((dev.mneme.v1.KeepCheckpointRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.KeepCheckpointResponse>) responseObserver);
          break;
        case METHODID_DELETE_CHECKPOINT:
          serviceImpl.deleteCheckpoint((dev.mneme.v1.DeleteCheckpointRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.DeleteCheckpointResponse>) responseObserver);
          break;
        case METHODID_FORK_CHECKPOINT:
          serviceImpl.forkCheckpoint((dev.mneme.v1.ForkCheckpointRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.ForkCheckpointResponse>) responseObserver);
          break;
        case METHODID_DIFF_CHECKPOINTS:
          serviceImpl.diffCheckpoints((dev.mneme.v1.DiffCheckpointsRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.DiffCheckpointsResponse>) responseObserver);
          break;
        case METHODID_GET_WORKING_MEMORY_STATISTICS:
          serviceImpl.getWorkingMemoryStatistics((dev.mneme.v1.GetWorkingMemoryStatisticsRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.GetWorkingMemoryStatisticsResponse>) responseObserver);
          break;
        case METHODID_WATCH_SESSION:
          serviceImpl.watchSession((dev.mneme.v1.WatchSessionRequest) request,
              (io.grpc.stub.StreamObserver<dev.mneme.v1.WatchSessionResponse>) responseObserver);
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
          getSetValueMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.SetValueRequest,
              dev.mneme.v1.SetValueResponse>(
                service, METHODID_SET_VALUE)))
        .addMethod(
          getGetValueMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.GetValueRequest,
              dev.mneme.v1.GetValueResponse>(
                service, METHODID_GET_VALUE)))
        .addMethod(
          getBatchGetValuesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.BatchGetValuesRequest,
              dev.mneme.v1.BatchGetValuesResponse>(
                service, METHODID_BATCH_GET_VALUES)))
        .addMethod(
          getDeleteValueMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.DeleteValueRequest,
              dev.mneme.v1.DeleteValueResponse>(
                service, METHODID_DELETE_VALUE)))
        .addMethod(
          getHasValueMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.HasValueRequest,
              dev.mneme.v1.HasValueResponse>(
                service, METHODID_HAS_VALUE)))
        .addMethod(
          getListKeysMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ListKeysRequest,
              dev.mneme.v1.ListKeysResponse>(
                service, METHODID_LIST_KEYS)))
        .addMethod(
          getGetAllValuesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.GetAllValuesRequest,
              dev.mneme.v1.GetAllValuesResponse>(
                service, METHODID_GET_ALL_VALUES)))
        .addMethod(
          getClearWorkingMemoryMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ClearWorkingMemoryRequest,
              dev.mneme.v1.ClearWorkingMemoryResponse>(
                service, METHODID_CLEAR_WORKING_MEMORY)))
        .addMethod(
          getTransactValuesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.TransactValuesRequest,
              dev.mneme.v1.TransactValuesResponse>(
                service, METHODID_TRANSACT_VALUES)))
        .addMethod(
          getSetTaskStateMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.SetTaskStateRequest,
              dev.mneme.v1.SetTaskStateResponse>(
                service, METHODID_SET_TASK_STATE)))
        .addMethod(
          getGetTaskStateMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.GetTaskStateRequest,
              dev.mneme.v1.GetTaskStateResponse>(
                service, METHODID_GET_TASK_STATE)))
        .addMethod(
          getUpdateTaskProgressMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.UpdateTaskProgressRequest,
              dev.mneme.v1.UpdateTaskProgressResponse>(
                service, METHODID_UPDATE_TASK_PROGRESS)))
        .addMethod(
          getAppendScratchpadMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.AppendScratchpadRequest,
              dev.mneme.v1.AppendScratchpadResponse>(
                service, METHODID_APPEND_SCRATCHPAD)))
        .addMethod(
          getListScratchpadMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ListScratchpadRequest,
              dev.mneme.v1.ListScratchpadResponse>(
                service, METHODID_LIST_SCRATCHPAD)))
        .addMethod(
          getClearScratchpadMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ClearScratchpadRequest,
              dev.mneme.v1.ClearScratchpadResponse>(
                service, METHODID_CLEAR_SCRATCHPAD)))
        .addMethod(
          getCreateCheckpointMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.CreateCheckpointRequest,
              dev.mneme.v1.CreateCheckpointResponse>(
                service, METHODID_CREATE_CHECKPOINT)))
        .addMethod(
          getRestoreCheckpointMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.RestoreCheckpointRequest,
              dev.mneme.v1.RestoreCheckpointResponse>(
                service, METHODID_RESTORE_CHECKPOINT)))
        .addMethod(
          getListCheckpointsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ListCheckpointsRequest,
              dev.mneme.v1.ListCheckpointsResponse>(
                service, METHODID_LIST_CHECKPOINTS)))
        .addMethod(
          getGetCheckpointMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.GetCheckpointRequest,
              dev.mneme.v1.GetCheckpointResponse>(
                service, METHODID_GET_CHECKPOINT)))
        .addMethod(
          getKeepCheckpointMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.KeepCheckpointRequest,
              dev.mneme.v1.KeepCheckpointResponse>(
                service, METHODID_KEEP_CHECKPOINT)))
        .addMethod(
          getDeleteCheckpointMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.DeleteCheckpointRequest,
              dev.mneme.v1.DeleteCheckpointResponse>(
                service, METHODID_DELETE_CHECKPOINT)))
        .addMethod(
          getForkCheckpointMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.ForkCheckpointRequest,
              dev.mneme.v1.ForkCheckpointResponse>(
                service, METHODID_FORK_CHECKPOINT)))
        .addMethod(
          getDiffCheckpointsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.DiffCheckpointsRequest,
              dev.mneme.v1.DiffCheckpointsResponse>(
                service, METHODID_DIFF_CHECKPOINTS)))
        .addMethod(
          getGetWorkingMemoryStatisticsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              dev.mneme.v1.GetWorkingMemoryStatisticsRequest,
              dev.mneme.v1.GetWorkingMemoryStatisticsResponse>(
                service, METHODID_GET_WORKING_MEMORY_STATISTICS)))
        .addMethod(
          getWatchSessionMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              dev.mneme.v1.WatchSessionRequest,
              dev.mneme.v1.WatchSessionResponse>(
                service, METHODID_WATCH_SESSION)))
        .build();
  }

  private static abstract class WorkingMemoryServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    WorkingMemoryServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return dev.mneme.v1.WorkingMemoryServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("WorkingMemoryService");
    }
  }

  private static final class WorkingMemoryServiceFileDescriptorSupplier
      extends WorkingMemoryServiceBaseDescriptorSupplier {
    WorkingMemoryServiceFileDescriptorSupplier() {}
  }

  private static final class WorkingMemoryServiceMethodDescriptorSupplier
      extends WorkingMemoryServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    WorkingMemoryServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (WorkingMemoryServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new WorkingMemoryServiceFileDescriptorSupplier())
              .addMethod(getSetValueMethod())
              .addMethod(getGetValueMethod())
              .addMethod(getBatchGetValuesMethod())
              .addMethod(getDeleteValueMethod())
              .addMethod(getHasValueMethod())
              .addMethod(getListKeysMethod())
              .addMethod(getGetAllValuesMethod())
              .addMethod(getClearWorkingMemoryMethod())
              .addMethod(getTransactValuesMethod())
              .addMethod(getSetTaskStateMethod())
              .addMethod(getGetTaskStateMethod())
              .addMethod(getUpdateTaskProgressMethod())
              .addMethod(getAppendScratchpadMethod())
              .addMethod(getListScratchpadMethod())
              .addMethod(getClearScratchpadMethod())
              .addMethod(getCreateCheckpointMethod())
              .addMethod(getRestoreCheckpointMethod())
              .addMethod(getListCheckpointsMethod())
              .addMethod(getGetCheckpointMethod())
              .addMethod(getKeepCheckpointMethod())
              .addMethod(getDeleteCheckpointMethod())
              .addMethod(getForkCheckpointMethod())
              .addMethod(getDiffCheckpointsMethod())
              .addMethod(getGetWorkingMemoryStatisticsMethod())
              .addMethod(getWatchSessionMethod())
              .build();
        }
      }
    }
    return result;
  }
}
