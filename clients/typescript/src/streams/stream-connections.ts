import type { Client, ClientDuplexStream, ClientReadableStream } from '@grpc/grpc-js';
import { Silence } from './attempt.ts';

type Stream = ClientReadableStream<unknown> | ClientDuplexStream<never, unknown>;

/** One connection, and the number of streams that it carries. */
interface StreamConnection {
  readonly client: Client;
  streamCount: number;
}

/**
 * The connection of long streams, which they have for themselves so that their data does not delay short calls. One on
 * which a stream has missed its heartbeats is replaced: new streams get another one, and it is closed when the last of
 * its own streams has ended. At most one connection takes new streams, and no connection is replaced before a stream
 * that began on it was silent for its limit.
 */
export class StreamConnections {
  readonly #newClient: () => Client;
  readonly #open = new Set<StreamConnection>();
  #current: StreamConnection | undefined;

  constructor(newClient: () => Client) {
    this.#newClient = newClient;
  }

  /** The client that new streams begin on. */
  get client(): Client {
    return this.#connection().client;
  }

  /** Begins a stream on the present connection, which it keeps open. */
  begin<S extends Stream>(open: (client: Client) => S, signal: AbortSignal | undefined): S {
    const connection = this.#connection();
    const stream = open(connection.client);
    const replace = () => {
      if (signal?.reason instanceof Silence) this.#replace(connection);
    };
    connection.streamCount += 1;
    signal?.addEventListener('abort', replace, { once: true });
    (stream as ClientReadableStream<unknown>).once('status', () => {
      signal?.removeEventListener('abort', replace);
      connection.streamCount -= 1;
      this.#closeUnused(connection);
    });
    return stream;
  }

  close(): void {
    for (const { client } of this.#open) client.close();
    this.#open.clear();
  }

  #connection(): StreamConnection {
    if (!this.#current) {
      this.#current = { client: this.#newClient(), streamCount: 0 };
      this.#open.add(this.#current);
    }
    return this.#current;
  }

  /** A connection that another of its streams has replaced already stays so. */
  #replace(silent: StreamConnection): void {
    if (this.#current === silent) this.#current = undefined;
    this.#closeUnused(silent);
  }

  #closeUnused(connection: StreamConnection): void {
    if (connection === this.#current || connection.streamCount > 0) return;
    if (this.#open.delete(connection)) connection.client.close();
  }
}
