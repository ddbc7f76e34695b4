import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RecallRequest, ScopeView } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { isSeenFrom, SCOPE_PARTS, WHOLE_NAMESPACE } from '../../../../src/memory/scope.ts';
import { ask } from '../support/ask.ts';
import { freshNamespace, store } from '../support/memories.ts';
import { sessionCalls } from '../support/sessions.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer();
});
afterAll(() => mneme.stop());

type Parts = Partial<typeof WHOLE_NAMESPACE>;

/** The memories that a scope sees, by their names. */
async function seen(parent: string, scope: Parts, request: object = {}) {
  const recall = RecallRequest.fromPartial({ minRelevance: 0, parent, text: 'tea', scope, limit: 100, ...request });
  const { hits } = await ask(mneme.recalls, mneme.recalls.recall, recall);
  return hits.map(({ memory }) => memory?.name.split('/').at(-1)).sort();
}

async function family() {
  const parent = freshNamespace();
  const members: Record<string, Parts> = {
    everybody: {},
    project: { project: 'p' },
    kind: { project: 'p', agentType: 'planner' },
    ada: { project: 'p', agentType: 'planner', agent: 'ada' },
    'ada-s1': { project: 'p', agentType: 'planner', agent: 'ada', session: 's1' },
    'ada-s2': { project: 'p', agentType: 'planner', agent: 'ada', session: 's2' },
    bob: { project: 'p', agentType: 'planner', agent: 'bob' },
    'other-project': { project: 'q' },
  };
  for (const [id, scope] of Object.entries(members)) await store(mneme, parent, { text: `tea of ${id}`, scope }, id);
  return parent;
}

describe('Recall within a scope', () => {
  it('of a session › sees the memories of its agent, agent type, project and namespace, and none of its siblings', async () => {
    const parent = await family();
    const scope = { project: 'p', agentType: 'planner', agent: 'ada', session: 's1' };

    expect(await seen(parent, scope)).toEqual(['ada', 'ada-s1', 'everybody', 'kind', 'project']);
    expect(await seen(parent, scope, { scopeView: ScopeView.SCOPE_VIEW_OWN })).toEqual(['ada-s1']);
  });

  it('of a project › sees all descendants, and memories of the namespace', async () => {
    const parent = await family();

    expect(await seen(parent, { project: 'p' })).toEqual([
      'ada',
      'ada-s1',
      'ada-s2',
      'bob',
      'everybody',
      'kind',
      'project',
    ]);
  });

  it('of a session named alone › has the same visibility as one named in full', async () => {
    const parent = await family();
    const scope = { project: 'p', agentType: 'planner', agent: 'ada' };
    await sessionCalls(mneme).spawn({ parent, sessionId: 's1', scope });

    expect(await seen(parent, { session: 's1' })).toEqual(await seen(parent, { ...scope, session: 's1' }));
    expect(await seen(parent, { session: 'never-spawned' })).toEqual(['everybody']);
  });

  it('and a preset or a window of time › sees the same', async () => {
    const parent = await family();
    const scope = { project: 'p', agentType: 'planner', agent: 'ada', session: 's1' };
    const window = { timeWindow: { last: { seconds: 3600n } } };
    const preset = { text: '', preset: { name: 'last_hours', parameters: '{"hours":1}' } };

    expect(await seen(parent, scope, window)).toEqual(await seen(parent, scope));
    expect(await seen(parent, scope, preset)).toEqual(await seen(parent, scope));
  });

  it('any scope and any memory › the rule in words decides', async () => {
    const parent = freshNamespace();
    const values = ['', 'a', 'b'];
    const scopes = values.flatMap((project) =>
      values.flatMap((agent) => values.map((session) => ({ ...WHOLE_NAMESPACE, project, agent, session }))),
    );
    const idOf = (scope: Parts) => SCOPE_PARTS.map((part) => scope[part] || '-').join('');
    for (const scope of scopes) await store(mneme, parent, { text: `tea ${idOf(scope)}`, scope }, idOf(scope));

    for (const from of scopes.filter((scope) => idOf(scope) !== '----')) {
      const expected = scopes.filter((scope) => isSeenFrom(scope, from)).map(idOf);
      expect([from, await seen(parent, from)]).toEqual([from, expected.sort()]);
    }
  });
});
