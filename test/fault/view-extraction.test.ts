import { afterAll, afterEach, beforeAll, describe, it } from '@jest/globals';
import { connect, type Mneme } from '../../clients/typescript/src/index.ts';
import { ChatEndpoint } from '../support/chat-endpoint.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { Replica } from './replicas.ts';

/** Messages that an extraction waits for. */
const TURNS = 5;

let postgres: PostgresServer;
let endpoint: ChatEndpoint;
/** Of the server that is killed: does not answer. */
let silent: ChatEndpoint;
const replicas: Replica[] = [];
const clients: Mneme[] = [];
beforeAll(async () => {
  postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
  endpoint = await ChatEndpoint.started();
  silent = await ChatEndpoint.started();
  silent.reply = () => 'hang';
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const replica of replicas.splice(0)) await replica.stop();
});
afterAll(async () => {
  await endpoint.close();
  await silent.close();
  await postgres.stop();
  postgres.remove();
});

async function start({ url }: ChatEndpoint): Promise<Replica> {
  const replica = await Replica.startWith({
    ...postgres.envOf('extraction'),
    MNEME_EXTRACTOR: 'model',
    MNEME_EXTRACTOR_URL: url,
    MNEME_EXTRACTOR_MODEL: 'm',
    MNEME_EXTRACTION_SWEEP_INTERVAL_MS: '100',
    // Maintenance would bring each namespace into the view.
    MNEME_MAINTENANCE_INTERVAL_MS: '3600000',
  });
  replicas.push(replica);
  return replica;
}

function clientOf({ address }: Replica, namespace: string): Mneme {
  const client = connect(address, { ...PATIENT_CLIENT, namespace });
  clients.push(client);
  return client;
}

async function append(server: Replica, namespace: string, text: string): Promise<void> {
  const messages = Array.from({ length: TURNS }, (_, sequence) => ({ role: 'user', sequence, text }) as const);
  await clientOf(server, namespace).conversations.append('c', messages);
}

async function extracted(text: string): Promise<void> {
  const isThere = () => endpoint.requests.some(({ lines }) => lines.some((line) => line.text === text));
  while (!isThere()) await new Promise(setImmediate);
}

describe('servers with views on demand', () => {
  it('one accepts a message of a namespace that the other has no view of, and is killed › the other extracts it', async () => {
    const other = await start(endpoint);
    await append(other, 'known', 'ann likes tea');
    await extracted('ann likes tea');
    const server = await start(silent);
    await append(server, 'unknown', 'bob lives_in rome');
    await server.kill();
    await extracted('bob lives_in rome');
  }, 60_000);
});
