import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ConsolidatedKind,
  ConsolidateRequest,
  UndoConsolidationRequest,
} from '../../../../gen/ts/mneme/v1/consolidation_service.ts';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace, get, store } from '../support/memories.ts';
import { MEMORY_BACKENDS, startSessionServer } from '../support/session-backends.ts';
import type { TestServer } from '../support/test-server.ts';

describe.each(MEMORY_BACKENDS)('consolidation (%s)', (backend) => {
  let mneme: TestServer;
  beforeAll(async () => {
    mneme = await startSessionServer(backend);
  });
  afterAll(() => mneme?.stop());

  const run = (fields: Parameters<typeof ConsolidateRequest.fromPartial>[0]) =>
    ask(mneme.consolidation, mneme.consolidation.consolidate, ConsolidateRequest.fromPartial(fields));
  const undo = (report: string) =>
    ask(mneme.consolidation, mneme.consolidation.undoConsolidation, UndoConsolidationRequest.fromPartial({ report }));
  const recalled = async (parent: string, includeInvalid: boolean) => {
    const request = RecallRequest.fromPartial({ minRelevance: 0, parent, text: 'tea of the user', includeInvalid });
    const { hits } = await ask(mneme.recalls, mneme.recalls.recall, request);
    return hits.flatMap(({ memory }) => (memory?.type === 'statement' ? [memory.name] : [])).sort();
  };

  it('two notes that say the same › recall finds one that cites both, and all with include_invalid; undone › the two', async () => {
    const parent = freshNamespace();
    const names = await Promise.all(
      ['The user likes green tea.', 'the user likes green tea'].map(
        async (text) => (await store(mneme, parent, { text })).name,
      ),
    );
    const planned = await run({ parent, dryRun: true });
    const { report, memories } = await run({ parent });
    expect(planned).toMatchObject({ report: '', memories });
    expect(memories).toMatchObject([{ kind: ConsolidatedKind.CONSOLIDATED_KIND_MERGE, sources: [...names].sort() }]);
    const merged = memories[0]?.name ?? '';
    expect(await recalled(parent, false)).toEqual([merged]);
    expect(await recalled(parent, true)).toEqual([...names, merged].sort());
    for (const name of names)
      expect(await get(mneme, name)).toMatchObject({ text: expect.stringMatching(/green tea/) });

    expect(await undo(report)).toMatchObject({ deleted: [merged], kept: [] });
    // Their texts are equal: one of the two is the hit.
    const [one, ...others] = await recalled(parent, false);
    expect([names.includes(one ?? ''), others]).toEqual([true, []]);
    expect(await recalled(parent, true)).toEqual([...names].sort());
  });

  it('a namespace that is not there, a report that is not there, a wrong limit › refused by field and reason', async () => {
    const parent = freshNamespace();
    expect(await refusal(run({ parent }))).toMatchObject({ reason: 'NAMESPACE_NOT_FOUND' });
    await store(mneme, parent, { text: 'a' }, 'm1');
    expect(await refusal(undo(`${parent}/memories/m1`))).toMatchObject({ reason: 'MEMORY_NOT_FOUND' });
    expect(await refusal(run({ parent, maxSteps: 1001, idleTime: { seconds: 0n, nanos: 0 } }))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      fields: ['idle_time', 'max_steps'],
    });
  });
});
