import { setTimeout as delay } from 'node:timers/promises';
import {
  type HookReply,
  LifecycleServiceService as methods,
  type ServeHookRequest,
  type ServeHookResponse,
  type WatchLifecycleEventsRequest,
} from '../../../gen/ts/mneme/v1/lifecycle_service.ts';
import type { Connection } from './connection.ts';
import { CancelledError, UnavailableError } from './errors.ts';
import { eventOf, PHASE_CODES, TRANSITION_CODES } from './lifecycle-messages.ts';
import type { HookHandler, HookRegistration, LifecycleEvent, LifecycleEventsQuery } from './lifecycle-types.ts';
import { scopeMessage } from './memory-to-message.ts';
import type { CallOptions } from './options.ts';
import { durationOfMs } from './precise-date.ts';

const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 5000;

/** What follows the lives of sessions. */
export interface LifecycleStreams {
  /**
   * Events in order, each at least once, until the reader stops. A connection that breaks is made again and goes on
   * after the last event, unless the client sends nothing twice.
   */
  watchEvents(query?: LifecycleEventsQuery, options?: CallOptions): AsyncGenerator<LifecycleEvent, void, undefined>;
  /** Notes that a consumer is done with an event and all before it. */
  acknowledgeEvents(consumer: string, event: LifecycleEvent | string, options?: CallOptions): Promise<void>;
  /**
   * Offers a hook and answers its questions with the handler, until the signal is aborted or the stream breaks: `closed`
   * then settles. Resolves when the server asks the hook. What the handler throws is reported as the hook's failure.
   */
  serveHook(
    query: HookRegistration,
    handler: HookHandler,
    options?: CallOptions,
  ): Promise<{ stop(): void; readonly closed: Promise<void> }>;
}

export function lifecycleStreams(connection: Connection, parent: string): LifecycleStreams {
  return {
    async *watchEvents({ start: from, consumer = '', scope, transitions = [] } = {}, options = {}) {
      let start: WatchLifecycleEventsRequest['start'] =
        from === 'oldest'
          ? { $case: 'fromOldest', value: true }
          : from && { $case: 'resumeToken', value: from.resumeToken };
      for (let waitMs = RETRY_MS_MIN; ; waitMs = Math.min(waitMs * 2, RETRY_MS_MAX)) {
        const request = {
          parent,
          start,
          consumer,
          scope: scopeMessage(scope),
          transitions: transitions.map((transition) => TRANSITION_CODES[transition]),
          heartbeatInterval: undefined,
        };
        try {
          for await (const { message, resumeToken } of connection.readStream(
            methods.watchLifecycleEvents,
            request,
            options,
          )) {
            start = { $case: 'resumeToken', value: resumeToken };
            waitMs = RETRY_MS_MIN;
            if (message?.$case === 'event') yield eventOf(message.value, resumeToken);
          }
        } catch (error) {
          if (!connection.retries || !isBroken(error, options.signal)) throw error;
        }
        await delay(waitMs, undefined, { signal: options.signal });
      }
    },

    async acknowledgeEvents(consumer, event, options = {}) {
      const resumeToken = typeof event === 'string' ? event : (event.resumeToken ?? '');
      await connection.unary(methods.acknowledgeLifecycleEvents, { parent, consumer, resumeToken }, options);
    },

    async serveHook(query, handler, options = {}) {
      const stream = await connection.duplexStream(methods.serveHook, options);
      const messages = connection.messagesOf<ServeHookResponse>(methods.serveHook, stream, options.signal);
      stream.write({ message: { $case: 'registration', value: registrationOf(query, parent) } });
      const first = await messages.next();
      if (first.done === true) throw new UnavailableError('UNAVAILABLE', 'the hook was not registered');
      let isStopped = false;
      const closed = answerAll(messages, handler, (reply) => stream.write(reply)).catch((error: unknown) => {
        if (!isStopped) throw error;
      });
      const stop = () => {
        isStopped = true;
        stream.cancel();
      };
      return { stop, closed };
    },
  };
}

function registrationOf(query: HookRegistration, parent: string) {
  const { hook: name, phases, transitions = [], scope, timeoutMs, required = false, priority = 0 } = query;
  return {
    parent,
    hook: name,
    phases: phases.map((phase) => PHASE_CODES[phase]),
    transitions: transitions.map((transition) => TRANSITION_CODES[transition]),
    scope: scopeMessage(scope),
    timeout: timeoutMs === undefined ? undefined : durationOfMs(timeoutMs),
    required,
    priority,
  };
}

/** Questions are answered as their answers are there, so a slow one holds up none of the others. */
async function answerAll(
  messages: AsyncGenerator<ServeHookResponse>,
  handler: HookHandler,
  send: (reply: ServeHookRequest) => void,
): Promise<void> {
  for await (const { message } of messages) {
    if (message?.$case !== 'call' || !message.value.event) continue;
    const { id, event } = message.value;
    void verdictOf(handler, eventOf(event)).then((verdict) =>
      send({ message: { $case: 'reply', value: { id, verdict } } }),
    );
  }
}

async function verdictOf(handler: HookHandler, event: LifecycleEvent): Promise<HookReply['verdict']> {
  try {
    const answer = await handler(event);
    if (answer && 'veto' in answer) return { $case: 'veto', value: answer.veto };
    return { $case: 'proceed', value: { metadata: { ...answer?.metadata } } };
  } catch (error) {
    return { $case: 'failure', value: error instanceof Error ? error.message : String(error) };
  }
}

function isBroken(error: unknown, signal: AbortSignal | undefined): boolean {
  if (signal?.aborted) return false;
  return (
    error instanceof UnavailableError || (error instanceof CancelledError && error.message !== 'the client is closed')
  );
}
