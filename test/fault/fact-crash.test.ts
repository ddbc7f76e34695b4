import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type Mneme } from '../../clients/typescript/src/index.ts';
import { type RunningMneme, startMneme } from '../cli/support/start-mneme.ts';
import { firstOrAll, sized } from '../support/all-tests.ts';
import { seededRandom } from '../support/random.ts';
import { BACKENDS, type BackendOfServer, startBackend } from './backend-of-server.ts';

const ROUNDS = sized({ sample: 1, nightly: 3 });

describe.each(firstOrAll(BACKENDS))('a server with %s', (name) => {
  let backend: BackendOfServer;
  let data: string;
  beforeAll(async () => {
    backend = await startBackend(name);
    data = await mkdtemp(join(tmpdir(), 'mneme-fact-crash-'));
  });
  afterAll(async () => {
    await backend?.stop();
    await rm(data, { recursive: true, force: true });
  });

  it('is killed amid supersessions › one value counts, the last that was acknowledged or one in flight', async () => {
    const random = seededRandom('fact crash');
    let acknowledged = -1;
    for (let round = 0; round < ROUNDS; round++) {
      const server = await startMneme({ data, env: backend.env, isQuiet: true });
      const mneme = connect(server.address, { namespace: 'facts', retry: false });
      const from = acknowledged + 1;
      const asserted = await assertUntilKilled(mneme, server, from, from + 5 + random.int(20));
      acknowledged = Math.max(acknowledged, asserted.acknowledged);
      await mneme.close();

      const restarted = await startMneme({ data, env: backend.env, isQuiet: true });
      const reader = connect(restarted.address, { namespace: 'facts' });
      const current: number[] = [];
      for await (const fact of reader.facts.list({ subject: 'user' })) current.push(Number(fact.value));
      expect(current).toHaveLength(1);
      expect(current[0]).toBeGreaterThanOrEqual(acknowledged);
      expect(current[0]).toBeLessThanOrEqual(asserted.sent);
      const { facts } = await reader.facts.listHistory('user', 'home_city');
      expect(facts.map(({ fact }) => Number(fact.value))).toEqual(Array.from({ length: facts.length }, (_, at) => at));
      for (const [at, { fact }] of facts.entries()) expect(fact.supersededBy).toBe(facts[at + 1]?.fact.id);
      acknowledged = current[0] ?? acknowledged;
      await reader.close();
      await restarted.stop();
    }
  });
});

/** Asserts one value after another, some concurrently, and kills the server during these. */
async function assertUntilKilled(
  mneme: Mneme,
  server: RunningMneme,
  first: number,
  killAfter: number,
): Promise<{ readonly acknowledged: number; readonly sent: number }> {
  let [acknowledged, sent] = [first - 1, first - 1];
  let killed: Promise<void> | undefined;
  for (let value = first; !killed || value < killAfter + 2; value++) {
    sent = value;
    const validFrom = new Date(Date.UTC(2026, 0, 1) + value * 1000);
    const call = mneme.facts.assertFact({ subject: 'user', attribute: 'home_city', value: String(value), validFrom });
    if (value === killAfter) killed = server.stop('SIGKILL');
    const isDone = await call.then(
      () => true,
      () => false,
    );
    if (!isDone) break;
    acknowledged = value;
  }
  await killed;
  return { acknowledged, sent };
}
