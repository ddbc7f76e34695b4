import type { Socket } from 'node:net';

/** What a connection of HTTP/2 begins with. */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/**
 * Calls back when the first bytes of a connection tell HTTP/2 from HTTP/1.1, with the bytes back in the socket. A
 * connection that does not send them is closed by the limit of handshakes.
 */
export function readFirstBytes(socket: Socket, onKnown: (isHttp2: boolean) => void): void {
  let bytes: Buffer = Buffer.alloc(0);
  const ignore = (): void => undefined;
  const stop = (): void => {
    socket.off('readable', look).off('end', end);
  };
  const end = (): void => {
    stop();
    socket.destroy();
  };
  const look = (): void => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) return;
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
    const count = Math.min(bytes.length, PREFACE.length);
    const isHttp2 = bytes.compare(PREFACE, 0, count, 0, count) === 0;
    if (isHttp2 && count < PREFACE.length) return;
    stop();
    socket.unshift(bytes);
    onKnown(isHttp2);
    socket.off('error', ignore);
  };
  socket.on('error', ignore).on('readable', look).on('end', end);
}
