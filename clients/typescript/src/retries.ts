import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import serviceConfig from '../../service-config.json' with { type: 'json' };
import { codeOfCall } from './error-of-status.ts';
import type { Timing } from './streams/timing.ts';

interface Policy {
  readonly maxAttempts: number;
  readonly firstMs: number;
  readonly longestMs: number;
  readonly multiplier: number;
  readonly codes: ReadonlySet<string>;
}

/** By the path of a method. */
const POLICIES: ReadonlyMap<string, Policy> = new Map(
  serviceConfig.methodConfig.flatMap(({ name, retryPolicy }) => {
    const policy: Policy = {
      maxAttempts: retryPolicy.maxAttempts,
      firstMs: msOf(retryPolicy.initialBackoff),
      longestMs: msOf(retryPolicy.maxBackoff),
      multiplier: retryPolicy.backoffMultiplier,
      codes: new Set(retryPolicy.retryableStatusCodes),
    };
    return name.map(({ service, method }) => [`/${service}/${method}`, policy] as const);
  }),
);
const { maxTokens: TOKENS_MAX, tokenRatio: TOKEN_RATIO } = serviceConfig.retryThrottling;
/** How long a server asks to wait before the next attempt, in milliseconds; any other value asks for none. */
const PUSHBACK = 'grpc-retry-pushback-ms';

/** Makes one attempt, which reports its outcome once; the returned function cancels it. */
export type Attempt<Response> = (done: (error: ServiceError | null, response?: Response) => void) => () => void;

export interface Repeated<Response> {
  readonly answer: Promise<Response>;
  cancel(): void;
}

/**
 * Repeats the unary calls of one connection by the policies of `service-config.json`. gRPC itself repeats no call whose
 * headers have arrived, and a server that is killed may end a call between its message and its status: so the client
 * makes all attempts, with the same request, within the deadline of the call.
 */
export class Retries {
  readonly #timing: Timing;
  /** Falls with every failed attempt: below one half, nothing is repeated. */
  #tokens = TOKENS_MAX;

  readonly #mayRepeat: () => boolean;

  /** `mayRepeat` is asked after each failure, and again after the wait that follows. */
  constructor(timing: Timing, mayRepeat: () => boolean) {
    this.#timing = timing;
    this.#mayRepeat = mayRepeat;
  }

  /** Makes attempts until one succeeds or may not be followed by another; fails with the error of the last one. */
  call<Response>(path: string, timeoutMs: number, attempt: Attempt<Response>): Repeated<Response> {
    const endMs = this.#timing.nowMs() + timeoutMs;
    let stop = () => {};
    let isCancelled = false;
    const answer = new Promise<Response>((resolve, reject) => {
      const start = (failures: number): void => {
        stop = attempt((error, response) => {
          if (error === null && response !== undefined) {
            this.#tokens = Math.min(this.#tokens + TOKEN_RATIO, TOKENS_MAX);
            resolve(response);
            return;
          }
          const failure = error ?? new Error('the call ended without an answer');
          const mayFollow = error !== null && !isCancelled && this.#mayRepeat();
          const waitMs = mayFollow ? this.#waitMs(path, failures + 1, error) : undefined;
          if (waitMs === undefined || this.#timing.nowMs() + waitMs >= endMs) {
            reject(failure);
            return;
          }
          const goOn = () => (this.#mayRepeat() ? start(failures + 1) : reject(failure));
          const stopTimer = this.#timing.setTimer(goOn, waitMs);
          stop = () => {
            stopTimer();
            reject(cancelled());
          };
        });
      };
      start(0);
    });
    return {
      answer,
      cancel() {
        isCancelled = true;
        stop();
      },
    };
  }

  /** Wait before the attempt that follows so many failed ones; undefined when none follows. */
  #waitMs(path: string, failures: number, error: ServiceError): number | undefined {
    const policy = POLICIES.get(path);
    if (policy === undefined || failures >= policy.maxAttempts) return undefined;
    if (!policy.codes.has(status[codeOfCall(error)] ?? '')) return undefined;
    this.#tokens = Math.max(this.#tokens - 1, 0);
    if (this.#tokens <= TOKENS_MAX / 2) return undefined;
    const asked = error.metadata.get(PUSHBACK)[0];
    if (asked !== undefined) return /^\d+$/.test(String(asked)) ? Number(asked) : undefined;
    const limitMs = Math.min(policy.firstMs * policy.multiplier ** (failures - 1), policy.longestMs);
    return this.#timing.random() * limitMs;
  }
}

function cancelled(): ServiceError {
  const facts = { code: status.CANCELLED, details: 'cancelled between two attempts', metadata: new Metadata() };
  return Object.assign(new Error(facts.details), facts);
}

/** `0.05s` is 50. */
function msOf(duration: string): number {
  return Number.parseFloat(duration) * 1000;
}
