import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { allOf, connect, type Mneme, where } from '../../clients/typescript/src/index.ts';
import { collect } from '../client/support/collect.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { seededRandom } from '../support/random.ts';
import { Replica } from './replicas.ts';

const PAIRS = 60;
const VALUES = 30;
const isMerged = allOf(where.sourceOrigin.equals('mneme.consolidation'), where.type.equals('statement'));

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
  const replica = await Replica.start(postgres.url);
  replicas.push(replica);
  return replica;
}

function clientOf({ address }: Replica, namespace: string): Mneme {
  const client = connect(address, { ...PATIENT_CLIENT, namespace, retry: false });
  clients.push(client);
  return client;
}

it('one of two servers is killed amid supersessions, the other goes on › one value counts, the history is one chain', async () => {
  const random = seededRandom('shared-facts');
  const [one, two] = [await start(), await start()];
  const [first, second] = [clientOf(one, 'facts'), clientOf(two, 'facts')];
  const killAt = 5 + random.int(15);
  let killed: Promise<void> | undefined;
  for (let value = 0; value < VALUES; value++) {
    const validFrom = new Date(Date.UTC(2026, 0, 1) + value * 1000);
    const fact = { subject: 'user', attribute: 'home_city', value: String(value), validFrom };
    const call = value % 2 === 1 && !killed ? second.facts.assertFact(fact) : first.facts.assertFact(fact);
    if (value >= killAt && value % 2 === 1) killed ??= two.kill();
    // A call that was cut off is repeated at the other server, whether or not it had its effect.
    await call.catch(() => first.facts.assertFact(fact));
  }
  await killed;
  const { facts } = await first.facts.listHistory('user', 'home_city');
  expect([`seed ${random.seed}`, ...facts.map(({ fact }) => Number(fact.value))]).toEqual([
    `seed ${random.seed}`,
    ...Array.from({ length: VALUES }, (_, at) => at),
  ]);
  for (const [at, { fact }] of facts.entries()) expect(fact.supersededBy).toBe(facts[at + 1]?.fact.id);
  const current = await collect(first.facts.list({ subject: 'user' }));
  expect(current.map(({ value }) => value)).toEqual([String(VALUES - 1)]);
}, 120_000);

it('one of two servers is killed amid a consolidation, the other goes on › the end state is that of a run without', async () => {
  const [one, two] = [await start(), await start()];
  const pairs = Array.from({ length: PAIRS }, (_, at) => [
    { id: `a${at}`, text: `Build ${at} of the lighthouse passed.` },
    { id: `b${at}`, text: `build ${at} of the lighthouse passed` },
  ]);
  for (const namespace of ['cut', 'whole']) await clientOf(one, namespace).batchStore(pairs.flat());
  const [cut, whole] = [clientOf(one, 'cut'), clientOf(one, 'whole')];
  const before = await stateOf(cut);
  const running = clientOf(two, 'cut')
    .consolidation.run({ maxSteps: 1000 })
    .catch(() => undefined);
  while ((await cut.count({ filter: isMerged })).count < 5);
  await two.kill();
  await running;

  const { reportId = '', memories } = await cut.consolidation.run({ maxSteps: 1000 });
  expect(memories).toHaveLength(PAIRS);
  await whole.consolidation.run({ maxSteps: 1000 });
  expect(await stateOf(cut)).toEqual(await stateOf(whole));
  await cut.consolidation.undo(reportId);
  expect(await stateOf(cut)).toEqual(before);
}, 120_000);

/** Memories without fields that differ between two runs: versions, times and the id of the report. */
async function stateOf(mneme: Mneme): Promise<string[]> {
  const memories = await collect(mneme.list({ view: 'basic' }));
  return memories
    .filter(({ type }) => type !== 'consolidation')
    .map(({ id, text, supersededBy = '' }) => [id, text, supersededBy].join())
    .sort();
}
