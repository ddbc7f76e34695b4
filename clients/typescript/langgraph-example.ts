// An agent of LangGraph with its memory and its checkpoints in Mneme; a scripted model stands in for a real one.
// usage: node clients/typescript/langgraph-example.ts [ADDRESS]
import { Annotation, END, type LangGraphRunnableConfig, START, StateGraph } from '@langchain/langgraph';
import { MnemeSaver, MnemeStore } from './src/langgraph/index.ts';

const address = process.argv[2] ?? '127.0.0.1:50051';
const connect = { namespace: 'langgraph-example' };
const store = new MnemeStore({ address, connect });
const checkpointer = new MnemeSaver({ address, connect });

const State = Annotation.Root({ input: Annotation<string>, answer: Annotation<string> });

/** Stands in for a model: repeats what the memory has about the question. */
async function answer({ input }: typeof State.State, { store: memory, configurable }: LangGraphRunnableConfig) {
  const user = String(configurable?.['user_id']);
  if (!input.endsWith('?')) {
    await memory?.put(['memories', user], `fact-${input.length}`, { text: input });
    return { answer: 'I will remember that.' };
  }
  const [known] = (await memory?.search(['memories', user], { query: input, limit: 1 })) ?? [];
  return { answer: known ? `You said: ${known.value['text']}` : 'I do not know.' };
}

const graph = new StateGraph(State)
  .addNode('model', answer)
  .addEdge(START, 'model')
  .addEdge('model', END)
  .compile({ checkpointer, store });

for (const { thread_id, input } of [
  { thread_id: 'monday', input: 'I am allergic to nuts.' },
  { thread_id: 'monday', input: 'My sister plays the cello.' },
  { thread_id: 'tuesday', input: 'What am I allergic to?' },
]) {
  const state = await graph.invoke({ input }, { configurable: { thread_id, user_id: 'ada' } });
  console.log(`${input} -> ${state.answer}`);
}
const monday = await graph.getState({ configurable: { thread_id: 'monday' } });
console.log(`The thread of monday ends with: ${(monday.values as typeof State.State).answer}`);

await checkpointer.deleteThread('monday');
await checkpointer.deleteThread('tuesday');
for (const { namespace, key } of await store.search(['memories'])) await store.delete(namespace, key);
await store.stop();
await checkpointer.close();
