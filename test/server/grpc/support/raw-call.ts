import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';

/** Opens a call without grpc-js on this side; `method` as in `mneme.v1.MemoryService/GetMemory`. */
export function rawCall(
  session: ClientHttp2Session,
  method: string,
  headers: Record<string, string> = {},
): ClientHttp2Stream {
  return session.request({
    [constants.HTTP2_HEADER_METHOD]: 'POST',
    [constants.HTTP2_HEADER_PATH]: `/${method}`,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
}

/** An uncompressed message in wire format. */
export function framed(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}
