import { CONVERSATION_LIMITS } from '../../src/memory/conversation.ts';
import { CLAIM_LIMITS } from '../../src/memory/fact-claim.ts';
import { MEMORY_LIMITS } from '../../src/memory/limits.ts';
import { SUFFIX_MAX } from '../../src/server/operations/conversations/remove-messages.ts';
import { EARLIER_MAX } from '../../src/server/operations/extraction/extract-batch.ts';
import { declared } from './declared.ts';
import { REFUSED, type Subject } from './limit.ts';

const WAITING = 'the log is read further when others are done; no trigger is waited for';
const LEFT_OUT = ['the claim is left out'];

/** Limits of conversations and of the extraction from them. */
export const CONVERSATION_SUBJECT: Subject = [
  'Conversations and extraction',
  [
    { what: 'Messages of AppendMessages', value: CONVERSATION_LIMITS.messagesPerCall, beyond: REFUSED },
    { what: 'Id of a conversation', value: CONVERSATION_LIMITS.conversationBytes, unit: 'bytes', beyond: REFUSED },
    { what: 'Blocks of a message', value: CONVERSATION_LIMITS.blocks, beyond: REFUSED },
    { what: 'Texts of a message, in total', value: MEMORY_LIMITS.textBytes, unit: 'bytes', beyond: REFUSED },
    { what: 'Its other blocks, as JSON', value: MEMORY_LIMITS.contentBytes, unit: 'bytes', beyond: REFUSED },
    {
      what: 'Messages that ReplaceSuffix replaces or stores',
      value: SUFFIX_MAX,
      beyond: [...REFUSED, 'SUFFIX_MISMATCH'],
    },
    {
      what: 'Messages of a namespace that wait for extraction in memory',
      value: declared('src/server/operations/extraction/log-intake.ts', 'LIMITS.outstandingMax'),
      beyond: [WAITING],
    },
    {
      what: 'Messages of one extraction',
      value: declared('src/server/assembly/open-conversations.ts', 'BATCH.batchMax'),
      beyond: ['the next extraction goes on'],
    },
    { what: 'Earlier messages for reference', value: EARLIER_MAX, beyond: ['older ones are left out'] },
    { what: 'Extractions at once', by: 'extractionConcurrency', beyond: ['namespaces take turns'] },
    { what: 'Time of one extraction', by: 'extractionTimeoutMs', beyond: ['it is tried again'] },
    { what: 'Attempts to extract from a message', by: 'extractionAttempts', beyond: ['the message is a dead letter'] },
    { what: 'Clients that serve extraction', by: 'maxExtractorClients', beyond: ['TOO_MANY_STREAMS'] },
    {
      what: 'Jobs that a client has in hand',
      value: declared('src/server/grpc/conversations/serve-extractor.ts', 'JOBS.max'),
      beyond: REFUSED,
    },
    {
      what: 'Messages of a job, unless it is one message',
      value: declared('src/server/operations/extraction/extraction-job.ts', 'JOB_BYTES_MAX'),
      unit: 'bytes',
      beyond: ['they are several jobs'],
    },
    {
      what: 'Text of an earlier message in a job',
      value: declared('src/server/operations/extraction/extraction-job.ts', 'EARLIER_BYTES'),
      unit: 'bytes',
      beyond: ['it is cut'],
    },
    {
      what: 'Claims and notes in an answer of a client',
      value: CLAIM_LIMITS.perExtraction,
      beyond: ['the answer is refused and counts as an attempt'],
    },
    {
      what: 'Subject, attribute or value in an answer of a model',
      value: CLAIM_LIMITS.partBytes,
      unit: 'bytes',
      beyond: LEFT_OUT,
    },
    { what: 'Text of a fact in an answer of a model', value: CLAIM_LIMITS.textBytes, unit: 'bytes', beyond: LEFT_OUT },
    {
      what: 'Requests to a model for one batch',
      value: declared('src/server/extraction/model-extractor.ts', 'REQUESTS_MAX'),
      beyond: ['the rest of very long messages is stored and not extracted'],
    },
  ],
];
