/** The gRPC message prefix: a byte of flags and four of length. */
const PREFIX_BYTES = 5;

/** Joins the data of one stream to its messages, each of which is valid until the next data. */
export class MessageReader {
  private readonly onMessage: (message: Buffer) => void;
  private rest: Buffer = Buffer.alloc(0);

  constructor(onMessage: (message: Buffer) => void) {
    this.onMessage = onMessage;
  }

  read(chunk: Buffer): void {
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    let at = 0;
    while (bytes.length - at >= PREFIX_BYTES) {
      const end = at + PREFIX_BYTES + bytes.readUInt32BE(at + 1);
      if (end > bytes.length) break;
      this.onMessage(bytes.subarray(at + PREFIX_BYTES, end));
      at = end;
    }
    // The chunk's bytes may be others by the time of the next one.
    this.rest = Buffer.from(bytes.subarray(at));
  }
}
