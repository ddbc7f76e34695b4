import { TrustLevel } from '../../../../gen/ts/mneme/v1/knowledge_service.ts';
import type { Memory } from '../../../../gen/ts/mneme/v1/memory.ts';
import type { BatchStoreMemoriesRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import type { DeleteNamespaceRequest } from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import type { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { bareMemoryMessage } from '../../../client/support/proto-memory.ts';
import { type Services, unary } from '../../../client/support/start-service.ts';

/** A service that keeps memories by namespace and recalls those that share most words with the text. */
export function wordServer() {
  const kept = new Map<string, Memory[]>();
  const stores: BatchStoreMemoriesRequest[] = [];
  const recalls: RecallRequest[] = [];
  const deleted: string[] = [];
  const batchStore = unary<BatchStoreMemoriesRequest, object>((request) => {
    stores.push(request);
    const memories = kept.get(request.parent) ?? [];
    kept.set(request.parent, memories);
    const receipts = request.requests.map(({ memory }) => {
      const name = `${request.parent}/memories/m${memories.length}`;
      if (memory !== undefined) memories.push({ ...memory, name });
      return { name, version: 0n, checksum: '', embeddingPending: false };
    });
    return { memories: receipts, revision: BigInt(stores.length), degraded: [] };
  });
  const recall = unary<RecallRequest, object>((request) => {
    recalls.push(request);
    const hits = (kept.get(request.parent) ?? [])
      .map(({ name, text }) => ({ name, score: sharedWords(text, request.text) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, request.limit)
      .map(({ name, score }) => ({
        memory: { ...bareMemoryMessage('m'), name },
        score,
        relevance: score / (1 + score),
        trust: TrustLevel.TRUST_LEVEL_UNTRUSTED,
        components: [],
        features: [],
        matchedTerms: [],
        before: [],
        after: [],
        equalCount: 0,
        outdatedBy: '',
      }));
    return {
      hits,
      revision: 1n,
      lanes: [1],
      degraded: [],
      candidateCount: hits.length,
      lowRelevanceCount: 0,
      passages: [],
      tokenCount: 0,
      promoted: [],
      damaged: [],
    };
  });
  const deleteNamespace = unary<DeleteNamespaceRequest, object>(({ name }) => {
    deleted.push(name);
    return { forgottenCount: 0, revision: 1n };
  });
  const getServerInfo = unary(() => ({
    version: '9.9.9',
    revision: 0n,
    backends: [],
    capabilities: [],
    degraded: [],
    limits: [],
  }));
  const services: Services = {
    memory: { batchStoreMemories: batchStore },
    recall: { recall },
    namespaces: { deleteNamespace },
    admin: { getServerInfo },
  };
  return { services, stores, recalls, deleted };
}

function sharedWords(text: string, other: string): number {
  const words = new Set(text.toLowerCase().split(/\W+/));
  return other
    .toLowerCase()
    .split(/\W+/)
    .filter((word) => words.has(word)).length;
}
