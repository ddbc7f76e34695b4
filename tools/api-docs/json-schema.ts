/** Messages and enums as JSON Schema of their proto3 JSON form. */
import { type DescEnum, type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { headingOf } from './book.ts';
import { commentOf } from './comments.ts';
import { plain, splitDefault } from './prose.ts';

export type Schema = Readonly<Record<string, unknown>>;

const WELL_KNOWN: Readonly<Record<string, Schema>> = {
  'google.protobuf.Timestamp': { type: 'string', format: 'date-time' },
  'google.protobuf.Duration': { type: 'string', pattern: String.raw`^-?\d+(\.\d{1,9})?s$` },
  'google.protobuf.FieldMask': { type: 'string', description: 'Names of fields, separated by commas.' },
};

const SCALARS: Readonly<Partial<Record<ScalarType, Schema>>> = {
  [ScalarType.STRING]: { type: 'string' },
  [ScalarType.BOOL]: { type: 'boolean' },
  [ScalarType.BYTES]: { type: 'string', contentEncoding: 'base64' },
  [ScalarType.DOUBLE]: { type: 'number', format: 'double' },
  [ScalarType.FLOAT]: { type: 'number', format: 'float' },
  [ScalarType.INT32]: { type: 'integer', format: 'int32' },
  [ScalarType.UINT32]: { type: 'integer', format: 'int64', minimum: 0 },
  [ScalarType.INT64]: { type: 'string', format: 'int64' },
  [ScalarType.UINT64]: { type: 'string', format: 'uint64' },
};

/** Schemas by their name in the document, of all that the messages have in them. */
export function schemasOf(requests: readonly DescMessage[], answers: readonly DescMessage[]): Record<string, Schema> {
  const ofAnswers = reachedFrom(answers);
  // Requests of a batch take from it what they leave out.
  const batched = new Set(
    requests.flatMap(({ fields }) => fields.flatMap((each) => (each.fieldKind === 'list' ? each.message : []))),
  );
  const all = [...new Set([...reachedFrom(requests), ...ofAnswers])];
  return Object.fromEntries(
    all
      .map((desc): [string, Schema] => [
        schemaName(desc),
        desc.kind === 'enum' ? enumSchema(desc) : messageSchema(desc, !ofAnswers.has(desc) && !batched.has(desc)),
      ])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

export function referenceTo(desc: DescMessage | DescEnum): Schema {
  return WELL_KNOWN[desc.typeName] ?? { $ref: `#/components/schemas/${schemaName(desc)}` };
}

function schemaName(desc: DescMessage | DescEnum): string {
  return desc.file.proto.package.startsWith('mneme.') ? headingOf(desc) : desc.typeName;
}

function reachedFrom(messages: readonly DescMessage[]): ReadonlySet<DescMessage | DescEnum> {
  const found = new Set<DescMessage | DescEnum>();
  const visit = (desc: DescMessage | DescEnum | undefined) => {
    if (desc === undefined || found.has(desc) || desc.typeName in WELL_KNOWN) return;
    found.add(desc);
    if (desc.kind === 'message') for (const field of desc.fields) visit(field.message ?? field.enum);
  };
  for (const message of messages) visit(message);
  return found;
}

/** Answers leave out fields with their default value, so that only messages of requests have required fields. */
function messageSchema(message: DescMessage, hasRequired: boolean): Schema {
  const isRequired = (field: DescField) =>
    field.oneof === undefined && splitDefault(commentOf(field)).fallback === 'required';
  const required = hasRequired ? message.fields.filter(isRequired).map(({ jsonName }) => jsonName) : [];
  const twoOfOne = message.oneofs.flatMap(({ fields }) =>
    fields.flatMap((one, index) =>
      fields.slice(index + 1).map((other) => ({ required: [one.jsonName, other.jsonName] })),
    ),
  );
  return {
    type: 'object',
    ...described(plain(commentOf(message))),
    ...(message.fields.length > 0 && {
      properties: Object.fromEntries(message.fields.map((field) => [field.jsonName, fieldSchema(field)])),
    }),
    ...(required.length > 0 && { required }),
    ...(twoOfOne.length > 0 && { not: { anyOf: twoOfOne } }),
  };
}

function fieldSchema(field: DescField): Schema {
  const within = field.oneof === undefined ? '' : `At most one of \`${field.oneof.name}\`. `;
  return { ...valueSchema(field), ...described(`${within}${plain(commentOf(field))}`) };
}

function valueSchema(field: DescField): Schema {
  switch (field.fieldKind) {
    case 'list':
      return { type: 'array', items: elementSchema(field) };
    case 'map':
      return { type: 'object', additionalProperties: elementSchema(field) };
    default:
      return elementSchema(field);
  }
}

function elementSchema(field: DescField): Schema {
  const type = field.message ?? field.enum;
  if (type !== undefined) return referenceTo(type);
  const schema = field.scalar === undefined ? undefined : SCALARS[field.scalar];
  if (schema === undefined) throw new Error(`${String(field)}: no JSON schema is known for its type`);
  return schema;
}

function enumSchema(desc: DescEnum): Schema {
  const values = desc.values.map((value) => `- \`${value.name}\`: ${plain(commentOf(value))}`);
  return {
    type: 'string',
    description: `${plain(commentOf(desc))}\n\n${values.join('\n')}`,
    enum: desc.values.map(({ name }) => name),
  };
}

function described(description: string): { description?: string } {
  return description === '' ? {} : { description };
}
