import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type Mneme } from '../../clients/typescript/src/index.ts';
import { ChatEndpoint } from '../support/chat-endpoint.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { Replica } from './replicas.ts';

let postgres: PostgresServer;
let endpoint: ChatEndpoint;
const replicas: Replica[] = [];
const clients: Mneme[] = [];
beforeAll(async () => {
  postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
  endpoint = await ChatEndpoint.started();
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const replica of replicas.splice(0)) await replica.stop();
});
afterAll(async () => {
  await endpoint.close();
  await postgres.stop();
  postgres.remove();
});

async function start(): Promise<Replica> {
  const replica = await Replica.startWith({
    MNEME_POSTGRES_URL: postgres.url,
    MNEME_POSTGRES_SCHEMA: 'extraction',
    MNEME_EXTRACTOR: 'model',
    MNEME_EXTRACTOR_URL: endpoint.url,
    MNEME_EXTRACTOR_MODEL: 'm',
    MNEME_EXTRACTION_SWEEP_INTERVAL_MS: '100',
  });
  replicas.push(replica);
  return replica;
}

function clientOf(address: string): Mneme {
  const client = connect(address, { ...PATIENT_CLIENT, namespace: 'talk' });
  clients.push(client);
  return client;
}

/** Requests about the text. */
const countOf = (text: string) =>
  endpoint.requests.filter(({ lines }) => lines.some((line) => line.text.includes(text))).length;

describe('servers with views on demand', () => {
  it('one accepts a message of a namespace that the other has no view of, and is killed › the other extracts it', async () => {
    const other = await start();
    // The first sweep of the other server is over when it has found this message.
    await clientOf(other.address).conversations.append('first', [{ role: 'user', sequence: 0, text: 'ann likes tea' }]);
    while (countOf('tea') === 0) await new Promise(setImmediate);
    const server = await start();
    endpoint.reply = () => 'hang';
    const writer = connect(server.address, { ...PATIENT_CLIENT, namespace: 'unknown' });
    clients.push(writer);
    await writer.conversations.append('c', [{ role: 'user', sequence: 0, text: 'bob lives_in rome' }]);
    server.kill();
    const before = countOf('rome');
    endpoint.reply = () => undefined;
    while (countOf('rome') === before) await new Promise(setImmediate);
    expect(countOf('rome')).toBeGreaterThan(before);
  }, 60_000);
});
