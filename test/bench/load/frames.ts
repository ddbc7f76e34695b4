/** The part of HTTP/2 (RFC 9113) that a load generator for gRPC calls with one request needs. */
export const FrameType = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8 } as const;
export const FrameFlag = { endStream: 1, ack: 1, endHeaders: 4 } as const;
export const Setting = { headerTableSize: 1, enablePush: 2, initialWindowSize: 4 } as const;

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
export const FRAME_HEADER_BYTES = 9;
/** Maximum frame size that a peer accepts by default. */
const FRAME_BYTES_MAX = 16_384;

export function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(stream, 5);
  bytes.set(payload, FRAME_HEADER_BYTES);
  return bytes;
}

export function settings(values: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(6 * values.length);
  values.forEach(([id, value], i) => {
    payload.writeUInt16BE(id, 6 * i);
    payload.writeUInt32BE(value, 6 * i + 2);
  });
  return frame(FrameType.settings, 0, 0, payload);
}

export function windowUpdate(stream: number, bytes: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(bytes);
  return frame(FrameType.windowUpdate, 0, stream, payload);
}

/**
 * Header block of a call (HPACK, RFC 7541) that uses no table, so that it is the same for every call of a method. A stream
 * that stays open has no deadline.
 */
export function requestHeaders(
  path: string,
  authority: string,
  { isLasting, isSecure }: { readonly isLasting: boolean; readonly isSecure: boolean },
): Buffer {
  const text = (value: string): Buffer => {
    const bytes = Buffer.from(value);
    if (bytes.length > 126) throw new RangeError('a header value of this length needs a longer prefix');
    return Buffer.concat([Buffer.of(bytes.length), bytes]);
  };
  const named = (name: string, value: string): Buffer => Buffer.concat([Buffer.of(0), text(name), text(value)]);
  return Buffer.concat([
    Buffer.of(0x83, isSecure ? 0x87 : 0x86), // :method POST, :scheme https or http
    Buffer.of(0x04),
    text(path),
    Buffer.of(0x01),
    text(authority),
    named('te', 'trailers'),
    named('content-type', 'application/grpc'),
    named('user-agent', 'mneme-bench'),
    ...(isLasting ? [] : [named('grpc-timeout', '20S')]),
  ]);
}

/** Data frames of a message: length-prefixed as gRPC wants it, the last frame ends the caller's side. */
export function messageFrames(stream: number, message: Uint8Array): Buffer[] {
  const body = Buffer.allocUnsafe(5 + message.length);
  body[0] = 0;
  body.writeUInt32BE(message.length, 1);
  body.set(message, 5);
  const frames: Buffer[] = [];
  for (let at = 0; at < body.length; at += FRAME_BYTES_MAX) {
    const part = body.subarray(at, at + FRAME_BYTES_MAX);
    const isLast = at + FRAME_BYTES_MAX >= body.length;
    frames.push(frame(FrameType.data, isLast ? FrameFlag.endStream : 0, stream, part));
  }
  return frames;
}
