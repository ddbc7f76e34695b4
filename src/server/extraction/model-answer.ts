import {
  CLAIM_LIMITS,
  type ExtractedNote,
  type FactClaim,
  oneLine,
  sentenceOf,
  withoutContradictions,
} from '../../memory/fact-claim.ts';
import type { Micros } from '../../memory/memory.ts';
import { instantIn } from '../../memory/time-window.ts';
import type { Extracted } from './extractor.ts';

/** The output of a model is unusable. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
}

type Fields = Readonly<Record<string, unknown>>;

/** The text that the model has written, in an answer of a chat endpoint. Fails with BadAnswer. */
export function contentIn(body: string): string {
  const answer = objectIn(parsed(body, 'returned an answer that is not JSON'));
  const choices = answer.choices;
  const [first] = Array.isArray(choices) ? (choices as readonly unknown[]) : [];
  const { message, finish_reason: reason } = objectIn(first);
  const { content, refusal } = objectIn(message);
  if (typeof refusal === 'string' && refusal !== '') throw new BadAnswer('refused to extract');
  if (reason === 'length') throw new BadAnswer('was cut off at its limit of tokens');
  if (typeof content !== 'string' || content.trim() === '') throw new BadAnswer('gave no text');
  return content;
}

/**
 * Claims and notes in the text of a model. Malformed ones, those beyond the limits and those that cite other messages
 * are omitted; so are claims that the same message both claims and retracts. Fails with BadAnswer where the whole is
 * not a JSON object.
 */
export function extractedIn(content: string, provided: ReadonlySet<number>): Extracted {
  const from = content.indexOf('{');
  const end = content.lastIndexOf('}');
  if (from < 0 || end < from) throw new BadAnswer('wrote no JSON object');
  const { claims, notes } = objectIn(parsed(content.slice(from, end + 1), 'wrote JSON that cannot be read'));
  if (!Array.isArray(claims) && !Array.isArray(notes)) throw new BadAnswer('wrote neither claims nor notes');
  const read = listIn(claims).flatMap((item) => claimIn(objectIn(item), provided) ?? []);
  return {
    claims: withoutContradictions(read).sort((one, other) => (one.sources[0] ?? 0) - (other.sources[0] ?? 0)),
    notes: listIn(notes).flatMap((item) => noteIn(objectIn(item), provided) ?? []),
  };
}

function claimIn(fields: Fields, provided: ReadonlySet<number>): FactClaim | undefined {
  const part = (name: string) => textIn(fields[name], CLAIM_LIMITS.partBytes);
  const [subject, attribute, value] = [part('subject'), part('attribute'), part('value')];
  const sources = sourcesIn(fields.sources, provided);
  if (subject === undefined || attribute === undefined || value === undefined || !sources) return undefined;
  const text = textIn(fields.text, CLAIM_LIMITS.textBytes) ?? sentenceOf({ subject, attribute, value });
  const validFromUs = timeIn(fields.valid_from);
  const validUntilUs = timeIn(fields.valid_until);
  const isOrdered = validFromUs === undefined || validUntilUs === undefined || validFromUs < validUntilUs;
  return {
    subject,
    attribute,
    value,
    text,
    confidence: shareIn(fields.confidence),
    validFromUs,
    ...(validUntilUs === undefined || !isOrdered ? {} : { validUntilUs }),
    ...(fields.retracts === true ? { retracts: true } : {}),
    sources,
  };
}

const NOTE_TYPES: ReadonlySet<unknown> = new Set(['fact', 'episode', 'procedure']);
const TAGS_MAX = 16;
const TAG_BYTES = 128;

function noteIn(fields: Fields, provided: ReadonlySet<number>): ExtractedNote | undefined {
  const text = textIn(fields.text, CLAIM_LIMITS.textBytes);
  const sources = sourcesIn(fields.sources, provided);
  if (text === undefined || !sources) return undefined;
  const tags = listIn(fields.tags).flatMap((tag) => textIn(tag, TAG_BYTES) ?? []);
  const type = NOTE_TYPES.has(fields.type) ? String(fields.type) : 'fact';
  return { type, text, confidence: shareIn(fields.confidence), tags: [...new Set(tags)].slice(0, TAGS_MAX), sources };
}

/** Trimmed, on one line; undefined for a value that is not a text, is blank or is too long. */
function textIn(value: unknown, bytesMax: number): string | undefined {
  if (typeof value !== 'string' || value.length > bytesMax) return undefined;
  const text = oneLine(value);
  return text === '' || Buffer.byteLength(text) > bytesMax ? undefined : text;
}

function shareIn(value: unknown): number {
  return typeof value === 'number' && value >= 0 ? Math.min(value, 1) : 0.5;
}

function sourcesIn(value: unknown, provided: ReadonlySet<number>): number[] | undefined {
  const sources = listIn(value).filter((source): source is number => typeof source === 'number');
  if (sources.length === 0 || !sources.every((source) => provided.has(source))) return undefined;
  return [...new Set(sources)].sort((one, other) => one - other);
}

function timeIn(value: unknown): Micros | undefined {
  return typeof value === 'string' ? instantIn(value) : undefined;
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]).slice(0, CLAIM_LIMITS.perExtraction) : [];
}

function objectIn(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function parsed(text: string, problem: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new BadAnswer(problem);
    throw error;
  }
}

/** Tokens that an answer of a chat endpoint says it has used, by the names of OpenTelemetry; empty where it says none. */
export function usageIn(body: string): Readonly<Record<string, number>> {
  try {
    const { prompt_tokens: input, completion_tokens: output } = objectIn(objectIn(JSON.parse(body)).usage);
    return {
      ...(typeof input === 'number' && { 'gen_ai.usage.input_tokens': input }),
      ...(typeof output === 'number' && { 'gen_ai.usage.output_tokens': output }),
    };
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
