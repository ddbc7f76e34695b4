import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BuildContextRequest } from '../../../../gen/ts/mneme/v1/context_service.ts';
import { ClearMessagesRequest } from '../../../../gen/ts/mneme/v1/conversation_service.ts';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { callingAs, type ScopedClients } from '../support/calling-from.ts';
import { said, talk } from '../support/conversations.ts';
import { Identities } from '../support/identities.ts';
import { freshNamespace, store } from '../support/memories.ts';
import { sessionCalls } from '../support/sessions.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const VERBS = ['read', 'write', 'delete'];
const own = { agent: 'ada' };
const other = { agent: 'eve' };

let mneme: TestServer;
let identities: Identities;
const callers: Record<'operator' | 'ada' | 'eve', ScopedClients> = {} as never;
beforeAll(async () => {
  identities = new Identities({
    operator: [{ namespaces: ['*'], verbs: [...VERBS, 'admin'] }],
    ada: [{ namespaces: ['*'], verbs: VERBS, scopes: ['agent=ada'] }],
    eve: [{ namespaces: ['*'], verbs: VERBS, scopes: ['agent=eve'] }],
  });
  mneme = await startTestServer(identities.flags);
  for (const name of ['operator', 'ada', 'eve'] as const) callers[name] = callingAs(mneme, identities, name);
});
afterAll(async () => {
  for (const each of Object.values(callers)) each.close();
  await mneme.stop();
  identities.remove();
});

const by = (caller: keyof typeof callers, parent: string, id?: string) => talk(callers[caller], parent, id);
const clear = (caller: keyof typeof callers, conversation: string, requestId = '') => {
  const { conversations } = callers[caller];
  return ask(conversations, conversations.clearMessages, ClearMessagesRequest.fromPartial({ conversation, requestId }));
};

describe('conversations under a grant for scopes', () => {
  it('messages of the scope › appended, listed, replaced, popped and cleared; in other scopes › PERMISSION_MISSING', async () => {
    const parent = freshNamespace();
    const ada = by('ada', parent);
    await ada.append({ scope: own, messages: [said('one'), said('two'), said('three')] });
    expect(await ada.all()).toEqual(['0:one', '1:two', '2:three']);
    await ada.replace({ firstSequence: 1n, expectedCount: 2, scope: own, messages: [said('zwei')], requestId: 'r' });
    expect((await ada.pop()).message?.sequence).toBe(1n);
    expect(await ada.all()).toEqual(['0:one']);
    for (const scope of [{}, other]) {
      const replaced = { firstSequence: 0n, expectedCount: 1, scope, messages: [said('x')], requestId: 's' };
      expect(await refusal(ada.append({ scope, messages: [said('x')] }))).toMatchObject({
        reason: 'PERMISSION_MISSING',
      });
      expect(await refusal(ada.replace(replaced))).toMatchObject({ reason: 'PERMISSION_MISSING' });
    }
    expect((await clear('ada', ada.conversation)).clearedCount).toBe(1);
  });

  it('messages of another scope › as if missing; a number in use › SCOPE_PRIVATE without content', async () => {
    const parent = freshNamespace();
    const [ada, eve] = [by('ada', parent), by('eve', parent)];
    await eve.append({ scope: other, messages: [said('secret one'), said('secret two')] });
    expect(await ada.all()).toEqual([]);
    expect(await refusal(ada.pop())).toMatchObject({ reason: 'CONVERSATION_NOT_FOUND' });
    expect((await clear('ada', ada.conversation)).clearedCount).toBe(0);
    const suffix = { firstSequence: 0n, requestId: 'r' };
    expect(await refusal(ada.replace({ ...suffix, expectedCount: 2 }))).toMatchObject({
      reason: 'SUFFIX_MISMATCH',
      metadata: { actual: '0 messages' },
    });
    await ada.replace({ ...suffix, expectedCount: 0 });
    const { reason, message } = await refusal(ada.append({ scope: own, messages: [said('mine', 0)] }));
    expect(reason).toBe('SCOPE_PRIVATE');
    expect(message).not.toContain('secret');
    expect(await eve.all()).toEqual(['0:secret one', '1:secret two']);
  });

  it('a conversation of several scopes › each caller has its own messages, and the operator all of them', async () => {
    const parent = freshNamespace();
    const [ada, eve, operator] = [by('ada', parent), by('eve', parent), by('operator', parent)];
    await ada.append({ scope: own, messages: [said('a0', 0)] });
    await eve.append({ scope: other, messages: [said('e1', 1)] });
    await operator.append({ scope: other, messages: [said('e2')] });
    const appended = await ada.append({ scope: own, messages: [said('a5', 5)] });
    // Hidden messages count as numbers that were left out.
    expect(appended.gaps).toEqual([{ first: 1n, last: 4n }]);
    expect(await ada.all()).toEqual(['0:a0', '5:a5']);
    expect(await eve.all()).toEqual(['1:e1', '2:e2']);
    const { message } = await eve.pop();
    expect(message?.sequence).toBe(2n);
    expect((await operator.append({ scope: own, messages: [said('o8', 8)] })).gaps).toEqual([{ first: 6n, last: 7n }]);
    expect(await operator.all()).toEqual(['0:a0', '1:e1', '5:a5', '8:o8']);
    // The message after the suffix is hidden, and stays.
    await ada.append({ scope: own, messages: [said('a9', 9)] });
    await eve.append({ scope: other, messages: [said('e10', 10)] });
    await ada.replace({
      firstSequence: 9n,
      expectedCount: 1,
      scope: own,
      messages: [said('new')],
      requestId: 'r',
    });
    expect((await operator.all()).slice(-2)).toEqual(['9:new', '10:e10']);
  });

  it('callers of two scopes that append by turns without numbers › numbers of the whole conversation', async () => {
    const parent = freshNamespace();
    const [ada, eve] = [by('ada', parent), by('eve', parent)];
    for (const text of ['one', 'two']) {
      await ada.append({ scope: own, messages: [said(text)] });
      await eve.append({ scope: other, messages: [said(text)] });
    }
    expect(await ada.all()).toEqual(['0:one', '2:two']);
    expect(await eve.all()).toEqual(['1:one', '3:two']);
  });

  it('a repeated append, after a message of another scope › the first answer', async () => {
    const parent = freshNamespace();
    const [ada, eve] = [by('ada', parent), by('eve', parent)];
    const repeated = () => ada.append({ scope: own, messages: [said('one')], requestId: 'r' });
    const first = await repeated();
    await eve.append({ scope: other, messages: [said('two')] });
    const { revision: _, ...answer } = await repeated();
    expect({ ...answer, revision: first.revision }).toEqual(first);
    expect(await by('operator', parent).all()).toEqual(['0:one', '1:two']);
  });

  it('the highest number that a limited caller sees › is not taken for that of the conversation', async () => {
    const parent = freshNamespace();
    const [ada, operator] = [by('ada', parent), by('operator', parent)];
    await operator.append({ scope: other, messages: [said('e7', 7)] });
    await ada.append({ scope: own, messages: [said('a3', 3)] });
    expect((await operator.append({ scope: other, messages: [said('e9', 9)] })).gaps).toEqual([
      { first: 8n, last: 8n },
    ]);
  });

  it("another caller's request id with the same request › REQUEST_ID_REUSED, and no message", async () => {
    const parent = freshNamespace();
    const [ada, eve] = [by('ada', parent), by('eve', parent)];
    await eve.append({ scope: other, messages: [said('secret'), said('secret')] });
    await eve.pop({ requestId: 'pop' });
    expect((await eve.pop({ requestId: 'pop' })).message?.sequence).toBe(1n);
    await clear('eve', eve.conversation, 'clear');
    for (const made of [ada.pop({ requestId: 'pop' }), clear('ada', ada.conversation, 'clear')]) {
      const { reason, message } = await refusal(made);
      expect(reason).toBe('REQUEST_ID_REUSED');
      expect(message).not.toContain('secret');
    }
  });
});

describe('contexts under a grant for scopes', () => {
  const build = (caller: keyof typeof callers, request: Parameters<typeof BuildContextRequest.fromPartial>[0]) => {
    const { contexts } = callers[caller];
    return ask(contexts, contexts.buildContext, BuildContextRequest.fromPartial(request));
  };

  it('memories and working memory of the scope go in, no others', async () => {
    const parent = freshNamespace();
    await store(callers.operator, parent, { text: 'The brass key lies in the drawer', scope: own }, 'mine');
    await store(callers.operator, parent, { text: 'The brass key is a copy', scope: other }, 'theirs');
    await store(callers.operator, parent, { text: 'A brass key has no scope' }, 'none');
    const request = { parent, query: 'brass key' };
    const names = async (caller: keyof typeof callers) =>
      (await build(caller, request)).entries.map(({ name }) => name.split('/').at(-1)).sort();
    expect(await names('operator')).toEqual(['mine', 'none', 'theirs']);
    expect(await names('ada')).toEqual(['mine']);
    expect((await build('ada', { ...request, scope: other })).entries).toEqual([]);
  });

  it('a hidden session › completes no scope, as a missing one', async () => {
    const parent = freshNamespace();
    await sessionCalls(callers.eve).spawn({ parent, sessionId: 'hidden', scope: { ...other, project: 'p' } });
    const found = async (session: string) => {
      const scope = { ...own, session };
      await store(callers.ada, parent, { text: `The brass key of ${session}`, scope }, session);
      const { entries } = await build('ada', { parent, query: 'brass key', scope: { session } });
      const { recalls } = callers.ada;
      const recalled = RecallRequest.fromPartial({ minRelevance: 0, parent, text: 'brass key', scope: { session } });
      return [entries.length, (await ask(recalls, recalls.recall, recalled)).hits.length];
    };
    expect(await found('absent')).toEqual([1, 1]);
    expect(await found('hidden')).toEqual([1, 1]);
  });
});
