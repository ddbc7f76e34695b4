import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AssertFactRequest,
  AssertOutcome,
  ForgetFactsRequest,
  GetFactRequest,
  ListFactHistoryRequest,
  ListFactsRequest,
  TrustLevel,
  UndoSupersessionRequest,
} from '../../../../gen/ts/mneme/v1/knowledge_service.ts';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace } from '../support/memories.ts';
import { MEMORY_BACKENDS, startSessionServer } from '../support/session-backends.ts';
import type { TestServer } from '../support/test-server.ts';

type Partially<T> = T extends { fromPartial(object: infer P): unknown } ? P : never;

describe.each(MEMORY_BACKENDS)('facts (%s)', (backend) => {
  let mneme: TestServer;
  beforeAll(async () => {
    mneme = await startSessionServer(backend);
  });
  afterAll(() => mneme?.stop());

  function fresh() {
    const parent = freshNamespace();
    const { knowledge, recalls } = mneme;
    return {
      parent,
      assert: (fact: Partially<typeof AssertFactRequest>['fact'], rest: Partially<typeof AssertFactRequest> = {}) =>
        ask(knowledge, knowledge.assertFact, AssertFactRequest.fromPartial({ parent, fact, ...rest })),
      list: (fields: Partially<typeof ListFactsRequest> = {}) =>
        ask(knowledge, knowledge.listFacts, ListFactsRequest.fromPartial({ parent, ...fields })),
      get: (name: string) => ask(knowledge, knowledge.getFact, GetFactRequest.fromPartial({ name })),
      undo: (name: string, requestId = '') =>
        ask(knowledge, knowledge.undoSupersession, UndoSupersessionRequest.fromPartial({ name, requestId })),
      history: (subject: string, attribute: string) =>
        ask(knowledge, knowledge.listFactHistory, ListFactHistoryRequest.fromPartial({ parent, subject, attribute })),
      forget: (fields: Partially<typeof ForgetFactsRequest>) =>
        ask(knowledge, knowledge.forgetFacts, ForgetFactsRequest.fromPartial({ parent, ...fields })),
      recalled: async (text: string) =>
        (await ask(recalls, recalls.recall, RecallRequest.fromPartial({ minRelevance: 0, parent, text }))).hits.map(
          ({ memory }) => memory?.text,
        ),
    };
  }
  const city = (value: string) => ({ subject: 'user', attribute: 'home_city', value });

  it('X8 repeated with a request id after other writes › the first answer, with its revision', async () => {
    const { assert, undo } = fresh();
    const first = await assert(city('Lisbon'), { requestId: 'a' });
    const second = await assert(city('Rome'), { requestId: 'b' });
    expect(second.revision).toBeGreaterThan(first.revision);
    const undone = await undo(first.fact?.name ?? '', 'u');
    await assert({ subject: 'user', attribute: 'hobby', value: 'chess' });
    expect((await assert(city('Lisbon'), { requestId: 'a' })).revision).toBe(first.revision);
    expect((await assert(city('Rome'), { requestId: 'b' })).revision).toBe(second.revision);
    expect(await undo(first.fact?.name ?? '', 'u')).toMatchObject({
      revision: undone.revision,
      withdrawn: undone.withdrawn,
    });
  });

  it('a value that is superseded › recall has the new one; undone › the old one', async () => {
    const { assert, recalled, history, undo, list } = fresh();
    const { fact: lisbon, outcome } = await assert(city('Lisbon'));
    expect(outcome).toBe(AssertOutcome.ASSERT_OUTCOME_CREATED);
    const { fact: rome, superseded } = await assert(city('Rome'));
    expect(superseded).toEqual([lisbon?.name]);
    expect(await recalled('home city of the user')).toEqual(['The user’s home city is Rome.']);

    const { facts, singleValued } = await history('user', 'lives in');
    expect(singleValued).toBe(true);
    expect(facts.map(({ fact }) => [fact?.value, fact?.supersededBy])).toEqual([
      ['Lisbon', rome?.name],
      ['Rome', ''],
    ]);

    expect(await undo(lisbon?.name ?? '')).toMatchObject({ withdrawn: rome?.name, fact: { supersededBy: '' } });
    expect(await recalled('home city of the user')).toEqual(['The user’s home city is Lisbon.']);
    expect((await list()).facts).toMatchObject([{ value: 'Lisbon', trust: TrustLevel.TRUST_LEVEL_EXPLICIT }]);
    expect(await refusal(undo(rome?.name ?? ''))).toMatchObject({ reason: 'FACT_NOT_SUPERSEDED' });
  });

  it('a call that is repeated with its request id › one effect, the first answer', async () => {
    const { assert, list } = fresh();
    await assert(city('Lisbon'));
    const first = await assert(city('Rome'), { requestId: 'r1' });
    const second = await assert(city('Rome'), { requestId: 'r1' });
    expect({ ...second, revision: first.revision }).toEqual(first);
    const again = await assert(city('Rome'), { requestId: 'r2' });
    expect(again).toMatchObject({ outcome: AssertOutcome.ASSERT_OUTCOME_REINFORCED, fact: { reinforcementCount: 1 } });
    expect((await assert(city('Rome'), { requestId: 'r2' })).outcome).toBe(again.outcome);
    expect((await list()).facts).toMatchObject([{ value: 'Rome', reinforcementCount: 1 }]);
  });

  it('pages › every fact once', async () => {
    const { assert, list } = fresh();
    for (const value of ['a', 'b', 'c', 'd', 'e']) await assert({ subject: 'user', attribute: 'likes', value });
    const values: string[] = [];
    for (let pageToken = ''; ; ) {
      const page = await list({ pageSize: 2, pageToken });
      values.push(...page.facts.map(({ value }) => value));
      pageToken = page.nextPageToken;
      if (pageToken === '') break;
    }
    expect(values.sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('facts that are forgotten › neither listed nor recalled, counted in the history', async () => {
    const { assert, forget, list, recalled, get, history } = fresh();
    const { fact } = await assert(city('Lisbon'));
    expect(await forget({ subject: 'user', dryRun: true })).toMatchObject({ forgottenCount: 1 });
    expect(await forget({ subject: 'user' })).toMatchObject({ forgottenCount: 1, names: [fact?.name] });
    expect((await list({ includeSuperseded: true })).facts).toEqual([]);
    expect(await recalled('Lisbon')).toEqual([]);
    expect(await refusal(get(fact?.name ?? ''))).toMatchObject({ reason: 'MEMORY_NOT_FOUND' });
    expect(await history('user', 'home_city')).toMatchObject({ facts: [], forgottenCount: 1 });
  });

  it.each([
    ['no value', { subject: 'user', attribute: 'likes' }, 'fact.value'],
    ['no subject', { attribute: 'likes', value: 'tea' }, 'fact.subject'],
    ['a subject of marks', { subject: '…!', attribute: 'likes', value: 'tea' }, 'fact.subject'],
    ['an attribute that is too long', { subject: 'user', attribute: 'a'.repeat(129), value: 'tea' }, 'fact.attribute'],
    ['a value that is too long', { subject: 'user', attribute: 'likes', value: 'ä'.repeat(2049) }, 'fact.value'],
    [
      'a confidence beyond 1',
      { subject: 'user', attribute: 'likes', value: 'tea', confidence: 1.5 },
      'fact.confidence',
    ],
    [
      'an end before its beginning',
      {
        ...{ subject: 'user', attribute: 'likes', value: 'tea' },
        ...{ validFrom: { seconds: 2n, nanos: 0 }, validUntil: { seconds: 1n, nanos: 0 } },
      },
      'fact.valid_until',
    ],
    ['an empty source', { subject: 'user', attribute: 'likes', value: 'tea', sources: [''] }, 'fact.sources[0]'],
  ])('%s › refused, the field is named', async (_, fact, field) => {
    const { assert, list } = fresh();
    const { reason, fields } = await refusal(assert(fact));
    expect({ reason, fields }).toEqual({ reason: 'FIELD_INVALID', fields: [field] });
    expect(await list()).toMatchObject({ facts: [] });
  });
});
