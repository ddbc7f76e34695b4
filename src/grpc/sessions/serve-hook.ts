import type { HookReply, ServeHookRequest, ServeHookResponse } from '../../../gen/ts/mneme/v1/lifecycle_service.ts';
import type { Call } from '../../memory/call.ts';
import { invalidFields } from '../../memory/errors.ts';
import type { LifecycleEvent } from '../../memory/lifecycle.ts';
import type { LifecycleHooks } from '../../operations/sessions/lifecycle/hooks.ts';
import type { HookVerdict } from '../../operations/sessions/lifecycle/lifecycle-hook.ts';
import { Waker } from '../../operations/sessions/lifecycle/waker.ts';
import { RequestChecks } from '../edge/request-checks.ts';
import { timestampOf } from '../edge/time-messages.ts';
import { registrationOf } from './lifecycle-event-requests.ts';
import { eventMessage } from './lifecycle-messages.ts';
import { metadataOf } from './lifecycle-requests.ts';

const HEARTBEAT_MS = 15_000;
/** Questions that wait to be sent to a hook that does not read. */
const WAITING_MAX = 1000;
const REASON_BYTES = 1024;

interface Question {
  readonly id: string;
  readonly event: LifecycleEvent;
  readonly deadlineAtMs: number;
  resolve(verdict: HookVerdict): void;
  reject(error: Error): void;
}

/** Speaks for one hook: sends it questions as transitions ask them, and passes on what it replies. */
export async function* serveHook(
  { hooks, newId }: { readonly hooks: LifecycleHooks; newId(): string },
  requests: AsyncIterable<ServeHookRequest>,
  call: Call,
): AsyncGenerator<ServeHookResponse> {
  const incoming = requests[Symbol.asyncIterator]();
  const registration = registrationOf(await firstOf(incoming));
  const waker = new Waker();
  const toSend: Question[] = [];
  const asked = new Map<string, Question>();
  const ask = (event: LifecycleEvent, signal: AbortSignal) =>
    new Promise<HookVerdict>((resolve, reject) => {
      if (toSend.length >= WAITING_MAX) throw new Error('the hook does not read its questions');
      const id = newId();
      asked.set(id, { id, event, deadlineAtMs: Date.now() + registration.timeoutMs, resolve, reject });
      toSend.push(asked.get(id) as Question);
      signal.addEventListener('abort', () => asked.delete(id), { once: true });
      waker.wake();
    });
  const unregister = await hooks.register({ ...registration, handle: ask });
  let isOver = false;
  let fault: Error | undefined;
  const replies = readReplies(incoming, asked)
    .catch((error: unknown) => {
      fault = error instanceof Error ? error : new Error(String(error));
    })
    .finally(() => {
      // No transition that begins from now on asks the hook, although the stream has yet to end.
      unregister();
      isOver = true;
      waker.wake();
    });
  try {
    let sentAtMs = performance.now();
    yield { message: { $case: 'registered', value: {} } };
    while (!isOver) {
      const question = toSend.shift();
      const silentInMs = sentAtMs + HEARTBEAT_MS - performance.now();
      if (question && !asked.has(question.id)) continue;
      if (!question && silentInMs > 0) {
        await waker.wait(silentInMs, call.signal);
        continue;
      }
      sentAtMs = performance.now();
      yield question ? questionMessage(question) : { message: { $case: 'heartbeat', value: {} } };
    }
    await replies;
    if (fault) throw fault;
  } finally {
    if (!isOver) unregister();
    for (const { reject } of asked.values()) reject(new Error('the stream of the hook ended before it replied'));
  }
}

async function firstOf(incoming: AsyncIterator<ServeHookRequest>) {
  const next = await incoming.next();
  const message = next.done === true ? undefined : next.value.message;
  if (message?.$case === 'registration') return message.value;
  throw invalidFields([{ field: 'registration', description: 'must be the first message' }]);
}

async function readReplies(incoming: AsyncIterator<ServeHookRequest>, asked: Map<string, Question>): Promise<void> {
  for (;;) {
    const next = await incoming.next();
    if (next.done === true) return;
    const { message } = next.value;
    if (message?.$case !== 'reply') {
      throw invalidFields([{ field: 'message', description: 'must be a reply after the first message' }]);
    }
    const question = asked.get(message.value.id);
    // One that nobody waits for any more came too late.
    if (!question) continue;
    asked.delete(question.id);
    settle(question, message.value);
  }
}

function settle(question: Question, reply: HookReply): void {
  try {
    question.resolve(verdictOf(question, reply));
  } catch (error) {
    question.reject(error as Error);
  }
}

function verdictOf({ event }: Question, { verdict }: HookReply): HookVerdict {
  if (verdict?.$case === 'failure') throw new Error(verdict.value.slice(0, REASON_BYTES));
  if (verdict?.$case === 'veto') return { veto: verdict.value.slice(0, REASON_BYTES) || 'no reason given' };
  if (verdict === undefined || event.phase !== 'before') return undefined;
  const checks = new RequestChecks();
  const metadata = metadataOf(checks, verdict.value.metadata);
  checks.finish();
  return { metadata };
}

function questionMessage({ id, event, deadlineAtMs }: Question): ServeHookResponse {
  const deadline = timestampOf(deadlineAtMs * 1000);
  return { message: { $case: 'call', value: { id, event: eventMessage(event), deadline } } };
}
