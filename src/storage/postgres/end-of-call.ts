import { Client, Connection, type Pool, type PoolClient } from 'pg';

/** Parts of the driver that its types leave out. */
interface Wire {
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
}
interface Keys {
  readonly processID: number;
  readonly secretKey: number;
  readonly connection: { readonly ssl: Client['ssl'] };
}

/** A connection of the pool. One that comes after the signal is aborted goes to the next in the queue at once. */
export function connected(pool: Pool, signal: AbortSignal | undefined): Promise<PoolClient> {
  const connecting = pool.connect();
  if (!signal) return connecting;
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
    connecting
      .then((client) => (signal.aborted ? client.release() : resolve(client)), reject)
      .finally(() => signal.removeEventListener('abort', leave));
  });
}

/** Runs work on a connection; when the signal is aborted, `cancel` ends the statement of it that runs. */
export async function endedBy<T>(signal: AbortSignal, cancel: () => Promise<void>, work: () => Promise<T>): Promise<T> {
  let cancelling: Promise<void> | undefined;
  const onAbort = (): void => {
    cancelling = cancel();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await work();
  } finally {
    signal.removeEventListener('abort', onAbort);
    // A request that is late would end a statement of the next borrower.
    await cancelling;
  }
}

/**
 * Has PostgreSQL end the statement that runs on a connection, over a connection of its own, as its protocol asks for. When the
 * promise resolves, PostgreSQL has passed the request on: no statement that is sent later is ended by it.
 */
export function cancelStatement(client: PoolClient, timeoutMs: number): Promise<void> {
  if (!(client instanceof Client)) throw new Error('the pool has connections of another driver');
  const { host, port, processID, secretKey, connection } = client as PoolClient & Client & Keys;
  const { ssl } = connection;
  const wire = new Connection({ ssl }) as Connection & Wire;
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      wire.stream.destroy();
      reject(error);
    };
    const timer = setTimeout(() => fail(new Error('PostgreSQL took no request to end a statement')), timeoutMs);
    const send = (): void => wire.cancel(processID, secretKey);
    wire.on('error', fail);
    wire.on('connect', () => (ssl ? wire.requestSsl() : send()));
    wire.on('sslconnect', send);
    wire.on('end', () => {
      clearTimeout(timer);
      resolve();
    });
    if (host.startsWith('/')) wire.connect(`${host}/.s.PGSQL.${port}`);
    else wire.connect(port, host);
  });
}
