import {
  type RecallEvent as EventMessage,
  RecallEventKind as KindNumber,
  SubscribeRecallRequest as Message,
  RecallRequest as QueryMessage,
  RecallServiceService as Service,
  SubscribeRecallResponse,
} from '../../../../gen/ts/mneme/v1/recall_service.ts';
import type { Call } from '../../../memory/call.ts';
import { revisionAhead } from '../../../memory/errors.ts';
import type { ChangeFeed } from '../../../storage/change-log/change-feed.ts';
import { type LogPlace, NOWHERE } from '../../../storage/change-log/change-log.ts';
import { defaultsOf } from '../../operations/recall/recall-defaults.ts';
import { type SubscribeDeps, subscribe } from '../../operations/streams/subscribe.ts';
import type { RecallEvent, SubscribeMessage, SubscribeRequest } from '../../operations/streams/subscribe-request.ts';
import { encode } from '../edge/codec.ts';
import { type Route, serverStream } from '../edge/handler.ts';
import { type PageQuery, pageQuery } from '../edge/page-token.ts';
import {
  batchBytesMaxOf,
  batchMaxOf,
  fieldsWithin,
  heartbeatOf,
  memoryName,
  RequestChecks,
  readingPart,
} from '../edge/request-checks.ts';
import { mapped } from '../edge/stream-messages.ts';
import { hitMessage, recallRequestOf } from '../recall/recall-messages.ts';
import { createdMessage, lasting, placeIn, streamToken } from './watch-messages.ts';

export interface SubscribeMethodDeps extends SubscribeDeps {
  readonly feed: ChangeFeed;
  readonly heartbeatMs: number;
}

const KINDS = {
  enter: KindNumber.RECALL_EVENT_KIND_ENTER,
  update: KindNumber.RECALL_EVENT_KIND_UPDATE,
  leave: KindNumber.RECALL_EVENT_KIND_LEAVE,
} as const;

export function subscribeMethod(deps: SubscribeMethodDeps): Route {
  return serverStream(Service.subscribeRecall, Message, SubscribeRecallResponse, (message, call) =>
    answerEvents(deps, askedOf(deps, message), call),
  );
}

/** The message itself is not kept for as long as the stream is open. */
function askedOf(deps: SubscribeMethodDeps, message: Message) {
  const checks = new RequestChecks();
  if (!message.query) checks.add('query', 'is required');
  if (message.query?.touch) checks.add('query.touch', 'must be false');
  if (message.query?.focus) checks.add('query.focus', 'must be false');
  const request = {
    heartbeatMs: heartbeatOf(checks, message.heartbeatInterval, deps.heartbeatMs),
    batchMax: batchMaxOf(checks, 'max_batch_events', message.maxBatchEvents),
    batchBytesMax: batchBytesMaxOf(checks, message.maxBatchBytes),
  };
  checks.finish();
  const queryMessage = message.query ?? QueryMessage.fromPartial({});
  const asked = readingPart('query', () => recallRequestOf(queryMessage));
  const token = lasting(pageQuery('Subscribe', QueryMessage, { ...queryMessage, minRevision: 0n }));
  const place = placeIn(token, message.resumeToken);
  return { request: { ...request, query: asked } satisfies SubscribeRequest, token, place };
}

/**
 * Changes by another server are in the shared store, and so in the first answer. A setting that changes while the stream
 * is open changes no answer.
 */
async function resumedAt(
  deps: SubscribeMethodDeps,
  { request, place }: ReturnType<typeof askedOf>,
  log: string,
): Promise<SubscribeRequest> {
  const { feed, store } = deps;
  const defaults = await defaultsOf(deps, request.query);
  const resumed = place?.log === log ? await feed.log.revisionAt(NOWHERE, place) : 0;
  const newest = store.revision;
  if (resumed > newest) throw revisionAhead(resumed, newest);
  const minRevision = Math.max(request.query.minRevision, resumed);
  return { ...request, query: { ...request.query, ...defaults, minRevision } };
}

async function answerEvents(
  deps: SubscribeMethodDeps,
  asked: ReturnType<typeof askedOf>,
  call: Call,
): Promise<AsyncIterable<Buffer>> {
  const { token } = asked;
  const { log } = await deps.feed.log.place(NOWHERE, 0);
  const request = await resumedAt(deps, asked, log);
  const termOf = await termsFrom(deps);
  let place = { log, revision: 0, epoch: '', origin: 0, term: '' };
  const stalled = () => ({ resume_token: streamToken(token, place) });
  call.stalled = stalled;
  const messageOf = (part: SubscribeMessage) => {
    place = { ...place, revision: part.revision, term: termOf(part.revision) };
    return written(part, request, token, place);
  };
  return mapped(subscribe(deps, request, call), messageOf, (error) => fieldsWithin('query', error));
}

/** The term is one of two: that of the newest revision, and that of later ones. */
async function termsFrom({ feed, store }: SubscribeMethodDeps): Promise<(revision: number) => string> {
  const newest = store.revision;
  const [present, coming] = await Promise.all([feed.log.termAt(newest), feed.log.termAt(newest + 1)]);
  return (revision) => (revision > newest ? coming : present);
}

function written(
  part: SubscribeMessage,
  { query, heartbeatMs }: SubscribeRequest,
  token: PageQuery,
  place: LogPlace,
): Buffer {
  const event = eventOf(part, query.namespace, heartbeatMs, place.log);
  const resumeToken = streamToken(token, place);
  return encode(SubscribeRecallResponse, { revision: BigInt(part.revision), resumeToken, event });
}

function eventOf(
  part: SubscribeMessage,
  namespace: string,
  heartbeatMs: number,
  log: string,
): SubscribeRecallResponse['event'] {
  switch (part.kind) {
    case 'created':
      return { $case: 'created', value: createdMessage({ ...part, log }, heartbeatMs) };
    case 'batch': {
      const { events, isSnapshot: snapshot, isFragment: fragment, degraded } = part;
      const messages = events.map((event) => recallEvent(event, namespace));
      return { $case: 'batch', value: { events: messages, snapshot, fragment, degraded: [...degraded] } };
    }
    case 'progress':
      return { $case: 'progress', value: {} };
    case 'draining':
      return { $case: 'draining', value: {} };
  }
}

function recallEvent(event: RecallEvent, namespace: string): EventMessage {
  const [kind, name] = [KINDS[event.kind], memoryName(namespace, event.id)];
  if (event.kind === 'leave') return { kind, name, hit: undefined, place: 0 };
  return { kind, name, hit: hitMessage(event.hit), place: event.place };
}
