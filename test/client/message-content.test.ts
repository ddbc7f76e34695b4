import { describe, expect, it } from '@jest/globals';
import { messageFrom, messageTime } from '../../clients/typescript/src/index.ts';

const call = (id: string, name: string, argumentsJson: string) => ({ toolCall: { id, name, argumentsJson } });
const answer = (callId: string, text: string, isError = false) => ({ toolResult: { callId, text, isError } });

describe('C5 shapes of messages of other programs', () => {
  it.each<[string, unknown, object]>([
    ['Mneme, text', { role: 'user', text: 'Hi', name: 'Ada' }, { role: 'user', text: 'Hi', name: 'Ada' }],
    [
      'Mneme, blocks',
      { role: 'tool', blocks: [{ toolResult: { callId: 'x', text: 'y' } }, { text: 'z' }] },
      { role: 'tool', blocks: [answer('x', 'y'), { text: 'z' }] },
    ],
    ['OpenAI, parts', { role: 'user', content: [{ type: 'text', text: 'Hi' }] }, { role: 'user', text: 'Hi' }],
    ['OpenAI, no content', { role: 'assistant', content: null }, { role: 'assistant', blocks: [] }],
    [
      'OpenAI, a call and no content',
      { role: 'assistant', content: null, tool_calls: [{ id: 'c', function: { name: 'add', arguments: '{"a":1}' } }] },
      { role: 'assistant', blocks: [call('c', 'add', '{"a":1}')] },
    ],
    ['OpenAI, tool', { role: 'tool', tool_call_id: 'c', content: '3' }, { role: 'tool', blocks: [answer('c', '3')] }],
    ['OpenAI, refusal', { role: 'assistant', content: null, refusal: 'No.' }, { role: 'assistant', text: 'No.' }],
    [
      'OpenAI, spoken answer',
      { role: 'assistant', content: null, audio: { id: 'a', transcript: 'Good morning.' } },
      { role: 'assistant', text: 'Good morning.' },
    ],
    [
      'Responses, message',
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'A' }] },
      { role: 'assistant', text: 'A' },
    ],
    [
      'Responses, call',
      { type: 'function_call', call_id: 'c', name: 'add', arguments: '{}' },
      { role: 'assistant', blocks: [call('c', 'add', '{}')] },
    ],
    [
      'Responses, output',
      { type: 'function_call_output', call_id: 'c', output: '3' },
      { role: 'tool', blocks: [answer('c', '3')] },
    ],
    [
      'Responses, reasoning',
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Thinking.' }] },
      { role: 'assistant', text: 'Thinking.' },
    ],
    [
      'Anthropic, thinking and a call',
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.' },
          { type: 'tool_use', id: 't', name: 'look', input: { q: 1 } },
        ],
      },
      { role: 'assistant', blocks: [{ text: 'Hm.' }, call('t', 'look', '{"q":1}')] },
    ],
    [
      'Anthropic, tool result and document',
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't', is_error: true, content: [{ type: 'text', text: 'none' }] },
          { type: 'document', title: 'Plan', source: { type: 'text', media_type: 'text/plain', data: 'Gate 4' } },
        ],
      },
      { role: 'user', blocks: [answer('t', 'none', true), { text: 'Plan\n\nGate 4' }] },
    ],
    [
      'AI SDK, parts',
      {
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          { type: 'reasoning', text: 'Hm.' },
          { type: 'tool-look', toolCallId: 't', state: 'output-available', input: { q: 1 }, output: { a: 2 } },
          { type: 'text', text: 'Two.' },
        ],
        content: 'Two.',
      },
      {
        role: 'assistant',
        blocks: [{ text: 'Hm.' }, call('t', 'look', '{"q":1}'), answer('t', '{"a":2}'), { text: 'Two.' }],
      },
    ],
    [
      'AI SDK, result of a tool',
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 't', output: { type: 'text', value: '2' } }] },
      { role: 'tool', blocks: [answer('t', '2')] },
    ],
    ['LangChain, type', { type: 'human', content: 'Hi' }, { role: 'user', text: 'Hi' }],
    [
      'LangChain, data',
      { type: 'ai', data: { content: 'Hi', additional_kwargs: {} } },
      { role: 'assistant', text: 'Hi' },
    ],
    [
      'LangChain, kwargs',
      {
        lc: 1,
        type: 'constructor',
        id: ['langchain', 'schema', 'messages', 'AIMessage'],
        kwargs: { content: '', tool_calls: [{ id: 't', name: 'look', args: { q: 1 } }] },
      },
      { role: 'assistant', blocks: [call('t', 'look', '{"q":1}')] },
    ],
    [
      'Google',
      { role: 'model', parts: [{ text: 'Hm.' }, { functionCall: { name: 'look', args: {} } }] },
      { role: 'assistant', blocks: [{ text: 'Hm.' }, call('', 'look', '{}')] },
    ],
    [
      'Bedrock',
      { role: 'user', content: [{ toolResult: { toolUseId: 't', content: [{ text: 'two' }], status: 'error' } }] },
      { role: 'user', blocks: [answer('t', 'two', true)] },
    ],
    ['ShareGPT', { from: 'gpt', value: 'Hi' }, { role: 'assistant', text: 'Hi' }],
    ['a person without a role', { speaker: 'Ada', text: 'Hi' }, { role: 'user', text: 'Hi', name: 'Ada' }],
    [
      'an unknown kind',
      { role: 'user', content: [{ type: 'poll', ask: 'Tea or coffee?' }] },
      { role: 'user', text: 'Tea or coffee?' },
    ],
  ])('%s › is read whole', (_, shape, message) => {
    expect(messageFrom(shape, '')).toEqual({ message, skipped: [], unreadKeys: [] });
  });

  it('parts without text › are named by kind', () => {
    const content = [
      { type: 'image_url', image_url: { url: 'x' } },
      { type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } },
      { type: 'file', mediaType: 'video/mp4', url: 'x' },
      { type: 'input_file', filename: 'a.pdf' },
      { type: 'tool_result', tool_use_id: 't', content: [{ type: 'image', source: { type: 'base64', data: 'AA' } }] },
    ];

    expect(messageFrom({ role: 'user', content }, '').skipped).toEqual(['image', 'audio', 'video', 'file', 'image']);
  });

  it('keys that are not read › are named, empty ones are not', () => {
    const { unreadKeys } = messageFrom({ role: 'user', content: 'A', text: 'B', mood: 'fine', metadata: {} }, '');

    expect(unreadKeys).toEqual(['text', 'mood']);
  });

  it('a role that is not known, and a value that is no message › are refused with their place', () => {
    expect(() => messageFrom({ role: 'robot', text: 'x' }, 'messages[2]')).toThrow(
      /^messages\[2\]\.role: expected one of user, .* got "robot"$/,
    );
    expect(() => messageFrom('Hi', 'messages[2]')).toThrow(/^messages\[2\]: must be an object/);
  });
});

describe('C3 times of messages of other programs', () => {
  it.each<[string, unknown]>([
    ['time', '2024-05-01T09:00:00Z'],
    ['timestamp', 1_714_554_000],
    ['created_at', '1714554000000'],
    ['createdAt', 1_714_554_000_000],
    ['create_time', 1_714_554_000.0],
    ['ts', '1714554000.000100'],
    ['date', 'Wed, 01 May 2024 09:00:00 GMT'],
    ['eventTime', '2024-05-01 11:00:00 +02:00'],
    ['datetime', 1_714_554_000_000_000],
    ['sentAt', new Date('2024-05-01T09:00:00Z')],
  ])('%s › is read', (key, value) => {
    const { message, unreadKeys } = messageFrom({ role: 'user', text: 'x', [key]: value }, '');

    expect([message.eventTime?.getTime(), unreadKeys]).toEqual([1_714_554_000_000, []]);
  });

  it('a text that is no time › is returned as it is written', () => {
    expect(messageFrom({ role: 'user', text: 'x', time: 'soon' }, '')).toMatchObject({ unreadableTime: '"soon"' });
    expect(['2024-02-30', '1/2/2024', 'May', '', null, {}].map(messageTime)).toEqual(Array(6).fill(undefined));
  });
});
