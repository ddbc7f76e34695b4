/** The OpenAPI document of the API over HTTP: one operation for each method that HTTP can carry. */
import type { DescEnum, DescMethod, DescService } from '@bufbuild/protobuf';
import type { Book } from './book.ts';
import { commentOf } from './comments.ts';
import { type Example, withoutExample } from './examples.ts';
import { referenceTo, type Schema, schemasOf } from './json-schema.ts';
import { firstSentence, plain } from './prose.ts';

const PACKAGE = 'mneme.v1';
/** Codes of errors, each with its status of HTTP. */
const CODES = {
  canceled: 499,
  unknown: 500,
  invalid_argument: 400,
  deadline_exceeded: 504,
  not_found: 404,
  already_exists: 409,
  permission_denied: 403,
  resource_exhausted: 429,
  failed_precondition: 400,
  aborted: 409,
  out_of_range: 400,
  unimplemented: 501,
  internal: 500,
  unavailable: 503,
  data_loss: 500,
  unauthenticated: 401,
};

/** As JSON with one line for each operation and each schema. */
export function openApiOf(book: Book, reasons: DescEnum, examples: readonly Example[]): string {
  const services = book.pages.flatMap(({ file }) => file.services).filter(({ file }) => file.proto.package === PACKAGE);
  const methods = services.flatMap((service) => service.methods.filter(isServed));
  const paths = Object.fromEntries(
    methods.map((method) => [`/${method.parent.typeName}/${method.name}`, { post: operationOf(method, examples) }]),
  );
  const schemas = {
    ...schemasOf(
      methods.map(({ input }) => input),
      methods.map(({ output }) => output),
    ),
    ...errorSchemas(reasons),
  };
  return [
    `{"openapi":"3.1.0","info":${JSON.stringify(INFO)},`,
    `"servers":[{"url":"/"}],"security":[{"bearer":[]},{}],`,
    `"tags":${linesOf(services.map(tagOf), ['[', ']'])},`,
    `"paths":${linesOf(paths)},`,
    `"components":{${JSON.stringify(COMPONENTS).slice(1, -1)},`,
    `"schemas":${linesOf(schemas)}}}`,
  ]
    .join('\n')
    .concat('\n');
}

const INFO = {
  title: 'Mneme',
  version: 'v1',
  summary: 'A memory server for AI agents.',
  description:
    'Each method is a POST of JSON, by the [Connect protocol](https://connectrpc.com/docs/protocol): `curl -d \'{"text":"Who plays the cello?"}\' ' +
    "-H 'content-type: application/json' localhost:50051/mneme.v1.RecallService/Recall`. The JSON is that of proto3: integers of 64 bits are " +
    'texts, enums are names, bytes are base64, and answers leave out fields that have their default value. Descriptions name fields as the ' +
    'protos do (`min_relevance`); requests may have either form. Methods that stream requests are served over gRPC only.',
  license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
};

const HEADERS = {
  'Connect-Timeout-Ms': {
    description: 'Time for the call in milliseconds. Default: the default deadline of the server.',
    schema: { type: 'integer', minimum: 1, maximum: 9_999_999_999 },
  },
  'mneme-scope': {
    description: 'Scope of the caller, as parts such as `project=p&agent=ada`.',
    schema: { type: 'string' },
  },
  'x-request-id': {
    description: 'Id of the call in logs, 1 to 128 printable characters without spaces.',
    schema: { type: 'string', maxLength: 128 },
  },
};

const failures = (first: number) =>
  Object.entries(CODES)
    .filter(([, status]) => Math.floor(status / 100) === first)
    .map(([code, status]) => `${status} \`${code}\``)
    .join(', ');

const errorResponse = (first: number) => ({
  description: `The call failed: ${failures(first)}.`,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
});

const COMPONENTS = {
  securitySchemes: {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description: 'API key, token of the server or JWT, where the server asks for one.',
    },
  },
  parameters: Object.fromEntries(
    Object.entries(HEADERS).map(([name, header]) => [name, { name, in: 'header', required: false, ...header }]),
  ),
  responses: { CallerError: errorResponse(4), ServerError: errorResponse(5) },
};

function isServed({ methodKind }: DescMethod): boolean {
  return methodKind === 'unary' || methodKind === 'server_streaming';
}

function tagOf(service: DescService): Schema {
  const others = service.methods.filter((method) => !isServed(method)).map(({ name }) => `\`${name}\``);
  const note = others.length === 0 ? '' : `\n\nOver gRPC only: ${others.join(', ')}.`;
  return { name: service.name, description: `${plain(commentOf(service))}${note}` };
}

function operationOf(method: DescMethod, examples: readonly Example[]): Schema {
  const { text } = withoutExample(commentOf(method));
  const example = examples.find((each) => each.method === method)?.request;
  const isStream = method.methodKind === 'server_streaming';
  const note = isStream ? `\n\n${STREAM_NOTE}` : '';
  const type = isStream ? 'application/connect+json' : 'application/json';
  return {
    tags: [method.parent.name],
    operationId: method.name,
    summary: firstSentence(text).replace(/\.$/, ''),
    description: plain(`${text}${note}`),
    ...(isStream && { 'x-server-stream': true }),
    parameters: Object.keys(HEADERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: { [type]: { schema: referenceTo(method.input), ...(example !== undefined && { example }) } },
    },
    responses: {
      200: {
        description: isStream ? 'The messages of the stream.' : 'The answer.',
        content: { [type]: { schema: referenceTo(method.output) } },
      },
      '4XX': { $ref: '#/components/responses/CallerError' },
      '5XX': { $ref: '#/components/responses/ServerError' },
    },
  };
}

const STREAM_NOTE =
  'Server stream: request and messages are in envelopes of 5 bytes (flags, length) before the JSON, as the Connect protocol has them, and the ' +
  'last envelope has the flag 2 and the status. The schema is that of one message.';

function errorSchemas(reasons: DescEnum): Record<string, Schema> {
  const values = reasons.values.slice(1).map((value) => ({ name: value.localName, comment: plain(commentOf(value)) }));
  return {
    Error: {
      type: 'object',
      description: 'A failed call.',
      required: ['code'],
      properties: {
        code: { type: 'string', enum: Object.keys(CODES) },
        message: { type: 'string', description: 'What failed, for people.' },
        details: { type: 'array', items: { $ref: '#/components/schemas/ErrorDetail' } },
      },
    },
    ErrorDetail: {
      type: 'object',
      description:
        'One of `google.rpc.ErrorInfo` (the reason), `google.rpc.BadRequest` (the fields and what is wrong with each), ' +
        '`google.rpc.RetryInfo` (when to try again) and `google.rpc.RequestInfo` (id of the call).',
      required: ['type', 'value'],
      properties: {
        type: { type: 'string', description: 'Full name of the message.' },
        value: { type: 'string', contentEncoding: 'base64', description: 'The message in binary form.' },
        debug: {
          type: 'object',
          description: 'The message as JSON.',
          properties: { reason: { $ref: '#/components/schemas/ErrorReason' } },
        },
      },
    },
    ErrorReason: {
      type: 'string',
      description: `${plain(commentOf(reasons))}\n\n${values.map(({ name, comment }) => `- \`${name}\`: ${comment}`).join('\n')}`,
      enum: values.map(({ name }) => name),
    },
  };
}

/** A list or an object with one line for each entry. */
function linesOf(entries: object, [open, close]: readonly [string, string] = ['{', '}']): string {
  const lines = Array.isArray(entries)
    ? entries.map((entry) => JSON.stringify(entry))
    : Object.entries(entries).map(([name, entry]) => `${JSON.stringify(name)}:${JSON.stringify(entry)}`);
  return `${open}\n${lines.join(',\n')}\n${close}`;
}
