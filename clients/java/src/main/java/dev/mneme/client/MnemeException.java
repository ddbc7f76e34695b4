package dev.mneme.client;

import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A failed call. Its class says how, {@link #reason()} says why. */
@SuppressWarnings("serial")
public class MnemeException extends RuntimeException {
  /** Purpose of the call that failed. */
  public enum Family {
    /** Storing memories. */
    STORE,
    /** Finding and reading memories. */
    RETRIEVAL,
    /** Erasing and moving memories, and looking after the server. */
    MAINTENANCE,
    /** Settings of namespaces, scopes and the server. */
    CONFIGURATION,
    /** All else, and errors that are found before anything is sent. */
    BASE
  }

  /**
   * One field of a request that was not accepted.
   *
   * @param field path of the field, such as {@code memory.text}
   * @param description the problem and the limit
   */
  public record Violation(String field, String description) {}

  /** Details of an error beside its status. */
  record Details(
      String reason, Map<String, String> metadata, List<Violation> violations, Duration retryDelay, Family family, Throwable cause) {
    static final Details NONE = new Details(null, Map.of(), List.of(), null, Family.BASE, null);
  }

  /** The gRPC status. */
  private final Status.Code code;
  private final transient Details details;

  MnemeException(Status.Code code, String message, Details details) {
    super(message, details.cause());
    this.code = code;
    this.details = details;
  }

  /** The error class of a status. */
  static MnemeException of(Status.Code code, String message, Details details) {
    return switch (code) {
      case CANCELLED -> new Cancelled(message, details);
      case INVALID_ARGUMENT -> new InvalidArgument(message, details);
      case DEADLINE_EXCEEDED -> new DeadlineExceeded(message, details);
      case NOT_FOUND -> new NotFound(message, details);
      case ALREADY_EXISTS -> new AlreadyExists(message, details);
      case PERMISSION_DENIED -> new PermissionDenied(message, details);
      case RESOURCE_EXHAUSTED -> new ResourceExhausted(message, details);
      case FAILED_PRECONDITION -> new FailedPrecondition(message, details);
      case ABORTED -> new Aborted(message, details);
      case OUT_OF_RANGE -> new OutOfRange(message, details);
      case UNIMPLEMENTED -> new Unimplemented(message, details);
      case INTERNAL -> new Internal(message, details);
      case UNAVAILABLE -> new Unavailable(message, details);
      case DATA_LOSS -> new DataLoss(message, details);
      case UNAUTHENTICATED -> new Unauthenticated(message, details);
      case OK, UNKNOWN -> new Unknown(message, details);
    };
  }

  /** The gRPC status. */
  public Status.Code code() {
    return code;
  }

  /**
   * Why the call failed, from the closed list of {@code error_reason.proto}, such as {@code MEMORY_NOT_FOUND}. Empty
   * when Mneme did not answer: no connection, a proxy, or a local timeout.
   */
  public Optional<String> reason() {
    return Optional.ofNullable(details.reason());
  }

  /** The facts of this failure, for machines; {@code error_reason.proto} lists the keys of each reason. */
  public Map<String, String> metadata() {
    return details.metadata();
  }

  /** Fields that were not accepted. */
  public List<Violation> violations() {
    return details.violations();
  }

  /** How long the server asks to wait before the call is repeated. */
  public Optional<Duration> retryDelay() {
    return Optional.ofNullable(details.retryDelay());
  }

  /** Purpose of the call. */
  public Family family() {
    return details.family();
  }

  /** True when the same call may succeed later unchanged. The client's own retries are exhausted. */
  public boolean retryable() {
    return code == Status.Code.UNAVAILABLE || (code == Status.Code.RESOURCE_EXHAUSTED && details.retryDelay() != null);
  }

  Details details() {
    return details;
  }

  /** The caller cancelled, by interrupting its thread or by closing the client. A write may have taken effect. */
  public static final class Cancelled extends MnemeException {
    Cancelled(String message, Details details) {
      super(Status.Code.CANCELLED, message, details);
    }
  }

  /** A status that this version of the client does not know, or none. */
  public static final class Unknown extends MnemeException {
    Unknown(String message, Details details) {
      super(Status.Code.UNKNOWN, message, details);
    }
  }

  /** A part of the request is missing, malformed or over its limit; {@link #violations()} names the fields. */
  public static final class InvalidArgument extends MnemeException {
    InvalidArgument(String message, Details details) {
      super(Status.Code.INVALID_ARGUMENT, message, details);
    }
  }

  /** The deadline passed before the answer arrived. A write may have taken effect. */
  public static final class DeadlineExceeded extends MnemeException {
    DeadlineExceeded(String message, Details details) {
      super(Status.Code.DEADLINE_EXCEEDED, message, details);
    }
  }

  /** The named resource does not exist. */
  public static final class NotFound extends MnemeException {
    NotFound(String message, Details details) {
      super(Status.Code.NOT_FOUND, message, details);
    }
  }

  /** The id exists already. */
  public static final class AlreadyExists extends MnemeException {
    AlreadyExists(String message, Details details) {
      super(Status.Code.ALREADY_EXISTS, message, details);
    }
  }

  /** The caller may not do this. */
  public static final class PermissionDenied extends MnemeException {
    PermissionDenied(String message, Details details) {
      super(Status.Code.PERMISSION_DENIED, message, details);
    }
  }

  /** A queue, the disk, a message or a namespace is full. */
  public static final class ResourceExhausted extends MnemeException {
    ResourceExhausted(String message, Details details) {
      super(Status.Code.RESOURCE_EXHAUSTED, message, details);
    }
  }

  /** The resource is not in the state that the call needs. */
  public static final class FailedPrecondition extends MnemeException {
    FailedPrecondition(String message, Details details) {
      super(Status.Code.FAILED_PRECONDITION, message, details);
    }
  }

  /** The version is outdated: read again, then decide. */
  public static final class Aborted extends MnemeException {
    Aborted(String message, Details details) {
      super(Status.Code.ABORTED, message, details);
    }
  }

  /** Changes that were asked for are not kept any more, or not there yet. */
  public static final class OutOfRange extends MnemeException {
    OutOfRange(String message, Details details) {
      super(Status.Code.OUT_OF_RANGE, message, details);
    }
  }

  /** The server has no such method: it is older than this client. */
  public static final class Unimplemented extends MnemeException {
    Unimplemented(String message, Details details) {
      super(Status.Code.UNIMPLEMENTED, message, details);
    }
  }

  /** A fault of the server, or an answer that is none. */
  public static final class Internal extends MnemeException {
    Internal(String message, Details details) {
      super(Status.Code.INTERNAL, message, details);
    }
  }

  /** The server cannot be reached, is shutting down or has too much to do. */
  public static final class Unavailable extends MnemeException {
    Unavailable(String message, Details details) {
      super(Status.Code.UNAVAILABLE, message, details);
    }
  }

  /** Stored bytes are damaged. */
  public static final class DataLoss extends MnemeException {
    DataLoss(String message, Details details) {
      super(Status.Code.DATA_LOSS, message, details);
    }
  }

  /** The token or certificate is missing or not known. */
  public static final class Unauthenticated extends MnemeException {
    Unauthenticated(String message, Details details) {
      super(Status.Code.UNAUTHENTICATED, message, details);
    }
  }

}
