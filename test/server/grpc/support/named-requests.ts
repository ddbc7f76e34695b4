import { create, type DescField, type DescMessage, type DescMethod, toBinary } from '@bufbuild/protobuf';
import { loadDescriptors } from '../../../../src/server/grpc/edge/load-descriptors.ts';
import { SERVICES } from '../../../../src/server/grpc/edge/service-names.ts';

/** Fields that name a resource of a namespace, in the messages below. */
const NAMING = new Set([
  'parent',
  'name',
  'names',
  'session',
  'conversation',
  'report',
  'similar_to',
  'target_session',
  'to_session',
]);

/** Messages in requests that have such fields. */
const WALKED = new Set(
  [
    'ConsumeStart',
    'ExtractorStart',
    'Fact',
    'IngestBatch',
    'IngestItem',
    'IngestStart',
    'Memory',
    'Namespace',
    'Procedure',
    'RecallRequest',
    'RegisterHook',
    'StoreMemoryRequest',
    'Subscription',
  ].map((name) => `mneme.v1.${name}`),
);

/** Names of things other than resources, ids, and messages with names whose namespace does not count. */
const OTHER_NAMES = new Set([
  'BuildContextRequest.session',
  'ExtractorStart.name',
  'FlushRequest.conversation',
  'GetExtractionStatusRequest.conversation',
  'ImportMemoriesRequest.memories',
  'RetryExtractionRequest.conversation',
  'WatchExtractionRequest.conversation',
]);

export interface Method {
  /** `mneme.v1.Service/Method`. */
  readonly path: string;
  readonly kind: DescMethod['methodKind'];
  readonly input: DescMessage;
  /** Paths of the fields that name resources, such as `requests.memory.name`. */
  readonly fields: readonly string[];
}

/** Every method of the API, from the descriptors. */
export async function methodsOfApi(): Promise<Method[]> {
  const index = await loadDescriptors();
  return SERVICES.flatMap((service) => {
    const file = index.serviceOf(service);
    if (!file) throw new Error(`${service} is not in the descriptors`);
    return file.methods.map((method) => ({
      path: `${service}/${method.name}`,
      kind: method.methodKind,
      input: method.input,
      fields: namingFields(method.input),
    }));
  });
}

function namingFields(type: DescMessage, lead = ''): string[] {
  return type.fields.flatMap((field) => {
    const path = `${lead}${field.name}`;
    if (OTHER_NAMES.has(`${type.name}.${field.name}`)) return [];
    const nested = messageOf(field);
    if (nested) return WALKED.has(nested.typeName) ? namingFields(nested, `${path}.`) : [];
    return isName(field) ? [path] : [];
  });
}

/** Fields of a message that have a name as those that name resources. */
export function fieldsThatName(type: DescMessage): string[] {
  return type.fields.filter(isName).map((field) => `${type.name}.${field.name}`);
}

function isName(field: DescField): boolean {
  const isText = (field.fieldKind === 'scalar' || field.fieldKind === 'list') && field.scalar === STRING;
  return isText && NAMING.has(field.name);
}

const STRING = 9;
const INT32 = 5;
const BOOL = 8;

function messageOf(field: DescField): DescMessage | undefined {
  return field.fieldKind === 'message' || field.fieldKind === 'list' ? field.message : undefined;
}

/** Every message within a request. */
export function messagesWithin(type: DescMessage, found = new Set<DescMessage>()): Set<DescMessage> {
  for (const field of type.fields) {
    const nested = field.fieldKind === 'map' ? field.message : messageOf(field);
    if (!nested || found.has(nested)) continue;
    found.add(nested);
    messagesWithin(nested, found);
  }
  return found;
}

export const isWalked = (typeName: string): boolean => WALKED.has(typeName);

/** A request, in wire format, with these values at the paths of its fields. */
export function requestWith(type: DescMessage, values: Readonly<Record<string, string>>): Buffer {
  return Buffer.from(toBinary(type, create(type, fieldsOf(type, Object.entries(values)))));
}

/** Texts, numbers of 64 and of 32 bits, booleans, and enums by their numbers. */
function parsedFor(field: DescField, text: string): unknown {
  const scalar = field.fieldKind === 'scalar' || field.fieldKind === 'list' ? field.scalar : undefined;
  if (scalar === STRING) return text;
  if (scalar === BOOL) return text === 'true';
  return scalar === undefined || scalar === INT32 ? Number(text) : BigInt(text);
}

function fieldsOf(
  type: DescMessage,
  values: readonly (readonly [path: string, value: string])[],
): Record<string, unknown> {
  const message: Record<string, unknown> = {};
  for (const field of type.fields) {
    const own = values.filter(([path]) => path === field.name || path.startsWith(`${field.name}.`));
    if (own.length === 0) continue;
    const nested = messageOf(field);
    const inner = own.map(([path, value]) => [path.slice(field.name.length + 1), value] as const);
    const content = nested ? create(nested, fieldsOf(nested, inner)) : parsedFor(field, own[0]?.[1] ?? '');
    const value = field.fieldKind === 'list' ? [content] : content;
    if (field.oneof) message[field.oneof.localName] = { case: field.localName, value };
    else message[field.localName] = value;
  }
  return message;
}
