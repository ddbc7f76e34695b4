import { describe, expect, test } from '@jest/globals';
import {
  type AgentConfig,
  InvokeModelStage,
  type MemoryInjectionConfig,
  Message,
  type MessageData,
  TextBlock,
} from '@strands-agents/sdk';
import { ContextInjector } from '@strands-agents/sdk/vended-plugins/context-injector';
import { agentOf, managerOf, ReadOnlyStore } from './support.ts';

const TEA = '<memory>\n<entry source="a">likes tea</entry>\n</memory>';
const png = { image: { format: 'png', source: { bytes: Uint8Array.of(1) } } } as const;

/** The last call of the model: its messages, and how many blocks at their end are made anew for each call. */
async function called(
  content: MessageData['content'] | undefined,
  injection: MemoryInjectionConfig = {},
  options: AgentConfig = {},
) {
  const manager = managerOf([new ReadOnlyStore('a', { entries: ['likes tea'] })], { injection });
  const { agent } = agentOf(manager, ['ok'], options);
  const calls: { readonly messages: readonly Message[]; readonly dynamicTrailingBlocks?: number }[] = [];
  agent.addMiddleware(InvokeModelStage, async function* (context, next) {
    calls.push(context);
    return yield* next(context);
  });
  const said = content && Message.fromMessageData({ role: 'user', content });
  await agent.invoke(said ? [said] : []);
  const [{ messages = [], dynamicTrailingBlocks = 0 } = {}] = calls;
  const blocks = messages.map((message) => message.toJSON().content);
  return { agent, messages, blocks, dynamicTrailingBlocks };
}

/** Rows of the injection engine in section 7.4 of the reference. */
describe('injection into the input of the model', () => {
  test('stands at the end of the message in a new array; the conversation keeps its blocks', async () => {
    const { agent, messages, blocks, dynamicTrailingBlocks } = await called([{ text: 'hello' }]);
    expect(blocks).toEqual([[{ text: 'hello' }, { text: `\n\n${TEA}` }]]);
    expect(dynamicTrailingBlocks).toBe(1);
    expect(agent.messages[0]?.toJSON().content).toEqual([{ text: 'hello' }]);
    expect(messages[0]).not.toBe(agent.messages[0]);
    expect(messages[0]?.trackingId).toBe(agent.messages[0]?.trackingId);
  });

  test('the metadata of the message is kept', async () => {
    const metadata = { custom: { k: 1 } };
    const message = new Message({ role: 'user', content: [new TextBlock('hello')], metadata });
    const { messages } = await called(undefined, {}, { messages: [message] });
    expect(messages.map((one) => one.metadata)).toEqual([metadata]);
    expect(messages[0]?.content).toHaveLength(2);
  });

  test.each([
    ['an image', [png], `\n\n${TEA}`],
    ['a cache point', [{ text: 'hello' }, { cachePoint: { cacheType: 'default' } }], `\n\n${TEA}`],
    ['nothing', [], TEA],
  ] as const)(
    'behind %s: separated from what stands before it, and no cache point is written',
    async (_, content, text) => {
      const query = () => 'q';
      const { blocks } = await called([...content] as MessageData['content'], { query });
      expect(blocks.at(-1)?.at(-1)).toEqual({ text });
      expect(blocks.flat().filter((block) => 'cachePoint' in block)).toHaveLength(
        content.filter((block) => 'cachePoint' in block).length,
      );
    },
  );

  test('goes into the most recent message of the user; not the last one › no trailing block is reported', async () => {
    const messages: MessageData[] = [
      { role: 'user', content: [{ text: 'one' }] },
      { role: 'user', content: [{ text: 'two' }] },
      { role: 'assistant', content: [{ text: 'three' }] },
    ];
    const { blocks, dynamicTrailingBlocks } = await called(undefined, { trigger: 'everyTurn' }, { messages });
    expect(blocks.map((one) => one.length)).toEqual([1, 2, 1]);
    expect(dynamicTrailingBlocks).toBe(0);
  });

  test('without a message of the user nothing changes', async () => {
    const messages: MessageData[] = [{ role: 'assistant', content: [{ text: 'welcome' }] }];
    const { blocks } = await called(undefined, { trigger: 'everyTurn' }, { messages });
    expect(blocks).toEqual([[{ text: 'welcome' }]]);
  });

  test('trailing blocks of several producers are counted together', async () => {
    const plugins = [new ContextInjector({ name: 'clock', renderContent: async () => 'noon' })];
    const { blocks, dynamicTrailingBlocks } = await called([{ text: 'hello' }], {}, { plugins });
    expect([blocks[0]?.length, dynamicTrailingBlocks]).toEqual([3, 2]);
  });

  test.each([
    ['a condition that throws', { trigger: () => fail() }],
    ['a format that throws', { format: () => fail() }],
    ['a text of white space', { format: () => ' \n ' }],
  ])('%s · injects nothing, and the model is called', async (_, injection) => {
    const { blocks, dynamicTrailingBlocks } = await called([{ text: 'hello' }], injection);
    expect([blocks, dynamicTrailingBlocks]).toEqual([[[{ text: 'hello' }]], 0]);
  });
});

function fail(): never {
  throw new Error('broken');
}
