import type { Route } from '../edge/handler.ts';
import { type SubscribeMethodDeps, subscribeMethod } from './subscribe-method.ts';
import { type WatchMethodDeps, watchMethod } from './watch-method.ts';

export type StreamMethodsDeps = WatchMethodDeps & SubscribeMethodDeps;

/** The streams of `proto/mneme/v1/recall_service.proto` that tell of changes. */
export function streamMethods(deps: StreamMethodsDeps): Route[] {
  return [watchMethod(deps), subscribeMethod(deps)];
}
