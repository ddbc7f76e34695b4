import type { Mneme } from '../../clients/typescript/src/index.ts';

/** A vector of its own for each number. */
export const vectorOf = (n: number) =>
  Array.from({ length: 16 }, (_, d) => Math.cos(n * 1.7 + d * d * 0.37 + n * d * 0.11));

/** All that a client can read of the memories of `migrate-contents.ts`, as JSON. */
export async function folderContents(mneme: Mneme): Promise<unknown> {
  const [vectors, texts] = [mneme.withNamespace('vectors'), mneme.withNamespace('texts')];
  const wm = texts.session('s');
  return plain({
    memories: [...(await memoriesOf(vectors)), ...(await memoriesOf(texts))],
    messages: await collect(texts.conversations.list('talk')),
    facts: (await collect(texts.facts.list())).map(({ subject, attribute, value }) => [subject, attribute, value]),
    working: (await collect(wm.getAll())).map(({ key, value }) => [key, value.json()]),
    notes: (await collect(wm.listScratchpad())).map(({ content }) => content.text()),
    checkpoints: (await collect(wm.listCheckpoints())).map(({ id }) => id),
    recalled: await recalled(vectors, texts),
  });
}

/** Ids of the hits of recalls by words, vectors, states and filters; recency does not count. */
async function recalled(vectors: Mneme, texts: Mneme): Promise<unknown> {
  const weights = { recency: 0 };
  const byVector = (n: number) => ({ embedding: { model: 'fixture', values: vectorOf(n) }, weights });
  const answers = [
    vectors.recall({ text: 'where does Nina work', weights, minRelevance: 0 }),
    vectors.recall({ text: 'when does the market open', weights, minRelevance: 0, limit: 3 }),
    vectors.recall(byVector(4)),
    vectors.recall({ ...byVector(4), exact: true }),
    vectors.recall({ ...byVector(9), filter: 'step >= 3 AND tags:odd' }),
    texts.recall({ text: 'what is the password of the boat house', weights, minRelevance: 0, limit: 2 }),
    texts.recall({ text: 'what does the cat like', weights, minRelevance: 0, limit: 3 }),
    texts.recall({ example: { content: { position: [101, 100], health: 0.8, room: 'hall' } }, weights, limit: 3 }),
  ];
  return (await Promise.all(answers)).map(({ hits }) => hits.map(({ memory }) => memory.id));
}

async function memoriesOf(mneme: Mneme): Promise<unknown[]> {
  return (await collect(mneme.list({ view: 'full' }))).map(({ content, lastAccessTime, retrievalCount, ...memory }) => {
    return { ...memory, content: content && [content.mediaType, Buffer.from(content.data).toString('base64')] };
  });
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** As JSON gives it back. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, one: unknown) => (one instanceof Float32Array ? [...one] : one)));
}
