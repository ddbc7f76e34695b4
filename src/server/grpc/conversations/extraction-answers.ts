import type {
  ExtractedClaim,
  ExtractedMemories,
  ExtractionJob as JobMessage,
  ExtractedNote as NoteMessage,
} from '../../../../gen/ts/mneme/v1/conversation_service.ts';
import {
  CLAIM_LIMITS,
  type ExtractedNote,
  type FactClaim,
  oneLine,
  sentenceOf,
  withoutContradictions,
} from '../../../memory/fact-claim.ts';
import { FACT_LIMITS, normalAttribute, normalSubject } from '../../../memory/facts/fact-key.ts';
import type { Extracted } from '../../extraction/extractor.ts';
import type { ExtractionJob } from '../../operations/extraction/extraction-job.ts';
import { instantOf, type RequestChecks, timestampOf } from '../edge/request-checks.ts';
import { conversationName, messageMessage } from './message-fields.ts';

const { subjectBytes, attributeBytes, valueBytes } = FACT_LIMITS;
const { textBytes, perExtraction } = CLAIM_LIMITS;
const NOTE_TYPES: readonly string[] = ['fact', 'episode', 'procedure'];
const TAGS_MAX = 16;
const TAG_BYTES = 128;

export function jobMessage({ id, batch, deadlineAtUs }: ExtractionJob): JobMessage {
  const { namespace, scope, messages, earlier, failures, settings } = batch;
  return {
    id,
    conversation: conversationName(batch),
    scope: { namespace, ...scope },
    messages: messages.map((message) => messageMessage(batch, message)),
    earlier: earlier.map((message) => messageMessage(batch, message)),
    attempt: (failures?.count ?? 0) + 1,
    lastError: failures?.lastError ?? '',
    deadline: timestampOf(deadlineAtUs),
    model: settings.get('extraction.model') ?? '',
  };
}

/** What a client has extracted from a job. All fields are checked; contradictions are left out. */
export function extractedOf(
  checks: RequestChecks,
  field: string,
  { claims, notes }: ExtractedMemories,
  { batch }: ExtractionJob,
): Extracted {
  const count = claims.length + notes.length;
  if (count > perExtraction) {
    checks.add(field, `must have at most ${perExtraction} claims and notes together, got ${count}`);
    return { claims: [], notes: [] };
  }
  const given = new Set(batch.messages.map(({ sequence }) => sequence));
  const read = claims.map((claim, at) => claimOf(checks, `${field}.claims[${at}]`, claim, given));
  return {
    claims: withoutContradictions(read).sort((one, other) => (one.sources[0] ?? 0) - (other.sources[0] ?? 0)),
    notes: notes.map((note, at) => noteOf(checks, `${field}.notes[${at}]`, note, given)),
  };
}

function claimOf(checks: RequestChecks, field: string, claim: ExtractedClaim, given: ReadonlySet<number>): FactClaim {
  const { confidence, validFrom, validUntil, retracts } = claim;
  const subject = nameOf(checks, `${field}.subject`, claim.subject, subjectBytes, normalSubject);
  const attribute = nameOf(checks, `${field}.attribute`, claim.attribute, attributeBytes, normalAttribute);
  const value = retracts && claim.value === '' ? '' : textOf(checks, `${field}.value`, claim.value, valueBytes);
  const text =
    claim.text === ''
      ? sentenceOf({ subject, attribute, value }).trim()
      : textOf(checks, `${field}.text`, claim.text, textBytes);
  const validFromUs = validFrom && instantOf(checks, `${field}.valid_from`, validFrom);
  const validUntilUs = validUntil && instantOf(checks, `${field}.valid_until`, validUntil);
  if (validFromUs !== undefined && validUntilUs !== undefined && validUntilUs <= validFromUs)
    checks.add(`${field}.valid_until`, 'must be after valid_from');
  return {
    ...{ subject, attribute, value, text },
    confidence: shareOf(checks, `${field}.confidence`, confidence),
    validFromUs,
    validUntilUs,
    ...(retracts ? { retracts } : {}),
    sources: sourcesOf(checks, `${field}.sources`, claim.sources, given),
  };
}

function noteOf(checks: RequestChecks, field: string, note: NoteMessage, given: ReadonlySet<number>): ExtractedNote {
  const { type, tags, confidence } = note;
  if (type !== '' && !NOTE_TYPES.includes(type)) {
    checks.add(`${field}.type`, `must be ${NOTE_TYPES.join(', ')} or empty, got ${JSON.stringify(type.slice(0, 80))}`);
  }
  if (tags.length > TAGS_MAX) checks.add(`${field}.tags`, `must be at most ${TAGS_MAX}, got ${tags.length}`);
  const read = tags.slice(0, TAGS_MAX).map((tag, at) => textOf(checks, `${field}.tags[${at}]`, tag, TAG_BYTES));
  return {
    type: type || 'fact',
    text: textOf(checks, `${field}.text`, note.text, textBytes),
    confidence: shareOf(checks, `${field}.confidence`, confidence),
    tags: [...new Set(read)],
    sources: sourcesOf(checks, `${field}.sources`, note.sources, given),
  };
}

/** On one line, without characters that are not visible. */
function textOf(checks: RequestChecks, field: string, value: string, bytesMax: number): string {
  const text = oneLine(value);
  if (text === '') checks.add(field, 'must contain a visible character');
  const bytes = Buffer.byteLength(text);
  if (bytes > bytesMax) checks.add(field, `must be at most ${bytesMax} bytes of UTF-8, got ${bytes}`);
  return text;
}

function nameOf(
  checks: RequestChecks,
  field: string,
  value: string,
  bytesMax: number,
  normal: (text: string) => string,
): string {
  const text = textOf(checks, field, value, bytesMax);
  if (text !== '' && normal(text) === '') checks.add(field, 'must contain a letter or a digit');
  return text;
}

function shareOf(checks: RequestChecks, field: string, value: number | undefined): number {
  return value === undefined ? 1 : checks.within(field, value, 0, 1);
}

function sourcesOf(
  checks: RequestChecks,
  field: string,
  sources: readonly bigint[],
  given: ReadonlySet<number>,
): number[] {
  if (sources.length === 0) checks.add(field, 'must be at least one sequence number of the messages of the job');
  const read = new Set<number>();
  for (const [at, source] of sources.slice(0, perExtraction).entries()) {
    const sequence = Number(source);
    if (!given.has(sequence))
      checks.add(`${field}[${at}]`, `must be a sequence number of the messages of the job, got ${source}`);
    read.add(sequence);
  }
  return [...read].sort((one, other) => one - other);
}
