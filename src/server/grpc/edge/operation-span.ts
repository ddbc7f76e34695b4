import { recordedSpan, type SpanOptions, traced } from '../../../search/threads/span.ts';

/** Names of operations in the conventions of OpenTelemetry for generative models; other methods have none. */
const OPERATIONS: Readonly<Record<string, string>> = {
  'mneme.v1.MemoryService/StoreMemory': 'create_memory',
  'mneme.v1.MemoryService/BatchStoreMemories': 'create_memory',
  'mneme.v1.MemoryService/SupersedeMemory': 'create_memory',
  'mneme.v1.MemoryService/UpdateMemory': 'update_memory',
  'mneme.v1.MemoryService/SetMemoryImportance': 'update_memory',
  'mneme.v1.MemoryService/DeleteMemory': 'delete_memory',
  'mneme.v1.MemoryService/ForgetMemories': 'delete_memory',
  'mneme.v1.RecallService/Recall': 'search_memory',
  'mneme.v1.ConversationService/AppendMessages': 'create_memory',
  'mneme.v1.KnowledgeService/AssertFact': 'upsert_memory',
  'mneme.v1.KnowledgeService/ForgetFacts': 'delete_memory',
  'mneme.v1.KnowledgeService/FindProcedures': 'search_memory',
  'mneme.v1.NamespaceService/CreateNamespace': 'create_memory_store',
  'mneme.v1.NamespaceService/DeleteNamespace': 'delete_memory_store',
};

/** The fields of requests and answers that a span has: names and counts, no contents. */
interface Described {
  readonly parent?: unknown;
  readonly namespace?: unknown;
  readonly name?: unknown;
  readonly requests?: unknown;
  readonly messages?: unknown;
  readonly hits?: unknown;
  readonly memories?: unknown;
}

/** Runs an operation in a span of its own, where its call is traced: what is outside is the work of the transport. */
export function inOperationSpan<A>(method: string, request: object, work: () => A | Promise<A>): A | Promise<A> {
  if (!recordedSpan()) return work();
  return traced(
    () => describe(method, request as Described),
    async (span) => {
      const answer = await work();
      const count = countOf(request) ?? countOf(answer ?? {});
      if (count !== undefined) span?.set({ 'gen_ai.memory.record.count': count });
      return answer;
    },
  );
}

const NAMESPACE = /^namespaces\/([a-z0-9][a-z0-9._-]{0,62})(?:\/memories\/([A-Za-z0-9._~:-]{1,128}))?/;

function describe(method: string, { parent, namespace, name }: Described): SpanOptions & { readonly name: string } {
  const operation = OPERATIONS[method];
  const resource = [parent, namespace, name].find((text): text is string => typeof text === 'string' && text !== '');
  const [, store, record] = NAMESPACE.exec(resource ?? '') ?? [];
  return {
    name: operation ?? method.slice(method.indexOf('/') + 1),
    attributes: {
      ...(operation !== undefined && { 'gen_ai.operation.name': operation, 'gen_ai.provider.name': 'mneme' }),
      ...(store !== undefined && { 'gen_ai.memory.store.id': store }),
      ...(record !== undefined && { 'gen_ai.memory.record.id': record }),
    },
  };
}

function countOf({ requests, messages, hits, memories }: Described): number | undefined {
  const list = [requests, messages, hits, memories].find((value) => Array.isArray(value));
  return list?.length;
}
