import { useEffect, useState } from 'preact/hooks';
import type { LifecycleEvent } from '../../../gen/ts/mneme/v1/lifecycle_service.ts';
import type { Session } from '../../../gen/ts/mneme/v1/session.ts';
import { follow, type WatchState } from '../../api/follow.ts';
import { namespaceName } from '../../api/names.ts';
import { listSessions, watchLifecycleEvents } from '../../api/session-calls.ts';
import { credentials } from '../../api/token.ts';
import type { Parameters } from '../../app/navigation.ts';
import { usePlace } from '../../app/router.ts';
import { useStore } from '../../app/store.ts';
import { Page } from '../../ui/page.tsx';
import { PlainText } from '../../ui/plain-text.tsx';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { useAsked } from '../../ui/use-asked.ts';
import { WatchBadge } from '../../ui/watch-badge.tsx';
import { SessionPanel } from './session-panel.tsx';
import { StateBadge, scopeText, sessionAddress, sessionIdOf } from './session-parts.tsx';

const PAGE_SIZE = 200;
/** Older events leave the time line. */
const EVENTS_MAX = 2000;

/** Sessions of a namespace, each with its working memory, its checkpoints and its life. */
export function SessionsPage({ parameters }: { readonly parameters: Parameters }) {
  const { namespace = '' } = parameters;
  const chosen = usePlace().query.get('session') ?? '';
  const parent = namespaceName(namespace);
  const asked = useAsked((signal) => listSessions({ parent, pageSize: PAGE_SIZE }, signal), [namespace]);
  const { events, state } = useEvents(namespace, asked.again);
  const sessions = asked.value?.sessions ?? [];
  const session = sessions.find(({ name }) => sessionIdOf(name) === chosen);
  return (
    <Page title="Sessions">
      <div class="row" aria-live="polite">
        <WatchBadge state={state} />
        {asked.value?.nextPageToken && <span class="quiet">The first {PAGE_SIZE} sessions are shown.</span>}
      </div>
      {asked.failure && <Failure failure={asked.failure} again={asked.again} />}
      {!asked.value && asked.isAsking && <Loading />}
      {asked.value && sessions.length === 0 && (
        <Empty>No session yet. The first value that an agent sets, or SpawnSession, makes one.</Empty>
      )}
      {sessions.length > 0 && (
        <div class="parted">
          <SessionList namespace={namespace} sessions={sessions} chosen={chosen} />
          {session ? (
            <SessionPanel
              key={session.name}
              namespace={namespace}
              session={session}
              events={events.filter((event) => event.session?.name === session.name)}
              changed={asked.again}
            />
          ) : (
            <Empty>{chosen === '' ? 'Choose a session.' : 'This session is not among those shown.'}</Empty>
          )}
        </div>
      )}
    </Page>
  );
}

interface SessionListProps {
  readonly namespace: string;
  readonly sessions: readonly Session[];
  readonly chosen: string;
}

function SessionList({ namespace, sessions, chosen }: SessionListProps) {
  return (
    <section class="panel" aria-label="Sessions">
      <ul class="choices-of-page">
        {sessions.map(({ name, state, scope, updateTime }) => {
          const id = sessionIdOf(name);
          return (
            <li key={name}>
              <a href={sessionAddress(namespace, id)} aria-current={id === chosen ? 'true' : undefined}>
                <span class="row">
                  <PlainText text={id} max={80} />
                  <StateBadge state={state} />
                </span>
                <span class="quiet small">
                  <PlainText text={scopeText(scope)} max={80} /> {updateTime && <Time at={updateTime} />}
                </span>
              </a>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Events of all sessions since the oldest one that is kept; the list is read again when one arrives. */
function useEvents(namespace: string, again: () => void) {
  const [events, setEvents] = useState<readonly LifecycleEvent[]>([]);
  const [state, setState] = useState<WatchState>({ kind: 'connecting' });
  const bearer = useStore(credentials);
  useEffect(() => {
    const stop = new AbortController();
    let token = '';
    setEvents([]);
    const parent = namespaceName(namespace);
    const startOf = () =>
      token === ''
        ? ({ $case: 'fromOldest', value: true } as const)
        : ({ $case: 'resumeToken', value: token } as const);
    void follow(
      {
        open: (signal) => watchLifecycleEvents({ parent, start: startOf() }, signal),
        onMessage({ resumeToken, message }) {
          token = resumeToken;
          if (message?.$case !== 'event') return;
          setEvents((before) => [...before, message.value].slice(-EVENTS_MAX));
          again();
        },
        onState: setState,
      },
      stop.signal,
    );
    return () => stop.abort();
  }, [namespace, bearer, again]);
  return { events, state };
}
