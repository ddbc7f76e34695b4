import {
  GetServerInfoRequest,
  GetServerInfoResponse,
  AdminServiceService as Service,
} from '../../../gen/ts/mneme/v1/admin_service.ts';
import { getServerInfo, type ServerDeps } from '../../operations/admin/get-server-info.ts';
import type { MemoryDeps } from '../../operations/memories/operation-deps.ts';
import { type Route, unary } from '../edge/handler.ts';
import { timestampOf } from '../edge/time-messages.ts';
import { tierMethods } from '../tiers/tier-methods.ts';
import { reembedMethods } from './reembed-methods.ts';
import { statisticsMethods } from './statistics-methods.ts';
import { type StreamSettings, streamTermsMessage } from './stream-terms-message.ts';

type AdminDeps = MemoryDeps &
  ServerDeps &
  Parameters<typeof reembedMethods>[0] &
  Parameters<typeof tierMethods>[0] &
  Parameters<typeof statisticsMethods>[0];

/** `proto/mneme/v1/admin_service.proto`. */
export function adminService(deps: AdminDeps, settings: StreamSettings): Route[] {
  return [
    ...reembedMethods(deps),
    ...tierMethods(deps),
    unary(Service.getServerInfo, GetServerInfoRequest, GetServerInfoResponse, () => {
      const { startedAtUs, revision, backends, limits, degraded, ...info } = getServerInfo(deps);
      return {
        ...info,
        startTime: timestampOf(startedAtUs),
        revision: BigInt(revision),
        backends: [...backends],
        // All of version 1.0 of the API, which is all there is.
        capabilities: [],
        degraded: [...degraded],
        limits: [...limits],
        streams: streamTermsMessage(settings, deps),
      };
    }),
    ...statisticsMethods(deps),
  ];
}
