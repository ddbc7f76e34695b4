import { WorkingMemoryServiceService as methods } from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import { integerOf } from './bad-input.ts';
import type { Connection } from './connection.ts';
import { durationOfMs } from './precise-date.ts';
import type { Attempt } from './streams/attempt.ts';
import { HEARTBEAT_MS } from './streams/heartbeat.ts';
import { type Runs, resuming, type StreamOptions } from './streams/resuming.ts';
import { eventOf } from './working-memory-messages.ts';
import type { SessionEvent, SessionWatchQuery } from './working-memory-types.ts';

/** Continues after the last message when the stream breaks, unless retries are disabled. */
export function watchSession(
  connection: Connection,
  session: string,
  query: SessionWatchQuery,
  options: StreamOptions,
): AsyncGenerator<SessionEvent, void, undefined> {
  return resuming(connection, new SessionRuns(connection, session, query), options);
}

class SessionRuns implements Runs<SessionEvent> {
  readonly isEndless = true;
  private readonly connection: Connection;
  private readonly request;
  private afterRevision: bigint | undefined;

  constructor(
    connection: Connection,
    session: string,
    { afterRevision, pattern = '', includeValues = false }: SessionWatchQuery,
  ) {
    this.connection = connection;
    this.request = { session, pattern, includeValues, heartbeatInterval: durationOfMs(HEARTBEAT_MS) };
    this.afterRevision = integerOf(afterRevision, 'afterRevision');
  }

  async *open(attempt: Attempt): AsyncGenerator<SessionEvent> {
    const request = { ...this.request, afterRevision: this.afterRevision };
    const { signal } = attempt;
    for await (const { revision, message } of this.connection.readStream(methods.watchSession, request, { signal })) {
      attempt.heard();
      if (message?.$case === 'events') for (const event of message.value.events) yield eventOf(event);
      this.afterRevision = revision;
    }
  }
}
