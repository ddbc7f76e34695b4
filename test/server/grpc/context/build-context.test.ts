import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  BuildContextRequest,
  ContextFormat,
  ContextKind,
  ContextOmissionReason,
} from '../../../../gen/ts/mneme/v1/context_service.ts';
import { TrustLevel } from '../../../../gen/ts/mneme/v1/knowledge_service.ts';
import { SpawnSessionRequest } from '../../../../gen/ts/mneme/v1/lifecycle_service.ts';
import { SetScopePolicyRequest } from '../../../../gen/ts/mneme/v1/scope_service.ts';
import {
  AppendScratchpadRequest,
  SetTaskStateRequest,
  SetValueRequest,
  TaskStatus,
} from '../../../../gen/ts/mneme/v1/working_memory_service.ts';
import { MnemeError } from '../../../../src/memory/errors.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace, json, store } from '../support/memories.ts';
import { initial } from '../support/sessions.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
let away: 'search' | 'sessions' | 'none' = 'none';
/** How the part that is away behaves. */
let failure: 'refuses' | 'hangs' | 'throws' = 'refuses';
beforeAll(async () => {
  mneme = await startTestServer(
    {},
    {
      storage: (made) => ({
        ...made,
        engine: faulty(made.engine, 'search', () => away === 'search'),
        sessions: faulty(made.sessions, 'session', () => away === 'sessions'),
      }),
    },
  );
});
afterAll(() => mneme.stop());

/** The part, of which one method fails as long as it is away. */
function faulty<T extends object>(part: T, method: keyof T, isAway: () => boolean): T {
  return new Proxy(part, {
    get: (target, name) => {
      if (name === method && isAway()) {
        if (failure === 'hangs') return () => new Promise<never>(() => {});
        const refusal = new MnemeError('STORAGE_UNAVAILABLE', 'the store does not answer');
        return () => Promise.reject(failure === 'throws' ? new TypeError('a defect') : refusal);
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

const build = (request: Parameters<typeof BuildContextRequest.fromPartial>[0], deadlineMs = 30_000) =>
  ask(mneme.contexts, mneme.contexts.buildContext, BuildContextRequest.fromPartial(request), { deadlineMs });
const tokens = (value: number) => ({ $case: 'tokenBudget' as const, value });

async function withKey(): Promise<string> {
  const parent = freshNamespace();
  const source = { speaker: 'Ada' };
  await store(mneme, parent, { text: 'The brass key lies in the blue drawer', source }, 'key');
  await store(mneme, parent, { text: 'To open the door turn the brass key twice', type: 'procedure' }, 'door');
  await store(mneme, parent, { text: 'It rains in Bergen', source }, 'rain');
  return parent;
}

describe('BuildContext', () => {
  it('when memories answer › quotes them with source, relevance, tokens and reason, within the budget', async () => {
    const parent = await withKey();
    const answer = await build({ parent, query: 'Where is the brass key?', budget: tokens(200) });

    expect(answer.text).toMatch(/^<memory source="mneme">\n<entry kind="procedure"/);
    expect(answer.text).toContain('source="Ada"');
    expect(answer.text).toContain('The brass key lies in the blue drawer</entry>');
    expect(answer.messages).toEqual([{ role: 'user', text: answer.text }]);
    const key = answer.entries.find(({ name }) => name.endsWith('/key'));
    expect(key).toMatchObject({
      kind: ContextKind.CONTEXT_KIND_MESSAGE,
      trust: TrustLevel.TRUST_LEVEL_USER,
      part: '',
    });
    expect(key?.reason).toContain('rank');
    expect(key?.tokens).toBeGreaterThan(8);
    expect(answer).toMatchObject({ budget: 200, tokenizer: 'o200k_base', degraded: [], complete: true });
    expect(answer.tokens).toBeLessThanOrEqual(200);
    expect(answer.revision).toBeGreaterThan(0n);
  });

  it('when the budget is small › names omitted entries', async () => {
    const parent = await withKey();
    const {
      entries,
      omitted,
      omittedTotal,
      tokens: used,
    } = await build({ parent, query: 'brass key', minRelevance: 0, budget: tokens(50) });

    expect(entries.length + omittedTotal).toBe(3);
    expect(omitted[0]?.reason).toBe(ContextOmissionReason.CONTEXT_OMISSION_REASON_BUDGET);
    expect(used).toBeLessThanOrEqual(50);
    expect(await build({ parent, query: 'brass key', budget: tokens(1) })).toMatchObject({ text: '', messages: [] });
  });

  it('when the budget is a share of a window › counts with it; the default is 15 %', async () => {
    const parent = await withKey();
    const window = (modelTokens: number, share?: number) => ({
      $case: 'window' as const,
      value: { modelTokens, ...(share !== undefined && { share }) },
    });
    expect((await build({ parent, query: 'key', budget: window(8000) })).budget).toBe(1200);
    expect((await build({ parent, query: 'key', budget: window(8000, 0.5) })).budget).toBe(4000);
    expect((await build({ parent, query: 'key' })).budget).toBe(1500);
  });

  it('when a session has working memory › it comes first, without secret values', async () => {
    const parent = await withKey();
    const session = `${parent}/sessions/s1`;
    const { working } = mneme;
    const text = (value: string) => ({ mediaType: 'text/plain', body: { $case: 'text' as const, value } });
    const task = {
      taskId: 't',
      description: 'Find the brass key',
      status: TaskStatus.TASK_STATUS_IN_PROGRESS,
      currentStep: 1,
      totalSteps: 3,
    };
    await ask(
      working,
      working.setValue,
      SetValueRequest.fromPartial({ session, key: 'plan', value: text('look in drawers') }),
    );
    await ask(
      working,
      working.setValue,
      SetValueRequest.fromPartial({ session, key: 'api_key', value: text('hunter2') }),
    );
    await ask(working, working.setTaskState, SetTaskStateRequest.fromPartial({ session, task }));
    await ask(
      working,
      working.appendScratchpad,
      AppendScratchpadRequest.fromPartial({ session, notes: [json({ seen: 'attic' })] }),
    );
    const answer = await build({ parent, session: 's1', query: 'brass key' });

    expect(answer.entries.slice(0, 3).map(({ part }) => part)).toEqual(['task', 'note 1', 'value plan']);
    expect(answer.text).not.toContain('hunter2');
    expect(answer.omitted).toContainEqual(
      expect.objectContaining({ part: 'value api_key', reason: ContextOmissionReason.CONTEXT_OMISSION_REASON_SECRET }),
    );
    const alone = await build({ parent, session: 's1' });
    expect(alone.entries.every(({ kind }) => kind === ContextKind.CONTEXT_KIND_WORKING)).toBe(true);
  });

  it('when only some kinds may go in › leaves out the others', async () => {
    const parent = await withKey();
    const kinds = [ContextKind.CONTEXT_KIND_PROCEDURE];
    expect((await build({ parent, query: 'brass key', kinds })).entries.map(({ name }) => name)).toEqual([
      `${parent}/memories/door`,
    ]);
    const others = [ContextKind.CONTEXT_KIND_OTHER, ContextKind.CONTEXT_KIND_MESSAGE];
    expect((await build({ parent, query: 'brass key', minRelevance: 0, kinds: others })).entries).toHaveLength(2);
  });

  it('with messages › queries with the last one of the user, and folds the context into it', async () => {
    const parent = await withKey();
    const messages = [
      { role: 'assistant', text: 'It rains in Bergen' },
      { role: 'user', text: 'And where is the brass key?' },
    ];
    const answer = await build({
      ...{ parent, messages, minRelevance: 0, fold: true },
      format: ContextFormat.CONTEXT_FORMAT_MARKDOWN,
    });

    expect(answer.query).toBe('And where is the brass key?');
    expect(answer.messages).toEqual([
      messages[0],
      { role: 'user', text: `And where is the brass key?\n\n${answer.text}` },
    ]);
    expect(answer.omitted).toContainEqual(
      expect.objectContaining({
        name: `${parent}/memories/rain`,
        reason: ContextOmissionReason.CONTEXT_OMISSION_REASON_IN_CONVERSATION,
      }),
    );
  });

  it('earlier contexts among the messages › are neither queried nor counted as messages', async () => {
    const parent = await withKey();
    const { messages: earlier, text } = await build({
      parent,
      messages: [{ role: 'user', text: 'Where is the brass key?' }],
      fold: true,
    });
    const again = await build({ parent, messages: earlier });

    expect(again).toMatchObject({ query: 'Where is the brass key?', text });
  });

  it('as JSON messages › the text is an array of messages for a model', async () => {
    const parent = await withKey();
    const { text, messages } = await build({
      parent,
      query: 'key',
      format: ContextFormat.CONTEXT_FORMAT_JSON_MESSAGES,
    });
    expect(JSON.parse(text)).toEqual([{ role: 'user', content: messages[0]?.text }]);
  });

  it.each([
    ['refuses', 30_000],
    ['hangs', 4000],
    ['throws', 30_000],
  ] as const)('when a part is away and %s › the others go in, and it is named', async (how, deadlineMs) => {
    failure = how;
    const parent = await withKey();
    const session = `${parent}/sessions/s1`;
    const value = json('look in drawers');
    await ask(mneme.working, mneme.working.setValue, SetValueRequest.fromPartial({ session, key: 'plan', value }));
    for (const [lost, part] of [
      ['search', 'recall'],
      ['sessions', 'working_memory'],
    ] as const) {
      away = lost;
      const answer = await build({ parent, session: 's1', query: 'brass key' }, deadlineMs);
      away = 'none';
      expect(answer.complete).toBe(false);
      expect(answer.degraded.map((one) => one.part)).toContain(part);
      expect(answer.entries.length).toBeGreaterThan(0);
    }
  });

  it('when the scope is private › only callers within it get its memories and working memory', async () => {
    const parent = await withKey();
    const scope = { project: 'p' };
    await store(mneme, parent, { text: 'The silver key is under the mat', scope }, 'silver');
    const { lifecycle, scopes } = mneme;
    const sessionId = 'private';
    const spawned = SpawnSessionRequest.fromPartial({
      parent,
      sessionId,
      scope,
      initialValues: initial({ plan: 'mats' }),
    });
    await ask(lifecycle, lifecycle.spawnSession, spawned);
    const policy = { scope, isPrivate: true };
    await ask(scopes, scopes.setScopePolicy, SetScopePolicyRequest.fromPartial({ parent, policy }));

    const within = await build({ parent, query: 'silver key', scope, session: sessionId });
    expect(within.text).toContain('under the mat');
    expect(within.entries.map(({ part }) => part)).toContain('value plan');
    expect((await build({ parent, query: 'silver key' })).text).not.toContain('under the mat');
    const hidden = await build({ parent, query: 'silver key', session: sessionId });
    expect(hidden).toEqual(await build({ parent, query: 'silver key', session: 'none' }));
  });

  it('when the namespace is not there yet › is empty', async () => {
    expect(await build({ parent: freshNamespace(), query: 'brass key' })).toMatchObject({ text: '', complete: true });
  });

  it('when a field is bad › INVALID_ARGUMENT names field, problem and limit', async () => {
    const parent = freshNamespace();
    const bad = await refusal(
      build({
        parent,
        messages: [{ role: 'robot', text: 'x' }],
        fold: true,
        budget: tokens(0),
        tokenizer: 'gpt2',
        kinds: [99 as ContextKind],
        minRelevance: 2,
      }),
    );
    expect(bad).toMatchObject({ code: 'INVALID_ARGUMENT', reason: 'FIELD_INVALID' });
    expect(bad.fields).toEqual(['messages[0].role', 'token_budget', 'tokenizer', 'kinds[0]', 'min_relevance']);
    expect((await refusal(build({ parent, fold: true }))).fields).toEqual(['fold']);
  });
});
