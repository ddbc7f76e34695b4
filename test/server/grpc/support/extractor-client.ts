import {
  ExtractionAnswer,
  type ExtractionJob,
  ExtractorStart,
  ServeExtractorRequest,
  type ServeExtractorResponse,
} from '../../../../gen/ts/mneme/v1/conversation_service.ts';
import type { ConversationServiceClient } from '../../../support/service-clients.ts';
import { reader } from './lifecycle-streams.ts';

type Partially<T> = T extends { fromPartial(object: infer P): unknown } ? P : never;
type Answer = NonNullable<ServeExtractorResponse['message']>;
type ValueOf<C extends Answer['$case']> = Extract<Answer, { readonly $case: C }>['value'];

interface Claim {
  readonly subject: string;
  readonly attribute: string;
  readonly value: string;
  readonly sources: bigint[];
}

/** Serves the extractor of a namespace by hand: messages are read and answers are sent one by one. */
export function serve(
  { conversations }: { readonly conversations: ConversationServiceClient },
  start: Partially<typeof ExtractorStart>,
) {
  const stream = conversations.serveExtractor();
  const messages = reader<ServeExtractorResponse>(stream);
  const send = (message: ServeExtractorRequest['message']) =>
    stream.write(ServeExtractorRequest.fromPartial({ message }));
  send({ $case: 'start', value: ExtractorStart.fromPartial(start) });
  const next = async <C extends Answer['$case']>(kind: C): Promise<ValueOf<C>> => {
    const { message } = await messages.next();
    if (message?.$case !== kind) throw new Error(`expected ${kind}, got ${message?.$case}`);
    return message.value as ValueOf<C>;
  };
  const answer = ({ id: jobId }: Pick<ExtractionJob, 'id'>, result: Partially<typeof ExtractionAnswer>['result']) =>
    send({ $case: 'answer', value: ExtractionAnswer.fromPartial({ jobId, result }) });
  return {
    messages,
    send,
    next,
    answer,
    started: () => next('started'),
    job: () => next('job'),
    /** Outcome of a job that was closed. */
    closed: async () => (await next('closed')).outcome,
    extracted: (job: ExtractionJob, claims: readonly Claim[] = claimsOf(job)) =>
      answer(job, { $case: 'extracted', value: { claims: [...claims] } }),
    failed: (job: ExtractionJob, message: string, retryable = false) =>
      answer(job, { $case: 'failure', value: { message, retryable } }),
    /** Ends the client's side. */
    end: () => stream.end(),
    leave: () => stream.cancel(),
  };
}

/** Texts of the messages of a job. */
export function saidIn({ messages }: ExtractionJob): string[] {
  return messages.flatMap(({ blocks }) =>
    blocks.flatMap(({ block }) => (block?.$case === 'text' ? [block.value] : [])),
  );
}

/** Claims in messages of three words: `subject attribute value`. */
export function claimsOf({ messages }: Pick<ExtractionJob, 'messages'>): Claim[] {
  return messages.flatMap(({ sequence = 0n, blocks }) =>
    blocks.flatMap(({ block }) => {
      const [subject = '', attribute = '', value = '', ...more] = block?.$case === 'text' ? block.value.split(' ') : [];
      return value === '' || more.length > 0 ? [] : [{ subject, attribute, value, sources: [sequence] }];
    }),
  );
}
