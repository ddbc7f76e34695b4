import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
  UriTemplate,
} from '@modelcontextprotocol/server';
import type { CallOptions, Memory } from '../../../clients/typescript/src/index.ts';
import { MnemeError } from '../../../clients/typescript/src/index.ts';
import { isNamespaceMissing, memoryAnswer, recallAnswer } from './memory-answer.ts';
import { MEMORY_TEMPLATE, memoryUri, parseResourceUri, RECALL_TEMPLATE, ResourceUriError } from './resource-uris.ts';
import { clientFor, type ServedNamespaces } from './served-namespaces.ts';
import { errorText, type McpDeps } from './tool.ts';

const PAGE_SIZE = 50;
const COMPLETIONS_MAX = 100;
const TITLE_LENGTH = 80;
const JSON_TYPE = 'application/json';

/** Memories as resources, listed page by page, and recalls as resources that can be subscribed to. */
export function registerResources(server: McpServer, deps: McpDeps): void {
  const read = (uri: string, options: CallOptions) => answered(deps, () => readResource(deps, uri, options));
  server.registerResource(
    'memory',
    new ResourceTemplate(MEMORY_TEMPLATE, {
      list: undefined,
      complete: {
        namespace: (start) => answered(deps, () => namespacesFrom(deps, start)),
        id: (start, context) => answered(deps, () => idsFrom(deps, start, context?.arguments?.['namespace'])),
      },
    }),
    { title: 'A memory', description: 'One memory, whole, as JSON.', mimeType: JSON_TYPE },
    (uri, _variables, context) => read(uri.href, { signal: context.mcpReq.signal }),
  );
  server.registerResource(
    'recall',
    new ResourceTemplate(new RecallTemplate(RECALL_TEMPLATE), {
      list: undefined,
      complete: { namespace: (start) => answered(deps, () => namespacesFrom(deps, start)) },
    }),
    {
      title: 'A recall',
      description:
        'The memories that answer a text, as the recall tool gives them. Subscribe to be notified of changes.',
      mimeType: JSON_TYPE,
    },
    (uri, _variables, context) => read(uri.href, { signal: context.mcpReq.signal }),
  );
  // The SDK lists everything at once: memories are listed in pages.
  server.server.setRequestHandler('resources/list', (request, context) =>
    answered(deps, () => listMemories(deps, request.params?.cursor, { signal: context.mcpReq.signal })),
  );
}

/** The SDK matches only URIs that have every parameter of the query, in this order. */
class RecallTemplate extends UriTemplate {
  override match(uri: string): Record<string, string> | null {
    return /^mneme:\/\/namespaces\/[^/?#]+\/recall\?/.test(uri) ? {} : null;
  }
}

async function readResource(deps: McpDeps, uri: string, options: CallOptions): Promise<ReadResourceResult> {
  const named = parseResourceUri(uri);
  if (named === undefined) throw new ResourceNotFoundError(uri);
  const client = clientFor(deps, named.namespace);
  try {
    const value =
      named.kind === 'memory'
        ? memoryAnswer(await client.get(named.id, options))
        : await recallAnswer(client, named, options);
    return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(value) }] };
  } catch (error) {
    if (error instanceof MnemeError && error.code === 'NOT_FOUND') throw new ResourceNotFoundError(uri);
    throw error;
  }
}

async function listMemories({ mneme }: McpDeps, cursor: string | undefined, options: CallOptions) {
  try {
    const page = { pageSize: PAGE_SIZE, pageToken: cursor };
    const { memories, nextPageToken } = await mneme.listPage(page, options);
    return { resources: memories.map(listed), ...(nextPageToken !== '' && { nextCursor: nextPageToken }) };
  } catch (error) {
    if (cursor === undefined && isNamespaceMissing(error)) return { resources: [] };
    throw error;
  }
}

function listed({ namespace, id, text, importance, updateTime }: Memory) {
  const title = text.length > TITLE_LENGTH ? `${text.slice(0, TITLE_LENGTH - 1)}…` : text;
  return {
    uri: memoryUri(namespace, id),
    name: id,
    ...(title !== '' && { title }),
    mimeType: JSON_TYPE,
    annotations: { priority: importance, lastModified: updateTime.toISOString() },
  };
}

async function namespacesFrom({ mneme, allNamespaces }: ServedNamespaces, start: string): Promise<string[]> {
  if (!allNamespaces) return mneme.namespace.startsWith(start) ? [mneme.namespace] : [];
  const found: string[] = [];
  for await (const { id } of mneme.namespaces.list()) {
    if (id.startsWith(start)) found.push(id);
    if (found.length === COMPLETIONS_MAX) break;
  }
  return found;
}

async function idsFrom(deps: McpDeps, start: string, namespace = deps.mneme.namespace): Promise<string[]> {
  const client = clientFor(deps, namespace);
  const filter = start === '' ? {} : { filter: `starts_with(id, ${JSON.stringify(start)})` };
  try {
    const { memories } = await client.listPage({ pageSize: COMPLETIONS_MAX, ...filter });
    return memories.map(({ id }) => id);
  } catch (error) {
    if (isNamespaceMissing(error)) return [];
    throw error;
  }
}

/** Failures as errors of the protocol, in words. */
export async function answered<Result>({ explain }: McpDeps, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const isRefused =
      error instanceof ResourceUriError || (error instanceof MnemeError && error.code === 'INVALID_ARGUMENT');
    const code = isRefused ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    throw new ProtocolError(code, errorText(await explain(error)));
  }
}
