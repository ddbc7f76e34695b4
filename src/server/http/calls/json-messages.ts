import {
  type DescField,
  type DescMessage,
  fromBinary,
  fromJson,
  fromJsonString,
  type JsonObject,
  type JsonValue,
  type Registry,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { type FieldViolation, MnemeError } from '../../../memory/errors.ts';
import { nearestOf } from '../../../memory/nearest-name.ts';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });
const NO_BYTES = Buffer.alloc(0);

/** Reads a message of proto3 JSON into its bytes; an empty body is a message without fields. */
export function bytesOfJson(type: DescMessage, body: Buffer, registry: Registry): Buffer {
  if (body.length === 0) return NO_BYTES;
  let text: string;
  try {
    text = strictUtf8.decode(body);
  } catch (cause) {
    throw new MnemeError('MESSAGE_MALFORMED', 'the body of the request is not UTF-8', { cause });
  }
  try {
    const bytes = toBinary(type, fromJsonString(type, text, { registry }));
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  } catch (cause) {
    throw faultOf(type, text, registry, cause);
  }
}

/** Writes the bytes of a message as proto3 JSON. */
export function jsonOfBytes(type: DescMessage, bytes: Uint8Array, registry: Registry): JsonValue {
  return toJson(type, fromBinary(type, bytes), { registry });
}

function faultOf(type: DescMessage, text: string, registry: Registry, cause: unknown): MnemeError {
  let json: JsonValue;
  try {
    json = JSON.parse(text) as JsonValue;
  } catch (error) {
    const problem = error instanceof SyntaxError ? error.message : 'it is too deep';
    return new MnemeError('MESSAGE_MALFORMED', `the body of the request is not JSON: ${problem}`, { cause });
  }
  const violation = faultIn(type, json, '', registry);
  if (!violation) return new MnemeError('MESSAGE_MALFORMED', problemOf(cause), { cause });
  const { field, description } = violation;
  return new MnemeError('MESSAGE_MALFORMED', field === '' ? description : `${field}: ${description}`, {
    violations: field === '' ? [] : [violation],
    cause,
  });
}

/** The first field that cannot be read; each is tried by itself. */
function faultIn(type: DescMessage, json: JsonValue, prefix: string, registry: Registry): FieldViolation | undefined {
  if (!isObject(json)) return { field: prefix.slice(0, -1), description: `must be an object, got ${shown(json)}` };
  for (const [key, value] of Object.entries(json)) {
    const field = type.fields.find(({ name, jsonName }) => name === key || jsonName === key);
    if (!field) return { field: `${prefix}${key}`.slice(0, PATH_LENGTH), description: unknownField(type, key) };
    const cause = failureOf(type, { [key]: value }, registry);
    if (cause !== undefined) return valueFault(field, value, `${prefix}${field.name}`, registry, cause);
  }
  return undefined;
}

const PATH_LENGTH = 200;

function valueFault(
  field: DescField,
  value: JsonValue,
  path: string,
  registry: Registry,
  cause: unknown,
): FieldViolation {
  const description = problemOf(cause);
  const { message } = field;
  if (!message || message.typeName.startsWith('google.protobuf.')) return { field: path, description };
  const parts: [string, JsonValue][] =
    field.fieldKind === 'list' && Array.isArray(value)
      ? value.map((item, at) => [`${path}[${at}].`, item])
      : field.fieldKind === 'map' && isObject(value)
        ? Object.entries(value).map(([key, item]) => [`${path}[${key}].`, item])
        : [[`${path}.`, value]];
  for (const [prefix, part] of parts) {
    const fault = faultIn(message, part, prefix, registry);
    if (fault) return fault;
  }
  return { field: path, description };
}

function failureOf(type: DescMessage, json: JsonObject, registry: Registry): unknown {
  try {
    fromJson(type, json, { registry });
    return undefined;
  } catch (error) {
    return error;
  }
}

function unknownField({ name, fields }: DescMessage, key: string): string {
  const names = fields.map(({ jsonName }) => jsonName);
  return `is not a field of ${name}${nearestOf(key, names, (nearest) => `; did you mean ${nearest}?`)}`;
}

/** Without the words in which the library names the field. */
function problemOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/^cannot decode \S+(?: \S+)? from JSON: /, '');
}

function isObject(json: JsonValue): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function shown(json: JsonValue): string {
  const text = JSON.stringify(json);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
