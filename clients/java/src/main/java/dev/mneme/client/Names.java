package dev.mneme.client;

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

  /** The last part of a name: ids of sessions may hold slashes. */
  static String idOf(String name) {
    int sessions = name.indexOf("/sessions/");
    return sessions < 0 ? name.substring(name.lastIndexOf('/') + 1) : name.substring(sessions + "/sessions/".length());
  }

  static String namespaceOf(String name) {
    String[] parts = name.split("/");
    return parts.length > 1 ? parts[1] : "";
  }
}
