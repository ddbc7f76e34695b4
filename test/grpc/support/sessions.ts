import {
  type LifecycleServiceClient,
  PauseRequest,
  ResumeRequest,
  SpawnRequest,
  TerminateRequest,
} from '../../../gen/ts/mneme/v1/lifecycle_service.ts';
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
    spawn: (request: Partly<typeof SpawnRequest>) => ask(lifecycle, lifecycle.spawn, SpawnRequest.fromPartial(request)),
    pause: (request: Partly<typeof PauseRequest>) => ask(lifecycle, lifecycle.pause, PauseRequest.fromPartial(request)),
    resume: (request: Partly<typeof ResumeRequest>) =>
      ask(lifecycle, lifecycle.resume, ResumeRequest.fromPartial(request)),
    terminate: (request: Partly<typeof TerminateRequest>) =>
      ask(lifecycle, lifecycle.terminate, TerminateRequest.fromPartial(request)),
  };
}

export type SessionCalls = ReturnType<typeof sessionCalls>;
