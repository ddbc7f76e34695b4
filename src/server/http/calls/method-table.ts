import type { sendUnaryData } from '@grpc/grpc-js';
import type { Methods, StreamTransport, UnaryTransport } from '../../grpc/edge/handler.ts';

export type Method =
  | { readonly kind: 'unary'; readonly handle: (call: UnaryTransport, answer: sendUnaryData<Buffer>) => void }
  | { readonly kind: 'serverStream'; readonly handle: (call: StreamTransport) => void }
  /** HTTP/1.1 cannot carry it: an answer begins when the request has ended. */
  | { readonly kind: 'bidi' };

/** The methods of the server by their paths, `/package.Service/Method`. */
export class MethodTable implements Methods {
  private readonly methods = new Map<string, Method>();

  find(path: string): Method | undefined {
    return this.methods.get(path);
  }

  get paths(): string[] {
    return [...this.methods.keys()];
  }

  unary(path: string, handle: (call: UnaryTransport, answer: sendUnaryData<Buffer>) => void): void {
    this.methods.set(path, { kind: 'unary', handle });
  }

  serverStream(path: string, handle: (call: StreamTransport) => void): void {
    this.methods.set(path, { kind: 'serverStream', handle });
  }

  bidi(path: string): void {
    this.methods.set(path, { kind: 'bidi' });
  }
}
