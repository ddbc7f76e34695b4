import {
  type RecallEvent as EventMessage,
  RecallEventKind as KindNumber,
  SubscribeRequest as Message,
  RecallRequest as QueryMessage,
  RecallServiceService as Service,
  SubscribeResponse,
} from '../../gen/ts/mneme/v1/recall_service.ts';
import type { Call } from '../memory/call.ts';
import { MnemeError } from '../memory/errors.ts';
import { type SubscribeDeps, subscribe } from '../operations/subscribe.ts';
import type { RecallEvent, SubscribeMessage, SubscribeRequest } from '../operations/subscribe-request.ts';
import { encode } from './codec.ts';
import { type Route, serverStream } from './handler.ts';
import { type PageQuery, pageQuery } from './page-token.ts';
import { hitMessage, recallRequestOf } from './recall-messages.ts';
import { RequestChecks } from './request-checks.ts';
import { memoryName } from './resource-names.ts';
import { batchBytesMaxOf, batchMaxOf, heartbeatOf } from './stream-requests.ts';
import { lasting, revisionIn, streamToken } from './stream-token.ts';
import { createdMessage } from './watch-messages.ts';

export interface SubscribeMethodDeps extends SubscribeDeps {
  readonly heartbeatMs: number;
}

const KINDS = {
  enter: KindNumber.RECALL_EVENT_KIND_ENTER,
  update: KindNumber.RECALL_EVENT_KIND_UPDATE,
  leave: KindNumber.RECALL_EVENT_KIND_LEAVE,
} as const;

export function subscribeMethod(deps: SubscribeMethodDeps): Route {
  return serverStream(Service.subscribe, Message, SubscribeResponse, (message, call) =>
    told(deps, askedOf(deps, message), call),
  );
}

/** The message itself is not kept for as long as the stream is open. */
function askedOf(deps: SubscribeMethodDeps, message: Message) {
  const checks = new RequestChecks();
  if (!message.query) checks.add('query', 'must be given');
  if (message.query?.touch) checks.add('query.touch', 'must be false');
  const request = {
    heartbeatMs: heartbeatOf(checks, message.heartbeatInterval, deps.heartbeatMs),
    batchMax: batchMaxOf(checks, 'max_batch_events', message.maxBatchEvents),
    batchBytesMax: batchBytesMaxOf(checks, message.maxBatchBytes),
  };
  checks.finish();
  const queryMessage = message.query ?? QueryMessage.create();
  const asked = recallRequestOf(queryMessage);
  const token = lasting(pageQuery('Subscribe', QueryMessage, { ...queryMessage, minRevision: 0n }));
  const resumed = revisionIn(token, message.resumeToken) ?? 0;
  if (resumed > deps.store.revision) throw ahead(resumed, deps.store.revision);
  const query = { ...asked, minRevision: Math.max(asked.minRevision, resumed) };
  return { request: { ...request, query } satisfies SubscribeRequest, token };
}

async function* told(
  deps: SubscribeMethodDeps,
  { request, token }: ReturnType<typeof askedOf>,
  call: Call,
): AsyncGenerator<Buffer> {
  let revision = 0;
  call.stalled = () => ({ resume_token: streamToken(token, revision).toString('base64url') });
  for await (const part of subscribe(deps, request, call)) {
    revision = part.revision;
    yield written(part, request, token);
  }
}

function written(part: SubscribeMessage, { query, heartbeatMs }: SubscribeRequest, token: PageQuery): Buffer {
  const event = eventOf(part, query.namespace, heartbeatMs);
  const resumeToken = streamToken(token, part.revision);
  return encode(SubscribeResponse, { revision: BigInt(part.revision), resumeToken, event });
}

function eventOf(part: SubscribeMessage, namespace: string, heartbeatMs: number): SubscribeResponse['event'] {
  switch (part.kind) {
    case 'created':
      return { $case: 'created', value: createdMessage(part, heartbeatMs) };
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

function ahead(revision: number, newest: number): MnemeError {
  return new MnemeError('REVISION_AHEAD', `the newest revision is ${newest}, the token's is ${revision}`, {
    metadata: { revision: String(revision), newest_revision: String(newest) },
  });
}
