import { connect, type Socket } from 'node:net';
import type { Transport } from './transport.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = /^content-length: (\d+)\r?$/im;

/** Calls by the Connect protocol over HTTP/1.1, with one connection for each call in flight, at a fraction of the cost of a client. */
export class HttpTransport implements Transport {
  private readonly address: string;
  private readonly contentType: string;
  private readonly idle: Connection[] = [];
  private readonly all: Connection[] = [];

  constructor(address: string, contentType: string) {
    this.address = address;
    this.contentType = contentType;
  }

  call(path: string, message: Uint8Array, onEnd: (isAnswered: boolean) => void): void {
    const connection = this.idle.pop() ?? this.open();
    const head =
      `POST ${path} HTTP/1.1\r\nhost: ${this.address}\r\ncontent-type: ${this.contentType}\r\n` +
      `content-length: ${message.length}\r\n\r\n`;
    connection.send(Buffer.concat([Buffer.from(head, 'latin1'), message]), (isAnswered) => {
      this.idle.push(connection);
      onEnd(isAnswered);
    });
  }

  close(): void {
    for (const connection of this.all) connection.close();
  }

  private open(): Connection {
    const connection = new Connection(this.address);
    this.all.push(connection);
    return connection;
  }
}

/** One connection, with one call at a time. */
class Connection {
  private readonly socket: Socket;
  private onEnd: ((isAnswered: boolean) => void) | undefined;
  private received: Buffer = Buffer.alloc(0);

  constructor(address: string) {
    const [host = '', port = ''] = address.split(':');
    this.socket = connect({ host, port: Number(port), noDelay: true });
    this.socket.on('data', (chunk: Buffer) => this.read(chunk));
    this.socket.on('error', () => undefined).on('close', () => this.end(false));
  }

  send(bytes: Buffer, onEnd: (isAnswered: boolean) => void): void {
    this.onEnd = onEnd;
    this.socket.write(bytes);
  }

  close(): void {
    this.socket.destroy();
  }

  private read(chunk: Buffer): void {
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
    const at = this.received.indexOf(HEAD_END);
    if (at < 0) return;
    const head = this.received.toString('latin1', 0, at);
    const length = Number(LENGTH.exec(head)?.[1] ?? Number.NaN);
    if (this.received.length < at + HEAD_END.length + length) return;
    this.received = Buffer.alloc(0);
    this.end(head.startsWith('HTTP/1.1 200 '));
  }

  private end(isAnswered: boolean): void {
    const { onEnd } = this;
    this.onEnd = undefined;
    onEnd?.(isAnswered);
  }
}
