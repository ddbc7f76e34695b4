import { CheckpointKind } from '../../../gen/ts/mneme/v1/checkpoint.ts';
import {
  CreateCheckpointRequest,
  CreateCheckpointResponse,
  DeleteCheckpointRequest,
  DeleteCheckpointResponse,
  DiffCheckpointsRequest,
  DiffCheckpointsResponse,
  ForkCheckpointRequest,
  ForkCheckpointResponse,
  GetCheckpointRequest,
  GetCheckpointResponse,
  KeepCheckpointRequest,
  KeepCheckpointResponse,
  ListCheckpointsRequest,
  ListCheckpointsResponse,
  RestoreCheckpointRequest,
  RestoreCheckpointResponse,
  WorkingMemoryServiceService as Service,
} from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import type { Checkpoint } from '../../memory/session.ts';
import { diffCheckpoints } from '../../operations/sessions/working-memory/diff-checkpoints.ts';
import { checkpointNotFound, forkCheckpoint } from '../../operations/sessions/working-memory/fork-checkpoint.ts';
import { listCheckpoints } from '../../operations/sessions/working-memory/list-checkpoints.ts';
import type { WorkingMemoryDeps } from '../../operations/sessions/working-memory/working-memory-deps.ts';
import { changeSession } from '../../operations/sessions/working-memory/write-session.ts';
import { type Route, unary } from '../edge/handler.ts';
import { pageQuery, pageToken, positionIn } from '../edge/page-token.ts';
import {
  checkpointRequestOf,
  createRequestOf,
  diffMessage,
  diffRequestOf,
  forkRequestOf,
  keepRequestOf,
  restoreRequestOf,
} from './checkpoint-requests.ts';
import { sessionIn } from './session-fields.ts';
import type { WorkingPageLimits } from './working-list-methods.ts';
import { checkpointMessage } from './working-memory-messages.ts';
import { checked } from './working-memory-requests.ts';

const PAGE_DEFAULT = 100;
const KINDS: Readonly<Record<number, Checkpoint['kind'] | 'any'>> = {
  [CheckpointKind.CHECKPOINT_KIND_UNSPECIFIED]: 'any',
  [CheckpointKind.CHECKPOINT_KIND_MANUAL]: 'manual',
  [CheckpointKind.CHECKPOINT_KIND_LIFECYCLE]: 'lifecycle',
};

/** The methods of WorkingMemoryService that change a session by its checkpoints. */
export function checkpointMethods(deps: WorkingMemoryDeps): Route[] {
  return [
    unary(Service.createCheckpoint, CreateCheckpointRequest, CreateCheckpointResponse, async (message, call) => {
      const { of, op } = createRequestOf(message, deps, call);
      const { result, revision } = await changeSession(deps, of, [op], call);
      return { checkpoint: result.checkpoint && checkpointMessage(result.checkpoint), revision: BigInt(revision) };
    }),
    unary(Service.restoreCheckpoint, RestoreCheckpointRequest, RestoreCheckpointResponse, async (message, call) => {
      const { of, op } = restoreRequestOf(message);
      const { result, revision } = await changeSession(deps, of, [op], call);
      return {
        restoredCount: result.written,
        expiredCount: result.expired ?? 0,
        removedCount: result.removed,
        noteCount: result.notes ?? 0,
        checkpoint: result.checkpoint && checkpointMessage(result.checkpoint),
        revision: BigInt(revision),
      };
    }),
    unary(Service.keepCheckpoint, KeepCheckpointRequest, KeepCheckpointResponse, async (message, call) => {
      const { of, op } = keepRequestOf(message, deps.clock.nowUs());
      const { result, revision } = await changeSession(deps, of, [op], call);
      return { checkpoint: result.checkpoint && checkpointMessage(result.checkpoint), revision: BigInt(revision) };
    }),
    unary(Service.deleteCheckpoint, DeleteCheckpointRequest, DeleteCheckpointResponse, async (message, call) => {
      const { of, id } = checkpointRequestOf(message);
      const { revision } = await changeSession(deps, of, [{ kind: 'dropCheckpoint', id }], call);
      return { revision: BigInt(revision) };
    }),
    unary(Service.forkCheckpoint, ForkCheckpointRequest, ForkCheckpointResponse, async (message, call) => {
      const { result, revision } = await forkCheckpoint(deps, forkRequestOf(message), call);
      const { written: keyCount, notes: noteCount = 0, expired: expiredCount = 0 } = result;
      return { keyCount, noteCount, expiredCount, revision: BigInt(revision) };
    }),
  ];
}

/** The methods of WorkingMemoryService that read checkpoints. */
export function checkpointReadMethods(deps: WorkingMemoryDeps, { maxPageSize }: WorkingPageLimits): Route[] {
  const { clock, sessions } = deps;
  return [
    unary(Service.listCheckpoints, ListCheckpointsRequest, ListCheckpointsResponse, async (message) => {
      const listing = checked((checks) => ({
        ...sessionIn(checks, 'session', message.session),
        limit: checks.pageSize(message.pageSize, PAGE_DEFAULT, maxPageSize),
        kind: checks.choice('kind', message.kind, KINDS),
      }));
      const first = { ...message, pageSize: 0, pageToken: '' };
      const query = pageQuery(Service.listCheckpoints.path, ListCheckpointsRequest, first);
      const beforeRevision = positionIn<number>(query, message.pageToken);
      const { kind, ...page } = { ...listing, ...(beforeRevision === undefined ? {} : { beforeRevision }) };
      const { checkpoints, nextBefore } = await listCheckpoints(deps, kind === 'any' ? page : { ...page, kind });
      const nextPageToken = nextBefore === undefined ? '' : pageToken(query, nextBefore);
      return { checkpoints: checkpoints.map(checkpointMessage), nextPageToken };
    }),
    unary(Service.getCheckpoint, GetCheckpointRequest, GetCheckpointResponse, async (message) => {
      const { of, id } = checkpointRequestOf(message);
      const checkpoint = await sessions.checkpoint({ ...of, id, nowUs: clock.nowUs() });
      if (!checkpoint) throw checkpointNotFound(of, id);
      return { checkpoint: checkpointMessage(checkpoint) };
    }),
    unary(Service.diffCheckpoints, DiffCheckpointsRequest, DiffCheckpointsResponse, async (message) =>
      diffMessage(await diffCheckpoints(deps, diffRequestOf(message))),
    ),
  ];
}
