import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { Annotation, Command, END, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import type { MnemeSaver, MnemeStore } from '../../../clients/typescript/src/langgraph/index.ts';
import { startMneme } from '../../cli/support/start-mneme.ts';
import { cleanUp, onCleanUp } from '../../client/support/clean-up.ts';
import { freePort } from '../../support/free-port.ts';
import { saverOf, storeOf } from './support.ts';

afterEach(cleanUp);

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  steps: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});
const config = { configurable: { thread_id: 'monday' } };

/** A server on one port and one folder, which is killed and started again. */
async function killable() {
  const data = await mkdtemp(join(tmpdir(), 'mneme-langgraph-'));
  onCleanUp(() => rm(data, { recursive: true, force: true }));
  const listen = `127.0.0.1:${await freePort()}`;
  let server = await startMneme({ listen, data });
  onCleanUp(() => server.stop());
  return {
    address: listen,
    async killAndRestart() {
      await server.stop('SIGKILL');
      server = await startMneme({ listen, data });
    },
  };
}

/** An agent of three steps; `between` is called in the second one, before it writes. */
function agentOf(saver: MnemeSaver, store: MnemeStore, between: () => Promise<void>) {
  const model = new FakeListChatModel({ responses: ['plan: buy tea', 'done: tea is bought'] });
  const ran: string[] = [];
  const graph = new StateGraph(State)
    .addNode('plan', async ({ messages }) => {
      ran.push('plan');
      return { messages: [await model.invoke(messages)], steps: ['plan'] };
    })
    .addNode('remember', async ({ messages }) => {
      ran.push('remember');
      await between();
      await store.put(['memories'], 'plan', { text: textOf(messages.at(-1)) });
      return { steps: ['remember'] };
    })
    .addNode('finish', async ({ messages }) => {
      ran.push('finish');
      return { messages: [await model.invoke(messages)], steps: ['finish'] };
    })
    .addEdge(START, 'plan')
    .addEdge('plan', 'remember')
    .addEdge('remember', 'finish')
    .addEdge('finish', END)
    .compile({ checkpointer: saver, store });
  return { graph, ran };
}

function textOf(message: BaseMessage | undefined): string {
  return typeof message?.content === 'string' ? message.content : '';
}

describe('a compiled graph', () => {
  it('kill -9 of the server between its steps › the graph goes on, and nothing is lost', async () => {
    const server = await killable();
    const [saver, store] = [saverOf(server.address), storeOf(server.address)];
    const { graph, ran } = agentOf(saver, store, () => server.killAndRestart());

    const state = await graph.invoke({ messages: [{ role: 'user', content: 'Buy tea.' }] }, config);

    expect(state.steps).toEqual(['plan', 'remember', 'finish']);
    expect(state.messages.map(textOf)).toEqual(['Buy tea.', 'plan: buy tea', 'done: tea is bought']);
    expect(ran).toEqual(['plan', 'remember', 'finish']);
    expect((await store.get(['memories'], 'plan'))?.value).toEqual({ text: 'plan: buy tea' });
  }, 120_000);

  it('kill -9 of the server and of the agent between its steps › another agent resumes at the step', async () => {
    const server = await killable();
    const first = agentOf(saverOf(server.address), storeOf(server.address), async () => {
      await server.killAndRestart();
      throw new Error('the agent is killed');
    });
    await expect(first.graph.invoke({ messages: [{ role: 'user', content: 'Buy tea.' }] }, config)).rejects.toThrow(
      'killed',
    );
    await server.killAndRestart();

    const second = agentOf(saverOf(server.address), storeOf(server.address), async () => undefined);
    const state = await second.graph.invoke(null, config);

    expect(second.ran).toEqual(['remember', 'finish']);
    expect(state.steps).toEqual(['plan', 'remember', 'finish']);
    expect(state.messages[1]).toBeInstanceOf(AIMessage);
    const history = [];
    for await (const each of second.graph.getStateHistory(config)) history.push(each.next);
    expect(history).toEqual([[], ['finish'], ['remember'], ['plan'], ['__start__']]);
  }, 120_000);

  it('an interrupt › is resumed by another agent after a kill -9, with the answer', async () => {
    const server = await killable();
    const asking = (saver: MnemeSaver) =>
      new StateGraph(Annotation.Root({ answer: Annotation<string> }))
        .addNode('ask', () => ({ answer: interrupt<string, string>('Which tea?') }))
        .addEdge(START, 'ask')
        .addEdge('ask', END)
        .compile({ checkpointer: saver });
    const asked = await asking(saverOf(server.address)).invoke({}, config);
    await server.killAndRestart();

    const state = await asking(saverOf(server.address)).invoke(new Command({ resume: 'green' }), config);

    expect(asked).toMatchObject({ __interrupt__: [{ value: 'Which tea?' }] });
    expect(state.answer).toBe('green');
  }, 120_000);

  it('time travel › a fork from a former checkpoint has its own values', async () => {
    const server = await killable();
    const saver = saverOf(server.address);
    const graph = new StateGraph(Annotation.Root({ n: Annotation<number> }))
      .addNode('add', ({ n }) => ({ n: n + 1 }))
      .addEdge(START, 'add')
      .addEdge('add', END)
      .compile({ checkpointer: saver });
    await graph.invoke({ n: 1 }, config);
    const history = [];
    for await (const each of graph.getStateHistory(config)) history.push(each);
    const [last, before] = history;

    const fork = await graph.updateState(before?.config ?? {}, { n: 10 });
    const forked = await graph.invoke(null, fork);

    expect(forked).toEqual({ n: 11 });
    expect((await graph.getState(last?.config ?? {})).values).toEqual({ n: 2 });
    expect((await graph.getState(before?.config ?? {})).values).toEqual({ n: 1 });
  }, 120_000);
});
