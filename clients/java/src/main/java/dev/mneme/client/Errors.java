package dev.mneme.client;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.mneme.client.MnemeException.Details;
import dev.mneme.client.MnemeException.Family;
import dev.mneme.client.MnemeException.Violation;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;

/** Typed errors from what gRPC reports, and those that are found before anything is sent. */
final class Errors {
  private static final Metadata.Key<byte[]> DETAILS = Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);
  private static final Map<String, Family> FAMILIES = families();
  /** In gRPC's text for a stream that the peer has reset. */
  private static final String RESET_BY_PEER = "HTTP/2 error code: INTERNAL_ERROR";
  /** In gRPC's texts for a stream that has ended without a status, after a message or within a frame of one. */
  private static final String WITHOUT_STATUS = "Received unexpected EOS on";

  private Errors() {}

  /** Refuses invalid input before anything is sent. {@code field} is the client's own name of it, in snake_case. */
  static MnemeException badInput(String field, String description) {
    Details details = new Details(null, Map.of(), List.of(new Violation(field, description)), null, Family.BASE, null);
    return MnemeException.of(Status.Code.INVALID_ARGUMENT, field + ": " + description, details);
  }

  /** The error for an answer without a mandatory part: not Mneme, or a defective server. */
  static MnemeException incompleteAnswer(String what) {
    return MnemeException.of(Status.Code.INTERNAL, "the answer has no " + what, Details.NONE);
  }

  static MnemeException closed(Family family) {
    return MnemeException.of(Status.Code.CANCELLED, "the client is closed", in(family, null));
  }

  static MnemeException unavailable(String message, Family family, Throwable cause) {
    return MnemeException.of(Status.Code.UNAVAILABLE, message, in(family, cause));
  }

  static MnemeException interrupted(Family family, Throwable cause) {
    Thread.currentThread().interrupt();
    return MnemeException.of(Status.Code.CANCELLED, "cancelled: its thread was interrupted", in(family, cause));
  }

  static Details in(Family family, Throwable cause) {
    return new Details(null, Map.of(), List.of(), null, family, cause);
  }

  /** By the full name of a method, such as {@code mneme.v1.MemoryService/StoreMemory}. */
  static Family familyOf(MethodDescriptor<?, ?> method) {
    return FAMILIES.getOrDefault(method.getFullMethodName(), Family.BASE);
  }

  /**
   * UNAVAILABLE for a call that was begun on a connection that was just closing, for which gRPC has UNKNOWN
   * (https://github.com/grpc/grpc-java/issues/10120), and for one that a proxy ended because its own connection to the server
   * broke or that does not speak HTTP/2, for which gRPC has INTERNAL; otherwise the status itself.
   */
  static Status ofConnection(Status status) {
    boolean isClosed = status.getCode() == Status.Code.UNKNOWN && status.getCause() instanceof ClosedChannelException;
    String said = status.getDescription();
    boolean isBroken = status.getCode() == Status.Code.INTERNAL
        && said != null
        && (said.contains(RESET_BY_PEER) || said.contains(WITHOUT_STATUS));
    boolean isOfAnotherProtocol = status.getCause() != null && String.valueOf(status.getCause().getMessage()).contains("not SETTINGS");
    return isClosed || isBroken || isOfAnotherProtocol ? Status.UNAVAILABLE.withDescription(status.getDescription()).withCause(status.getCause()) : status;
  }

  /** The typed error of a call over this connection. */
  static MnemeException ofCall(Status given, Metadata trailers, MethodDescriptor<?, ?> method, Connection connection) {
    String address = connection.address;
    Status status = ofConnection(given);
    Family family = familyOf(method);
    Status.Code code = status.getCode();
    String said = status.getDescription() == null ? code.name() : status.getDescription();
    Details details = in(family, status.getCause());
    byte[] bytes = trailers == null ? null : trailers.get(DETAILS);
    if (bytes != null) {
      try {
        details = detailsOf(com.google.rpc.Status.parseFrom(bytes).getDetailsList(), family, status.getCause());
      } catch (InvalidProtocolBufferException damaged) {
        // Details damaged on the way must not hide the status itself.
      }
    }
    if (code == Status.Code.UNIMPLEMENTED) {
      String version = details.metadata().get("version");
      said += ": the server at " + address + (version == null ? "" : " (version " + version + ")") + " has no "
          + method.getFullMethodName() + "; it may be older than this client (version " + Connection.VERSION + ")";
    }
    if (code == Status.Code.DEADLINE_EXCEEDED && bytes == null) said = ofDeadline(said, method, connection);
    if (code == Status.Code.UNAVAILABLE && details.reason() == null) said = Reachability.text(connection, said, status.getCause());
    for (Violation each : details.violations()) { // Requests carry the namespace as their parent.
      if (each.field().equals("namespace")) said = said.replaceFirst("(^|; )parent: [^;]*", "$1namespace: " + Matcher.quoteReplacement(each.description()));
    }
    // An answer that cannot be read ends the call as if this side had cancelled it.
    if (code == Status.Code.CANCELLED && said.startsWith("Failed to read message")) {
      return MnemeException.of(Status.Code.INTERNAL, "the answer cannot be read", details);
    }
    return MnemeException.of(code, said, details);
  }

  /** gRPC describes a deadline that passed on this side by its own steps, with the stack trace of the last connection. */
  private static String ofDeadline(String steps, MethodDescriptor<?, ?> method, Connection connection) {
    if (steps.contains("waiting_for_connection") || steps.contains("was_still_waiting")) {
      boolean isKnown = steps.contains("Last Pick Failure=");
      return isKnown ? "no answer in time: " + Reachability.text(connection, steps, null)
          : "no connection to " + connection.address + " in time";
    }
    return steps.contains("deadline exceeded after") ? method.getBareMethodName() + " had no answer in time" : steps;
  }

  /** The typed error for a status that came inside of a message. */
  static MnemeException ofRpcStatus(com.google.rpc.Status status, Family family) {
    Details details;
    try {
      details = detailsOf(status.getDetailsList(), family, null);
    } catch (InvalidProtocolBufferException damaged) {
      details = in(family, damaged);
    }
    return MnemeException.of(Status.fromCodeValue(status.getCode()).getCode(), status.getMessage(), details);
  }

  private static Details detailsOf(List<Any> all, Family family, Throwable cause) throws InvalidProtocolBufferException {
    String reason = null;
    Map<String, String> metadata = Map.of();
    List<Violation> violations = new ArrayList<>();
    Duration delay = null;
    for (Any each : all) {
      if (each.is(ErrorInfo.class)) {
        ErrorInfo info = each.unpack(ErrorInfo.class);
        reason = info.getReason();
        metadata = Map.copyOf(info.getMetadataMap());
      } else if (each.is(BadRequest.class)) {
        each.unpack(BadRequest.class).getFieldViolationsList()
            .forEach(one -> violations.add(violation(one.getField(), one.getDescription())));
      } else if (each.is(RetryInfo.class)) {
        delay = Values.duration(each.unpack(RetryInfo.class).getRetryDelay());
      }
    }
    return new Details(reason, metadata, List.copyOf(violations), delay, family, cause);
  }

  private static Violation violation(String field, String description) {
    if (!field.equals("parent")) return new Violation(field, description);
    return new Violation("namespace", description.replace("namespaces/{namespace}, ", "").replace("\"namespaces/", "\""));
  }

  private static Map<String, Family> families() {
    Map<String, Family> families = new HashMap<>();
    Values.resource("error-families.json").properties()
        .forEach(each -> families.put(each.getKey(), Family.valueOf(each.getValue().asText().toUpperCase(Locale.ROOT))));
    return Map.copyOf(families);
  }
}
