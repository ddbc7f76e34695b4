import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HashingEmbedder } from '../../src/embedding/hashing.ts';

export interface EmbeddingRequest {
  readonly path: string;
  readonly authorization: string;
  readonly model: string;
  readonly input: string[];
}

/** Reaction of the endpoint to a request: an answer, or none. */
export type Reply =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body: unknown }
  | 'hang'
  | 'reset';

/**
 * A server that speaks OpenAI's embeddings protocol on a separate port. Its vectors are those of the hashing embedder,
 * not normalized. `reply` may answer differently.
 */
export class EmbeddingEndpoint {
  readonly requests: EmbeddingRequest[] = [];
  reply: (request: EmbeddingRequest, count: number) => Reply | undefined = () => undefined;
  private readonly server = createServer((request, response) => void this.answer(request, response));

  static async started(): Promise<EmbeddingEndpoint> {
    const endpoint = new EmbeddingEndpoint();
    endpoint.server.listen(0, '127.0.0.1');
    await once(endpoint.server, 'listening');
    return endpoint;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const piece of request.setEncoding('utf8')) text += piece;
    const { model, input } = JSON.parse(text) as { model: string; input: string[] };
    const { authorization = '' } = request.headers;
    const asked = { path: request.url ?? '', authorization, model, input };
    this.requests.push(asked);
    const reply = this.reply(asked, this.requests.length) ?? { body: { data: await embeddingsOf(input) } };
    if (reply === 'hang') return;
    if (reply === 'reset') {
      request.socket.resetAndDestroy();
      return;
    }
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
    response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
  }
}

export async function embeddingsOf(input: readonly string[]): Promise<{ index: number; embedding: number[] }[]> {
  const vectors = await new HashingEmbedder().embed(input, new AbortController().signal);
  return vectors.map((vector, index) => ({ index, embedding: Array.from(vector ?? [], (value) => 3 * value) }));
}
