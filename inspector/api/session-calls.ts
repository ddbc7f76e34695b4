import {
  ListSessionsRequest,
  ListSessionsResponse,
  PauseSessionRequest,
  PauseSessionResponse,
  ResumeSessionRequest,
  ResumeSessionResponse,
  WatchLifecycleEventsRequest,
  WatchLifecycleEventsResponse,
} from '../../gen/ts/mneme/v1/lifecycle_service.ts';
import * as w from '../../gen/ts/mneme/v1/working_memory_service.ts';
import { streamed, unary } from './connect.ts';

const lifecycle = 'mneme.v1.LifecycleService';
export const listSessions = unary(`${lifecycle}/ListSessions`, ListSessionsRequest, ListSessionsResponse);
export const pauseSession = unary(`${lifecycle}/PauseSession`, PauseSessionRequest, PauseSessionResponse);
export const resumeSession = unary(`${lifecycle}/ResumeSession`, ResumeSessionRequest, ResumeSessionResponse);
export const watchLifecycleEvents = streamed(
  `${lifecycle}/WatchLifecycleEvents`,
  WatchLifecycleEventsRequest,
  WatchLifecycleEventsResponse,
);

const working = 'mneme.v1.WorkingMemoryService';
export const getAllValues = unary(`${working}/GetAllValues`, w.GetAllValuesRequest, w.GetAllValuesResponse);
export const getTaskState = unary(`${working}/GetTaskState`, w.GetTaskStateRequest, w.GetTaskStateResponse);
export const listScratchpad = unary(`${working}/ListScratchpad`, w.ListScratchpadRequest, w.ListScratchpadResponse);
export const listCheckpoints = unary(`${working}/ListCheckpoints`, w.ListCheckpointsRequest, w.ListCheckpointsResponse);
export const diffCheckpoints = unary(`${working}/DiffCheckpoints`, w.DiffCheckpointsRequest, w.DiffCheckpointsResponse);
export const restoreCheckpoint = unary(
  `${working}/RestoreCheckpoint`,
  w.RestoreCheckpointRequest,
  w.RestoreCheckpointResponse,
);
export const forkCheckpoint = unary(`${working}/ForkCheckpoint`, w.ForkCheckpointRequest, w.ForkCheckpointResponse);
export const createCheckpoint = unary(
  `${working}/CreateCheckpoint`,
  w.CreateCheckpointRequest,
  w.CreateCheckpointResponse,
);
export const watchSession = streamed(`${working}/WatchSession`, w.WatchSessionRequest, w.WatchSessionResponse);
