import { createClient, createCluster, RESP_TYPES } from 'redis';
import type { RedisArgument, RedisReply } from './connection.ts';
import { slotOf } from './keys.ts';

export interface WireOptions {
  /** At least one. Several are nodes of one cluster, which names its other nodes. */
  readonly urls: readonly string[];
  readonly connectTimeoutMs: number;
  readonly commandTimeoutMs: number;
  /** Called after each reconnection, as Redis may have been restarted. */
  readonly onReconnect?: () => void;
}

/** The driver as the connection uses it: bytes in, bytes out, and the node of each key. */
export interface Wire {
  readonly isCluster: boolean;
  nodeOf(key: string): string;
  /** When the signal is aborted before the command is written to the socket, it is left out, and fails (`isLeftOut`). */
  send(key: string, args: readonly RedisArgument[], signal?: AbortSignal): Promise<RedisReply>;
  nodes(): { readonly name: string; send(args: readonly RedisArgument[]): Promise<RedisReply> }[];
  destroy(): void;
}

const COMMANDS_WAITING_MAX = 10_000;
const RECONNECT_MS_MAX = 1000;
const RAW = { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } };

/** Connects to the first reachable URL; when it is a node of a cluster, to the cluster. */
export async function connectWire(options: WireOptions): Promise<Wire> {
  let failure: unknown;
  for (const url of options.urls) {
    try {
      const single = await connectSingle(url, options);
      if (!(await isOfCluster(single))) return single;
      single.destroy();
      return await connectCluster(options);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** Closes the connection when the question fails, for example without the password. */
async function isOfCluster(single: Wire): Promise<boolean> {
  try {
    return String(await single.send('', ['INFO', 'cluster'])).includes('cluster_enabled:1');
  } catch (error) {
    single.destroy();
    throw error;
  }
}

/** Settings of one client. A new object for each, as the driver writes into them. */
function clientSettings({ connectTimeoutMs, commandTimeoutMs }: WireOptions, isConnected: () => boolean) {
  return {
    RESP: 2 as const,
    disableOfflineQueue: true,
    commandsQueueMaxLength: COMMANDS_WAITING_MAX,
    maintNotifications: 'disabled' as const,
    // Off: it cannot cancel sent commands, and costs a signal for every command.
    commandOptions: { timeout: 0 },
    // Together these detect a server that keeps its connections open and answers nothing.
    pingInterval: Math.ceil(commandTimeoutMs / 3),
    socket: {
      connectTimeout: connectTimeoutMs,
      socketTimeout: commandTimeoutMs,
      // The driver's own strategy gives up for good after a socket timeout.
      reconnectStrategy: (attempts: number) => (isConnected() ? Math.min(50 + attempts * 50, RECONNECT_MS_MAX) : false),
    },
  };
}

async function connectSingle(url: string, options: WireOptions): Promise<Wire> {
  let isConnected = false;
  const client = createClient({ url, ...clientSettings(options, () => isConnected) });
  // Each call reports its own failure; without a listener the error would end the process.
  client.on('error', () => undefined);
  await within(options.connectTimeoutMs * 2, client.connect(), () => client.destroy());
  isConnected = true;
  client.on('ready', () => options.onReconnect?.());
  const send = (args: readonly RedisArgument[], signal?: AbortSignal) =>
    client.sendCommand<RedisReply>([...args], optionsWith(signal));
  return {
    isCluster: false,
    nodeOf: () => 'redis',
    send: (_key, args, signal) => send(args, signal),
    nodes: () => [{ name: 'redis', send: (args) => send(args) }],
    destroy: () => client.destroy(),
  };
}

async function connectCluster(options: WireOptions): Promise<Wire> {
  let isConnected = false;
  const { RESP, ...defaults } = clientSettings(options, () => isConnected);
  const { protocol, username, password } = new URL(options.urls[0] ?? '');
  const cluster = createCluster({
    RESP,
    rootNodes: options.urls.map((url) => ({ url, ...clientSettings(options, () => isConnected), RESP: undefined })),
    defaults: {
      ...defaults,
      socket: { ...defaults.socket, ...(protocol === 'rediss:' ? { tls: true as const } : {}) },
      ...(username === '' ? {} : { username: decodeURIComponent(username) }),
      ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    },
    // A dead node is replaced after its timeout: refresh the node list soon.
    topologyRefreshOnReconnectionAttemptStrategy: 250,
    maxCommandRedirections: 5,
  });
  cluster.on('error', () => undefined);
  await within(options.connectTimeoutMs * 3, cluster.connect(), () => cluster.destroy());
  isConnected = true;
  cluster.on('node-ready', () => options.onReconnect?.());
  return {
    isCluster: true,
    nodeOf: (key) => cluster.slots[slotOf(key)]?.master.address ?? 'unknown',
    send: (key, args, signal) => cluster.sendCommand<RedisReply>(key, false, [...args], optionsWith(signal)),
    nodes: () =>
      cluster.masters.map((master) => ({
        name: master.address,
        send: async (args) => (await cluster.nodeClient(master)).sendCommand<RedisReply>([...args], RAW),
      })),
    destroy: () => cluster.destroy(),
  };
}

const optionsWith = (signal: AbortSignal | undefined) => (signal ? { ...RAW, abortSignal: signal } : RAW);

async function within(timeoutMs: number, connecting: Promise<unknown>, giveUp: () => void): Promise<void> {
  const timer = setTimeout(giveUp, timeoutMs);
  try {
    await connecting;
  } finally {
    clearTimeout(timer);
  }
}
