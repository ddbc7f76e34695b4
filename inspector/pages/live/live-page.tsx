import { useEffect, useState } from 'preact/hooks';
import type { Change } from '../../../gen/ts/mneme/v1/change.ts';
import { idOf, namespaceName } from '../../api/names.ts';
import { credentials } from '../../api/token.ts';
import { type WatchState, watch } from '../../api/watch.ts';
import type { Parameters } from '../../app/navigation.ts';
import { useStore } from '../../app/store.ts';
import { changeText } from '../../ui/enums.ts';
import { countOf } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Page } from '../../ui/page.tsx';
import { PlainText } from '../../ui/plain-text.tsx';
import { Empty, Failure } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { WatchBadge } from '../../ui/watch-badge.tsx';
import { memoryAddress } from '../memories/address.ts';

/** Older changes leave the table. */
const SHOWN_MAX = 500;
const TEXT_SHOWN = 200;

interface Feed {
  /** Newest first. */
  readonly changes: readonly Change[];
  readonly seenCount: number;
  /** Position after the last change; a pause goes on from it. */
  readonly token: string;
}

const EMPTY: Feed = { changes: [], seenCount: 0, token: '' };

/** The changes of a namespace as they happen. A pause ends the stream; it goes on from its token, so none is missed. */
export function LivePage({ parameters }: { readonly parameters: Parameters }) {
  const { namespace = '' } = parameters;
  const [isPaused, setPaused] = useState(false);
  const { feed, state } = useFeed(namespace, isPaused);
  return (
    <Page
      title="Live"
      actions={
        <button type="button" onClick={() => setPaused(!isPaused)}>
          <Icon name={isPaused ? 'play' : 'pause'} />
          {isPaused ? 'Resume' : 'Pause'}
        </button>
      }
    >
      <div class="row" aria-live="polite">
        {isPaused ? <span class="badge warn">paused</span> : <WatchBadge state={state} />}
        <span class="quiet">
          {countOf(feed.seenCount, 'change', 'changes')} since the page was opened
          {feed.seenCount > SHOWN_MAX && `, the last ${SHOWN_MAX} are shown`}
        </span>
      </div>
      {state.kind === 'broken' && !isPaused && <Failure failure={state.failure} />}
      {feed.changes.length === 0 ? (
        <Empty>Changes of memories appear here as they happen.</Empty>
      ) : (
        <ChangeTable namespace={namespace} changes={feed.changes} />
      )}
    </Page>
  );
}

function useFeed(namespace: string, isPaused: boolean) {
  const [feed, setFeed] = useState(EMPTY);
  const [state, setState] = useState<WatchState>({ kind: 'connecting' });
  const bearer = useStore(credentials);
  const { token } = feed;
  // The token counts when a pause ends, not while changes arrive.
  useEffect(() => {
    if (isPaused) return undefined;
    const stop = new AbortController();
    const watcher = {
      onChanges: (changes: readonly Change[], resumeToken: string) =>
        setFeed((before) => ({
          changes: [...changes.toReversed(), ...before.changes].slice(0, SHOWN_MAX),
          seenCount: before.seenCount + changes.length,
          token: resumeToken,
        })),
      onState: setState,
    };
    const draft = { parent: namespaceName(namespace), includeMoved: true, includeTouched: true, resumeToken: token };
    void watch(draft, watcher, stop.signal);
    return () => stop.abort();
  }, [namespace, isPaused, bearer]);
  return { feed, state };
}

function ChangeTable({ namespace, changes }: { readonly namespace: string; readonly changes: readonly Change[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keyboard
    <section class="panel scroll-x" tabIndex={0} aria-label="Changes">
      <table class="changes">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Change</th>
            <th scope="col">Memory</th>
            <th scope="col" class="number">
              Revision
            </th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ revision, kind, name, time, memory }) => (
            <tr key={`${revision} ${name}`}>
              <td class="nowrap">{time && <Time at={time} />}</td>
              <td>
                <span class="badge">{changeText(kind)}</span>
              </td>
              <td>
                {memory ? (
                  <a href={memoryAddress(namespace, idOf(name))}>
                    <PlainText text={memory.text === '' ? idOf(name) : memory.text} max={TEXT_SHOWN} />
                  </a>
                ) : (
                  <code>{idOf(name)}</code>
                )}
              </td>
              <td class="number">{String(revision)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
