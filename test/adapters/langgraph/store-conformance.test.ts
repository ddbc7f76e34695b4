import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { InMemoryStore } from '@langchain/langgraph-checkpoint';
import { storeCases } from '../../../clients/typescript/src/langgraph/conformance/index.ts';
import { MnemeStore } from '../../../clients/typescript/src/langgraph/index.ts';
import { type ServedMneme, serveMneme } from '../../cli/support/serve-mneme.ts';
import { PATIENT_CLIENT } from '../../support/patient.ts';

let server: ServedMneme;
beforeAll(async () => {
  server = await serveMneme();
});
afterAll(() => server.stop());

const seed = Number(process.env['MNEME_TEST_SEED'] ?? 1);

describe('MnemeStore', () => {
  const suite = {
    createStore: () =>
      new MnemeStore({ address: server.address, connect: { namespace: randomUUID(), ...PATIENT_CLIENT } }),
    destroyStore: (store: { stop(): void | Promise<void> }) => store.stop(),
    seed,
  };
  for (const { name, run } of storeCases(suite)) it(name, run, 120_000);
});

describe('InMemoryStore, which the suite compares with', () => {
  const suite = { createStore: () => new InMemoryStore(), ranksTexts: false, comparesLabels: false, seed };
  for (const { name, run } of storeCases(suite)) it(name, run);
});
