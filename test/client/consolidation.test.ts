import { afterEach, describe, expect, it } from '@jest/globals';
import { InvalidArgumentError, NotFoundError } from '../../clients/typescript/src/index.ts';
import { startTestServer } from '../server/grpc/support/test-server.ts';
import { cleanUp, client, onCleanUp } from './support/clean-up.ts';

afterEach(cleanUp);

describe('consolidation', () => {
  it('two notes that say the same › planned, made and undone, with ids in place of resource names', async () => {
    const server = await startTestServer();
    onCleanUp(() => server.stop());
    const mneme = client(server.address, { namespace: 'tea' });
    const scope = { agent: 'ada' };
    await mneme.store({ id: 'a', type: 'fact', text: 'The user likes green tea.', scope });
    await mneme.store({ id: 'b', type: 'fact', text: 'the user likes green tea', scope });

    const planned = await mneme.consolidation.run({ scope, dryRun: true, idleMs: 60_000, maxSteps: 5 });
    expect(planned).toMatchObject({ skippedCount: 0, hasMore: false });
    expect(planned).not.toHaveProperty('reportId');
    const { reportId = '', memories } = await mneme.consolidation.run({}, { requestId: 'once' });
    expect(memories).toEqual(planned.memories);
    expect(memories).toEqual([
      {
        kind: 'merge',
        id: expect.any(String),
        text: 'The user likes green tea.',
        sourceIds: ['a', 'b'],
        hiddenIds: ['a', 'b'],
      },
    ]);
    expect(await mneme.consolidation.run({}, { requestId: 'once' })).toMatchObject({ reportId, memories });
    const undone = await mneme.consolidation.undo(reportId);
    expect(undone).toMatchObject({ deletedIds: [memories[0]?.id], keptIds: [] });
    expect([...undone.restoredIds].sort()).toEqual(['a', 'b']);
  });

  it('a limit that is out of range, a memory that is no report › refused as the server names it', async () => {
    const server = await startTestServer();
    onCleanUp(() => server.stop());
    const mneme = client(server.address, { namespace: 'tea' });
    await mneme.store({ id: 'a', text: 'tea' });
    await expect(mneme.consolidation.run({ idleMs: 0 })).rejects.toThrow(InvalidArgumentError);
    const refused = await mneme.consolidation.undo('a').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NotFoundError);
    expect(refused).toMatchObject({ reason: 'MEMORY_NOT_FOUND', family: 'maintenance' });
  });
});
