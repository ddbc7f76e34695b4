import {
  ListRecallPresetsRequest,
  ListRecallPresetsResponse,
  RecallStreamRequest as Message,
  RecallRequest as QueryMessage,
  RecallRequest,
  RecallStreamResponse,
  RecallServiceService as Service,
} from '../../../../gen/ts/mneme/v1/recall_service.ts';
import type { Call } from '../../../memory/call.ts';
import { bodyBytesOf } from '../../../memory/checksum.ts';
import { type AnswerRecallDeps, answerRecall } from '../../operations/recall/answer-recall.ts';
import { type RecallAnswer, type RecallHit, requireVectorsFor } from '../../operations/recall/recall-request.ts';
import { type RecallStreamPart, recallStream } from '../../operations/recall/recall-stream.ts';
import { type Route, serverStream, unary } from '../edge/handler.ts';
import { fieldsWithin, memoryName, RequestChecks, readingPart } from '../edge/request-checks.ts';
import { TIER_NUMBERS } from '../memories/memory-messages.ts';
import { presetsResponse } from './preset-messages.ts';
import { hitMessage, PARTLY_ENCODED, type PartlyEncoded, recallRequestOf, recallResponse } from './recall-messages.ts';

/** `proto/mneme/v1/recall_service.proto`. */
export function recallService(deps: AnswerRecallDeps): Route[] {
  const bytesMax = deps.limits.find(({ name }) => name === 'max_response_bytes')?.value ?? Number.POSITIVE_INFINITY;
  const answer = async (message: QueryMessage, call: Call): Promise<PartlyEncoded> => {
    const request = { ...recallRequestOf(message), bytesMax, mayEncode: true };
    const found = await answerRecall(deps, request, call);
    if (found.hits.length === 0 && !found.encodedHits) await requireVectorsFor(deps, request);
    return recallResponse(request.namespace, found);
  };
  return [
    unary(Service.recall, RecallRequest, PARTLY_ENCODED, answer, {
      whenAbsent: ({ parent }) => recallResponse(parent, nothingFound(deps)),
    }),
    recallStreamMethod(deps, bytesMax),
    unary(Service.listRecallPresets, ListRecallPresetsRequest, ListRecallPresetsResponse, presetsResponse),
  ];
}

/** Texts and contents after which the hits of a tier go on in another message. */
const MESSAGE_BYTES = 1_048_576;
/** Each of them may give as many hits as the whole answer has. */
const TIER_COUNT = 3;

function recallStreamMethod(deps: AnswerRecallDeps, bytesMax: number): Route {
  return serverStream(
    Service.recallStream,
    Message,
    RecallStreamResponse,
    (message, call) => streamedAnswers(deps, bytesMax, message, call),
    {
      whenAbsent: ({ query }) => [
        { part: { $case: 'merged' as const, value: mergedMessage(query?.parent ?? '', nothingFound(deps)) } },
      ],
    },
  );
}

/** The answer of a namespace that does not exist. */
function nothingFound({ store }: Pick<AnswerRecallDeps, 'store'>): RecallAnswer {
  return { hits: [], revision: store.revision, lanes: [], degraded: [], candidateCount: 0 };
}

async function* streamedAnswers(
  deps: AnswerRecallDeps,
  bytesMax: number,
  { query: asked }: Message,
  call: Call,
): AsyncGenerator<RecallStreamResponse> {
  const checks = new RequestChecks();
  if (!asked) checks.add('query', 'is required');
  if (asked?.diversity) checks.add('query.diversity', 'must be absent: likeness of hits is known when all tiers are');
  checks.finish();
  const read = readingPart('query', () => recallRequestOf(asked ?? QueryMessage.fromPartial({})));
  const query = { ...read, bytesMax: bytesMax * TIER_COUNT };
  try {
    await requireVectorsFor(deps, query);
    for await (const part of recallStream(deps, query, call)) yield* messagesOf(part, query.namespace);
  } catch (error) {
    throw fieldsWithin('query', error);
  }
}

function* messagesOf(part: RecallStreamPart, namespace: string): Generator<RecallStreamResponse> {
  switch (part.kind) {
    case 'hits': {
      const [tier, revision] = [TIER_NUMBERS[part.tier], BigInt(part.revision)];
      let continued = false;
      for (const hits of inMessages(part.hits)) {
        yield { part: { $case: 'hits', value: { tier, hits: hits.map(hitMessage), continued, revision } } };
        continued = true;
      }
      return;
    }
    case 'merged':
      yield { part: { $case: 'merged', value: mergedMessage(namespace, part.answer) } };
  }
}

function mergedMessage(namespace: string, answer: RecallAnswer) {
  const { hits: _, ...rest } = recallResponse(namespace, { ...answer, hits: [] });
  const order = answer.hits.map(({ memory: { id, tier }, score }) => ({
    name: memoryName(namespace, id),
    tier: TIER_NUMBERS[tier],
    score,
  }));
  return { order, ...rest };
}

/** At least one message, if an empty one. */
function* inMessages(hits: readonly RecallHit[]): Generator<readonly RecallHit[]> {
  let message: RecallHit[] = [];
  let bytes = 0;
  for (const hit of hits) {
    const size = [hit.memory, ...hit.before, ...hit.after].reduce((sum, memory) => sum + bodyBytesOf(memory), 0);
    if (message.length > 0 && bytes + size > MESSAGE_BYTES) {
      yield message;
      message = [];
      bytes = 0;
    }
    message.push(hit);
    bytes += size;
  }
  yield message;
}
