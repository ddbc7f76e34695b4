import { type RecallRequest, RecallServiceService } from '../../../gen/ts/mneme/v1/recall_service.ts';
import type { Caller } from '../servers/caller.ts';

/** Share of the hits of exact search among the hits of the same requests; NaN when exact search has none. */
export async function shareFound(caller: Caller, requests: readonly RecallRequest[]): Promise<number> {
  const names = async (request: RecallRequest): Promise<string[]> => {
    const { hits } = await caller.ask(RecallServiceService.recall, request);
    return hits.map(({ memory }) => memory?.name ?? '');
  };
  let due = 0;
  let right = 0;
  for (const request of requests) {
    const found = new Set(await names({ ...request, exact: false }));
    const nearest = await names({ ...request, exact: true });
    due += nearest.length;
    right += nearest.filter((name) => found.has(name)).length;
  }
  return right / due;
}
