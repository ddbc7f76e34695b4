package dev.mneme.client;

import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;

/** The transport of calls: a connection, or a pipeline over one. */
interface Caller {
  <Q extends Message, R extends Message> R unary(MethodDescriptor<Q, R> method, Q request, Settings settings);

  Connection connection();
}
