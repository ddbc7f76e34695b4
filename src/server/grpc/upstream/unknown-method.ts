import type { Server, ServerDuplexStream } from '@grpc/grpc-js';
import { MnemeError } from '../../../memory/errors.ts';
import { packageVersion } from '../../config/version.ts';
import type { Edge } from '../edge/edge.ts';
import { failureOf } from '../edge/status.ts';

/** The error of a call of a method that the server does not have. */
export function unknownMethod(path: string): MnemeError {
  const metadata = { version: packageVersion() };
  return new MnemeError('METHOD_UNKNOWN', `the server does not have the method ${path}`, { metadata });
}

/**
 * Answers calls of methods that the server does not have by now with METHOD_UNKNOWN. grpc-js has no hook for them and answers
 * without details, so its private table of methods is asked to find this one for every other path.
 */
export function answerUnknownMethods(server: Server, edge: Edge): void {
  const { handlers } = server as unknown as { handlers?: unknown };
  if (!(handlers instanceof Map)) throw new Error('this release of grpc-js keeps its methods elsewhere');
  const raw = (bytes: Buffer): Buffer => bytes;
  const answering = (path: string) => ({
    path,
    type: 'bidi',
    serialize: raw,
    deserialize: raw,
    func(call: ServerDuplexStream<Buffer, Buffer>): void {
      edge.meter?.callStarted('other');
      call.emit('error', failureOf(unknownMethod(path), ''));
      edge.meter?.callEnded('other', 'UNIMPLEMENTED', {
        isStream: false,
        durationMs: 0,
        sentBytes: 0,
        receivedBytes: 0,
      });
    },
  });
  const known = (handlers as Map<string, unknown>).get.bind(handlers);
  handlers.get = (path: string) => known(path) ?? answering(path);
}
