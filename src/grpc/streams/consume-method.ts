import {
  type ConsumeSubscriptionRequest,
  ConsumeSubscriptionResponse,
  type ConsumeStart as StartMessage,
} from '../../../gen/ts/mneme/v1/subscription_service.ts';
import type { Call } from '../../memory/call.ts';
import { invalidFields } from '../../memory/errors.ts';
import type { MemoryView } from '../../memory/memory.ts';
import {
  type Acknowledgement,
  type ConsumeDeps,
  type ConsumeMessage,
  type ConsumeStart,
  consume,
} from '../../operations/streams/consume.ts';
import { encode } from '../edge/codec.ts';
import { type FirstMessageTerms, firstMessage } from '../edge/first-message.ts';
import { mapped } from '../edge/mapped.ts';
import { RequestChecks } from '../edge/request-checks.ts';
import { heartbeatOf } from '../edge/stream-requests.ts';
import { VIEWS } from '../memories/memory-messages.ts';
import { SUBSCRIPTION_ID, subscriptionNameOf } from './subscription-messages.ts';
import { batchField, createdMessage } from './watch-messages.ts';

const OUTSTANDING = { fallback: 1000, max: 10_000 };
const REVISIONS_MAX = 10_000;
/** Tag of `ConsumeResponse.batch`. */
const BATCH = (3 << 3) | 2;

export async function consumed(
  deps: ConsumeDeps & FirstMessageTerms & { readonly heartbeatMs: number },
  messages: AsyncIterable<ConsumeSubscriptionRequest>,
  call: Call,
): Promise<AsyncIterable<Buffer | ConsumeSubscriptionResponse>> {
  const incoming = messages[Symbol.asyncIterator]();
  const request = (await firstMessage(incoming, 'consume', deps, call))?.request;
  if (request?.$case !== 'start') throw invalidFields([{ field: 'start', description: 'must be the first message' }]);
  const { start, view } = startOf(request.value, deps.heartbeatMs);
  const acknowledgements = acknowledgementsOf({ [Symbol.asyncIterator]: () => incoming });
  return mapped(consume(deps, start, acknowledgements, call), (message) => responseOf(message, start, view));
}

function startOf(message: StartMessage, heartbeatMs: number): { start: ConsumeStart; view: MemoryView } {
  const checks = new RequestChecks();
  const { namespace, id } = subscriptionNameOf(checks, 'start.name', message.name);
  const shape = '[a-z0-9] and up to 62 more of [a-z0-9._-]';
  const start = {
    namespace,
    id,
    consumer: checks.matching('start.consumer', message.consumer, SUBSCRIPTION_ID, shape),
    outstandingMax:
      message.maxOutstanding === 0
        ? OUTSTANDING.fallback
        : checks.within('start.max_outstanding', message.maxOutstanding, 1, OUTSTANDING.max),
    heartbeatMs: heartbeatOf(checks, message.heartbeatInterval, heartbeatMs),
    ...(message.startRevision === undefined
      ? {}
      : { startRevision: Math.max(1, checks.wholeWithin('start.start_revision', message.startRevision)) }),
  };
  const view = checks.choice('start.view', message.view, VIEWS);
  checks.finish();
  return { start, view };
}

async function* acknowledgementsOf(
  messages: AsyncIterable<ConsumeSubscriptionRequest>,
): AsyncGenerator<Acknowledgement> {
  for await (const { request } of messages) {
    const checks = new RequestChecks();
    if (request?.$case !== 'acknowledge') {
      throw invalidFields([{ field: 'acknowledge', description: 'must be set in all messages but the first' }]);
    }
    const { upToRevision, revisions } = request.value;
    if (revisions.length > REVISIONS_MAX) {
      checks.add('acknowledge.revisions', `must be at most ${REVISIONS_MAX}, got ${revisions.length}`);
    }
    const acknowledgement = {
      upToRevision: checks.wholeWithin('acknowledge.up_to_revision', upToRevision),
      revisions: revisions
        .slice(0, REVISIONS_MAX)
        .map((revision, at) => checks.wholeWithin(`acknowledge.revisions[${at}]`, revision)),
    };
    checks.finish();
    yield acknowledgement;
  }
}

function responseOf(
  message: ConsumeMessage,
  start: ConsumeStart,
  view: MemoryView,
): Buffer | ConsumeSubscriptionResponse {
  const acknowledgedRevision = BigInt(message.acknowledgedRevision);
  switch (message.kind) {
    case 'created':
      return { acknowledgedRevision, event: { $case: 'created', value: createdMessage(message, start.heartbeatMs) } };
    case 'batch': {
      const head = encode(ConsumeSubscriptionResponse, { acknowledgedRevision, event: undefined });
      return Buffer.concat([head, batchField(BATCH, message.changes, false, { namespace: start.namespace, view })]);
    }
    case 'progress':
      return { acknowledgedRevision, event: { $case: 'progress', value: {} } };
    case 'draining':
      return { acknowledgedRevision, event: { $case: 'draining', value: {} } };
  }
}
