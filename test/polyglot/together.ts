import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../../clients/typescript/src/index.ts';
import { startMneme } from '../cli/support/start-mneme.ts';
import { sized } from '../support/all-tests.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { Account } from './account.ts';
import { Program } from './program.ts';

export const READING_COUNT = sized({ sample: 30_000, nightly: 100_000 });
/** How many readings are acknowledged at the least when the server is killed. */
const KILLED_AT = [0.3 * READING_COUNT, 0.7 * READING_COUNT];
const NAMESPACE = 'polyglot';
/** No vectors: loss does not depend on them, and computing those of 100,000 texts takes minutes. */
const FLAGS = ['--embedder', 'none'];

/** Four programs at once on one server, which is killed twice meanwhile. */
export async function playTogether(): Promise<Account> {
  const data = await mkdtemp(join(tmpdir(), 'mneme-polyglot-'));
  let server = await startMneme({ data, flags: FLAGS });
  const { address } = server;
  const mneme = connect(address, { ...PATIENT_CLIENT, namespace: NAMESPACE });
  const account = new Account();
  await mneme.namespaces.create(NAMESPACE);
  const ingester = new Program('rust/polyglot-ingester', [address, `${READING_COUNT}`], (received) =>
    account.hearIngester(received),
  );
  const agent = new Program('python/polyglot-agent', [address], (received) => account.hearAgent(received));
  const subscriber = new Program('go/polyglot-subscriber', [address], (received) => account.hearSubscriber(received));
  const recaller = new Program('java/polyglot-recaller', [address], (received) => account.hearRecaller(received));
  const programs = [ingester, agent, subscriber, recaller];
  try {
    for (const { ready } of programs) await ready;
    const startedAtMs = performance.now();
    const seconds = () => (performance.now() - startedAtMs) / 1000;
    ingester.begin();
    agent.begin();
    for (const count of KILLED_AT) {
      await recaller.until(() => account.rightCount > 0);
      await ingester.until(() => account.ingester.acknowledged >= count);
      const { acknowledged } = account.ingester;
      account.serverDies();
      const killedAtMs = performance.now();
      await server.stop('SIGKILL');
      server = await startMneme({ listen: address, data, flags: FLAGS });
      account.serverLives(performance.now() - killedAtMs, acknowledged);
    }
    await ingester.ended();
    account.ingester.seconds = seconds();
    await recaller.until(() => account.rightCount > 0);
    await recaller.end();
    account.recaller.seconds = seconds();
    await agent.end();
    account.agent.seconds = seconds();
    // Changes are delivered in order: after the last one no other can come.
    account.lastId = (await mneme.store({ text: 'The day is over.', tags: ['watched'] })).id;
    await subscriber.until(() => account.subscriber.seen.at(-1) === account.lastId);
    await subscriber.end();
    account.subscriber.seconds = seconds();
    for await (const { id, text } of mneme.exportMemories()) account.found.set(id, text);
    return account;
  } finally {
    for (const program of programs) program.kill();
    await mneme.close();
    await server.stop('SIGKILL');
    await rm(data, { recursive: true, force: true });
  }
}
