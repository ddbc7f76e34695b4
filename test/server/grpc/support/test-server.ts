import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChannelCredentials, type ChannelOptions, credentials } from '@grpc/grpc-js';
import type { Storage } from '../../../../src/server/assembly/storage-parts.ts';
import { configFrom } from '../../../../src/server/config/config.ts';
import { createLogger, type Logger } from '../../../../src/server/logger.ts';
import { createServer, type MnemeServer, type Overrides } from '../../../../src/server/server.ts';
import { reusedThreads } from '../../../support/reused-threads.ts';
import {
  AdminServiceClient,
  AgentServiceClient,
  ConsolidationServiceClient,
  ContextServiceClient,
  ConversationServiceClient,
  HealthClient,
  IngestServiceClient,
  KnowledgeServiceClient,
  LifecycleServiceClient,
  MemoryServiceClient,
  NamespaceServiceClient,
  RecallServiceClient,
  ScopeServiceClient,
  ServerReflectionClient,
  SubscriptionServiceClient,
  WorkingMemoryServiceClient,
} from '../../../support/service-clients.ts';

export type Clients = ReturnType<typeof connect>;

export interface TestServer extends Clients {
  readonly server: MnemeServer;
  /** The dependencies of the server. */
  readonly storage: Storage;
  /** Lines that it has logged. */
  readonly log: Record<string, unknown>[];
  /** Ends clients and server and removes the data. */
  stop(): Promise<void>;
}

/** A slow Redis on a busy machine must not count as lost. */
const PATIENT = { redisConnectTimeoutMs: '10000', redisCommandTimeoutMs: '5000' };

/** A server with its own data on a free port, and its clients. */
export async function startTestServer(
  flags: Record<string, string> = {},
  overrides: Overrides = {},
  env: Record<string, string> = {},
): Promise<TestServer> {
  const data = await mkdtemp(join(tmpdir(), 'mneme-grpc-'));
  const config = configFrom({
    flags: { listen: '127.0.0.1:0', data, logLevel: 'warn', shutdownGraceMs: '2000', ...PATIENT, ...flags },
    env,
  });
  const log: Record<string, unknown>[] = [];
  let storage: Storage | undefined;
  const server = createServer(config, {
    logger: loggerInto(log, config.logLevel),
    threads: reusedThreads(),
    ...overrides,
    storage: (made) => {
      storage = overrides.storage?.(made) ?? made;
      return storage;
    },
  });
  await server.start();
  if (!storage) throw new Error('the server has no storage');
  const clients = connect(server.address);
  return {
    ...clients,
    server,
    storage,
    log,
    async stop() {
      clients.close();
      await server.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

export function loggerInto(lines: Record<string, unknown>[], logLevel = 'warn'): Logger {
  return createLogger({ logLevel, logFormat: 'json' }, { write: (line: string) => lines.push(JSON.parse(line)) });
}

export function connect(
  address: string,
  channel: ChannelCredentials = credentials.createInsecure(),
  options: ChannelOptions = {},
) {
  const clients = {
    memories: new MemoryServiceClient(address, channel, options),
    recalls: new RecallServiceClient(address, channel, options),
    contexts: new ContextServiceClient(address, channel, options),
    namespaces: new NamespaceServiceClient(address, channel, options),
    admin: new AdminServiceClient(address, channel, options),
    working: new WorkingMemoryServiceClient(address, channel, options),
    lifecycle: new LifecycleServiceClient(address, channel, options),
    agents: new AgentServiceClient(address, channel, options),
    ingests: new IngestServiceClient(address, channel, options),
    subscriptions: new SubscriptionServiceClient(address, channel, options),
    scopes: new ScopeServiceClient(address, channel, options),
    consolidation: new ConsolidationServiceClient(address, channel, options),
    knowledge: new KnowledgeServiceClient(address, channel, options),
    conversations: new ConversationServiceClient(address, channel, options),
    health: new HealthClient(address, channel, options),
    reflection: new ServerReflectionClient(address, channel, options),
  };
  return {
    ...clients,
    address,
    close() {
      for (const client of Object.values(clients)) client.close();
    },
  };
}
