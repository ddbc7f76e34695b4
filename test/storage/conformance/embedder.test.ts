import { HashingEmbedder } from '../../../src/search/embedding/hashing.ts';
import { HttpEmbedder } from '../../../src/search/embedding/http.ts';
import { StaticEmbedder } from '../../../src/search/embedding/static/static-embedder.ts';
import { EmbeddingEndpoint } from '../../support/embedding-endpoint.ts';
import { embedderSuite } from './embedder.suite.ts';

embedderSuite({
  name: 'hashing',
  create: async () => ({ embedder: new HashingEmbedder(), close: async () => undefined }),
});

embedderSuite({
  name: 'static',
  create: async () => ({ embedder: new StaticEmbedder(), close: async () => undefined }),
});

embedderSuite({
  name: 'http',
  create: async () => {
    const endpoint = await EmbeddingEndpoint.started();
    const embedder = new HttpEmbedder({ url: endpoint.url, model: 'm', apiKey: '', dimension: 0, timeoutMs: 60_000 });
    return { embedder, close: () => endpoint.close() };
  },
});
