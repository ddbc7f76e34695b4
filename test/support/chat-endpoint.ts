import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ChatRequest {
  readonly path: string;
  readonly authorization: string;
  readonly body: {
    readonly model: string;
    readonly temperature: number;
    readonly max_tokens: number;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
    readonly response_format: { readonly json_schema: { readonly schema: object } };
  };
  /** Messages to extract from, as the prompt has them. */
  readonly lines: readonly { readonly n: number; readonly text: string }[];
}

/** Reaction of the endpoint to a request: the model's text, a whole answer, or none. */
export type ChatReply =
  | { readonly content: unknown; readonly finishReason?: string }
  | { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> }
  | 'hang'
  | 'reset'
  | 'endless';

/**
 * A server that speaks OpenAI's chat protocol on a separate port. It claims `subject attribute value` of three words.
 */
export class ChatEndpoint {
  readonly requests: ChatRequest[] = [];
  reply: (request: ChatRequest, count: number) => ChatReply | undefined = () => undefined;
  private readonly server = createServer((request, response) => void this.answer(request, response));

  static async started(): Promise<ChatEndpoint> {
    const endpoint = new ChatEndpoint();
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
    const body = JSON.parse(text) as ChatRequest['body'];
    const { authorization = '' } = request.headers;
    const asked = { path: request.url ?? '', authorization, body, lines: linesIn(body) };
    this.requests.push(asked);
    const reply = this.reply(asked, this.requests.length) ?? { content: claimsOf(asked) };
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
    const { status, headers, body: sent } = 'status' in reply ? reply : { status: 200, headers: {}, body: chat(reply) };
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof sent === 'string' ? sent : JSON.stringify(sent));
  }
}

function chat({ content, finishReason = 'stop' }: { readonly content: unknown; readonly finishReason?: string }) {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return { choices: [{ message: { role: 'assistant', content: text }, finish_reason: finishReason }] };
}

function linesIn({ messages }: ChatRequest['body']): ChatRequest['lines'] {
  const [, lines = ''] = (messages.at(-1)?.content ?? '').split(/^MESSAGES\n/m);
  return lines.split('\n').map((line) => JSON.parse(line) as ChatRequest['lines'][number]);
}

export function claimsOf({ lines }: Pick<ChatRequest, 'lines'>) {
  const claims = lines.flatMap(({ n, text }) => {
    const [subject, attribute, value, ...more] = text.split(' ');
    if (value === undefined || more.length > 0) return [];
    const times = { valid_from: null, valid_until: null };
    return [{ subject, attribute, value, text, confidence: 0.9, ...times, retracts: false, sources: [n] }];
  });
  return { claims, notes: [] };
}
