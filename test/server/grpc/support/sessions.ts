import {
  PauseSessionRequest,
  ResumeSessionRequest,
  SpawnSessionRequest,
  TerminateSessionRequest,
} from '../../../../gen/ts/mneme/v1/lifecycle_service.ts';
import type { LifecycleServiceClient } from '../../../support/service-clients.ts';
import { ask } from './ask.ts';
import { json } from './memories.ts';

type Partly<T extends { fromPartial(value: never): unknown }> = Parameters<T['fromPartial']>[0];
interface WithLifecycle {
  readonly lifecycle: LifecycleServiceClient;
}

export const initial = (values: Record<string, unknown>) =>
  Object.entries(values).map(([key, value]) => ({ key, value: json(value) }));

/** The transitions of a session, each as one call. */
export function sessionCalls({ lifecycle }: WithLifecycle) {
  return {
    spawn: (request: Partly<typeof SpawnSessionRequest>) =>
      ask(lifecycle, lifecycle.spawnSession, SpawnSessionRequest.fromPartial(request)),
    pause: (request: Partly<typeof PauseSessionRequest>) =>
      ask(lifecycle, lifecycle.pauseSession, PauseSessionRequest.fromPartial(request)),
    resume: (request: Partly<typeof ResumeSessionRequest>) =>
      ask(lifecycle, lifecycle.resumeSession, ResumeSessionRequest.fromPartial(request)),
    terminate: (request: Partly<typeof TerminateSessionRequest>) =>
      ask(lifecycle, lifecycle.terminateSession, TerminateSessionRequest.fromPartial(request)),
  };
}

export type SessionCalls = ReturnType<typeof sessionCalls>;
