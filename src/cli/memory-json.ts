import type { Content, Embedding, Memory, RecallHit } from '../../clients/typescript/src/index.ts';

/** A memory as `--json` prints it; `docs/cli.md` documents the shape. */
export function memoryJson(memory: Memory): Record<string, unknown> {
  const { name, id, namespace, tier, checksum, version } = memory;
  return { name, namespace, ...memoryLine({ ...memory, id }), tier, checksum, version };
}

/**
 * A memory as a line of an export: what another server needs to have the same memory, bit for bit. What the server
 * works out itself and what differs between servers is left out.
 */
export function memoryLine(memory: Memory): Record<string, unknown> {
  const { content, embedding } = memory;
  return {
    id: memory.id,
    type: memory.type,
    text: memory.text,
    scope: memory.scope,
    step: memory.step,
    eventTime: memory.eventTime,
    createTime: memory.createTime,
    updateTime: memory.updateTime,
    content: content && contentJson(content),
    tags: memory.tags,
    embedding: embedding && embeddingJson(embedding),
    place: memory.place,
    importance: memory.importance,
    priority: memory.priority,
    source: memory.source,
    retrievalCount: memory.retrievalCount,
    lastAccessTime: memory.lastAccessTime,
    expireTime: memory.expireTime,
    validFrom: memory.validFrom,
    validUntil: memory.validUntil,
    supersededBy: memory.supersededBy,
    compaction: memory.compaction,
  };
}

export function hitJson(hit: RecallHit, explain: boolean): Record<string, unknown> {
  const { score, relevance, memory, passage, components, features, matchedTerms, restored, before, after } = hit;
  return {
    score,
    relevance,
    memory: memoryJson(memory),
    ...(passage && { passage }),
    ...(explain && {
      components,
      features: features.map(({ rank: _, ...feature }) => feature),
      matchedTerms,
      restored,
    }),
    ...(before.length + after.length > 0 && { before: before.map(memoryJson), after: after.map(memoryJson) }),
  };
}

/** As text where that is exactly the bytes, so that people and `jq` can read it. */
function contentJson({ mediaType, data }: Content): Record<string, string> {
  const text = Buffer.from(data).toString('utf8');
  const isExact = Buffer.from(text, 'utf8').equals(data);
  return isExact ? { mediaType, text } : { mediaType, data: Buffer.from(data).toString('base64') };
}

function embeddingJson({ model, values }: Embedding): Record<string, string | number> {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeFloatLE(value, index * 4);
  return { model, dimension: values.length, data: bytes.toString('base64') };
}
