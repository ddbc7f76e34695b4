package dev.mneme.client;

import java.util.List;

/** Resource names of ids, and back. */
final class Names {
  private Names() {}

  static String namespace(String namespace) {
    return namespace.startsWith("namespaces/") ? namespace : "namespaces/" + namespace;
  }

  static String memory(String namespace, String idOrName) {
    return idOrName.contains("/") ? idOrName : namespace(namespace) + "/memories/" + idOrName;
  }

  static String session(String namespace, String idOrName) {
    return idOrName.startsWith("namespaces/") ? idOrName : namespace(namespace) + "/sessions/" + idOrName;
  }

  static String conversation(String namespace, String idOrName) {
    return isConversation(idOrName) ? idOrName : namespace(namespace) + "/conversations/" + idOrName;
  }

  /** The id of a conversation, of itself or of its name. */
  static String conversationId(String idOrName) {
    return isConversation(idOrName) ? idOf(idOrName) : idOrName;
  }

  private static boolean isConversation(String idOrName) {
    return idOrName.startsWith("namespaces/") && idOrName.contains("/conversations/");
  }

  /** The last part of a name: ids of sessions and conversations may hold slashes. */
  static String idOf(String name) {
    for (String collection : List.of("/sessions/", "/conversations/")) {
      int at = name.indexOf(collection);
      if (at >= 0) return name.substring(at + collection.length());
    }
    return name.substring(name.lastIndexOf('/') + 1);
  }

  static String namespaceOf(String name) {
    String[] parts = name.split("/");
    return parts.length > 1 ? parts[1] : "";
  }
}
