/** Styles are imported for the bundler, which writes them into a file of their own. */
declare module '*.css';

/** The codecs of `gen/ts` name the buffers of Node; the bundler gives them those of `api/buffer.ts`. */
interface Buffer extends Uint8Array {
  readonly buffer: ArrayBuffer;
}
declare const Buffer: { from(bytes: Uint8Array): Buffer; alloc(length: number): Buffer };
