import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { FieldViolation } from '../../../memory/errors.ts';

const LENGTH_DELIMITED = 2;
/** As deep as generated code reads. */
const DEPTH_MAX = 100;
const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** The field at which bytes are malformed, and the problem; `undefined` where no field can be determined. */
export function malformedField(
  type: DescMessage,
  bytes: Uint8Array,
  prefix = '',
  depth = 1,
): FieldViolation | undefined {
  const reader = new BinaryReader(bytes);
  const counts = new Map<DescField, number>();
  let path = prefix.slice(0, -1);
  try {
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      const field = type.fields.find((known) => known.number === number);
      if (field) path = `${prefix}${pathPart(field, counts)}`;
      if (wireType !== LENGTH_DELIMITED) reader.skip(wireType, number);
      else {
        const fault = field && valueFault(field, reader.bytes(), path, depth);
        if (!field) reader.bytes();
        if (fault) return fault;
      }
      path = prefix.slice(0, -1);
    }
  } catch (error) {
    if (path !== '') return { field: path, description: `cannot be read: ${(error as Error).message}` };
  }
  return undefined;
}

/** With its place, where there can be several. */
function pathPart(field: DescField, counts: Map<DescField, number>): string {
  if (field.fieldKind !== 'list') return field.name;
  const at = counts.get(field) ?? 0;
  counts.set(field, at + 1);
  return `${field.name}[${at}]`;
}

function valueFault(field: DescField, value: Uint8Array, path: string, depth: number): FieldViolation | undefined {
  if (field.fieldKind === 'map') return entryFault(field, value, path);
  if (field.scalar === ScalarType.STRING) return textFault(value, path);
  if (!field.message) return undefined;
  if (depth < DEPTH_MAX) return malformedField(field.message, value, `${path}.`, depth + 1);
  return { field: path, description: `must be at most ${DEPTH_MAX} messages deep` };
}

/** An entry of a map is a message of a key and a value. */
function entryFault(
  { mapKey, scalar }: DescField & { fieldKind: 'map' },
  entry: Uint8Array,
  path: string,
): FieldViolation | undefined {
  const reader = new BinaryReader(entry);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (wireType !== LENGTH_DELIMITED) reader.skip(wireType, number);
    else {
      const value = reader.bytes();
      const isText = (number === 1 ? mapKey : scalar) === ScalarType.STRING;
      const fault = isText ? textFault(value, path) : undefined;
      if (fault) return fault;
    }
  }
  return undefined;
}

function textFault(value: Uint8Array, path: string): FieldViolation | undefined {
  try {
    strictUtf8.decode(value);
    return undefined;
  } catch {
    return { field: path, description: 'must be valid UTF-8' };
  }
}
