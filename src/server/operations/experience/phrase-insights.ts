import type { Call } from '../../../memory/call.ts';
import type { Clock } from '../../../memory/clock.ts';
import { MnemeError } from '../../../memory/errors.ts';
import type { Insight } from '../../../memory/reflection/findings.ts';
import { acceptedPhrase } from '../../../memory/reflection/phrasing.ts';
import type { Phraser } from '../../extraction/phraser.ts';

export interface PhraseDeps {
  readonly clock: Clock;
  /** Absent: no model is configured. */
  readonly phraser?: Phraser;
  /** Called with errors whose message is not for callers. */
  onFault(error: unknown): void;
}

export interface PhrasedInsights {
  /** Phrases by the place of the insight; `undefined`: the computed sentence stays. */
  readonly phrases: readonly (string | undefined)[];
  /** Empty: every insight has a phrase. */
  readonly failure: string;
}

/** Share of the time that a call has left in which the model must answer. */
const TIME_SHARE = 0.8;
/** A call without a deadline waits for so long. */
const TIME_MAX_MS = 60_000;

/** Has a model word insights. It never fails but by the end of the call: the computed sentences stay. */
export async function phraseInsights(
  { phraser, clock, onFault }: PhraseDeps,
  insights: readonly Insight[],
  { signal, deadlineAtMs }: Call,
): Promise<PhrasedInsights> {
  const none = insights.map(() => undefined);
  if (!phraser) return { phrases: none, failure: 'no model is configured: --extractor-url sets its address' };
  if (insights.length === 0) return { phrases: none, failure: '' };
  const leftMs = deadlineAtMs - clock.nowUs() / 1000;
  const timeMs = Math.ceil(Math.max(1, Math.min(TIME_MAX_MS, leftMs * TIME_SHARE)));
  const timeout = AbortSignal.timeout(Math.ceil(timeMs));
  try {
    const sentences = insights.map(({ text }) => text);
    const written = await phraser.phrase(sentences, AbortSignal.any([signal, timeout]));
    const phrases = sentences.map((sentence, at) => acceptedPhrase(sentence, written[at] ?? ''));
    const refused = phrases.filter((phrase) => phrase === undefined).length;
    return { phrases, failure: refused === 0 ? '' : refusedText(refused, insights.length) };
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) return { phrases: none, failure: `the model did not answer within ${timeMs} ms` };
    if (error instanceof MnemeError) return { phrases: none, failure: error.message };
    onFault(error);
    return { phrases: none, failure: 'the model could not be asked: the log of the server has the reason' };
  }
}

function refusedText(refused: number, all: number): string {
  return (
    `${refused} of ${all} phrases of the model were not used: they are missing, or name numbers, quotations or claims ` +
    'that the computed sentence lacks'
  );
}
