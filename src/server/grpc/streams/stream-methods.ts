import { hash } from 'node:crypto';
import {
  WatchMemoriesRequest as Message,
  RecallServiceService as Service,
  WatchMemoriesResponse,
} from '../../../../gen/ts/mneme/v1/recall_service.ts';
import type { Call } from '../../../memory/call.ts';
import type { LogPlace } from '../../../storage/change-log/change-log.ts';
import { type WatchDeps, type WatchRequest, watch } from '../../operations/streams/watch.ts';
import { encode } from '../edge/codec.ts';
import { type Route, serverStream } from '../edge/handler.ts';
import { pageQuery } from '../edge/page-token.ts';
import { batchBytesMaxOf, batchMaxOf, conditionOf, heartbeatOf, RequestChecks } from '../edge/request-checks.ts';
import { mapped } from '../edge/stream-messages.ts';
import { givenFilter } from '../memories/filter-messages.ts';
import { scopeOf } from '../memories/memory-fields.ts';
import { VIEWS } from '../memories/memory-messages.ts';
import { type SubscribeMethodDeps, subscribeMethod } from './subscribe-method.ts';
import { lasting, placeIn, streamToken, type Wording, watchResponse } from './watch-messages.ts';

export type StreamMethodsDeps = WatchMethodDeps & SubscribeMethodDeps;

/** The streams of `proto/mneme/v1/recall_service.proto` that report changes. */
export function streamMethods(deps: StreamMethodsDeps): Route[] {
  return [watchMethod(deps), subscribeMethod(deps)];
}

interface WatchMethodDeps extends WatchDeps {
  readonly heartbeatMs: number;
}

function watchMethod(deps: WatchMethodDeps): Route {
  return serverStream(Service.watchMemories, Message, WatchMemoriesResponse, (message, call) =>
    changesOf(deps, message, call),
  );
}

function changesOf(deps: WatchMethodDeps, message: Message, call: Call): AsyncIterable<Buffer> {
  const { request, wording } = requestOf(deps, message);
  let place: LogPlace | undefined;
  const stalled = (): Record<string, string> => (place ? { resume_token: wording.token(place) } : {});
  call.stalled = stalled;
  return mapped(watch(deps, request, call), (part) => {
    place = part.place;
    return watchResponse(part, wording, request.fingerprint);
  });
}

function requestOf(deps: WatchMethodDeps, message: Message): { request: WatchRequest; wording: Wording } {
  const checks = new RequestChecks();
  const namespace = checks.namespace('parent', message.parent);
  const scope = message.scope && scopeOf(checks, 'scope', message.scope);
  const startRevision = checks.wholeWithin('start_revision', message.startRevision);
  if (startRevision > 0 && message.resumeToken !== '') {
    checks.add('start_revision', 'must be absent with resume_token');
  }
  const heartbeatMs = heartbeatOf(checks, message.heartbeatInterval, deps.heartbeatMs);
  const batchMax = batchMaxOf(checks, 'max_batch_changes', message.maxBatchChanges);
  const batchBytesMax = batchBytesMaxOf(checks, message.maxBatchBytes);
  const view = checks.choice('view', message.view, VIEWS);
  checks.finish();
  const filter = conditionOf(givenFilter(message), scope);
  const plain = { ...message, startRevision: 0n, resumeToken: '', heartbeatInterval: undefined };
  const query = lasting(pageQuery('Watch', Message, { ...plain, maxBatchChanges: 0, maxBatchBytes: 0, view: 0 }));
  const afterPlace = placeIn(query, message.resumeToken);
  const request = {
    namespace,
    ...(startRevision > 0 ? { afterRevision: startRevision - 1 } : {}),
    afterPlace,
    filter,
    scope,
    includeTouched: message.includeTouched,
    includeMoved: message.includeMoved,
    heartbeatMs,
    batchMax,
    batchBytesMax,
    fingerprint: hash('sha256', encode(Message, plain)),
  };
  return { request, wording: { namespace, view, heartbeatMs, token: (place) => streamToken(query, place) } };
}
