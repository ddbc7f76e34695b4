import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An HTTP server that takes webhooks, and answers as its test says. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  /** Answers the nth request, from 1. */
  answer: (response: ServerResponse, n: number) => void = (response) => void response.writeHead(204).end();
  private readonly waiting = new Set<() => void>();
  private readonly server = createServer((request, response) => void this.take(request, response));

  static async started(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.server.listen(0, '127.0.0.1');
    await once(receiver.server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  /** Resolves when the requests are as the test expects. */
  until(isSo: (received: readonly ReceivedWebhook[]) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!isSo(this.received)) return;
        this.waiting.delete(look);
        resolve();
      };
      this.waiting.add(look);
      look();
    });
  }

  /** Texts of the memories of all changes, in the order of their arrival. */
  texts(): string[] {
    return this.received.flatMap(({ body }) =>
      (JSON.parse(body) as { changes: { memory?: { text?: string } }[] }).changes.map(
        ({ memory }) => memory?.text ?? '',
      ),
    );
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    this.received.push({ path: request.url ?? '', headers: request.headers, body });
    this.answer(response, this.received.length);
    for (const look of [...this.waiting]) look();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
