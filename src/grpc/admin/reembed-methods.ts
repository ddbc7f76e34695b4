import {
  GetReembedProgressRequest,
  GetReembedProgressResponse,
  ReembedMemoriesRequest,
  ReembedMemoriesResponse,
  type ReembedProgress,
  AdminServiceService as Service,
} from '../../../gen/ts/mneme/v1/admin_service.ts';
import { type ReembedDeps, reembed, reembedProgress } from '../../operations/admin/reembed.ts';
import type { Reembedding } from '../../storage/reembedding-store.ts';
import { type Route, unary } from '../edge/handler.ts';
import { RequestChecks } from '../edge/request-checks.ts';
import { namespaceName } from '../edge/resource-names.ts';
import { timestampOf } from '../edge/time-messages.ts';

/** The methods of AdminService that change a namespace over to another embedder. */
export function reembedMethods(deps: ReembedDeps & { reembedFailure(): string }): Route[] {
  return [
    unary(Service.reembedMemories, ReembedMemoriesRequest, ReembedMemoriesResponse, async ({ parent }, call) => ({
      namespaces: (await reembed(deps, namespaceOf(parent), call.signal)).map(progressMessage),
    })),
    unary(Service.getReembedProgress, GetReembedProgressRequest, GetReembedProgressResponse, async ({ parent }) => ({
      namespaces: (await reembedProgress(deps, namespaceOf(parent))).map(progressMessage),
      failure: deps.reembedFailure(),
    })),
  ];
}

/** `undefined` for all of them. */
function namespaceOf(parent: string): string | undefined {
  if (parent === '') return undefined;
  const checks = new RequestChecks();
  const namespace = checks.namespace('parent', parent);
  checks.finish();
  return namespace;
}

function progressMessage(progress: Reembedding): ReembedProgress {
  const { namespace, fromModel, toModel, doneCount, totalCount, startedAtUs } = progress;
  return {
    namespace: namespaceName(namespace),
    fromModel,
    toModel,
    doneCount,
    totalCount: Math.max(doneCount, totalCount),
    startTime: timestampOf(startedAtUs),
  };
}
