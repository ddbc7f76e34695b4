import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from '../../clients/typescript/src/index.ts';
import { type RunningMneme, startMneme } from '../cli/support/start-mneme.ts';
import { collect } from '../client/support/collect.ts';
import { freePort } from '../support/free-port.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { seededRandom } from '../support/random.ts';

const SIZE = 2000;
const KILLS = 2;

describe('a server killed in the middle of an ingest', () => {
  let data: string;
  let server: RunningMneme;
  let listen: string;
  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'mneme-ingest-crash-'));
    listen = `127.0.0.1:${await freePort()}`;
    server = await startMneme({ listen, data });
  });
  afterAll(async () => {
    await server.stop();
    await rm(data, { recursive: true, force: true });
  });
  const clients: { close(): void }[] = [];
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });

  it.each<[string, (at: number) => { text: string; id?: string }]>([
    ['without ids', (at: number) => ({ text: `t${at}` })],
    ['with ids of their own, of which some are taken', (at: number) => ({ text: `t${at}`, id: `m${at}` })],
    ['with some that are refused', (at: number) => ({ text: at % 97 === 0 ? '' : `t${at}` })],
  ])(
    `${KILLS} times SIGKILL while memories come %s › each is there once, in order, and what was acknowledged stayed`,
    async (name, memoryOf) => {
      const random = seededRandom(`ingest-crash ${name}`);
      const mneme = connect(listen, { ...PATIENT_CLIENT, namespace: `crash-${name.split(' ').length}` });
      clients.push(mneme);
      const withIds = memoryOf(0).id !== undefined;
      if (withIds) await mneme.store({ id: 'm50', text: 't50' });
      const killAt = Array.from({ length: KILLS }, () => random.int(SIZE - 400)).sort((a, b) => a - b);
      let kills = Promise.resolve();
      async function* source() {
        for (let at = 0; at < SIZE; at++) {
          if (at % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
          yield memoryOf(at);
        }
      }
      const restart = async () => {
        await server.stop('SIGKILL');
        server = await startMneme({ listen, data });
      };
      let last: { acknowledgedSequence: number; refusedCount: number } | undefined;
      for await (const progress of mneme.ingest(source())) {
        last = progress;
        if (killAt.length > 0 && progress.acknowledgedSequence >= (killAt[0] ?? 0)) {
          killAt.shift();
          kills = kills.then(restart);
        }
      }
      await kills;

      const isRefused = (at: number) => memoryOf(at).text === '';
      const expected = Array.from({ length: SIZE }, (_, at) => at).filter((at) => !isRefused(at));
      expect(last?.acknowledgedSequence).toBe(SIZE);
      const memories = await collect(mneme.list({ order: 'create_time_asc' }));
      const texts = memories.map(({ text }) => text);
      const seed = `seed ${random.seed}`;
      expect([seed, [...texts].sort()]).toEqual([seed, expected.map((at) => `t${at}`).sort()]);
      if (!withIds && last?.refusedCount === 0) expect([seed, texts]).toEqual([seed, expected.map((at) => `t${at}`)]);
    },
    240_000,
  );
});
