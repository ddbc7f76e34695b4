import { setTimeout as delay } from 'node:timers/promises';
import { WorkingMemoryServiceService as methods } from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import type { Connection } from './connection.ts';
import { CancelledError, UnavailableError } from './errors.ts';
import type { CallOptions } from './options.ts';
import { eventOf, versionMessage } from './working-memory-messages.ts';
import type { SessionEvent, SessionWatchQuery } from './working-memory-types.ts';

const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 5000;

/** Goes on after the last message when the stream breaks, unless the client sends nothing twice. */
export async function* watchSession(
  connection: Connection,
  session: string,
  { afterRevision: from, pattern = '', includeValues = false }: SessionWatchQuery,
  options: CallOptions,
): AsyncGenerator<SessionEvent, void, undefined> {
  let afterRevision = versionMessage(from);
  for (let waitMs = RETRY_MS_MIN; ; waitMs = Math.min(waitMs * 2, RETRY_MS_MAX)) {
    const request = { session, afterRevision, pattern, includeValues, heartbeatInterval: undefined };
    try {
      for await (const { revision, message } of connection.readStream(methods.watchSession, request, options)) {
        waitMs = RETRY_MS_MIN;
        if (message?.$case === 'events') for (const event of message.value.events) yield eventOf(event);
        afterRevision = revision;
      }
    } catch (error) {
      if (!connection.retries || !isBroken(error, options.signal)) throw error;
    }
    await delay(waitMs, undefined, options.signal && { signal: options.signal });
  }
}

/** A server that is stopped the hard way ends its streams as if they were cancelled. */
function isBroken(error: unknown, signal: AbortSignal | undefined): boolean {
  return error instanceof UnavailableError || (error instanceof CancelledError && signal?.aborted !== true);
}
