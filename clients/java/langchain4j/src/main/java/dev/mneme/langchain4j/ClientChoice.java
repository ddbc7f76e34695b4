package dev.mneme.langchain4j;

import static dev.langchain4j.internal.ValidationUtils.ensureNotBlank;
import static dev.langchain4j.internal.ValidationUtils.ensureNotNull;

import dev.mneme.client.Mneme;
import dev.mneme.client.Options;

/** The client of a builder: the caller's, or one that is opened for an address. */
final class ClientChoice {
  private Mneme client;
  private String address;
  private String namespace;

  void client(Mneme client) { this.client = ensureNotNull(client, "client"); }

  void address(String address) { this.address = ensureNotBlank(address, "address"); }

  void namespace(String namespace) { this.namespace = ensureNotBlank(namespace, "namespace"); }

  /** Whether the client is to be closed with what uses it. */
  boolean owned() {
    return client == null;
  }

  Mneme open() {
    if ((client == null) == (address == null)) throw new IllegalArgumentException("client, address: exactly one is required");
    if (client != null) return namespace == null ? client : client.withNamespace(namespace);
    return Mneme.connect(address, namespace == null ? new Options() : new Options().namespace(namespace));
  }
}
