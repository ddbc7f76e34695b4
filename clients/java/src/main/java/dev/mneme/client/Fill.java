package dev.mneme.client;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sets the common fields of a request: the idempotency key, the oldest revision to read, the version that must be. */
final class Fill {
  private static final Map<Descriptor, Fields> FIELDS = new ConcurrentHashMap<>();

  private static final List<String> NAMED = List.of("parent", "name", "session", "conversation", "report");
  private static final Pattern IN_NAMESPACE = Pattern.compile("namespaces/([a-z0-9][a-z0-9._-]{0,62})(?:/|\\z)");

  private record Fields(
      FieldDescriptor requestId, FieldDescriptor minRevision, FieldDescriptor ifVersion, FieldDescriptor query, FieldDescriptor revision) {
    static Fields of(Descriptor type) {
      FieldDescriptor query = type.findFieldByName("query");
      return new Fields(
          type.findFieldByName("request_id"), type.findFieldByName("min_revision"), type.findFieldByName("if_version"),
          query != null && query.getJavaType() == FieldDescriptor.JavaType.MESSAGE ? query : null,
          type.findFieldByName("revision"));
    }
  }

  private Fill() {}

  static Message request(Message request, Settings settings, long newestSeen) {
    Fields fields = FIELDS.computeIfAbsent(request.getDescriptorForType(), Fields::of);
    if (settings.ifVersion() != null && fields.ifVersion == null) {
      throw Errors.badInput("if_version", "this call is not one on condition");
    }
    if (settings.requestId() != null && fields.requestId == null) {
      throw Errors.badInput("request_id", "this call is not a write");
    }
    if (settings.minRevision() != null && fields.minRevision == null && fields.query == null) {
      throw Errors.badInput("min_revision", "this call is not a read of memories");
    }
    long minRevision = settings.minRevision() == null ? newestSeen : settings.minRevision();
    boolean wantsId = fields.requestId != null && ((String) request.getField(fields.requestId)).isEmpty();
    boolean wantsRevision = fields.minRevision != null && minRevision != 0 && (long) request.getField(fields.minRevision) == 0;
    if (!wantsId && !wantsRevision && settings.ifVersion() == null && fields.query == null) return request;
    Message.Builder filled = request.toBuilder();
    if (wantsId) {
      filled.setField(fields.requestId, settings.requestId() == null ? UUID.randomUUID().toString() : settings.requestId());
    }
    if (wantsRevision) filled.setField(fields.minRevision, minRevision);
    if (settings.ifVersion() != null) filled.setField(fields.ifVersion, settings.ifVersion());
    if (fields.query != null) filled.setField(fields.query, request((Message) request.getField(fields.query), settings, newestSeen));
    return filled.build();
  }

  /** Refuses a namespace whose id the server would refuse: it would name the field parent, which no caller sets. */
  static void checkNamespace(Message request) {
    for (String name : NAMED) {
      FieldDescriptor field = request.getDescriptorForType().findFieldByName(name);
      if (field == null || field.isRepeated() || field.getJavaType() != FieldDescriptor.JavaType.STRING) continue;
      String value = (String) request.getField(field);
      if (!value.startsWith("namespaces/")) continue;
      String id = value.split("/", -1)[1];
      if (!IN_NAMESPACE.matcher("namespaces/" + id).matches()) throw Errors.badInput("namespace", faultOf(id));
      return;
    }
  }

  private static String faultOf(String id) {
    String proposal = id.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9._-]+", "-").replaceAll("^[._-]+|[._-]+$", "");
    return "must be [a-z0-9] and up to 62 more of [a-z0-9._-], got \"" + id + "\""
        + (proposal.isEmpty() ? "" : "; did you mean \"" + proposal.substring(0, Math.min(proposal.length(), 63)) + "\"?");
  }

  /** Id of the namespace that a request is about, by the first resource name in it; null where there is none. */
  static String namespaceOf(Message request) {
    for (String name : NAMED) {
      FieldDescriptor field = request.getDescriptorForType().findFieldByName(name);
      if (field == null || field.isRepeated() || field.getJavaType() != FieldDescriptor.JavaType.STRING) continue;
      Matcher found = IN_NAMESPACE.matcher((String) request.getField(field));
      if (found.lookingAt()) return found.group(1);
    }
    FieldDescriptor memory = request.getDescriptorForType().findFieldByName("memory");
    boolean isMessage = memory != null && !memory.isRepeated() && memory.getJavaType() == FieldDescriptor.JavaType.MESSAGE;
    return isMessage && request.hasField(memory) ? namespaceOf((Message) request.getField(memory)) : null;
  }

  /** The revision of the change log that an answer tells, 0 where there is none. */
  static long revisionOf(Message answer) {
    FieldDescriptor revision = FIELDS.computeIfAbsent(answer.getDescriptorForType(), Fields::of).revision;
    return revision == null ? 0 : (long) answer.getField(revision);
  }
}
