// LangGraph's own suite for checkpointers, run by Vitest; validation.nightly.test.ts starts it and counts.
import { randomUUID } from 'node:crypto';
import { deltaChannelHistoryTests, validate } from '@langchain/langgraph-checkpoint-validation';
import { MnemeSaver } from '../../../clients/typescript/src/langgraph/index.ts';

const address = process.env['MNEME_ADDRESS'];
if (address === undefined) throw new Error('the variable MNEME_ADDRESS names no server');

const initializer = {
  checkpointerName: '@mneme/client/langgraph',
  createCheckpointer: () => new MnemeSaver({ address, connect: { namespace: randomUUID(), timeoutMs: 60_000 } }),
  destroyCheckpointer: (saver: MnemeSaver) => saver.close(),
};

validate(initializer);
deltaChannelHistoryTests(initializer);
