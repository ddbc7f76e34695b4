import { HashingEmbedder } from '../../src/embedding/hashing.ts';
import { HttpEmbedder } from '../../src/embedding/http.ts';
import { EmbeddingEndpoint } from '../support/embedding-endpoint.ts';
import { embedderSuite } from './embedder.suite.ts';

embedderSuite({
  name: 'hashing',
  create: async () => ({ embedder: new HashingEmbedder(), close: async () => undefined }),
});

embedderSuite({
  name: 'http',
  create: async () => {
    const endpoint = await EmbeddingEndpoint.started();
    const embedder = new HttpEmbedder({ url: endpoint.url, model: 'm', apiKey: '', dimension: 0, timeoutMs: 5000 });
    return { embedder, close: () => endpoint.close() };
  },
});
