import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MemoryField, Operator } from '../../../../gen/ts/mneme/v1/filter.ts';
import {
  CountMemoriesRequest,
  ExportMemoriesRequest,
  type ExportMemoriesResponse,
  ForgetMemoriesRequest,
  ListMemoriesRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { CreateSubscriptionRequest, GetSubscriptionRequest } from '../../../../gen/ts/mneme/v1/subscription_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace, json, store } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer({ embedder: 'none' });
});
afterAll(() => mneme.stop());

/** Three memories of a game. */
async function game(): Promise<string> {
  const parent = freshNamespace();
  const state = (step: number, content: unknown) => ({ type: 'state', step, tags: ['game'], content: json(content) });
  await store(mneme, parent, state(1, { position: [12, 22], inventory: { wood: 5 } }), 's1');
  await store(mneme, parent, state(2, { position: [22, 12], inventory: { wood: 5, iron: 1 } }), 's2');
  await store(mneme, parent, { text: 'It rained.', type: 'fact' }, 'rain');
  return parent;
}

async function listed(parent: string, filterText: string): Promise<string[]> {
  const request = ListMemoriesRequest.fromPartial({ parent, filterText });
  const { memories } = await ask(mneme.memories, mneme.memories.listMemories, request);
  return memories.map(({ name }) => name.slice(name.lastIndexOf('/') + 1)).sort();
}

describe('filter_text', () => {
  it.each([
    ['type = "state" AND step >= 2', ['s2']],
    ['content.position = [12, 22]', ['s1']],
    ['content.inventory = {"wood": 5}', ['s1']],
    ['content.inventory:{"wood": 5}', ['s1', 's2']],
    ['content.position:12', ['s1', 's2']],
    ['tags:game AND NOT content.inventory.iron:*', ['s1']],
    ['text:rain OR step = 1', ['rain', 's1']],
  ])('%s › lists %j', async (filterText, ids) => {
    expect(await listed(await game(), filterText)).toEqual(ids);
  });

  it('counts, recalls, exports and forgets the memories that it admits', async () => {
    const parent = await game();
    const { memories, recalls } = mneme;
    const filterText = 'type = state';
    const count = CountMemoriesRequest.fromPartial({ parent, filterText });
    expect(await ask(memories, memories.countMemories, count)).toMatchObject({ count: 2, tiers: [{ count: 2 }] });
    const asked = RecallRequest.fromPartial({ parent, filterText });
    expect((await ask(recalls, recalls.recall, asked)).hits).toHaveLength(2);
    const exported = memories.exportMemories(ExportMemoriesRequest.fromPartial({ parent, filterText }));
    let exportedCount = 0;
    for await (const part of exported as AsyncIterable<ExportMemoriesResponse>) exportedCount += part.memories.length;
    expect(exportedCount).toBe(2);
    const forget = ForgetMemoriesRequest.fromPartial({ parent, filterText });
    expect(await ask(memories, memories.forgetMemories, forget)).toMatchObject({ forgottenCount: 2 });
    expect(await listed(parent, '')).toEqual(['rain']);
  });

  it('a subscription › returns it in its original form', async () => {
    const { subscriptions } = mneme;
    const subscription = { filterText: "type = 'state'  OR step > 3" };
    const parent = await game();
    const create = CreateSubscriptionRequest.fromPartial({ parent, subscriptionId: 's', subscription });
    await ask(subscriptions, subscriptions.createSubscription, create);
    const request = GetSubscriptionRequest.fromPartial({ name: `${parent}/subscriptions/s` });
    const found = await ask(subscriptions, subscriptions.getSubscription, request);
    expect(found.subscription).toMatchObject({ ...subscription, filter: undefined });
  });

  it('at fault › INVALID_ARGUMENT names the field and the column', async () => {
    const request = ListMemoriesRequest.fromPartial({
      parent: freshNamespace(),
      filterText: 'type = "state" AND step >=',
    });
    expect(await refusal(ask(mneme.memories, mneme.memories.listMemories, request))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      reason: 'FILTER_INVALID',
      message: 'filter_text: column 27: expected a number such as 10, found the end',
      fields: ['filter_text'],
    });
  });

  it('with filter › INVALID_ARGUMENT', async () => {
    const value = { target: { $case: 'field' as const, value: MemoryField.MEMORY_FIELD_TYPE } };
    const filter = { node: { $case: 'comparison' as const, value: { ...value, op: Operator.OPERATOR_EXISTS } } };
    const request = ListMemoriesRequest.fromPartial({ parent: freshNamespace(), filterText: 'type = x', filter });
    expect(await refusal(ask(mneme.memories, mneme.memories.listMemories, request))).toMatchObject({
      reason: 'FILTER_INVALID',
      message: 'filter_text: must be absent with filter',
    });
  });
});

describe('json_value', () => {
  const withJson = (jsonValue: string, op: Operator, field?: MemoryField) => ({
    node: {
      $case: 'comparison' as const,
      value: {
        target:
          field === undefined
            ? { $case: 'path' as const, value: 'position' }
            : { $case: 'field' as const, value: field },
        op,
        values: [{ kind: { $case: 'jsonValue' as const, value: jsonValue } }],
      },
    },
  });
  const count = (parent: string, filter: ReturnType<typeof withJson>) =>
    ask(mneme.memories, mneme.memories.countMemories, CountMemoriesRequest.fromPartial({ parent, filter }));

  it('is compared as a whole', async () => {
    const parent = await game();
    expect(await count(parent, withJson('[12, 22]', Operator.OPERATOR_EQUALS))).toMatchObject({ count: 1 });
    expect(await count(parent, withJson('[22]', Operator.OPERATOR_CONTAINS))).toMatchObject({ count: 2 });
    expect(await count(parent, withJson('null', Operator.OPERATOR_EQUALS))).toMatchObject({ count: 0 });
    const tags = withJson('["game"]', Operator.OPERATOR_EQUALS, MemoryField.MEMORY_FIELD_TAG);
    expect(await count(parent, tags)).toMatchObject({ count: 2 });
  });

  it.each([
    ['[1', Operator.OPERATOR_EQUALS, undefined, 'must be JSON'],
    ['[1]', Operator.OPERATOR_LESS, undefined, 'must be absent for less'],
    ['[1]', Operator.OPERATOR_EQUALS, MemoryField.MEMORY_FIELD_TYPE, 'other than MEMORY_FIELD_TAG'],
    [`[${Array(129).fill(1).join()}]`, Operator.OPERATOR_EQUALS, undefined, 'at most 128 values'],
    [`${'['.repeat(17)}${']'.repeat(17)}`, Operator.OPERATOR_EQUALS, undefined, 'at most 16 levels'],
    [JSON.stringify(['x'.repeat(4100)]), Operator.OPERATOR_EQUALS, undefined, 'at most 4096 bytes'],
  ])('%.20s with operator %s › %s › INVALID_ARGUMENT', async (jsonValue, op, field, description) => {
    const failed = await refusal(count(freshNamespace(), withJson(jsonValue, op, field)));
    expect(failed).toMatchObject({ reason: 'FILTER_INVALID', fields: ['filter.comparison.values[0].json_value'] });
    expect(failed.message).toContain(description);
  });
});
