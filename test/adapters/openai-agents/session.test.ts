import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AgentInputItem,
  isSessionHistoryTransactionAwareSession,
  MemorySession,
  RunContext,
  type Session,
  type SessionHistoryTransactionArgs,
} from '@openai/agents';
import { MnemeSession } from '../../../clients/typescript/src/openai-agents/index.ts';
import { randomOf, TestServer } from './support.ts';

const user = (text: string): AgentInputItem => ({ type: 'message', role: 'user', content: text });
const EVERY_KIND: AgentInputItem[] = [
  user('I moved to Bern in May.'),
  { type: 'message', role: 'system', content: 'Be short.' },
  { role: 'user', content: [{ type: 'input_text', text: 'Grüezi 👋\0\ud800' }] },
  { role: 'user', content: [{ type: 'input_image', image: 'data:image/png;base64,AAAA' }] },
  {
    id: 'm1',
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [
      { type: 'output_text', text: 'ok', providerData: { a: [null, 1.5] } },
      { type: 'refusal', refusal: 'no' },
    ],
  },
  { type: 'reasoning', id: 'r1', content: [{ type: 'input_text', text: 'hm' }] },
  { type: 'function_call', callId: 'c1', name: 'look', status: 'completed', arguments: '{"at":"Bern"}' },
  { type: 'function_call_result', callId: 'c1', name: 'look', status: 'completed', output: 'sunny' },
  {
    type: 'function_call_result',
    callId: 'c'.repeat(300),
    name: 'look',
    status: 'completed',
    output: { type: 'text', text: 'rain' },
  },
  { type: 'hosted_tool_call', id: 'h1', name: 'web_search_call', status: 'completed', arguments: 'q' },
  { type: 'function_call', callId: 'c2', name: 'look', status: 'completed', arguments: '{not JSON\0' },
  { type: 'function_call', callId: 'c3', name: 'look', status: 'completed', arguments: `["${'ü'.repeat(20_000)}"]` },
  { type: 'unknown', providerData: { bytes: 'x' } },
  user(''),
];

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
}, 60_000);
afterAll(() => server.stop());

describe('MnemeSession', () => {
  it('keeps every kind of item exactly and in order', async () => {
    const session = server.session();
    expect(await session.getItems()).toEqual([]);
    expect(await session.popItem()).toBeUndefined();
    await session.clearSession();
    await session.addItems([]);
    await session.addItems(EVERY_KIND);

    const items = await session.getItems();

    expect(items).toEqual(EVERY_KIND);
    expect(JSON.stringify(items)).toBe(JSON.stringify(EVERY_KIND));
    expect(await session.getItems(3)).toEqual(EVERY_KIND.slice(-3));
    expect(isSessionHistoryTransactionAwareSession(session)).toBe(true);
  });

  it('keeps bytes in items', async () => {
    const session = server.session();
    const item: AgentInputItem = {
      type: 'function_call_result',
      callId: 'c1',
      name: 'look',
      status: 'completed',
      output: { type: 'image', image: { data: new Uint8Array([0, 1, 255]), mediaType: 'image/png' } },
    };
    await session.addItems([item]);
    expect(await session.getItems()).toEqual([item]);
  });

  it('takes lists, pages and requests beyond their limits', async () => {
    const session = server.session();
    const many = Array.from({ length: 2345 }, (_, place) => user(`message ${place}`));
    const large = Array.from({ length: 7 }, (_, place) => user(`${place}`.repeat(600_000)));
    await session.addItems(many);
    await session.addItems(large);
    expect(await session.getItems()).toEqual([...many, ...large]);
    expect(await session.getItems(1500)).toEqual([...many, ...large].slice(-1500));
  }, 60_000);

  it('keeps the items of each call together, and pops each item once', async () => {
    const session = server.session();
    const other = new MnemeSession({ client: session.client, sessionId: 's1' });
    const add = async (writer: number) => {
      for (let turn = 0; turn < 10; turn++) {
        await (writer % 2 ? session : other).addItems([0, 1, 2].map((place) => user(`${writer}.${turn}.${place}`)));
      }
    };
    await Promise.all([0, 1, 2, 3].map(add));

    const said = (await session.getItems()).map((item) =>
      'content' in item && typeof item.content === 'string' ? item.content : '',
    );

    expect(said).toHaveLength(120);
    for (let start = 0; start < said.length; start += 3) {
      const turn = said[start]?.slice(0, -2);
      expect(said.slice(start, start + 3)).toEqual([`${turn}.0`, `${turn}.1`, `${turn}.2`]);
    }
    const popped = await Promise.all(said.slice(0, 20).map((_, n) => (n % 2 ? session : other).popItem()));
    expect(new Set(popped.map((item) => JSON.stringify(item))).size).toBe(20);
  }, 30_000);

  it('stores readable messages of their owner, and reads messages of other programs', async () => {
    const session = server.session({ scope: (context) => ({ agent: String(context?.context) }), limit: 100 });
    await session.addItems(EVERY_KIND, new RunContext('caroline'));
    const messages = [];
    for await (const message of session.client.conversations.list('s1')) messages.push(message);
    expect(messages.map(({ role }) => role).slice(0, 8)).toEqual([
      'user',
      'system',
      'user',
      'user',
      'assistant',
      'assistant',
      'assistant',
      'tool',
    ]);
    expect(messages[2]?.blocks[0]).toEqual({ text: 'Grüezi 👋\ufffd' });
    expect(messages[6]?.blocks[0]).toEqual({ toolCall: { id: 'c1', name: 'look', argumentsJson: '{"at":"Bern"}' } });
    expect(messages[7]?.blocks[0]).toEqual({ toolResult: { callId: 'c1', text: 'sunny', isError: false } });
    const found = await session.client.recall({ text: 'Bern in May', limit: 1 });
    expect(found.hits[0]?.memory).toMatchObject({ text: 'I moved to Bern in May.', scope: { agent: 'caroline' } });

    await session.client.conversations.append('s2', [{ role: 'user', text: 'hello' }]);
    const other = new MnemeSession({ client: session.client, sessionId: 's2' });
    expect(await other.getItems()).toEqual([user('hello')]);
  });

  it('refuses bad input and stores nothing', async () => {
    const session = server.session();
    const bad: [unknown, string][] = [
      ['text', 'items[1]: must be an item'],
      [{ content: () => 1 }, 'items[1]: cannot be carried by JSON'],
      [{ content: Number.NaN }, 'items[1]: cannot be carried by JSON'],
      [user('x'.repeat(700_000)), 'at most 700000'],
    ];
    for (const [item, problem] of bad) {
      await expect(session.addItems([user('a'), item as AgentInputItem])).rejects.toThrow(problem);
    }
    expect(await session.getItems()).toEqual([]);
    expect(() => new MnemeSession({ sessionId: '' })).toThrow('sessionId: must not be empty');
  });
});

type Step = (session: Session & Pick<MemorySession, 'applyHistoryTransaction'>) => Promise<unknown>;

function stepOf(random: () => number, known: SessionHistoryTransactionArgs[], place: number): Step {
  const some = () => Array.from({ length: Math.floor(random() * 3) }, () => pick(EVERY_KIND));
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const action = random();
  if (action < 0.3) {
    const items = some();
    return (session) => session.addItems(items);
  }
  if (action < 0.4) return (session) => session.popItem();
  if (action < 0.5) {
    const limit = Math.floor(random() * 6);
    return (session) => session.getItems(limit);
  }
  if (action < 0.65 && known.length > 0) {
    const args = pick(known);
    return (session) => session.applyHistoryTransaction(args);
  }
  if (action < 0.7 && known.length > 0) {
    const { operationId } = pick(known);
    const transaction = { type: 'append_items' as const, items: [user(`another ${place}`)] };
    return (session) => session.applyHistoryTransaction({ operationId, transaction });
  }
  const operationId = `operation ${place}`;
  if (action < 0.8) {
    known.push({ operationId, transaction: { type: 'append_items', items: [user(`appended ${place}`), ...some()] } });
    const args = known.at(-1) as SessionHistoryTransactionArgs;
    return (session) => session.applyHistoryTransaction(args);
  }
  const [replacement, count, isWrong] = [some(), 1 + Math.floor(random() * 2), random() < 0.2];
  return async (session) => {
    const expectedSuffix = isWrong ? [user('never said')] : await session.getItems(count);
    const args: SessionHistoryTransactionArgs = {
      operationId,
      transaction: { type: 'replace_suffix', expectedSuffix, replacement },
    };
    if (expectedSuffix.length > 0) known.push(args);
    return session.applyHistoryTransaction(args);
  };
}

describe('MnemeSession beside the MemorySession of the SDK', () => {
  // The one of Node makes objects of another realm than that of a test of jest, which the SDK's session refuses.
  const { structuredClone } = globalThis;
  beforeAll(() => {
    globalThis.structuredClone = <T>(value: T): T => JSON.parse(JSON.stringify(value));
  });
  afterAll(() => {
    globalThis.structuredClone = structuredClone;
  });

  it.each([1, 2, 3, 4, 5, 6])(
    'seed %i: gives the same answers',
    async (seed) => {
      const ours = server.session();
      const theirs = new MemorySession({ sessionId: 's1' });
      const random = randomOf(seed);
      const known: SessionHistoryTransactionArgs[] = [];
      for (let place = 0; place < 60; place++) {
        const step = stepOf(random, known, place);
        const outcomes = [];
        for (const session of [ours, theirs]) {
          outcomes.push(
            await step(session).then(
              (value) => ({ value }),
              () => 'refused',
            ),
          );
        }
        expect(outcomes[0]).toEqual(outcomes[1]);
        expect(await ours.getItems()).toEqual(await theirs.getItems());
      }
    },
    60_000,
  );

  it('an operation of both types is made once by callers at the same time', async () => {
    const session = server.session();
    const other = new MnemeSession({ client: session.client, sessionId: 's1' });
    const both = [session, other, session, other];
    await session.addItems([user('a'), user('b')]);
    const replace = { type: 'replace_suffix' as const, expectedSuffix: [user('b')], replacement: [user('b')] };
    await Promise.all(both.map((each) => each.applyHistoryTransaction({ operationId: 'o1', transaction: replace })));
    const append = { type: 'append_items' as const, items: [user('c')] };
    await Promise.all(both.map((each) => each.applyHistoryTransaction({ operationId: 'o2', transaction: append })));
    expect(await session.getItems()).toEqual(['a', 'b', 'c'].map(user));
  });

  it('refuses malformed transactions and changes nothing', async () => {
    const session = server.session();
    const transaction = { type: 'append_items' as const, items: [user('a')] };
    const many = { type: 'append_items' as const, items: Array.from({ length: 1001 }, () => user('a')) };
    await expect(session.applyHistoryTransaction({ operationId: ' ', transaction })).rejects.toThrow('operationId');
    await expect(session.applyHistoryTransaction({ operationId: 'o', transaction: many })).rejects.toThrow('at most');
    const unknown = { type: 'other', items: [] } as unknown as typeof transaction;
    await expect(session.applyHistoryTransaction({ operationId: 'o', transaction: unknown })).rejects.toThrow('type');
    expect(await session.getItems()).toEqual([]);
  });

  it('replaces calls of tools as the session in memory does', async () => {
    const sessions = [server.session(), new MemorySession()] as const;
    const call = { type: 'function_call', name: 'look', status: 'completed', arguments: '{}' } as const;
    const history = ['a', 'b', 'a', 'c'].map((callId): AgentInputItem => ({ ...call, callId }));
    const replacement = { ...call, callId: 'a', arguments: '{"at":"Bern"}' };
    for (const session of sessions) {
      await session.addItems([user('hello'), ...history, user('bye')]);
      await session.applyHistoryMutations({
        mutations: [
          { type: 'replace_function_call', callId: 'a', replacement },
          { type: 'replace_function_call', callId: 'nothing', replacement },
        ],
      });
    }
    const items = await sessions[0].getItems();
    expect(items).toEqual(await sessions[1].getItems());
    expect(items).toHaveLength(5);
  });

  it('replaces a history by its compaction in one write', async () => {
    const session = server.session();
    await session.addItems(EVERY_KIND);
    const compacted: AgentInputItem[] = [{ type: 'compaction', encrypted_content: 'z' }, user('and then?')];
    await session.replaceHistoryWithCompaction(compacted);
    expect(await session.getItems()).toEqual(compacted);
    await session.clearSession();
    await session.replaceHistoryWithCompaction(compacted);
    expect(await session.getItems()).toEqual(compacted);
  });
});
