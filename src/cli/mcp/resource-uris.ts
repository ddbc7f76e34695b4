/** URIs of MCP resources: single memories, and standing recalls. */

/** A recall that is encoded in a URI. */
export interface RecallUri {
  readonly kind: 'recall';
  readonly namespace: string;
  readonly text?: string;
  readonly filterText?: string;
  readonly limit?: number;
  readonly minRelevance?: number;
}

export interface MemoryUri {
  readonly kind: 'memory';
  readonly namespace: string;
  readonly id: string;
}

/** Not a URI of Mneme, or with a parameter that it does not have. */
export class ResourceUriError extends Error {
  override readonly name = 'ResourceUriError';
}

export const MEMORY_TEMPLATE = 'mneme://namespaces/{namespace}/memories/{id}';
export const RECALL_TEMPLATE = 'mneme://namespaces/{namespace}/recall{?text,filter_text,limit,min_relevance}';

const PARAMETERS = new Set(['text', 'filter_text', 'limit', 'min_relevance']);

export function memoryUri(namespace: string, id: string): string {
  return `mneme://namespaces/${encodeURIComponent(namespace)}/memories/${encodeURIComponent(id)}`;
}

/** The target of a URI; `undefined` when it is not of this scheme or form. */
export function parseResourceUri(uri: string): RecallUri | MemoryUri | undefined {
  const [, namespace, rest] = /^mneme:\/\/namespaces\/([^/?#]+)\/([^#]+)$/.exec(uri) ?? [];
  if (namespace === undefined || rest === undefined) return undefined;
  const [, id] = /^memories\/([^/?]+)$/.exec(rest) ?? [];
  if (id !== undefined) return { kind: 'memory', namespace: decoded(namespace), id: decoded(id) };
  const [, query] = /^recall\?(.+)$/.exec(rest) ?? [];
  return query === undefined ? undefined : recallOf(decoded(namespace), new URLSearchParams(query));
}

function recallOf(namespace: string, parameters: URLSearchParams): RecallUri {
  for (const name of parameters.keys()) {
    if (!PARAMETERS.has(name)) {
      throw new ResourceUriError(`${name} is not a parameter of a recall: expected ${[...PARAMETERS].join(', ')}`);
    }
    if (parameters.getAll(name).length > 1) throw new ResourceUriError(`${name} is set twice`);
  }
  const text = parameters.get('text') ?? '';
  const filterText = parameters.get('filter_text') ?? '';
  if (text === '' && filterText === '') throw new ResourceUriError('text: expected a text, or a filter_text');
  const limit = numberOf(parameters, 'limit');
  const minRelevance = numberOf(parameters, 'min_relevance');
  return {
    kind: 'recall',
    namespace,
    ...(text !== '' && { text }),
    ...(filterText !== '' && { filterText }),
    limit,
    minRelevance,
  };
}

function numberOf(parameters: URLSearchParams, name: string): number | undefined {
  const provided = parameters.get(name);
  if (provided === null) return undefined;
  const value = Number(provided);
  const isValid =
    name === 'limit' ? Number.isInteger(value) && value >= 1 && value <= RECALL_LIMIT_MAX : isShare(value);
  if (provided !== '' && isValid) return value;
  const expected = name === 'limit' ? `a whole number from 1 to ${RECALL_LIMIT_MAX}` : 'a number from 0 to 1';
  throw new ResourceUriError(`${name}: expected ${expected}, got ${JSON.stringify(provided)}`);
}

function isShare(value: number): boolean {
  return value >= 0 && value <= 1;
}

/** Maximum number of memories of one recall: more would fill the context of a model. */
export const RECALL_LIMIT_MAX = 100;

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new ResourceUriError(`${part} is not percent-encoded UTF-8`);
  }
}
