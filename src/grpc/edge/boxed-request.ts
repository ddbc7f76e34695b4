const NO_BYTES = Buffer.alloc(0);

/** grpc-js holds on to the request for as long as its stream is open: what it holds is emptied when it is read. */
export class BoxedRequest {
  private bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  take(): Buffer {
    const { bytes } = this;
    this.bytes = NO_BYTES;
    return bytes;
  }
}

export const boxed = (bytes: Buffer): BoxedRequest => new BoxedRequest(bytes);
