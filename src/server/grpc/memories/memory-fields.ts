import { isUtf8 } from 'node:buffer';
import { endianness } from 'node:os';
import type { Timestamp } from '../../../../gen/ts/google/protobuf/timestamp.ts';
import type {
  Content as ContentMessage,
  Embedding as EmbeddingMessage,
  GeoPoint as GeoPointMessage,
  Memory as MemoryMessage,
  Place as PlaceMessage,
  Point as PointMessage,
  Scope as ScopeMessage,
} from '../../../../gen/ts/mneme/v1/memory.ts';
import { isBlank, isJson, isText } from '../../../memory/derive-text.ts';
import { jsonDepth, parseJson } from '../../../memory/json.ts';
import { MEMORY_LIMITS } from '../../../memory/limits.ts';
import type { Content, Embedding, GeoPoint, Micros, Place, Point, Scope, Source } from '../../../memory/memory.ts';
import { isNowhere } from '../../../memory/place.ts';
import { instantOf, memoryNameIn, type RequestChecks } from '../edge/request-checks.ts';

/** A memory in a request: where it is, and the namespace that it is for. */
export interface MemoryInput {
  readonly checks: RequestChecks;
  /** Path of the memory in the request, such as `requests[3].memory`. */
  readonly field: string;
  readonly namespace: string;
  readonly memory: MemoryMessage;
}

const TYPE = /^[A-Za-z0-9_]{1,64}$/;
const { namePartBytes, tagBytes, tags: tagsMax, textBytes, uriBytes } = MEMORY_LIMITS;

export function scopeOf(checks: RequestChecks, field: string, scope: ScopeMessage | undefined): Scope {
  const part = (name: string, value: string) => checks.text(`${field}.${name}`, value, namePartBytes, { plain: true });
  return {
    project: part('project', scope?.project ?? ''),
    agentType: part('agent_type', scope?.agentType ?? ''),
    agent: part('agent', scope?.agent ?? ''),
    session: part('session', scope?.session ?? ''),
  };
}

/** `undefined` where the caller does not set it. */
export function typeOf({ checks, field, memory: { type } }: MemoryInput): string | undefined {
  return type === '' ? undefined : checks.matching(`${field}.type`, type, TYPE, '1 to 64 of [A-Za-z0-9_]');
}

export function stepOf({ checks, field, memory: { step } }: MemoryInput): number | undefined {
  return step === undefined ? undefined : checks.wholeWithin(`${field}.step`, step);
}

export function textOf({ checks, field, memory: { text } }: MemoryInput): string {
  if (isBlank(text)) checks.add(`${field}.text`, 'must contain a visible character, or be empty');
  return checks.text(`${field}.text`, text, textBytes);
}

export function memoryContentOf({ checks, field, memory: { content } }: MemoryInput): Content | undefined {
  return content && contentOf(checks, `${field}.content`, content);
}

export function memoryEmbeddingOf({ checks, field, memory: { embedding } }: MemoryInput): Embedding | undefined {
  return embedding && embeddingOf(checks, `${field}.embedding`, embedding);
}

export function memoryPlaceOf({ checks, field, memory: { place } }: MemoryInput): Place | undefined {
  const checked = place && placeOf(checks, `${field}.place`, place);
  return checked && !isNowhere(checked) ? checked : undefined;
}

/** Tags without duplicates, in order of first occurrence. */
export function tagsOf({ checks, field, memory: { tags } }: MemoryInput): readonly string[] {
  if (tags.length > tagsMax) checks.add(`${field}.tags`, `must be at most ${tagsMax}, got ${tags.length}`);
  for (const [at, tag] of tags.slice(0, tagsMax).entries()) {
    const path = `${field}.tags[${at}]`;
    if (tag === '') checks.add(path, `must be 1 to ${tagBytes} bytes, got an empty text`);
    checks.text(path, tag, tagBytes);
  }
  return tags.length < 2 ? tags : [...new Set(tags)];
}

export function shareOf({ checks, field, memory }: MemoryInput, part: 'importance' | 'priority'): number | undefined {
  const value = memory[part];
  return value === undefined ? undefined : checks.within(`${field}.${part}`, value, 0, 1);
}

export function sourceOf({ checks, field, memory: { source } }: MemoryInput): Source {
  const part = (name: 'speaker' | 'uri' | 'origin', bytesMax: number) =>
    checks.text(`${field}.source.${name}`, source?.[name] ?? '', bytesMax);
  return { speaker: part('speaker', namePartBytes), uri: part('uri', uriBytes), origin: part('origin', namePartBytes) };
}

export function timeOf(input: MemoryInput, name: string, time: Timestamp | undefined): Micros | undefined {
  return time && instantOf(input.checks, `${input.field}.${name}`, time);
}

/** Id of a memory of the same namespace. */
export function supersededByOf({ checks, field, namespace, memory }: MemoryInput): string | undefined {
  if (memory.supersededBy === '') return undefined;
  const parts = memoryNameIn(memory.supersededBy);
  if (parts?.namespace !== namespace) {
    const shape = `must be the resource name of a memory of namespaces/${namespace}`;
    checks.add(`${field}.superseded_by`, `${shape}, got ${JSON.stringify(memory.supersededBy.slice(0, 80))}`);
  }
  return parts?.id ?? '';
}

/** Printable ASCII with one slash that is neither first nor last. */
const MEDIA_TYPE = /^(?=.{3,128}$)[\x20-\x2e\x30-\x7e]+\/[\x20-\x2e\x30-\x7e]+$/;
const MEDIA_TYPE_SHAPE = `3 to ${MEMORY_LIMITS.mediaTypeBytes} printable ASCII characters with one slash, such as text/plain`;
const DEFAULT_TYPES = { json: 'application/json', text: 'text/plain', data: '' } as const;

/** JSON and text as strings, other media types as a view of the content's bytes. */
export function contentMessage({ mediaType, data }: Content): ContentMessage {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (isJson(mediaType) && isUtf8(bytes)) return { mediaType, body: { $case: 'json', value: bytes.toString() } };
  if (isText(mediaType) && isUtf8(bytes)) return { mediaType, body: { $case: 'text', value: bytes.toString() } };
  return { mediaType, body: { $case: 'data', value: bytes } };
}

/** Copies the bytes: they are in the request's buffer, which must not be retained or transferred to another thread. */
export function contentOf(
  checks: RequestChecks,
  field: string,
  { mediaType: provided, body }: ContentMessage,
): Content {
  if (body === undefined) {
    checks.add(field, 'must have json, text or data');
    return { mediaType: provided, data: new Uint8Array() };
  }
  const part = `${field}.${body.$case}`;
  const mediaType = provided === '' ? DEFAULT_TYPES[body.$case] : provided;
  checks.matching(`${field}.media_type`, mediaType, MEDIA_TYPE, MEDIA_TYPE_SHAPE);
  if (body.$case === 'json' && !isJson(mediaType)) {
    checks.add(`${field}.media_type`, `must be application/json or empty with json, got ${mediaType}`);
  }
  const data = new Uint8Array(body.$case === 'data' ? body.value : Buffer.from(body.value));
  if (data.length > MEMORY_LIMITS.contentBytes) {
    checks.add(part, `must be at most ${MEMORY_LIMITS.contentBytes} bytes, got ${data.length}`);
  } else if (isJson(mediaType)) {
    checkJson(checks, part, data);
  }
  return { mediaType, data };
}

function checkJson(checks: RequestChecks, field: string, data: Uint8Array): void {
  const depth = jsonDepth(data);
  const { jsonDepth: depthMax } = MEMORY_LIMITS;
  if (!isUtf8(data)) checks.add(field, 'must be valid UTF-8 for application/json');
  else if (depth > depthMax) checks.add(field, `must be at most ${depthMax} levels deep, got ${depth}`);
  else {
    const fault = faultOfJson(data);
    if (fault !== undefined) checks.add(field, fault);
  }
}

/** Only the two messages that do not quote the content are shown whole. */
function faultOfJson(data: Uint8Array): string | undefined {
  try {
    parseJson(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString());
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const isValue = /^(?:number|the key) /.test(error.message);
    return `must be valid JSON for application/json${isValue ? `: ${error.message}` : ''}`;
  }
}

if (endianness() !== 'LE') throw new Error('vectors are sent in memory order, which must be little-endian');

/** Views the vector's own bytes. */
export function embeddingMessage({ model, values }: Embedding): EmbeddingMessage {
  const dataF32le = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  return { dataF32le, dimension: values.length, model };
}

/** Copies the vector to where its values are aligned. */
export function embeddingOf(checks: RequestChecks, field: string, message: EmbeddingMessage): Embedding {
  const { dimension, model, dataF32le: bytes } = message;
  const { dimension: dimensionMax, modelBytes } = MEMORY_LIMITS;
  checks.text(`${field}.model`, model, modelBytes, { plain: true });
  if (model === '') checks.add(`${field}.model`, `must be 1 to ${modelBytes} bytes, got an empty text`);
  if (dimension < 1 || dimension > dimensionMax) {
    checks.add(`${field}.dimension`, `must be from 1 to ${dimensionMax}, got ${dimension}`);
  } else if (bytes.length !== 4 * dimension) {
    const wanted = `must be ${4 * dimension} bytes, 4 for each of ${dimension} values`;
    checks.add(`${field}.data_f32le`, `${wanted}, got ${bytes.length}`);
  } else {
    const values = new Float32Array(dimension);
    new Uint8Array(values.buffer).set(bytes);
    checkDirection(checks, `${field}.data_f32le`, values);
    return { model, values };
  }
  return { model, values: new Float32Array(0) };
}

function checkDirection(checks: RequestChecks, field: string, values: Float32Array): void {
  let isZero = true;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0;
    if (!Number.isFinite(value)) {
      checks.add(field, `must be finite values, got ${value} at ${i}`);
      return;
    }
    if (value !== 0) isZero = false;
  }
  if (isZero) checks.add(field, 'must not be all zeros: such a vector has no direction');
}

export function placeMessage({ point, geo, location, room, region }: Place): PlaceMessage {
  return { point: point && { ...point }, geo: geo && { ...geo }, location, room, region };
}

function placeOf(checks: RequestChecks, field: string, place: PlaceMessage): Place {
  const name = (part: 'location' | 'room' | 'region') =>
    checks.text(`${field}.${part}`, place[part], MEMORY_LIMITS.namePartBytes);
  return {
    ...(place.point ? { point: pointOf(checks, `${field}.point`, place.point) } : {}),
    ...(place.geo ? { geo: geoPointOf(checks, `${field}.geo`, place.geo) } : {}),
    location: name('location'),
    room: name('room'),
    region: name('region'),
  };
}

export function pointOf(checks: RequestChecks, field: string, { x, y, z }: PointMessage): Point {
  return {
    x: checks.finite(`${field}.x`, x),
    y: checks.finite(`${field}.y`, y),
    ...(z === undefined ? {} : { z: checks.finite(`${field}.z`, z) }),
  };
}

export function geoPointOf(checks: RequestChecks, field: string, point: GeoPointMessage): GeoPoint {
  return {
    latitudeDeg: checks.within(`${field}.latitude_deg`, point.latitudeDeg, -90, 90),
    longitudeDeg: checks.within(`${field}.longitude_deg`, point.longitudeDeg, -180, 180),
  };
}
