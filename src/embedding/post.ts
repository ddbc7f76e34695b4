import { detailIn, UnusableAnswer } from './http-answer.ts';
import { networkReason } from './network-reason.ts';
import { PassingFailure } from './retry.ts';

export interface PostRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
}

/** Request timeout, too early, too many requests; and everything from 500. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Body of the answer to a POST. Fails with the signal's reason when that is aborted, with `PassingFailure` when asking
 * again may help, and with `UnusableAnswer` otherwise.
 */
export async function post({ url, headers, body, timeoutMs, signal, nowMs }: PostRequest): Promise<string> {
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  let answer: string;
  try {
    response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.any([signal, timeout]) });
    answer = await response.text();
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) throw new PassingFailure(`gave no answer within ${timeoutMs} ms`);
    throw new PassingFailure(`cannot be reached: ${networkReason(error)}`);
  }
  if (response.ok) return answer;
  const detail = detailIn(answer);
  const message = `answered ${response.status}${detail === '' ? '' : `: ${detail}`}`;
  if (!isPassingStatus(response.status)) throw new UnusableAnswer(message);
  throw new PassingFailure(message, retryAfterMs(response.headers.get('retry-after'), nowMs()));
}

/** True where asking again may help. */
export function isPassingStatus(status: number): boolean {
  return status >= 500 || PASSING_STATUSES.has(status);
}

/** Seconds or a date; 0 when it is neither. */
export function retryAfterMs(header: string | null, nowMs: number): number {
  if (header === null) return 0;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return ms > 0 ? ms : 0;
}
