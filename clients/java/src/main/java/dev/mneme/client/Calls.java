package dev.mneme.client;

import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;

/** Calls of one service about one namespace. */
abstract class Calls {
  final Connection connection;
  final String namespace;
  final String parent;
  final Settings settings;

  Calls(Connection connection, String namespace, Settings settings) {
    this.connection = connection;
    this.namespace = namespace;
    this.parent = Names.namespace(namespace);
    this.settings = settings;
  }

  final <Q extends Message, R extends Message> R call(MethodDescriptor<Q, R> method, Q request) {
    return connection.unary(method, request, settings);
  }

  /** Every page of a list must ask for the same revision, however much this client has seen meanwhile. */
  final Settings pinned() {
    return settings.minRevision() != null ? settings : settings.withMinRevision(connection.minRevision());
  }
}
