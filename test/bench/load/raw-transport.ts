import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ClientTls } from './client-tls.ts';
import { FrameReader } from './frame-reader.ts';
import {
  FrameFlag,
  FrameType,
  frame,
  messageFrames,
  PREFACE,
  requestHeaders,
  Setting,
  settings,
  windowUpdate,
} from './frames.ts';
import type { Transport } from './transport.ts';

const WINDOW_BYTES = 2 ** 31 - 1;
const WINDOW_AT_FIRST = 65_535;
const READ_BYTES = 65_536;

interface OpenCall {
  readonly onEnd: (isAnswered: boolean) => void;
  /** For streams: called with each part of the answer as it arrives. */
  readonly onBytes?: (bytes: Buffer) => void;
  hasMessage: boolean;
}

interface Peer {
  readonly authority: string;
  readonly isSecure: boolean;
}

/**
 * One HTTP/2 connection at a fraction of the cost of a gRPC client, so that the server is measured. Calls made in one
 * turn of the event loop are sent in one write. A call counts as answered when a message arrived: grpc-js sends none
 * before a status that is not OK.
 */
export class RawTransport implements Transport {
  private readonly socket: Socket;
  private readonly peer: Peer;
  private readonly headers = new Map<string, Buffer>();
  private readonly calls = new Map<number, OpenCall>();
  private outgoing: Buffer[] = [];
  private waiting: { stream: number; frames: Buffer[]; bytes: number }[] = [];
  private nextStream = 1;
  private sendWindow = WINDOW_AT_FIRST;
  private receivedBytes = 0;
  private isFlushing = false;

  static open(address: string, tls?: ClientTls): Promise<RawTransport> {
    const [host = '', port = ''] = address.split(':');
    return new Promise((resolve, reject) => {
      const reader = new FrameReader((...parts) => transport.onFrame(...parts));
      // Reads reuse the same bytes: separate buffers would be garbage, which takes time to collect.
      const onread = {
        buffer: Buffer.alloc(READ_BYTES),
        callback: (bytes: number, buffer: Uint8Array): boolean => {
          reader.read(Buffer.from(buffer.buffer, buffer.byteOffset, bytes));
          return true;
        },
      };
      const to = { host, port: Number(port), noDelay: true, onread };
      const socket = tls
        ? connectTls({ ...to, ca: tls.ca, ...tls.own, ALPNProtocols: ['h2'], servername: '' })
        : connect(to);
      const isSecure = tls !== undefined;
      const transport = new RawTransport(socket, { authority: address, isSecure }, () => resolve(transport));
      socket.once('error', reject);
      socket.once(isSecure ? 'secureConnect' : 'connect', () => transport.greet());
    });
  }

  private readonly onReady: () => void;

  private constructor(socket: Socket, peer: Peer, onReady: () => void) {
    this.socket = socket;
    this.peer = peer;
    this.onReady = onReady;
    socket.on('close', () => {
      for (const { onEnd } of this.calls.values()) onEnd(false);
      this.calls.clear();
    });
  }

  private greet(): void {
    this.socket.write(
      Buffer.concat([
        PREFACE,
        settings([
          [Setting.headerTableSize, 0],
          [Setting.enablePush, 0],
          [Setting.initialWindowSize, WINDOW_BYTES],
        ]),
        windowUpdate(0, WINDOW_BYTES - WINDOW_AT_FIRST),
      ]),
    );
  }

  call(path: string, message: Uint8Array, onEnd: (isAnswered: boolean) => void): void {
    this.begin(path, message, { onEnd, hasMessage: false });
  }

  /**
   * A stream without a deadline. Its answers are passed on as they arrive, with the 5 bytes that gRPC puts before each;
   * one longer than a frame arrives in parts.
   */
  listen(path: string, message: Uint8Array, onBytes: (bytes: Buffer) => void, onEnd: () => void): void {
    this.begin(path, message, { onEnd, onBytes, hasMessage: false });
  }

  private begin(path: string, message: Uint8Array, call: OpenCall): void {
    const stream = this.nextStream;
    this.nextStream += 2;
    this.calls.set(stream, call);
    this.send(frame(FrameType.headers, FrameFlag.endHeaders, stream, this.headersOf(path, call.onBytes !== undefined)));
    this.waiting.push({ stream, frames: messageFrames(stream, message), bytes: message.length + 5 });
    this.sendWaiting();
  }

  /** Reads nothing any more: what the server sends fills the buffers on the way, and then its own. */
  pause(): void {
    this.socket.pause();
  }

  close(): void {
    this.socket.destroy();
  }

  private headersOf(path: string, isLasting: boolean): Buffer {
    const { authority, isSecure } = this.peer;
    const known = this.headers.get(path) ?? requestHeaders(path, authority, { isLasting, isSecure });
    this.headers.set(path, known);
    return known;
  }

  /** Messages are sent whole and in order, as far as the connection window of the server permits. */
  private sendWaiting(): void {
    let sent = 0;
    for (const { frames, bytes } of this.waiting) {
      if (bytes > this.sendWindow) break;
      this.sendWindow -= bytes;
      for (const part of frames) this.send(part);
      sent++;
    }
    if (sent > 0) this.waiting.splice(0, sent);
  }

  private send(bytes: Buffer): void {
    this.outgoing.push(bytes);
    if (this.isFlushing) return;
    this.isFlushing = true;
    process.nextTick(() => {
      this.isFlushing = false;
      const bytes = this.outgoing;
      this.outgoing = [];
      if (!this.socket.destroyed) this.socket.write(Buffer.concat(bytes));
    });
  }

  private onFrame(type: number, flags: number, stream: number, payload: Buffer): void {
    if (type === FrameType.data) this.onData(stream, payload);
    else if (type === FrameType.headers && (flags & FrameFlag.endStream) === 0) return;
    else if (type === FrameType.headers || type === FrameType.reset) {
      const call = this.calls.get(stream);
      this.calls.delete(stream);
      call?.onEnd(type === FrameType.headers && call.hasMessage);
    } else if (type === FrameType.settings && (flags & FrameFlag.ack) === 0) {
      this.send(frame(FrameType.settings, FrameFlag.ack, 0, Buffer.alloc(0)));
      this.onReady();
    } else if (type === FrameType.ping && (flags & FrameFlag.ack) === 0) {
      this.send(frame(FrameType.ping, FrameFlag.ack, 0, Buffer.from(payload)));
    } else if (type === FrameType.windowUpdate && stream === 0) {
      this.sendWindow += payload.readUInt32BE();
      this.sendWaiting();
    } else if (type === FrameType.goAway) this.socket.destroy();
  }

  private onData(stream: number, payload: Buffer): void {
    const call = this.calls.get(stream);
    if (call && payload.length > 0) call.hasMessage = true;
    call?.onBytes?.(payload);
    this.receivedBytes += payload.length;
    if (this.receivedBytes < WINDOW_BYTES / 2) return;
    this.send(windowUpdate(0, this.receivedBytes));
    this.receivedBytes = 0;
  }
}
