import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';

export interface HubRequest {
  readonly path: string;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  readonly authorization: string | undefined;
}

/** Reaction of the hub to a request instead of sending the file. */
export type HubReply =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  /** Breaks the connection, or becomes silent, after that many bytes of its answer; breaks it once they are `heard`. */
  | { readonly breakAfter: number; readonly heard?: Promise<void> }
  | { readonly silentAfter: number }
  /** Sends the whole file, whatever part was requested. */
  | 'whole'
  /** Does not report its length. */
  | 'no length';

/** Files that are enough for the stand-in of the package; the last is large enough to be sent in several pieces. */
export const HUB_FILES: Readonly<Record<string, Buffer>> = {
  'config.json': Buffer.from('{"model_type":"bert"}'),
  'tokenizer.json': Buffer.from('{"version":"1.0"}'),
  'tokenizer_config.json': Buffer.from('{}'),
  'onnx/model.onnx': Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7919) % 251)),
};

/** Files of the model as if they had come before. */
export function placeModel(folder: string, files: readonly string[] = Object.keys(HUB_FILES)): void {
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), HUB_FILES[file] ?? '');
  }
}

/**
 * Acts as the hub on a separate port: `/<model>/resolve/main/<file>` for any model, with ranges. `reply` may answer
 * differently.
 */
export class ModelHub {
  readonly requests: HubRequest[] = [];
  files: Readonly<Record<string, Buffer>> = HUB_FILES;
  reply: (file: string, count: number) => HubReply | undefined = () => undefined;
  private readonly server = createServer((request, response) => this.answer(request, response));

  static async started(): Promise<ModelHub> {
    const hub = new ModelHub();
    hub.server.listen(0, '127.0.0.1');
    await once(hub.server, 'listening');
    return hub;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private answer({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
    const { range, 'if-range': ifRange, authorization } = headers;
    this.requests.push({ path: url, range, ifRange: ifRange as string | undefined, authorization });
    const [, file = ''] = /\/resolve\/main\/(.+)$/.exec(url) ?? [];
    const reply = this.reply(file, this.requests.length);
    const whole = this.files[file];
    if (typeof reply === 'object' && 'status' in reply) {
      response.writeHead(reply.status, reply.headers).end(reply.body ?? '');
    } else if (whole) {
      give(whole, range, reply, response);
    } else {
      response.writeHead(404).end('Entry not found');
    }
  }
}

function give(whole: Buffer, range: string | undefined, reply: HubReply | undefined, response: ServerResponse): void {
  const [, from] = /^bytes=(\d+)-$/.exec(range ?? '') ?? [];
  const start = from === undefined || reply === 'whole' ? 0 : Number(from);
  const rest = whole.subarray(start);
  if (start > 0) response.setHeader('content-range', `bytes ${start}-${whole.length - 1}/${whole.length}`);
  if (reply !== 'no length') response.setHeader('content-length', rest.length);
  response.writeHead(start > 0 ? 206 : 200, { etag: `"${whole.length}"` });
  if (typeof reply !== 'object') response.end(rest);
  else if ('breakAfter' in reply) {
    const { breakAfter, heard = Promise.resolve() } = reply;
    response.write(rest.subarray(0, breakAfter), () => void heard.then(() => response.destroy()));
  } else if ('silentAfter' in reply) response.write(rest.subarray(0, reply.silentAfter));
}
