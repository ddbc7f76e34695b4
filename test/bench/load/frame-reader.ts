import { FRAME_HEADER_BYTES } from './frames.ts';

type OnFrame = (type: number, flags: number, stream: number, payload: Buffer) => void;

/** Splits socket data into frames, which are valid until the next chunk; a partial one waits for the rest. */
export class FrameReader {
  private readonly onFrame: OnFrame;
  private rest: Buffer = Buffer.alloc(0);

  constructor(onFrame: OnFrame) {
    this.onFrame = onFrame;
  }

  read(chunk: Buffer): void {
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    let at = 0;
    while (bytes.length - at >= FRAME_HEADER_BYTES) {
      const length = bytes.readUIntBE(at, 3);
      const end = at + FRAME_HEADER_BYTES + length;
      if (end > bytes.length) break;
      const stream = bytes.readUInt32BE(at + 5) & 0x7fffffff;
      this.onFrame(bytes[at + 3] ?? 0, bytes[at + 4] ?? 0, stream, bytes.subarray(at + FRAME_HEADER_BYTES, end));
      at = end;
    }
    // The chunk's bytes may be others by the time of the next one.
    this.rest = Buffer.from(bytes.subarray(at));
  }
}
