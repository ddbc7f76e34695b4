import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ClearMessagesRequest, MessageRole } from '../../../../gen/ts/mneme/v1/conversation_service.ts';
import {
  AssertFactRequest,
  ForgetFactsRequest,
  ListFactsRequest,
  TrustLevel,
} from '../../../../gen/ts/mneme/v1/knowledge_service.ts';
import { MemoryView } from '../../../../gen/ts/mneme/v1/memory.ts';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask } from '../support/ask.ts';
import { flush, said, talk } from '../support/conversations.ts';
import { expire, freshNamespace } from '../support/memories.ts';
import { MEMORY_BACKENDS, startSessionServer } from '../support/session-backends.ts';
import type { TestServer } from '../support/test-server.ts';

describe.each(MEMORY_BACKENDS)('facts of conversations (%s)', (backend) => {
  let mneme: TestServer;
  beforeAll(async () => {
    mneme = await startSessionServer(backend, { extractor: 'rules', expiryIntervalMs: '100' });
  });
  afterAll(() => mneme?.stop());

  function fresh() {
    const parent = freshNamespace();
    const { knowledge, recalls } = mneme;
    const list = async (fields: Partial<ListFactsRequest> = {}) =>
      (await ask(knowledge, knowledge.listFacts, ListFactsRequest.fromPartial({ parent, ...fields }))).facts;
    const converse = async (conversation: string, ...texts: string[]) => {
      await talk(mneme, parent, conversation).say(...texts);
      await flush(mneme, parent);
    };
    return {
      parent,
      list,
      converse,
      forget: (subject: string) =>
        ask(knowledge, knowledge.forgetFacts, ForgetFactsRequest.fromPartial({ parent, subject })),
      recalled: async (text: string) =>
        (await ask(recalls, recalls.recall, RecallRequest.fromPartial({ minRelevance: 0, parent, text }))).hits.map(
          ({ memory }) => memory?.text,
        ),
    };
  }

  it('a turn, and a later one of another conversation › the new value counts, each cites its turn, the words stay', async () => {
    const { parent, list, converse, recalled } = fresh();
    await converse('monday', 'I live in Graz.');
    await converse('tuesday', 'I moved to Porto.');
    const facts = await list({ subject: 'user', includeSuperseded: true });
    expect(facts.map(({ value, supersededBy }) => [value, supersededBy !== ''])).toEqual([
      ['Porto', false],
      ['Graz', true],
    ]);
    for (const { sources, trust } of facts) {
      expect(sources).toEqual([expect.stringMatching(`^${parent}/memories/[0-9a-f-]+\\.0$`)]);
      expect(trust).toBe(TrustLevel.TRUST_LEVEL_USER);
    }
    const texts = await recalled('where does the user live');
    expect(texts).toContain('The user lives in Porto.');
    expect(texts).not.toContain('The user lives in Graz.');
    expect(await recalled('I live in Graz.')).toContain('I live in Graz.');
  });

  it('the only turn of a fact is popped › the former value counts again; said once more, it is learned again', async () => {
    const { parent, list, converse } = fresh();
    const values = async () => (await list({ subject: 'user' })).map(({ value }) => value);
    await converse('a', 'I live in Graz.');
    await converse('b', 'I live in Porto.');
    expect(await values()).toEqual(['Porto']);
    await talk(mneme, parent, 'b').pop();
    await flush(mneme, parent);
    expect(await values()).toEqual(['Graz']);
    await converse('b', 'I live in Porto.');
    expect(await values()).toEqual(['Porto']);
  });

  it('one of two turns of a fact is popped, or a fact is asserted by a caller › it stays', async () => {
    const { parent, list, converse } = fresh();
    const { knowledge } = mneme;
    await converse('a', 'I live in Graz.');
    await converse('b', 'I live in Graz.');
    const fact = { subject: 'user', attribute: 'pet', value: 'cat' };
    await ask(knowledge, knowledge.assertFact, AssertFactRequest.fromPartial({ parent, fact }));
    await talk(mneme, parent, 'a').pop();
    await flush(mneme, parent);
    const left = await list({ subject: 'user' });
    expect(left.map(({ value }) => value).sort()).toEqual(['Graz', 'cat']);
    expect(left.find(({ value }) => value === 'Graz')?.sources).toHaveLength(1);
    await talk(mneme, parent, 'b').pop();
    await flush(mneme, parent);
    expect((await list({ subject: 'user' })).map(({ value }) => value)).toEqual(['cat']);
  });

  it('the only turn of a fact expires › it stays, and cites the turn', async () => {
    const { parent, list, converse } = fresh();
    const expireFirst = async (id: string) => {
      const { messages } = await talk(mneme, parent, id).list();
      await expire(mneme, messages[0]?.memory ?? '');
      const namespace = parent.slice('namespaces/'.length);
      const stored = () => mneme.storage.view.statistics(namespace);
      const messagesIn = async () => (await stored()).types.find(({ type }) => type === 'message')?.count ?? 0;
      for (const before = await messagesIn(); (await messagesIn()) === before && before > 0; );
    };
    await converse('a', 'I live in Graz.');
    await expireFirst('a');
    await flush(mneme, parent);
    expect(await list({ subject: 'user' })).toMatchObject([{ value: 'Graz', sources: [expect.any(String)] }]);
  });

  it('a turn that is replaced, and a conversation that is cleared › what only they said goes', async () => {
    const { parent, list, converse } = fresh();
    await converse('a', 'I live in Graz.', 'I started learning Dutch.');
    const messages = [said('I live in Porto.')];
    await talk(mneme, parent, 'a').replace({ firstSequence: 0n, expectedCount: 2, messages, requestId: 'r' });
    await flush(mneme, parent);
    expect((await list({ includeSuperseded: true })).map(({ value }) => value)).toEqual(['Porto']);
    const { conversations } = mneme;
    const request = ClearMessagesRequest.fromPartial({ conversation: `${parent}/conversations/a`, requestId: 'c' });
    await ask(conversations, conversations.clearMessages, request);
    await flush(mneme, parent);
    expect(await list({ includeSuperseded: true })).toEqual([]);
  });

  it('hits of a recall, in every view › have the trust of the turn; the fact has that of its turn', async () => {
    const { parent, converse } = fresh();
    await converse('a', 'I live in Graz.');
    const { recalls } = mneme;
    for (const view of [MemoryView.MEMORY_VIEW_BASIC, MemoryView.MEMORY_VIEW_METADATA]) {
      const request = RecallRequest.fromPartial({ minRelevance: 0, parent, text: 'Graz', view });
      const { hits } = await ask(recalls, recalls.recall, request);
      const trusts = hits.map(({ memory, trust }) => [memory?.type, trust]).sort();
      expect(trusts).toEqual([
        ['fact', TrustLevel.TRUST_LEVEL_USER],
        ['message', TrustLevel.TRUST_LEVEL_USER],
      ]);
    }
  });

  it('facts that are forgotten, and said again in other conversations › do not come back', async () => {
    const { list, converse, forget } = fresh();
    await converse('a', 'I live in Graz.', 'I started learning Dutch.');
    expect(await list()).toHaveLength(2);
    await forget('user');
    await converse('b', 'I live in Graz.', 'I started learning Dutch.');
    expect(await list({ includeSuperseded: true })).toEqual([]);
  });

  it('an assistant that repeats what was superseded › changes nothing', async () => {
    const { parent, list, converse } = fresh();
    await converse('a', 'I live in Graz.');
    await converse('b', 'I moved to Porto.');
    await talk(mneme, parent, 'c').append({
      messages: [{ ...said('You live in Graz. I live in Graz too.'), role: MessageRole.MESSAGE_ROLE_ASSISTANT }],
    });
    await flush(mneme, parent);
    expect((await list({ subject: 'user' })).map(({ value }) => value)).toEqual(['Porto']);
  });
});
