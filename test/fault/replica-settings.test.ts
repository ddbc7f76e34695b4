import { describe, expect, it } from '@jest/globals';
import { MaintainTiersRequest, type MaintainTiersResponse } from '../../gen/ts/mneme/v1/admin_service.ts';
import {
  CreateNamespaceRequest,
  GetNamespaceRequest,
  UpdateNamespaceRequest,
} from '../../gen/ts/mneme/v1/namespace_service.ts';
import { ask } from '../grpc/support/ask.ts';
import { freshNamespace } from '../grpc/support/memories.ts';
import type { Replica } from './replicas.ts';
import { replicasOfTest } from './replicas-of-test.ts';

const { start } = replicasOfTest({}, { MNEME_MAINTENANCE_INTERVAL_MS: '86400000' });

async function movesAt({ clients: { admin } }: Replica, parent: string): Promise<number> {
  let moves = 0;
  for await (const answer of admin.maintainTiers(MaintainTiersRequest.fromPartial({ parent, dryRun: true }))) {
    moves += (answer as MaintainTiersResponse).moves.length;
  }
  return moves;
}

describe('settings of a namespace whose memories several servers share', () => {
  const settings = { 'short_term.memory_limit': '1' };

  it('set at one › hold at each', async () => {
    const [here, there] = [await start(), await start()];
    const name = freshNamespace();
    const { namespaces } = here.clients;
    const create = CreateNamespaceRequest.fromPartial({ namespace: { name, settings, description: 'of all' } });
    await ask(namespaces, namespaces.createNamespace, create);
    for (const id of ['a', 'b', 'c']) await here.store(name, { text: `memory ${id}` }, id);

    const other = there.clients.namespaces;
    const { namespace } = await ask(other, other.getNamespace, GetNamespaceRequest.fromPartial({ name }));
    expect([namespace?.settings, namespace?.description]).toEqual([settings, 'of all']);
    expect([await movesAt(here, name), await movesAt(there, name)]).toEqual([2, 2]);

    const update = { namespace: { name, memoryLimit: 7 }, updateMask: ['memory_limit'] };
    await ask(other, other.updateNamespace, UpdateNamespaceRequest.fromPartial(update));
    const { namespace: updated } = await ask(
      namespaces,
      namespaces.getNamespace,
      GetNamespaceRequest.fromPartial({ name }),
    );
    expect([updated?.settings, updated?.memoryLimit]).toEqual([settings, 7]);
  }, 120_000);
});
