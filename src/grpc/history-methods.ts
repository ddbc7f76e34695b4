import {
  GetChangeHistoryRequest,
  GetChangeHistoryResponse,
  GetSequenceRequest,
  GetSequenceResponse,
  GetSnapshotsRequest,
  GetSnapshotsResponse,
  MemoryServiceService as Service,
} from '../../gen/ts/mneme/v1/memory_service.ts';
import { changeHistory } from '../operations/change-history.ts';
import { getSequence } from '../operations/get-sequence.ts';
import type { MemoryDeps } from '../operations/operation-deps.ts';
import { snapshots } from '../operations/snapshots.ts';
import { type Route, unary } from './handler.ts';
import {
  changeHistoryRequestOf,
  changeHistoryResponse,
  sequenceRequestOf,
  snapshotsRequestOf,
} from './history-messages.ts';
import { memoryMessage } from './memory-messages.ts';

/** The methods of MemoryService that look at states over time. */
export function historyMethods(deps: MemoryDeps): Route[] {
  return [
    unary(Service.getChangeHistory, GetChangeHistoryRequest, GetChangeHistoryResponse, async (message, call) =>
      changeHistoryResponse(await changeHistory(deps, changeHistoryRequestOf(message), call)),
    ),
    unary(Service.getSnapshots, GetSnapshotsRequest, GetSnapshotsResponse, async (message, call) => {
      const answer = await snapshots(deps, snapshotsRequestOf(message), call);
      return {
        snapshots: answer.snapshots.map(({ step, memory }) => ({ step, memory: memory && memoryMessage(memory) })),
        revision: BigInt(answer.revision),
      };
    }),
    unary(Service.getSequence, GetSequenceRequest, GetSequenceResponse, async (message, call) => {
      const { before, memory, after, revision } = await getSequence(deps, sequenceRequestOf(message), call);
      return {
        before: before.map(memoryMessage),
        memory: memoryMessage(memory),
        after: after.map(memoryMessage),
        revision: BigInt(revision),
      };
    }),
  ];
}
