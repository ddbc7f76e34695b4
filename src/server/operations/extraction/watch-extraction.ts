import type { Call } from '../../../memory/call.ts';
import type { ConversationKey } from '../conversations/conversations.ts';
import { draining, type OpenStreams } from '../streams/open-streams.ts';
import { type AwaitedNamespaces, StreamWait } from '../streams/stream-wait.ts';
import type { ExtractionStatus } from './extraction-status.ts';
import type { Extractions } from './extractions.ts';

export interface WatchExtractionDeps {
  readonly extractions: Extractions;
  readonly streams: OpenStreams;
  /** Absent where namespaces are not created on first use. */
  readonly awaited?: AwaitedNamespaces;
}

/** Of a namespace that does not exist. */
const NOTHING: ExtractionStatus = {
  extractor: '',
  pendingCount: 0,
  failedCount: 0,
  conversations: [],
  extractedRevision: 0,
  newestRevision: 0,
  degraded: '',
};

/** The status, and again after changes, at most once per interval. Of an absent namespace first an empty one. */
export async function* watchExtraction(
  { extractions, streams, awaited }: WatchExtractionDeps,
  key: ConversationKey,
  intervalMs: number,
  call: Call,
): AsyncGenerator<ExtractionStatus> {
  const leave = streams.enter(call.caller, 'watch');
  const wait = new StreamWait(call, streams, intervalMs);
  try {
    if (await awaited?.isMissing(key.namespace)) {
      yield NOTHING;
      for await (const woken of awaited?.until(key.namespace, wait) ?? []) if (woken === 'draining') throw draining();
    }
    yield* extractions.watch(key, intervalMs, call);
  } finally {
    wait.close();
    leave();
  }
}
