import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Comparison, Operator, type Value } from '../../../../gen/ts/mneme/v1/filter.ts';
import {
  CountMemoriesRequest,
  ExportMemoriesRequest,
  type ExportMemoriesResponse,
  ForgetMemoriesRequest,
  GetAttributeHistoryRequest,
  ListMemoriesRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import {
  RecallRequest,
  WatchMemoriesRequest,
  type WatchMemoriesResponse,
} from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { CreateSubscriptionRequest, GetSubscriptionRequest } from '../../../../gen/ts/mneme/v1/subscription_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { Consumer } from '../support/consumer.ts';
import { FollowedStream } from '../support/followed-stream.ts';
import { freshNamespace, get, store } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const ANN = '1145678901234567890';
const BOB = '1145678901234567891';

let data: string;
let mneme: TestServer;
/** The same data, another process. */
async function reopen(): Promise<void> {
  mneme.close();
  await mneme.server.stop();
  mneme = await startTestServer({ embedder: 'none', data });
}
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'mneme-integers-'));
  mneme = await startTestServer({ embedder: 'none', data });
});
afterAll(async () => {
  await mneme.stop();
  await rm(data, { recursive: true, force: true });
});

const raw = (text: string) => ({ body: { $case: 'json' as const, value: text } });
const idOf = (name: string) => name.slice(name.lastIndexOf('/') + 1);

async function stored(contents: Readonly<Record<string, string>>): Promise<string> {
  const parent = freshNamespace();
  for (const [id, text] of Object.entries(contents)) await store(mneme, parent, { content: raw(text) }, id);
  return parent;
}

const annAndBob = () => stored({ ann: `{"user_id": ${ANN}}`, bob: `{"user_id": ${BOB}}` });

type FilterField = { readonly filterText: string } | { readonly filter: ReturnType<typeof compared> };

async function listed(parent: string, filter: FilterField): Promise<string> {
  const request = ListMemoriesRequest.fromPartial({ parent, ...filter });
  const { memories } = await ask(mneme.memories, mneme.memories.listMemories, request);
  return memories
    .map(({ name }) => idOf(name))
    .sort()
    .join(' ');
}

async function recalled(parent: string, asked: object): Promise<string> {
  const request = RecallRequest.fromPartial({ minRelevance: 0, parent, ...asked });
  const { hits } = await ask(mneme.recalls, mneme.recalls.recall, request);
  return hits
    .map(({ memory }) => idOf(memory?.name ?? ''))
    .sort()
    .join(' ');
}

function compared(op: Operator, ...kinds: NonNullable<Value['kind']>[]) {
  const value: Comparison = {
    target: { $case: 'path', value: 'n' },
    op,
    values: kinds.map((kind) => ({ kind })),
    ignoreCase: false,
  };
  return { node: { $case: 'comparison' as const, value } };
}

describe('A2 integers that a double cannot hold', () => {
  it('a filter for one of two ids next to one another › finds, counts, exports and forgets one alone', async () => {
    const parent = await annAndBob();
    const filterText = `content.user_id = ${ANN}`;
    const { memories } = mneme;
    expect(await listed(parent, { filterText })).toBe('ann');
    expect(await recalled(parent, { filterText })).toBe('ann');
    const count = CountMemoriesRequest.fromPartial({ parent, filterText });
    expect(await ask(memories, memories.countMemories, count)).toMatchObject({ count: 1 });
    const exported: string[] = [];
    const parts = memories.exportMemories(ExportMemoriesRequest.fromPartial({ parent, filterText }));
    for await (const part of parts as AsyncIterable<ExportMemoriesResponse>) {
      exported.push(...part.memories.map(({ name }) => idOf(name)));
    }
    expect(exported).toEqual(['ann']);
    const forget = ForgetMemoriesRequest.fromPartial({ parent, filterText });
    expect(await ask(memories, memories.forgetMemories, forget)).toMatchObject({ forgottenCount: 1 });
    expect(await listed(parent, { filterText: '' })).toBe('bob');
    expect((await get(mneme, `${parent}/memories/bob`)).content?.body).toEqual(raw(`{"user_id": ${BOB}}`).body);
  });

  it('Watch and a durable subscription, also after a restart › deliver the one id alone', async () => {
    const parent = await stored({ first: `{"user_id": ${ANN}}` });
    const filterText = `content.user_id = ${ANN}`;
    const create = CreateSubscriptionRequest.fromPartial({
      parent,
      subscriptionId: 's',
      subscription: { filterText },
    });
    await ask(mneme.subscriptions, mneme.subscriptions.createSubscription, create);
    const request = WatchMemoriesRequest.fromPartial({ parent, filterText });
    const watch = new FollowedStream<WatchMemoriesResponse>(mneme.recalls.watchMemories(request));
    await watch.until(() => true);
    await store(mneme, parent, { content: raw(`{"user_id": ${BOB}}`) }, 'bob');
    const { revision } = await store(mneme, parent, { content: raw(`{"user_id": ${ANN}}`) }, 'ann');
    await watch.until((message) => message.revision >= revision && message.event?.$case === 'batch');
    const changes = watch.messages.flatMap(({ event }) => (event?.$case === 'batch' ? event.value.changes : []));
    expect(changes.map(({ memory }) => idOf(memory?.name ?? ''))).toEqual(['ann']);
    watch.cancel();

    await reopen();
    const name = `${parent}/subscriptions/s`;
    const got = await ask(
      mneme.subscriptions,
      mneme.subscriptions.getSubscription,
      GetSubscriptionRequest.fromPartial({ name }),
    );
    expect(got.subscription?.filterText).toBe(filterText);
    const consumer = new Consumer(mneme, name, 'one');
    await store(mneme, parent, { content: raw(`{"user_id": ${BOB}}`) }, 'bob-again');
    await store(mneme, parent, { content: raw(`{"user_id": ${ANN}}`) }, 'ann-again');
    await consumer.has(2);
    expect(consumer.changes().map(({ memory }) => idOf(memory?.name ?? ''))).toEqual(['ann', 'ann-again']);
    consumer.cancel();
  });

  const NUMBERS = {
    below: '{"n": 9007199254740991}',
    limit: '{"n": 9007199254740992}',
    above: '{"n": 9007199254740993}',
    negative: '{"n": -9007199254740993}',
    wide: '{"n": 18446744073709551617}',
    tenth: '{"n": 1e20}',
    next: '{"n": 100000000000000000001}',
    listed: '{"n": [9007199254740993, 5]}',
    nested: '{"n": {"id": 9007199254740993}}',
    text: '{"n": "9007199254740993"}',
    half: '{"n": 0.5}',
  };
  const { OPERATOR_EQUALS, OPERATOR_LESS, OPERATOR_GREATER, OPERATOR_IN, OPERATOR_CONTAINS } = Operator;
  const text = (value: string) => ({ $case: 'numberText' as const, value });
  const double = (value: number) => ({ $case: 'numberValue' as const, value });
  const json = (value: string) => ({ $case: 'jsonValue' as const, value });
  const FILTERS: readonly (readonly [string, FilterField, string])[] = [
    ...(
      [
        ['content.n = 9007199254740991', 'below'],
        ['content.n = 9007199254740992', 'limit'],
        ['content.n = 9007199254740993', 'above listed'],
        ['content.n = 9007199254740994', ''],
        ['content.n = -9007199254740993', 'negative'],
        ['content.n = -9007199254740992', ''],
        ['content.n = 18446744073709551617', 'wide'],
        ['content.n = 18446744073709551616', ''],
        ['content.n = 100000000000000000000', 'tenth'],
        ['content.n = 1e20', 'tenth'],
        ['content.n = "9007199254740993"', 'text'],
        ['content.n > 9007199254740992', 'above listed next tenth wide'],
        ['content.n >= 9007199254740993', 'above listed next tenth wide'],
        ['content.n < 9007199254740992 AND content.n > 1', 'below listed'],
        ['content.n <= -9007199254740993', 'negative'],
        ['content.n < -9007199254740993', ''],
        ['content.n < 0.75', 'half negative'],
        ['content.n > 1e20', 'next'],
        ['content.n IN (9007199254740992, 18446744073709551617)', 'limit wide'],
        ['content.n = [9007199254740993, 5]', 'listed'],
        ['content.n = [9007199254740992, 5]', ''],
        ['content.n:9007199254740993', 'listed'],
        ['content.n:{"id": 9007199254740993}', 'nested'],
        ['content.n:{"id": 9007199254740992}', ''],
        ['NOT content.n = 9007199254740993 AND content.n > 1000', 'below limit next tenth wide'],
      ] as const
    ).map(([filterText, ids]) => [filterText, { filterText }, ids] as const),
    ['number_text', { filter: compared(OPERATOR_EQUALS, text('9007199254740993')) }, 'above listed'],
    ['number_text, less', { filter: compared(OPERATOR_LESS, text('-9007199254740992')) }, 'negative'],
    ['number_text, in', { filter: compared(OPERATOR_IN, text('1e20'), text('9007199254740991')) }, 'below tenth'],
    ['number_value beyond 2^53', { filter: compared(OPERATOR_EQUALS, double(2 ** 53)) }, 'limit'],
    ['number_value 1e20', { filter: compared(OPERATOR_EQUALS, double(1e20)) }, 'tenth'],
    ['number_value 2^64', { filter: compared(OPERATOR_GREATER, double(2 ** 64)) }, 'next tenth wide'],
    ['json_value, a number', { filter: compared(OPERATOR_EQUALS, json('9007199254740993')) }, 'above listed'],
    ['json_value, an array', { filter: compared(OPERATOR_EQUALS, json('[9007199254740993, 5]')) }, 'listed'],
    ['json_value, a part', { filter: compared(OPERATOR_CONTAINS, json('{"id":9007199254740993}')) }, 'nested'],
    ['json_value, another part', { filter: compared(OPERATOR_CONTAINS, json('{"id":9007199254740992}')) }, ''],
  ];

  it('equality, order, lists and parts, in each form of a filter › are exact in List and in Recall', async () => {
    const parent = await stored(NUMBERS);
    for (const [name, filter, ids] of FILTERS) {
      expect([name, await listed(parent, filter)]).toEqual([name, ids]);
      expect([name, await recalled(parent, { ...filter, limit: 50 })]).toEqual([name, ids]);
    }
  });

  it.each([
    [`{"user_id": ${ANN}}`, 'ann'],
    [`{"user_id": "${ANN}"}`, 'ann'],
    [`{"user_id": {"$gt": ${ANN}}}`, 'bob'],
    [`{"user_id": {"$lte": ${ANN}}}`, 'ann'],
    [`{"user_id": {"$ne": ${ANN}}}`, 'bob'],
    ['{"user_id": 1145678901234567889}', ''],
  ])('the metadata filter %s of a preset › admits %j', async (filter, ids) => {
    const parent = await annAndBob();
    const parameters = Buffer.from(`{"metadata_filter": ${filter}}`);
    expect(await recalled(parent, { preset: { name: 'recent', parameters } })).toBe(ids);
  });

  it('the history of a value › has a change from one integer to the next, with all digits', async () => {
    const parent = freshNamespace();
    for (const [step, id] of [ANN, ANN, BOB].entries()) {
      await store(mneme, parent, { type: 'state', step, content: raw(`{"user_id": ${id}}`) });
    }
    const request = GetAttributeHistoryRequest.fromPartial({ parent, path: 'user_id' });
    const { changes } = await ask(mneme.memories, mneme.memories.getAttributeHistory, request);
    expect(changes).toMatchObject([{ newJson: ANN }, { previousJson: ANN, newJson: BOB }]);
  });

  it.each(['9007199254740993.5', '1e400'])(
    '%s, which cannot be exact › is refused naming the field',
    async (number) => {
      const parent = freshNamespace();
      const bad = { code: 'INVALID_ARGUMENT' };
      const { memories } = mneme;
      const content = refusal(store(mneme, parent, { content: raw(`{"n": ${number}}`) }));
      expect(await content).toMatchObject({ ...bad, fields: ['memory.content.json'] });
      const list = (filter: FilterField) =>
        refusal(ask(memories, memories.listMemories, ListMemoriesRequest.fromPartial({ parent, ...filter })));
      expect(await list({ filterText: `content.n = ${number}` })).toMatchObject({ ...bad, fields: ['filter_text'] });
      expect(await list({ filter: compared(OPERATOR_EQUALS, text(number)) })).toMatchObject({
        ...bad,
        fields: ['filter.comparison.values[0].number_text'],
      });
      expect(await list({ filter: compared(OPERATOR_EQUALS, json(`[${number}]`)) })).toMatchObject({
        ...bad,
        fields: ['filter.comparison.values[0].json_value'],
      });
    },
  );
});
