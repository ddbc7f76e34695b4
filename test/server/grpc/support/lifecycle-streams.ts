import type { ClientDuplexStream, ClientReadableStream, ServiceError } from '@grpc/grpc-js';
import {
  type HookReply,
  type LifecycleEvent,
  type RegisterHook,
  ServeHookRequest,
  type ServeHookResponse,
  WatchLifecycleEventsRequest,
  type WatchLifecycleEventsResponse,
} from '../../../../gen/ts/mneme/v1/lifecycle_service.ts';
import type { LifecycleServiceClient } from '../../../support/service-clients.ts';

/** Reads a stream message by message, and fails where the stream does. */
export function reader<M>(stream: ClientReadableStream<M> | ClientDuplexStream<never, M>) {
  const messages: M[] = [];
  let ended: ServiceError | 'end' | undefined;
  let wake = () => {};
  const tell = (change: () => void) => {
    change();
    wake();
  };
  stream.on('data', (message: M) => tell(() => void messages.push(message)));
  stream.on('error', (error: ServiceError) =>
    tell(() => {
      ended = error;
    }),
  );
  stream.on('end', () =>
    tell(() => {
      ended ??= 'end';
    }),
  );
  return {
    async next(): Promise<M> {
      for (;;) {
        const message = messages.shift();
        if (message) return message;
        if (ended) throw ended === 'end' ? new Error('the stream has ended') : ended;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    stop: () => stream.cancel(),
  };
}

/** Follows events; `next` returns only events, with their tokens. */
export function follow(
  { lifecycle }: { lifecycle: LifecycleServiceClient },
  request: Parameters<typeof WatchLifecycleEventsRequest.fromPartial>[0],
) {
  const messages = reader<WatchLifecycleEventsResponse>(
    lifecycle.watchLifecycleEvents(WatchLifecycleEventsRequest.fromPartial(request)),
  );
  return {
    messages,
    async created(): Promise<string> {
      const { message, resumeToken } = await messages.next();
      if (message?.$case !== 'created') throw new Error(`first came ${message?.$case}`);
      return resumeToken;
    },
    async next(): Promise<{ event: LifecycleEvent; token: string }> {
      for (;;) {
        const { message, resumeToken } = await messages.next();
        if (message?.$case === 'event') return { event: message.value, token: resumeToken };
      }
    },
    stop: () => messages.stop(),
  };
}

/** As long as a hook may take: a slow answer on a busy machine must not count as silence. */
const PATIENCE = { seconds: 10n, nanos: 0 };

/** Registers a hook; each question is answered by `reply`, or never where that returns nothing. */
export async function offerHook(
  { lifecycle }: { lifecycle: LifecycleServiceClient },
  register: Partial<RegisterHook>,
  reply: (event: LifecycleEvent) => HookReply['verdict'] | 'silence',
) {
  const stream = lifecycle.serveHook();
  const asked: LifecycleEvent[] = [];
  const registered = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<ServiceError | undefined>();
  stream.on('error', (error: ServiceError) => {
    registered.reject(error);
    closed.resolve(error);
  });
  stream.on('end', () => closed.resolve(undefined));
  stream.on('data', ({ message }: ServeHookResponse) => {
    if (message?.$case === 'registered') registered.resolve();
    if (message?.$case !== 'call' || !message.value.event) return;
    asked.push(message.value.event);
    const verdict = reply(message.value.event);
    if (verdict === 'silence') return;
    stream.write(
      ServeHookRequest.fromPartial({ message: { $case: 'reply', value: { id: message.value.id, verdict } } }),
    );
  });
  stream.write(
    ServeHookRequest.fromPartial({ message: { $case: 'registration', value: { timeout: PATIENCE, ...register } } }),
  );
  await registered.promise;
  return { asked, stop: () => stream.cancel(), end: () => stream.end(), closed: closed.promise };
}
