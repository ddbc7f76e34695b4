import {
  GetServerStatisticsRequest,
  MaintainTiersRequest,
  type MaintainTiersResponse,
} from '../../../../gen/ts/mneme/v1/admin_service.ts';
import { BatchStoreMemoriesRequest, type TierMove } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { ask } from './ask.ts';
import type { TestServer } from './test-server.ts';

export const MIB = 1_048_576;

export const statistics = ({ admin }: TestServer) =>
  ask(admin, admin.getServerStatistics, GetServerStatisticsRequest.fromPartial({}));

/** Names of memories of 4 KB each. */
export async function storeMany({ memories }: TestServer, parent: string, count: number): Promise<string[]> {
  const names: string[] = [];
  for (let at = 0; at < count; at += 100) {
    const request = BatchStoreMemoriesRequest.fromPartial({
      parent,
      requests: Array.from({ length: 100 }, (_, offset) => ({
        memory: { text: `memory ${at + offset} ${'of a day '.repeat(450)}` },
      })),
    });
    const answer = await ask(memories, memories.batchStoreMemories, request);
    names.push(...answer.memories.map(({ name }) => name));
  }
  return names;
}

/** Moves of one pass, of all namespaces unless one is named. */
export async function maintained({ admin }: TestServer, dryRun: boolean, onTold?: (moves: TierMove[]) => void) {
  const moves: TierMove[] = [];
  for await (const answer of admin.maintainTiers(MaintainTiersRequest.fromPartial({ dryRun }))) {
    const received = (answer as MaintainTiersResponse).moves;
    moves.push(...received);
    onTold?.(received);
  }
  return moves;
}
