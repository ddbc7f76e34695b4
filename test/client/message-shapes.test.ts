import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { InvalidArgumentError, type Mneme } from '../../clients/typescript/src/index.ts';
import { type ServedMneme, serveMneme } from '../cli/support/serve-mneme.ts';
import { cleanUp, client } from './support/clean-up.ts';
import { collect } from './support/collect.ts';

let server: ServedMneme;
let conversations = 0;
beforeAll(async () => {
  server = await serveMneme();
});
afterAll(() => server.stop());
afterEach(cleanUp);

/** The messages as they are stored, without their times. */
async function stored(mneme: Mneme, messages: readonly object[]) {
  conversations += 1;
  const id = `c-${conversations}`;
  await mneme.conversations.append(id, messages as Record<string, unknown>[]);
  const found = await collect(mneme.conversations.list(id));
  return found.map(({ role, blocks }) => [role, blocks.map((block) => ('data' in block ? block.data.json() : block))]);
}

const call = (id: string, name: string, argumentsJson: string) => ({ toolCall: { id, name, argumentsJson } });
const result = (callId: string, text: string) => ({ toolResult: { callId, text, isError: false } });

describe('messages in the shapes of other programs', () => {
  const fresh = () => client(server.address, { namespace: 'messages' });

  it.each<[string, object, unknown]>([
    ['a content', { role: 'user', content: 'Hi' }, ['user', [{ text: 'Hi' }]]],
    [
      'OpenAI parts',
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'https://x/y.png' } },
        ],
      },
      ['user', [{ text: 'Look' }, { omitted: 'image' }]],
    ],
    [
      'OpenAI null beside calls',
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'sum', arguments: '{"n":1}' } }],
      },
      ['assistant', [call('a', 'sum', '{"n":1}')]],
    ],
    ['OpenAI tool', { role: 'tool', tool_call_id: 'a', content: '4' }, ['tool', [result('a', '4')]]],
    [
      'Responses',
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done' }] },
      ['assistant', [{ text: 'Done' }]],
    ],
    [
      'Responses call',
      { type: 'function_call', call_id: 'b', name: 'sum', arguments: '{}' },
      ['assistant', [call('b', 'sum', '{}')]],
    ],
    ['Responses output', { type: 'function_call_output', call_id: 'b', output: '5' }, ['tool', [result('b', '5')]]],
    [
      'Anthropic',
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look' },
          { type: 'tool_use', id: 't', name: 'look', input: { at: 'x' } },
        ],
      },
      ['assistant', [{ text: 'I look' }, call('t', 'look', '{"at":"x"}')]],
    ],
    [
      'Anthropic result',
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'seen' }] },
      ['user', [result('t', 'seen')]],
    ],
    [
      'Vercel parts',
      { id: 'm', role: 'user', parts: [{ type: 'text', text: 'From parts' }] },
      ['user', [{ text: 'From parts' }]],
    ],
    [
      'Vercel call',
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'v', toolName: 'sum', input: { n: 2 } }] },
      ['assistant', [call('v', 'sum', '{"n":2}')]],
    ],
    ['LangChain', { type: 'human', data: { content: 'Hello chain' } }, ['user', [{ text: 'Hello chain' }]]],
    [
      'LangChain AI',
      { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'AIMessage'], kwargs: { content: 'Yes' } },
      ['assistant', [{ text: 'Yes' }]],
    ],
  ])('%s › is stored with its text, calls and results', async (_, message, expected) => {
    expect(await stored(fresh(), [message])).toEqual([expected]);
  });

  it.each<[string, object]>([
    ['null', { role: 'assistant', content: null }],
    ['an empty text', { role: 'user', text: '' }],
    ['an empty content', { role: 'user', content: '' }],
    ['no parts', { role: 'user', content: [] }],
    ['no blocks', { role: 'user', blocks: [] }],
    ['nothing', { role: 'user' }],
  ])('%s › is refused by its place, and nothing is stored', async (_, empty) => {
    const mneme = fresh();
    const before = await mneme.count().catch(() => ({ count: 0 }));

    const error = await mneme.conversations
      .append('empty', [{ role: 'user', text: 'first' }, empty as never])
      .catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect((error as InvalidArgumentError).violations[0]?.field).toMatch(/^messages\[1\]/);
    expect((await mneme.count().catch(() => ({ count: 0 }))).count).toBe(before.count);
  });

  it.each<[string, object]>([
    ['messages[0].contnet', { role: 'user', text: 'x', contnet: 'y' }],
    ['messages[0].role', { role: 'robot', text: 'x' }],
    ['messages[0]', { role: 'user', text: 'x', eventTime: 'some day' }],
  ])('%s › is refused', async (field, message) => {
    const error = await fresh()
      .conversations.append('c', [message as never])
      .catch((thrown: unknown) => thrown);

    expect((error as InvalidArgumentError).violations).toMatchObject([{ field }]);
  });

  it('a context › takes messages of any shape', async () => {
    const mneme = client(server.address, { namespace: 'messages-context' });
    await mneme.store('The brass key is under the blue flower pot.', { type: 'fact', speaker: 'Ada' });

    const { query, text } = await mneme.buildContext({
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Where is the brass key?' }] }],
    });

    expect(query).toContain('brass key');
    expect(text).toContain('blue flower pot');
  });
});

describe('store › texts and times as programs have them', () => {
  it('a text with its fields › is stored as an object would be', async () => {
    const mneme = client(server.address, { namespace: 'texts' });
    const time = '2026-05-01T09:00:00.000001Z';

    const { id } = await mneme.store('I moved to Porto.', {
      speaker: 'Ada',
      type: 'message',
      tags: ['home'],
      session: 's1',
      time,
      id: 'm1',
    });
    const other = await mneme.store('elsewhere', { namespace: 'texts-other' });

    expect(await mneme.get(id)).toMatchObject({
      ...{ id: 'm1', text: 'I moved to Porto.', type: 'message', tags: ['home'] },
      ...{ source: { speaker: 'Ada' }, scope: { session: 's1' } },
    });
    expect((await mneme.get(id)).eventTime.toISOString()).toBe(time);
    expect(other.name).toContain('namespaces/texts-other/');
  });

  it('many texts and objects › are stored in order, with the fields of the call where they have none', async () => {
    const mneme = client(server.address, { namespace: 'many' });

    const receipts = await mneme.storeMany(
      ['one', { text: 'two', type: 'note' }, ...Array.from({ length: 1200 }, (_, at) => `t ${at}`)],
      { type: 'fact' },
    );
    const [one, two] = await Promise.all(receipts.slice(0, 2).map(({ id }) => mneme.get(id)));

    expect(receipts).toHaveLength(1202);
    expect([one?.type, two?.type, (await mneme.count()).count]).toEqual(['fact', 'note', 1202]);
  });

  it('times › may be dates, milliseconds and texts, the first instant too', async () => {
    const mneme = client(server.address, { namespace: 'times' });
    const times = [new Date(0), 0, '1970-01-01T00:00:00Z', '1970-01-01'];

    const receipts = await mneme.batchStore(times.map((eventTime) => ({ text: 'x', eventTime })));

    for (const { id } of receipts) expect((await mneme.get(id)).eventTime.getTime()).toBe(0);
    await expect(mneme.store({ text: 'x', validUntil: '2026-02-30' })).rejects.toThrow(
      /memory\.validUntil: must be a Date/,
    );
    await expect(mneme.recall({ text: 'x', asOf: new Date(Number.NaN) })).rejects.toThrow(/asOf: must be/);
  });

  it('await using › closes the client, and leaving a loop ends a stream', async () => {
    const mneme = client(server.address, { namespace: 'disposed' });
    await mneme.store('gone');

    // What `await using` does; Node 22 does not know it.
    await mneme[Symbol.asyncDispose]();

    await expect(mneme.count()).rejects.toThrow('the client is closed');
  });

  it('a plain loop over a watch › has only changes, without a check for other events', async () => {
    const mneme = client(server.address, { namespace: 'watched' });
    await mneme.store('first');
    const texts: (string | undefined)[] = [];
    const events = mneme.watch({ startRevision: 1 });

    await mneme.store('second');
    for await (const event of events) {
      texts.push(event.memory?.text);
      if (texts.includes('second')) break;
    }

    expect(texts.filter((text) => text !== undefined)).toEqual(['first', 'second']);
  });
});

describe('A11 namespaces for users', () => {
  it.each([
    ['ada@example.org', 'ada-example.org'],
    ['Tenant', 'tenant'],
    ['auth0|5f7c8ec7c33c6c004bbafe82', 'auth0-5f7c8ec7c33c6c004bbafe82'],
    ['Jürgen', 'jurgen'],
    ['a/b', 'a-b'],
  ])('%s › is refused as namespace, with a name that is valid', (namespace, proposal) => {
    const message = () => client(server.address, { namespace });

    expect(message).toThrow(InvalidArgumentError);
    expect(message).toThrow(/^namespace: must be 1 to 63 of/);
    expect(message).toThrow(`use a name, such as ${proposal}`);
    expect(() => client(server.address).withNamespace(namespace)).toThrow(/^namespace: /);
  });
});
