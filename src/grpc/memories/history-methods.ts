import {
  GetAttributeHistoryRequest,
  GetAttributeHistoryResponse,
  GetMemorySequenceRequest,
  GetMemorySequenceResponse,
  GetStatesAtStepsRequest,
  GetStatesAtStepsResponse,
  MemoryServiceService as Service,
} from '../../../gen/ts/mneme/v1/memory_service.ts';
import { changeHistory } from '../../operations/memories/change-history.ts';
import { getSequence } from '../../operations/memories/get-sequence.ts';
import type { MemoryDeps } from '../../operations/memories/operation-deps.ts';
import { snapshots } from '../../operations/memories/snapshots.ts';
import { type Route, unary } from '../edge/handler.ts';
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
    unary(Service.getAttributeHistory, GetAttributeHistoryRequest, GetAttributeHistoryResponse, async (message, call) =>
      changeHistoryResponse(await changeHistory(deps, changeHistoryRequestOf(message), call)),
    ),
    unary(Service.getStatesAtSteps, GetStatesAtStepsRequest, GetStatesAtStepsResponse, async (message, call) => {
      const answer = await snapshots(deps, snapshotsRequestOf(message), call);
      return {
        states: answer.snapshots.map(({ step, memory }) => ({ step, memory: memory && memoryMessage(memory) })),
        revision: BigInt(answer.revision),
      };
    }),
    unary(Service.getMemorySequence, GetMemorySequenceRequest, GetMemorySequenceResponse, async (message, call) => {
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
