import { expect, test } from '@jest/globals';
import { ExportMemoriesRequest, StoreMemoryRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { ask } from '../support/ask.ts';
import { FollowedStream } from '../support/followed-stream.ts';
import { Identities } from '../support/identities.ts';
import { startTestServer } from '../support/test-server.ts';

test('ExportMemories: under a grant for a scope › total_count has the memories that the caller may read, whatever the filter', async () => {
  const identities = new Identities({
    operator: [{ namespaces: ['*'], verbs: ['write'] }],
    ada: [{ namespaces: ['own'], verbs: ['read'], scopes: ['project=p'] }],
  });
  const mneme = await startTestServer(identities.flags);
  try {
    const { memories } = mneme;
    const parent = 'namespaces/own';
    for (const [project, step] of [
      ['p', 1n],
      ['p', 2n],
      ['p', 3n],
      ['q', 4n],
    ] as const) {
      const request = StoreMemoryRequest.fromPartial({ parent, memory: { text: 'x', scope: { project }, step } });
      await ask(memories, memories.storeMemory, request, { metadata: identities.headers('operator') });
    }
    const request = ExportMemoriesRequest.fromPartial({ parent, filterText: 'step >= 2' });
    const stream = new FollowedStream(memories.exportMemories(request, identities.headers('ada')));
    expect(await stream.outcome()).toBe(true);
    expect(stream.messages).toMatchObject([{ sentCount: 2, totalCount: 3 }]);
  } finally {
    await mneme.stop();
    identities.remove();
  }
});
