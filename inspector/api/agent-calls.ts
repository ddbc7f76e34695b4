import * as a from '../../gen/ts/mneme/v1/agent_service.ts';
import { unary } from './connect.ts';

const agents = 'mneme.v1.AgentService';
export const listAgentSnapshots = unary(
  `${agents}/ListAgentSnapshots`,
  a.ListAgentSnapshotsRequest,
  a.ListAgentSnapshotsResponse,
);
export const createAgentSnapshot = unary(
  `${agents}/CreateAgentSnapshot`,
  a.CreateAgentSnapshotRequest,
  a.CreateAgentSnapshotResponse,
);
export const diffAgentSnapshots = unary(
  `${agents}/DiffAgentSnapshots`,
  a.DiffAgentSnapshotsRequest,
  a.DiffAgentSnapshotsResponse,
);
export const restoreAgentSnapshot = unary(
  `${agents}/RestoreAgentSnapshot`,
  a.RestoreAgentSnapshotRequest,
  a.RestoreAgentSnapshotResponse,
);
export const forkAgentSnapshot = unary(
  `${agents}/ForkAgentSnapshot`,
  a.ForkAgentSnapshotRequest,
  a.ForkAgentSnapshotResponse,
);
