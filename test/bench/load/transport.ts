/** A way to make unary calls with messages that are encoded already. */
export interface Transport {
  /** `path` is `/package.Service/Method`; `onEnd` is called once, with true when the call was answered. */
  call(path: string, message: Uint8Array, onEnd: (isAnswered: boolean) => void): void;
  close(): void;
}
