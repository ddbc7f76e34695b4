import {
  type HookReply,
  LifecycleServiceService as methods,
  type RegisterHook,
  type ServeHookResponse,
  type WatchLifecycleEventsRequest,
} from '../../../gen/ts/mneme/v1/lifecycle_service.ts';
import { refuseBrokenTexts } from './broken-texts.ts';
import type { Connection } from './connection.ts';
import { eventOf, PHASE_CODES, TRANSITION_CODES } from './lifecycle-messages.ts';
import type { HookHandler, HookRegistration, LifecycleEvent, LifecycleEventsQuery } from './lifecycle-types.ts';
import { scopeMessage } from './memory-to-message.ts';
import type { CallOptions } from './options.ts';
import { durationOfMs } from './precise-date.ts';
import type { Attempt } from './streams/attempt.ts';
import { HEARTBEAT_MS } from './streams/heartbeat.ts';
import { type Runs, resuming, type StreamOptions } from './streams/resuming.ts';

/** Streams of session lifecycles. */
export interface LifecycleStreams {
  /**
   * Events in order, each at least once, until the reader stops. After an interruption it reconnects and continues
   * after the last event, unless retries are disabled.
   */
  watchEvents(query?: LifecycleEventsQuery, options?: StreamOptions): AsyncGenerator<LifecycleEvent, void, undefined>;
  /** Notes that a consumer is done with an event and all before it. */
  acknowledgeEvents(consumer: string, event: LifecycleEvent | string, options?: CallOptions): Promise<void>;
  /**
   * Registers a hook and answers its questions with the handler, until `stop` is called or the signal is aborted:
   * `closed` then settles. Resolves when the server calls the hook. A broken stream is reopened; until then the server
   * does not call the hook. An error thrown by the handler is reported as the hook's failure.
   */
  serveHook(
    query: HookRegistration,
    handler: HookHandler,
    options?: StreamOptions,
  ): Promise<{ stop(): void; readonly closed: Promise<void> }>;
}

export function lifecycleStreams(connection: Connection, parent: string): LifecycleStreams {
  return {
    watchEvents: (query = {}, options = {}) => resuming(connection, new EventRuns(connection, parent, query), options),

    async acknowledgeEvents(consumer, event, options = {}) {
      const resumeToken = typeof event === 'string' ? event : (event.resumeToken ?? '');
      await connection.unary(methods.acknowledgeLifecycleEvents, { parent, consumer, resumeToken }, options);
    },

    async serveHook(query, handler, options = {}) {
      const stopping = new AbortController();
      const signal = AbortSignal.any([stopping.signal, ...(options.signal ? [options.signal] : [])]);
      const registration = registrationOf(query, parent);
      refuseBrokenTexts(registration);
      const runs = new HookRuns(connection, registration, handler);
      const registrations = resuming(connection, runs, { ...options, signal });
      await registrations.next();
      const closed = allOf(registrations).catch((error: unknown) => {
        if (!stopping.signal.aborted) throw error;
      });
      return { stop: () => stopping.abort(), closed };
    },
  };
}

async function allOf(registrations: AsyncIterable<void>): Promise<void> {
  for await (const _ of registrations);
}

class EventRuns implements Runs<LifecycleEvent> {
  readonly isEndless = true;
  private readonly connection: Connection;
  private readonly request;
  private start: WatchLifecycleEventsRequest['start'];

  constructor(
    connection: Connection,
    parent: string,
    { start, consumer = '', scope, transitions = [] }: LifecycleEventsQuery,
  ) {
    this.connection = connection;
    this.request = {
      parent,
      consumer,
      scope: scopeMessage(scope),
      transitions: transitions.map((transition) => TRANSITION_CODES[transition]),
      heartbeatInterval: durationOfMs(HEARTBEAT_MS),
    };
    this.start =
      start === 'oldest'
        ? { $case: 'fromOldest', value: true }
        : start && { $case: 'resumeToken', value: start.resumeToken };
  }

  async *open(attempt: Attempt): AsyncGenerator<LifecycleEvent> {
    const request = { ...this.request, start: this.start };
    const { signal } = attempt;
    for await (const { message, resumeToken } of this.connection.readStream(methods.watchLifecycleEvents, request, {
      signal,
    })) {
      attempt.heard();
      if (message?.$case === 'event') yield eventOf(message.value, resumeToken);
      this.start = { $case: 'resumeToken', value: resumeToken };
    }
  }
}

/** Registers the hook, again after each interruption, and reports each registration. */
class HookRuns implements Runs<void> {
  readonly isEndless = true;
  private readonly connection: Connection;
  private readonly registration: RegisterHook;
  private readonly handler: HookHandler;

  constructor(connection: Connection, registration: RegisterHook, handler: HookHandler) {
    this.connection = connection;
    this.registration = registration;
    this.handler = handler;
  }

  async *open(attempt: Attempt): AsyncGenerator<void> {
    const stream = await this.connection.duplexStream(methods.serveHook, attempt);
    stream.write({ message: { $case: 'registration', value: this.registration } });
    for await (const { message } of this.connection.messagesOf<ServeHookResponse>(
      methods.serveHook,
      stream,
      attempt.signal,
    )) {
      attempt.heard();
      if (message?.$case === 'registered') yield;
      if (message?.$case !== 'call' || !message.value.event) continue;
      const { id, event } = message.value;
      // Questions are answered as their answers are there, so a slow one holds up none of the others.
      void verdictOf(this.handler, eventOf(event)).then((verdict) =>
        stream.write({ message: { $case: 'reply', value: { id, verdict } } }),
      );
    }
  }
}

function registrationOf(query: HookRegistration, parent: string): RegisterHook {
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

async function verdictOf(handler: HookHandler, event: LifecycleEvent): Promise<HookReply['verdict']> {
  try {
    const answer = await handler(event);
    refuseBrokenTexts(answer);
    if (answer && 'veto' in answer) return { $case: 'veto', value: answer.veto };
    return { $case: 'proceed', value: { metadata: { ...answer?.metadata } } };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { $case: 'failure', value: reason.toWellFormed() };
  }
}
