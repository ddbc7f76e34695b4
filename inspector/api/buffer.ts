/** In place of the buffers of Node, which the codecs of `gen/ts` make for bytes that are absent. */
export const Buffer = {
  alloc: (length: number): Uint8Array => new Uint8Array(length),
  from: (bytes: Uint8Array): Uint8Array => bytes,
};
