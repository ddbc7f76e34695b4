import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { connect, type ExtractionJob, type Mneme, UnavailableError } from '../../clients/typescript/src/index.ts';
import { collect } from '../client/support/collect.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { Replica } from './replicas.ts';

let postgres: PostgresServer;
const replicas: Replica[] = [];
const clients: Mneme[] = [];
beforeAll(async () => {
  postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const replica of replicas.splice(0)) await replica.stop();
});
afterAll(async () => {
  await postgres.stop();
  postgres.remove();
});

async function start(): Promise<Replica> {
  const replica = await Replica.start(postgres.url, { MNEME_EXTRACTOR: 'client' });
  replicas.push(replica);
  return replica;
}

function clientOf({ address }: Replica): Mneme {
  // A killed server stays away: its client does not wait for it.
  const client = connect(address, { ...PATIENT_CLIENT, namespace: 'shared', retry: false });
  clients.push(client);
  return client;
}

function answerTo({ messages }: ExtractionJob) {
  return {
    claims: messages.map(({ sequence, text }) => {
      return { subject: text, attribute: 'likes', value: text, text, sources: [sequence] };
    }),
  };
}

const say = (mneme: Mneme, conversation: string, text: string) =>
  mneme.conversations.append(conversation, [{ role: 'user', text }], { endOfInvocation: true });

it('servers that share PostgreSQL › a client of one extracts for all; when its server is killed, a client of another does', async () => {
  const [one, other] = [await start(), await start()];
  const [here, there] = [clientOf(one), clientOf(other)];
  // A flush forces extraction at its own server only.
  await here.namespaces.create('shared', { settings: { 'extraction.turns': '1' } });
  const held = Promise.withResolvers<ExtractionJob>();
  let isHeld = false;
  const served = await there.conversations.serveExtractor((job) => {
    if (!isHeld) return answerTo(job);
    held.resolve(job);
    return new Promise(() => undefined);
  });
  await say(here, 'a', 'tea');
  await say(there, 'b', 'wine');
  for (const mneme of [here, there]) expect(await mneme.conversations.flush()).toMatchObject({ complete: true });

  isHeld = true;
  await say(here, 'a', 'milk');
  await held.promise;
  await Promise.all([other.kill(), expect(served.closed).rejects.toThrow(UnavailableError)]);
  await here.conversations.serveExtractor(answerTo);
  expect(await here.conversations.flush()).toMatchObject({ complete: true });
  const facts = await collect(here.list({ filter: 'type = "fact"' }));
  expect(facts.map(({ text }) => text).sort()).toEqual(['milk', 'tea', 'wine']);
}, 120_000);
