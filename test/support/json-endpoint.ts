import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Reaction of an endpoint to a request: an answer, or none. */
export type JsonReply =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body: unknown }
  | 'hang'
  | 'reset'
  | 'endless';

/** A request to an endpoint, before its protocol is known. */
export interface JsonRequest {
  readonly path: string;
  readonly authorization: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** An HTTP server on a separate port that takes and answers JSON, well or badly. */
export abstract class JsonEndpoint {
  private readonly server = createServer((request, response) => void this.answer(request, response));

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  protected abstract replyTo(request: JsonRequest): Promise<JsonReply>;

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const piece of request.setEncoding('utf8')) text += piece;
    const { url = '', headers } = request;
    const { authorization = '' } = headers;
    const reply = await this.replyTo({ path: url, authorization, headers, body: JSON.parse(text) });
    if (reply === 'hang') return;
    if (reply === 'reset') {
      request.socket.resetAndDestroy();
      return;
    }
    if (reply === 'endless') {
      response.writeHead(200);
      while (!response.destroyed && response.write('x'.repeat(65_536))) await new Promise(setImmediate);
      response.on('drain', () => response.write('x'.repeat(65_536)));
      return;
    }
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
    response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
  }
}
