import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as api from '../../../../gen/ts/mneme/v1/knowledge_service.ts';
import { Tier } from '../../../../gen/ts/mneme/v1/memory.ts';
import {
  DemoteMemoriesRequest,
  PromoteMemoriesRequest,
  UpdateMemoryRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { digestOf, factId, keyRecordId, normalValue } from '../../../../src/memory/facts/fact-key.ts';
import { damageInFolder } from '../../../support/damage.ts';
import { ask, refusal } from '../support/ask.ts';
import { callingAs, type ScopedClients } from '../support/calling-from.ts';
import { flush, said, talk } from '../support/conversations.ts';
import { Identities } from '../support/identities.ts';
import { freshNamespace, get, json, store } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

type Partially<T> = T extends { fromPartial(object: infer P): unknown } ? P : never;
type Name = 'operator' | 'ada' | 'eve';
type Placed = { project?: string; agent?: string };

const VERBS = ['read', 'write', 'delete'];
const own: Placed = { agent: 'ada' };
const other: Placed = { agent: 'eve' };
const key = { subject: 'user', attribute: 'likes' };
const forbidden = { reason: 'PERMISSION_MISSING' };

let mneme: TestServer;
let identities: Identities;
let data: string;
const callers: Record<Name, ScopedClients> = {} as never;
beforeAll(async () => {
  identities = new Identities({
    operator: [{ namespaces: ['*'], verbs: [...VERBS, 'admin'] }],
    ada: [{ namespaces: ['*'], verbs: VERBS, scopes: ['agent=ada'] }],
    eve: [{ namespaces: ['*'], verbs: VERBS, scopes: ['agent=eve'] }],
  });
  data = join(identities.folder, 'data');
  mneme = await startTestServer({ ...identities.flags, data, extractor: 'rules' });
  for (const name of ['operator', 'ada', 'eve'] as const) callers[name] = callingAs(mneme, identities, name);
});
afterAll(async () => {
  for (const each of Object.values(callers)) each.close();
  await mneme.stop();
  identities.remove();
});

function by(caller: Name, parent: string) {
  const { knowledge, memories } = callers[caller];
  const assert = (fact: Partially<typeof api.AssertFactRequest>['fact'], requestId = '') =>
    ask(knowledge, knowledge.assertFact, api.AssertFactRequest.fromPartial({ parent, fact, requestId }));
  const list = (fields: Partially<typeof api.ListFactsRequest> = {}) =>
    ask(knowledge, knowledge.listFacts, api.ListFactsRequest.fromPartial({ parent, ...fields }));
  return {
    assert,
    list,
    likes: (value: string, scope: Placed) => assert({ ...key, scope, value }),
    values: async (fields: Parameters<typeof list>[0] = {}) =>
      (await list(fields)).facts.map(({ value }) => value).sort(),
    get: (name: string) => ask(knowledge, knowledge.getFact, api.GetFactRequest.fromPartial({ name })),
    undo: (name: string) =>
      ask(knowledge, knowledge.undoSupersession, api.UndoSupersessionRequest.fromPartial({ name })),
    forget: (fields: Partially<typeof api.ForgetFactsRequest>) =>
      ask(knowledge, knowledge.forgetFacts, api.ForgetFactsRequest.fromPartial({ parent, ...fields })),
    history: (scope: Placed, attribute = key.attribute) =>
      ask(
        knowledge,
        knowledge.listFactHistory,
        api.ListFactHistoryRequest.fromPartial({ parent, scope, subject: key.subject, attribute }),
      ),
    episode: (fields: Partially<typeof api.RecordEpisodeRequest>) =>
      ask(knowledge, knowledge.recordEpisode, api.RecordEpisodeRequest.fromPartial({ parent, ...fields })),
    record: (procedure: Partially<typeof api.RecordProcedureRequest>['procedure'], requestId = '') =>
      ask(
        knowledge,
        knowledge.recordProcedure,
        api.RecordProcedureRequest.fromPartial({ parent, procedure, requestId }),
      ),
    outcome: (name: string) =>
      ask(
        knowledge,
        knowledge.recordOutcome,
        api.RecordOutcomeRequest.fromPartial({ name, outcome: api.TaskOutcome.TASK_OUTCOME_SUCCESS }),
      ),
    find: (situation: string) =>
      ask(knowledge, knowledge.findProcedures, api.FindProceduresRequest.fromPartial({ parent, situation })),
    reflect: () => ask(knowledge, knowledge.reflect, api.ReflectRequest.fromPartial({ parent })),
    move: (id: string, scope: Placed) =>
      ask(
        memories,
        memories.updateMemory,
        UpdateMemoryRequest.fromPartial({
          memory: { name: `${parent}/memories/${id}`, scope },
          updateMask: ['scope.agent'],
        }),
      ),
  };
}
const idOf = (name: string | undefined): string => name?.split('/').at(-1) ?? '';

describe('facts under a grant for scopes', () => {
  it('facts of the scope › asserted, superseded, undone, listed and forgotten', async () => {
    const ada = by('ada', freshNamespace());
    const city = (value: string) => ({ ...key, attribute: 'home_city', scope: own, value });
    const { fact: lisbon } = await ada.assert(city('Lisbon'));
    const { fact: rome, superseded } = await ada.assert(city('Rome'), 'r');
    expect((await ada.assert(city('Rome'), 'r')).fact?.name).toBe(rome?.name);
    expect(superseded).toEqual([lisbon?.name]);
    expect((await ada.undo(lisbon?.name ?? '')).withdrawn).toBe(rome?.name);
    expect(await ada.values()).toEqual(['Lisbon']);
    expect((await ada.get(lisbon?.name ?? '')).fact?.value).toBe('Lisbon');
    expect((await ada.history(own, 'home_city')).facts.map(({ fact }) => fact?.value).sort()).toEqual([
      'Lisbon',
      'Rome',
    ]);
    expect((await ada.forget({ attribute: 'home_city' })).forgottenCount).toBe(2);
    expect((await ada.history(own, 'home_city')).forgottenCount).toBe(2);
  });

  it('facts of another scope › as if missing, and stay; asserted there › PERMISSION_MISSING', async () => {
    const parent = freshNamespace();
    const [ada, eve] = [by('ada', parent), by('eve', parent)];
    const { fact } = await eve.likes('zanzibar', other);
    const name = fact?.name ?? '';
    const absent = `${parent}/memories/${'0'.repeat(36)}`;
    expect(await ada.values({ includeSuperseded: true })).toEqual([]);
    expect(await ada.history(other)).toEqual(await ada.history({ agent: 'nowhere' }));
    for (const made of [ada.get, ada.undo, (one: string) => ada.forget({ names: [one] })]) {
      const [hidden, missing] = [await refusal(made(name)), await refusal(made(absent))];
      expect([hidden.reason, hidden.message.replace(name, '?')]).toEqual([
        'MEMORY_NOT_FOUND',
        missing.message.replace(absent, '?'),
      ]);
    }
    expect((await ada.forget({ attribute: key.attribute })).forgottenCount).toBe(0);
    for (const scope of [other, {}]) expect(await refusal(ada.likes('x', scope))).toMatchObject(forbidden);
    expect(await eve.values()).toEqual(['zanzibar']);
  });

  it('a damaged fact of another scope › as if missing', async () => {
    const parent = freshNamespace();
    const [ada, eve] = [by('ada', parent), by('eve', parent)];
    // In a scope that no other test has, so that its id is that of no fact in another namespace.
    const name = (await eve.likes('zanzibar', { ...other, project: 'damaged' })).fact?.name ?? '';
    damageInFolder(data, idOf(name), 'text');
    expect(await refusal(eve.get(name))).toMatchObject({ code: 'DATA_LOSS' });
    for (const made of [ada.get, ada.undo, (one: string) => ada.forget({ names: [one] })]) {
      expect(await refusal(made(name))).toMatchObject({ reason: 'MEMORY_NOT_FOUND' });
    }
  });

  it('a fact that was moved to another scope › is not in the history of its key any more', async () => {
    const parent = freshNamespace();
    const [ada, eve, operator] = [by('ada', parent), by('eve', parent), by('operator', parent)];
    const { fact } = await ada.likes('zanzibar', own);
    await operator.move(idOf(fact?.name), other);
    expect((await ada.history(own)).facts).toEqual([]);
    expect(await ada.values()).toEqual([]);
    await ada.likes('tea', own);
    const { fact: again } = await ada.likes('zanzibar', own);
    expect(again?.name).not.toBe(fact?.name);
    expect(await ada.values()).toEqual(['tea', 'zanzibar']);
    expect((await eve.get(fact?.name ?? '')).fact?.scope).toMatchObject(other);
  });

  it('the name of the user of another scope › finds no facts of the own scope', async () => {
    const parent = freshNamespace();
    const [ada, operator] = [by('ada', parent), by('operator', parent)];
    await operator.assert({ subject: 'user', attribute: 'name', value: 'Anna' });
    await ada.likes('tea', own);
    expect(await ada.values({ scope: {}, subject: 'Anna' })).toEqual([]);
    expect(await operator.values({ scope: {}, subject: 'Anna', attribute: 'likes' })).toEqual(['tea']);
  });

  it('a fact that is stored as a memory of the scope › is among the facts of its key', async () => {
    const parent = freshNamespace();
    const ada = by('ada', parent);
    const content = json({ schema: 'mneme.fact.v1', ...key, value: 'tea', confidence: 1, sources: [] });
    await store(callers.ada, parent, { scope: own, type: 'fact', text: 'The user likes tea.', content }, 'imported');
    expect((await ada.history(own)).facts.map(({ fact }) => idOf(fact?.name))).toEqual(['imported']);
  });

  it('a record of a key that a caller makes up › reveals and changes no fact of another scope', async () => {
    const parent = freshNamespace();
    const [ada, eve] = [by('ada', parent), by('eve', parent)];
    const { fact } = await eve.likes('zanzibar', other);
    const id = keyRecordId({ scope: { project: '', agentType: '', agent: 'ada', session: '' }, ...key });
    const states = [{ atUs: 1, fromUs: 1 }];
    const timeline = {
      version: 1,
      entries: [{ id: idOf(fact?.name), value: 'x', fromUs: 1, confirmedUs: [], trust: 3, texts: [], states }],
    };
    const body = { $case: 'data' as const, value: Buffer.from(JSON.stringify(timeline)) };
    const content = { mediaType: 'application/x-mneme-fact-key', body };
    await store(callers.ada, parent, { scope: own, type: 'fact_key', content }, id);
    expect((await ada.history(own)).facts).toEqual([]);
    await ada.likes('tea', own);
    expect((await eve.get(fact?.name ?? '')).fact?.value).toBe('zanzibar');
  });

  it.each(['', '{"version":1}', 'null', '{'])(
    'a record of a key that a caller makes up (%j) › extraction changes no fact of another scope',
    async (broken) => {
      const parent = freshNamespace();
      const [eve, operator] = [by('eve', parent), by('operator', parent)];
      const city = { subject: 'user', attribute: 'home_city' };
      const { fact } = await eve.assert({ ...city, scope: other, value: 'Rome' });
      const name = fact?.name ?? '';
      const before = await get(callers.eve, name);
      const entry = { id: idOf(name), value: 'x', fromUs: 0, confirmedUs: [], trust: 0, texts: [], states: [] };
      const timeline = JSON.stringify({ version: 1, entries: [{ ...entry, claimedUntilUs: 1 }] });
      const body = { $case: 'data' as const, value: Buffer.from(broken || timeline) };
      const content = { mediaType: 'application/x-mneme-fact-key', body };
      const id = keyRecordId({ scope: { project: '', agentType: '', agent: 'ada', session: '' }, ...city });
      await store(callers.ada, parent, { scope: own, type: 'fact_key', content }, id);
      const { append } = talk(callers.ada, parent);
      await append({ scope: own, messages: [said('I live in Bern.')], endOfInvocation: true });
      expect((await flush(callers.operator, parent)).complete).toBe(true);
      expect(await get(callers.eve, name)).toEqual(before);
      expect(await operator.values()).toEqual(['Bern', 'Rome']);
    },
  );

  it('a fact that was moved to another scope › extraction of its former scope does not change it', async () => {
    const parent = freshNamespace();
    const { append } = talk(callers.ada, parent);
    const extracted = async (text: string) => {
      await append({ scope: own, messages: [said(text)], endOfInvocation: true });
      expect((await flush(callers.operator, parent)).complete).toBe(true);
    };
    await extracted('I live in Rome.');
    const name = (await by('ada', parent).list()).facts[0]?.name ?? '';
    await by('operator', parent).move(idOf(name), other);
    const before = await get(callers.eve, name);
    await extracted('I live in Bern.');
    expect(await get(callers.eve, name)).toEqual(before);
    expect(await by('ada', parent).values()).toEqual(['Bern']);
  });

  it('a fact that is stored under the id of a fact of another scope › takes nothing of that scope', async () => {
    const parent = freshNamespace();
    const city = { subject: 'user', attribute: 'home_city' };
    const key = { scope: { project: '', agentType: '', agent: 'eve', session: '' }, ...city };
    const id = factId(key, digestOf(normalValue('Rome')), 0);
    const content = json({ schema: 'mneme.fact.v1', ...city, value: 'Oslo', confidence: 1, sources: [] });
    await store(callers.ada, parent, { scope: own, type: 'fact', text: 'Oslo', content }, id);
    const { append } = talk(callers.eve, parent);
    await append({ scope: other, messages: [said('I live in Rome.')], endOfInvocation: true });
    expect((await flush(callers.operator, parent)).complete).toBe(true);
    expect(await by('eve', parent).values()).toEqual(['Rome']);
    expect(await by('ada', parent).values()).toEqual([]);
  });

  it('a memory of another scope that has the id of a record › SCOPE_PRIVATE, and it stays', async () => {
    const parent = freshNamespace();
    const id = keyRecordId({ scope: { project: '', agentType: '', agent: 'ada', session: '' }, ...key });
    await store(callers.eve, parent, { scope: other, text: 'zanzibar' }, id);
    const { reason, message } = await refusal(by('ada', parent).likes('tea', own));
    expect(reason).toBe('SCOPE_PRIVATE');
    expect(message).not.toContain('zanzibar');
    expect((await get(callers.eve, `${parent}/memories/${id}`)).text).toBe('zanzibar');
  });

  it('extraction that the call of one scope sets off › records facts of the messages of every scope', async () => {
    const parent = freshNamespace();
    const [ada, eve] = [talk(callers.ada, parent, 'a'), talk(callers.eve, parent, 'e')];
    await ada.append({ scope: own, messages: [said('I live in Bern.')], endOfInvocation: true });
    await eve.append({ scope: other, messages: [said('I live in Rome.')], endOfInvocation: true });
    expect((await flush(callers.operator, parent)).complete).toBe(true);
    expect(await by('operator', parent).values()).toEqual(['Bern', 'Rome']);
    expect(await by('ada', parent).values()).toEqual(['Bern']);
  });

  it('messages of several scopes in one batch › each scope has the facts of its own messages', async () => {
    const parent = freshNamespace();
    const [ada, eve, operator] = [by('ada', parent), by('eve', parent), by('operator', parent)];
    await talk(callers.operator, parent).append({ scope: other, messages: [said('I live in Rome.', 1)] });
    await talk(callers.ada, parent).append({ scope: own, messages: [said('hello', 0)], endOfInvocation: true });
    expect((await flush(callers.operator, parent)).complete).toBe(true);
    expect([await ada.values(), await eve.values()]).toEqual([[], ['Rome']]);
    await talk(callers.eve, parent).append({ scope: other, messages: [said('hello', 2)] });
    await talk(callers.ada, parent).append({
      scope: own,
      messages: [said('I live in Bern.', 3)],
      endOfInvocation: true,
    });
    expect((await flush(callers.operator, parent)).complete).toBe(true);
    expect([await ada.values(), await eve.values()]).toEqual([['Bern'], ['Rome']]);
    expect(await operator.values({ includeSuperseded: true })).toEqual(['Bern', 'Rome']);
  });
});

describe('episodes and procedures under a grant for scopes', () => {
  it('those of the scope › recorded and found; others › hidden, and PERMISSION_MISSING', async () => {
    const parent = freshNamespace();
    const [ada, eve] = [by('ada', parent), by('eve', parent)];
    const steps = ['open the archive'];
    const { procedure } = await ada.record({ scope: own, title: 'Archive', situation: 'the archive is closed', steps });
    const theirs = await eve.record({ scope: other, title: 'Archive', situation: 'the archive is closed', steps });
    const outcome = api.TaskOutcome.TASK_OUTCOME_SUCCESS;
    for (const [who, scope] of [
      [ada, own],
      [eve, other],
    ] as const) {
      await who.episode({ scope, task: 'open the archive', outcome });
    }
    expect((await ada.outcome(procedure?.name ?? '')).procedure?.successCount).toBe(1);
    const found = (await ada.find('the archive is closed')).procedures.map((one) => one.procedure?.name);
    expect(found).toEqual([procedure?.name]);
    expect((await ada.reflect()).counts).toMatchObject({ episodes: 1, successes: 1 });
    const name = theirs.procedure?.name ?? '';
    expect(await refusal(ada.outcome(name))).toMatchObject({ reason: 'MEMORY_NOT_FOUND' });
    for (const scope of [other, {}]) {
      expect(await refusal(ada.record({ scope, title: 'Archive', steps }))).toMatchObject(forbidden);
      expect(await refusal(ada.episode({ scope, task: 'x', outcome }))).toMatchObject(forbidden);
    }
  });

  it("another caller's request id with the same procedure › PERMISSION_MISSING", async () => {
    const parent = freshNamespace();
    const procedure = { scope: other, title: 'Archive', steps: ['open the archive'] };
    await by('eve', parent).record(procedure, 'r');
    expect(await refusal(by('ada', parent).record(procedure, 'r'))).toMatchObject(forbidden);
  });
});

describe('moves between tiers under a grant for scopes', () => {
  it('memories of the scope › moved; hidden ones › MEMORY_NOT_FOUND, and nothing is moved', async () => {
    const parent = freshNamespace();
    const { memories } = callers.ada;
    await store(callers.ada, parent, { text: 'tea', scope: own }, 'mine');
    await store(callers.eve, parent, { text: 'zanzibar', scope: other }, 'theirs');
    const demote = (...ids: string[]) => {
      const names = ids.map((id) => `${parent}/memories/${id}`);
      return ask(memories, memories.demoteMemories, DemoteMemoriesRequest.fromPartial({ parent, names }));
    };
    const [hidden, missing] = [await refusal(demote('mine', 'theirs')), await refusal(demote('mine', 'absent'))];
    expect([hidden.reason, hidden.message.replace('theirs', '?')]).toEqual([
      missing.reason,
      missing.message.replace('absent', '?'),
    ]);
    expect((await demote('mine')).moves).toMatchObject([{ toTier: Tier.TIER_INTERMEDIATE }]);
    const promote = PromoteMemoriesRequest.fromPartial({ parent, names: [`${parent}/memories/mine`] });
    expect((await ask(memories, memories.promoteMemories, promote)).moves).toMatchObject([
      { toTier: Tier.TIER_SHORT_TERM },
    ]);
  });
});
