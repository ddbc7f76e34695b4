import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  CreateAgentSnapshotRequest,
  ForkAgentSnapshotRequest,
  RestoreAgentSnapshotRequest,
} from '../../../../gen/ts/mneme/v1/agent_service.ts';
import {
  AssertFactRequest,
  ForgetFactsRequest,
  ListFactsRequest,
} from '../../../../gen/ts/mneme/v1/knowledge_service.ts';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask } from '../support/ask.ts';
import { freshNamespace } from '../support/memories.ts';
import { MEMORY_BACKENDS, startSessionServer } from '../support/session-backends.ts';
import type { TestServer } from '../support/test-server.ts';

const ada = { agent: 'ada' };

describe.each(MEMORY_BACKENDS)('facts that were forgotten after a snapshot of their agent (%s)', (backend) => {
  let mneme: TestServer;
  beforeAll(async () => {
    mneme = await startSessionServer(backend);
  });
  afterAll(() => mneme?.stop());

  /** Two facts of ada in a snapshot, of which one is forgotten since. */
  async function forgotten() {
    const parent = freshNamespace();
    const { agents, knowledge, recalls } = mneme;
    for (const [attribute, value] of [
      ['home_city', 'Graz'],
      ['pet', 'cat'],
    ]) {
      const fact = { subject: 'user', attribute: attribute ?? '', value: value ?? '', scope: ada };
      await ask(knowledge, knowledge.assertFact, AssertFactRequest.fromPartial({ parent, fact }));
    }
    const snapshot = CreateAgentSnapshotRequest.fromPartial({ parent, snapshotId: 'before', scope: ada });
    await ask(agents, agents.createAgentSnapshot, snapshot);
    const request = ForgetFactsRequest.fromPartial({ parent, subject: 'user', attribute: 'home_city' });
    await ask(knowledge, knowledge.forgetFacts, request);
    return {
      parent,
      values: async (scope: object) => {
        const listed = await ask(
          knowledge,
          knowledge.listFacts,
          ListFactsRequest.fromPartial({ parent, scope, includeSuperseded: true }),
        );
        return listed.facts.map(({ value }) => value);
      },
      recalled: async () => {
        const query = RecallRequest.fromPartial({ minRelevance: 0, parent, text: 'Graz cat', includeInvalid: true });
        return (await ask(recalls, recalls.recall, query)).hits.map(({ memory }) => memory?.text ?? '').join(' ');
      },
    };
  }

  it('the snapshot is restored › they do not come back, the others stay', async () => {
    const { parent, values, recalled } = await forgotten();
    const { agents } = mneme;
    const request = RestoreAgentSnapshotRequest.fromPartial({ parent, snapshotId: 'before' });
    await ask(agents, agents.restoreAgentSnapshot, request);
    expect(await values(ada)).toEqual(['cat']);
    expect(await recalled()).not.toContain('Graz');
  });

  it('the snapshot is forked › the new agent does not have them either', async () => {
    const { parent, values, recalled } = await forgotten();
    const { agents } = mneme;
    const toScope = { agent: 'bob' };
    await ask(
      agents,
      agents.forkAgentSnapshot,
      ForkAgentSnapshotRequest.fromPartial({ parent, snapshotId: 'before', toScope }),
    );
    expect(await values(toScope)).toEqual(['cat']);
    expect(await values(ada)).toEqual(['cat']);
    expect(await recalled()).not.toContain('Graz');
  });
});
