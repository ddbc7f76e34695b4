import type { IncomingHttpHeaders } from 'node:http';
import { HashingEmbedder } from '../../src/search/embedding/hashing.ts';
import { JsonEndpoint, type JsonReply, type JsonRequest } from './json-endpoint.ts';

export interface EmbeddingRequest {
  readonly path: string;
  readonly authorization: string;
  readonly model: string;
  readonly input: string[];
}

/**
 * Speaks OpenAI's embeddings protocol. Its vectors are those of the hashing embedder, not normalized. `reply` may answer
 * differently.
 */
export class EmbeddingEndpoint extends JsonEndpoint {
  readonly requests: EmbeddingRequest[] = [];
  /** Headers of the requests. */
  readonly headers: IncomingHttpHeaders[] = [];
  reply: (request: EmbeddingRequest, count: number) => JsonReply | undefined = () => undefined;

  static started(): Promise<EmbeddingEndpoint> {
    return new EmbeddingEndpoint().start();
  }

  protected async replyTo({ path, authorization, headers, body }: JsonRequest): Promise<JsonReply> {
    const { model, input } = body as Pick<EmbeddingRequest, 'model' | 'input'>;
    const asked = { path, authorization, model, input };
    this.requests.push(asked);
    this.headers.push(headers);
    return this.reply(asked, this.requests.length) ?? { body: { data: await embeddingsOf(input) } };
  }
}

export async function embeddingsOf(input: readonly string[]): Promise<{ index: number; embedding: number[] }[]> {
  const vectors = await new HashingEmbedder().embed(input, new AbortController().signal);
  return vectors.map((vector, index) => ({ index, embedding: Array.from(vector ?? [], (value) => 3 * value) }));
}
