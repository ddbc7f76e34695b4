import { randomUUID } from 'node:crypto';
import { checkMessage } from './check-options.ts';
import type { Connection, Method } from './connection.ts';
import type { CallOptions } from './options.ts';

/** A unary method of a generated service, such as `services.MemoryService.storeMemory`. */
export interface RawMethod<Request, Response> extends Method<Request, Response> {
  readonly requestStream: false;
  readonly responseStream: false;
  readonly requestDeserialize: (bytes: Buffer) => Request;
}

export interface RawCalls {
  /**
   * Makes any unary call with its wire messages, with the deadline, retries and typed errors of every call. `requestId`
   * and `minRevision` are set where they are absent; resource names are not.
   */
  raw<Request extends object, Response extends object>(
    method: RawMethod<Request, Response>,
    request: Partial<Request>,
    options?: CallOptions,
  ): Promise<Response>;
}

/** Revisions of these are of a session, not of the change log that reads wait for. */
const OF_SESSIONS = /\/mneme\.v1\.(WorkingMemory|Lifecycle)Service\//;
const NOTHING = Buffer.alloc(0);

export function rawCalls(connection: Connection): RawCalls {
  return {
    async raw(method, request, options = {}) {
      checkMessage(
        request,
        method.requestDeserialize(method.requestSerialize({ ...method.requestDeserialize(NOTHING), ...request })),
      );
      const message = { ...method.requestDeserialize(NOTHING), ...request };
      const filled = {
        ...message,
        ...('requestId' in message && message.requestId === '' && { requestId: randomUUID() }),
        ...('minRevision' in message && message.minRevision === 0n && { minRevision: connection.minRevision() }),
      };
      const limits = method.path.endsWith('/Recall') ? { timeoutMs: connection.recallTimeoutMs, ...options } : options;
      const answer = await connection.unary(method, filled, limits);
      if ('revision' in answer && typeof answer.revision === 'bigint' && !OF_SESSIONS.test(method.path)) {
        connection.seen(answer.revision);
      }
      return answer;
    },
  };
}
