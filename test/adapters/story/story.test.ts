import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { MessageData } from '@strands-agents/sdk';
import { connect } from '../../../clients/typescript/src/index.ts';
import { MnemeStore } from '../../../clients/typescript/src/langgraph/index.ts';
import { MemoryManager } from '../../../clients/typescript/src/strands/index.ts';
import { startMneme } from '../../cli/support/start-mneme.ts';
import { agentOf } from '../../client/strands/support.ts';
import { Program } from '../../polyglot/program.ts';
import { PATIENT_CLIENT } from '../../support/patient.ts';

const NAMESPACE = 'story';
const FIRST = 'Mia says that the pump in her cellar makes a grinding noise.';
const SECOND = 'Mia says that the pump was replaced and the grinding noise is gone.';
const OTHER = 'Mia asks for the invoice of last year.';

/** The newest message of each call of the model. */
const heard = (calls: readonly MessageData[][]) => calls.map((messages) => JSON.stringify(messages.at(-1)));

interface Kept {
  readonly ready?: true;
  readonly kept?: string;
  readonly messages?: readonly string[];
}

test('a standing recall notifies an agent of Strands of what an agent of LangGraph learns, across kill -9', async () => {
  const data = await mkdtemp(join(tmpdir(), 'mneme-story-'));
  let server = await startMneme({ data });
  const { address } = server;
  const mneme = connect(address, { ...PATIENT_CLIENT, namespace: NAMESPACE });
  await mneme.namespaces.create(NAMESPACE);
  const kept: Kept[] = [];
  const learner = new Program<Kept>('python/adapters/story-agent', [address, NAMESPACE], (line) => {
    if (line.ready === undefined) kept.push(line);
  });
  // The second agent hears of each memory that enters the answer of its standing query.
  const { agent, model } = agentOf(
    new MemoryManager({ stores: [{ name: 'customers', client: mneme }], injection: false }),
  );
  const news = mneme.subscribe({ text: 'noise of the pump', minRelevance: 0.2 });
  const hearOfNews = async () => {
    for (;;) {
      const { value: answer } = await news.next();
      for (const { memory } of answer?.entered ?? []) await agent.invoke(`News: ${memory.text}`);
      if (answer === undefined || answer.entered.length > 0) return;
    }
  };
  const learn = async (message: string) => {
    const count = kept.length + 1;
    learner.say(message);
    await learner.until(() => kept.length === count);
  };
  try {
    await learner.ready;
    await learn(FIRST);
    await hearOfNews();
    expect(heard(model.seen)).toEqual([expect.stringContaining(FIRST)]);

    await server.stop('SIGKILL');
    server = await startMneme({ data, listen: address });
    await learn(OTHER);
    await learn(SECOND);
    await hearOfNews();
    expect(heard(model.seen)).toEqual([expect.stringContaining(FIRST), expect.stringContaining(SECOND)]);

    // The thread of the first agent went on where it was.
    expect(kept.map(({ kept: key }) => key)).toEqual(['message-1', 'message-2', 'message-3']);
    expect(kept.at(-1)?.messages).toEqual([FIRST, OTHER, SECOND]);
    // What LangGraph in Python stored is an item of LangGraph in JavaScript, and found by a question.
    const items = new MnemeStore({ client: mneme });
    expect((await items.get(['customers', 'mia'], 'message-2'))?.value).toEqual({ text: OTHER });
    const [best] = await items.search(['customers'], { query: 'Which invoice does Mia want?' });
    expect(best).toMatchObject({ namespace: ['customers', 'mia'], key: 'message-2', value: { text: OTHER } });
    await learner.end();
  } finally {
    await news.return(undefined);
    learner.kill();
    await mneme.close();
    await server.stop('SIGKILL');
    await rm(data, { recursive: true, force: true });
  }
});
