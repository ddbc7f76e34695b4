import { RecallGrouping } from '../../../gen/ts/mneme/v1/recall_service.ts';
import { namespaceName } from '../../api/names.ts';
import { recall } from '../../api/recall-calls.ts';
import type { Parameters } from '../../app/navigation.ts';
import { usePlace } from '../../app/router.ts';
import { Page } from '../../ui/page.tsx';
import { PlainText } from '../../ui/plain-text.tsx';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { useAsked } from '../../ui/use-asked.ts';
import { conversationAddress } from './address.ts';
import { ExtractionPanel } from './extraction-panel.tsx';
import { Turns } from './turns.tsx';

const CONVERSATIONS_MAX = 200;

/** Conversations with their turns, and what was extracted from each; the address names the conversation. */
export function ConversationsPage({ parameters }: { readonly parameters: Parameters }) {
  const { namespace = '' } = parameters;
  const { query } = usePlace();
  const id = query.get('c') ?? '';
  return (
    <Page title={id === '' ? 'Conversations' : `Conversation ${id}`}>
      <ExtractionPanel namespace={namespace} conversation={id} />
      {id === '' ? (
        <Conversations namespace={namespace} />
      ) : (
        <>
          <a href={conversationAddress(namespace)}>All conversations of {namespace}</a>
          <Turns key={id} namespace={namespace} conversation={id} />
        </>
      )}
    </Page>
  );
}

/** The latest message of each conversation, the latest first. */
function Conversations({ namespace }: { readonly namespace: string }) {
  const asked = useAsked(
    (signal) =>
      recall(
        {
          parent: namespaceName(namespace),
          filterText: 'type = "message"',
          groupBy: RecallGrouping.RECALL_GROUPING_SESSION,
          limit: CONVERSATIONS_MAX,
        },
        signal,
      ),
    [namespace],
  );
  if (asked.failure) return <Failure failure={asked.failure} again={asked.again} />;
  if (!asked.value) return <Loading>Reading conversations …</Loading>;
  const latest = asked.value.hits.flatMap(({ memory }) => (memory?.scope?.session ? [memory] : []));
  if (latest.length === 0)
    return <Empty>No conversation is stored here. AppendMessages, and chats that are imported, make them.</Empty>;
  return (
    <>
      <ul class="turns">
        {latest.map(({ name, scope, text, eventTime }) => (
          <li key={name} class="turn">
            <div class="stack">
              <div class="row">
                <a href={conversationAddress(namespace, scope?.session)}>
                  <PlainText text={scope?.session ?? ''} max={120} />
                </a>
                {eventTime && <Time at={eventTime} />}
              </div>
              <p class="quiet">
                <PlainText text={text} max={160} />
              </p>
            </div>
          </li>
        ))}
      </ul>
      {latest.length === CONVERSATIONS_MAX && <p class="quiet">There are more: these are the latest.</p>}
    </>
  );
}
