import { useState } from 'preact/hooks';
import { type ConversationExtraction, ExtractionState } from '../../../gen/ts/mneme/v1/conversation_service.ts';
import { getExtractionStatus, retryExtraction } from '../../api/conversation-calls.ts';
import { asFailure, type CallFailure } from '../../api/failure.ts';
import { idOf, namespaceName } from '../../api/names.ts';
import { countOf } from '../../ui/format.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { Failure } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { usePolled } from '../../ui/use-asked.ts';
import { conversationAddress } from './address.ts';

const EVERY_MS = 2000;

interface ExtractionProps {
  readonly namespace: string;
  /** Id; empty: all of the namespace. */
  readonly conversation: string;
}

/** How far extraction has come, what has failed, and how it is tried again. */
export function ExtractionPanel({ namespace, conversation }: ExtractionProps) {
  return <Status key={`${namespace} ${conversation}`} namespace={namespace} conversation={conversation} />;
}

function Status({ namespace, conversation }: ExtractionProps) {
  const draft = { parent: namespaceName(namespace), conversation };
  const asked = usePolled((signal) => getExtractionStatus(draft, signal), EVERY_MS);
  const [failure, setFailure] = useState<CallFailure>();
  const retry = () => {
    setFailure(undefined);
    retryExtraction(draft).then(asked.again, (error: unknown) => setFailure(asFailure(error)));
  };
  const status = asked.value?.status;
  if (asked.failure) return <Failure failure={asked.failure} again={asked.again} />;
  if (!status) return null;
  const { extractor, pendingCount, failedCount, degraded, conversations } = status;
  return (
    <section class="panel" aria-label="Extraction">
      <div class="row">
        <span>
          Extracted by <strong>{extractor}</strong>
        </span>
        {pendingCount === 0 && failedCount === 0 && <span class="badge good">all messages are extracted</span>}
        {pendingCount > 0 && <span class="badge warn">{countOf(pendingCount, 'message waits', 'messages wait')}</span>}
        {failedCount > 0 && (
          <>
            <span class="badge bad">{countOf(failedCount, 'message is', 'messages are')} given up</span>
            <button type="button" onClick={retry}>
              Try again
            </button>
          </>
        )}
      </div>
      {degraded !== '' && (
        <p>
          <PlainText text={degraded} />
        </p>
      )}
      {failure && <Failure failure={failure} />}
      {conversations.some(isBusy) && (
        <ul class="related">
          {conversations.filter(isBusy).map((each) => (
            <Busy key={each.conversation} namespace={namespace} extraction={each} />
          ))}
        </ul>
      )}
    </section>
  );
}

function isBusy({ pendingCount, failed, error }: ConversationExtraction): boolean {
  return pendingCount > 0 || failed.length > 0 || error !== '';
}

const STATES: Readonly<Record<number, string>> = {
  [ExtractionState.EXTRACTION_STATE_RETRYING]: 'tried again',
};

function Busy({ namespace, extraction }: { readonly namespace: string; readonly extraction: ConversationExtraction }) {
  const { conversation, state, pendingCount, failed, error, nextAttemptTime } = extraction;
  const id = idOf(conversation);
  return (
    <li>
      <a href={conversationAddress(namespace, id)}>
        <PlainText text={id} max={80} />
      </a>
      : {countOf(pendingCount, 'message waits', 'messages wait')}
      {nextAttemptTime && (
        <>
          , {STATES[state] ?? 'next attempt'} at <Time at={nextAttemptTime} />
        </>
      )}
      {failed.map(({ first, last }) => (
        <span key={String(first)}>
          , turns {String(first)} to {String(last)} given up
        </span>
      ))}
      {error !== '' && (
        <p class="quiet">
          <PlainText text={error} max={400} />
        </p>
      )}
    </li>
  );
}
