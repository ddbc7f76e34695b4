import { useEffect, useState } from 'preact/hooks';
import type { LifecycleEvent } from '../../../gen/ts/mneme/v1/lifecycle_service.ts';
import { type Session, SessionState } from '../../../gen/ts/mneme/v1/session.ts';
import { follow, type WatchState } from '../../api/follow.ts';
import {
  getAllValues,
  getTaskState,
  listCheckpoints,
  listScratchpad,
  pauseSession,
  resumeSession,
  watchSession,
} from '../../api/session-calls.ts';
import { credentials } from '../../api/token.ts';
import { useStore } from '../../app/store.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { durationText } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { PlainText } from '../../ui/plain-text.tsx';
import { Failure, Loading } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { useAsked } from '../../ui/use-asked.ts';
import { WatchBadge } from '../../ui/watch-badge.tsx';
import { listAddress } from '../memories/address.ts';
import { quoted } from '../memories/memory-row.tsx';
import { CheckpointsPanel } from './checkpoints-panel.tsx';
import { StateBadge, scopeText, sessionIdOf } from './session-parts.tsx';
import { TimeLine } from './time-line.tsx';
import { NotesPanel, TaskPanel, ValuesPanel } from './working-panels.tsx';

const VALUES = 200;
const NOTES = 50;

interface SessionPanelProps {
  readonly namespace: string;
  readonly session: Session;
  readonly events: readonly LifecycleEvent[];
  readonly changed: () => void;
}

/** One session whole; what changes at the server appears by itself. */
export function SessionPanel({ namespace, session, events, changed }: SessionPanelProps) {
  const { name, version } = session;
  const asked = useAsked((signal) => contentsOf(name, signal), [name, String(version)]);
  const watching = useSessionChanges(name, asked.again);
  const id = sessionIdOf(name);
  return (
    <div class="stack">
      <section class="panel">
        <div class="row">
          <h2>
            <PlainText text={id} max={120} />
          </h2>
          <StateBadge state={session.state} />
          <WatchBadge state={watching} />
          <span class="spring" />
          <Actions session={session} changed={changed} />
        </div>
        <Facts session={session} />
        <a href={listAddress(namespace, `scope.session = ${quoted(id)}`)}>Memories of this session</a>
        <TimeLine session={session} events={events} />
      </section>
      {asked.failure && <Failure failure={asked.failure} again={asked.again} />}
      {!asked.value && asked.isAsking && <Loading />}
      {asked.value && (
        <>
          <TaskPanel task={asked.value.task} />
          <ValuesPanel entries={asked.value.entries} hasMore={asked.value.hasMoreValues} />
          <NotesPanel notes={asked.value.notes} totalCount={asked.value.noteCount} />
          <CheckpointsPanel
            namespace={namespace}
            session={session}
            checkpoints={asked.value.checkpoints}
            changed={() => {
              asked.again();
              changed();
            }}
          />
        </>
      )}
    </div>
  );
}

async function contentsOf(session: string, signal: AbortSignal) {
  const [values, task, notes, checkpoints] = await Promise.all([
    getAllValues({ session, pageSize: VALUES }, signal),
    getTaskState({ session }, signal),
    listScratchpad({ session, order: 2, pageSize: NOTES }, signal),
    listCheckpoints({ session }, signal),
  ]);
  return {
    entries: values.entries,
    hasMoreValues: values.nextPageToken !== '',
    task: task.task,
    notes: notes.notes,
    noteCount: notes.totalCount,
    checkpoints: checkpoints.checkpoints,
  };
}

function Facts({ session }: { readonly session: Session }) {
  const { scope, createTime, updateTime, activeDuration, idleExpireTime, metadata } = session;
  return (
    <dl class="facts">
      <dt>Scope</dt>
      <dd>
        <PlainText text={scopeText(scope) || 'the namespace as a whole'} />
      </dd>
      <dt>Created</dt>
      <dd>{createTime && <Time at={createTime} />}</dd>
      <dt>Last transition</dt>
      <dd>{updateTime && <Time at={updateTime} />}</dd>
      <dt>Active for</dt>
      <dd>{durationText(Number(activeDuration?.seconds ?? 0))}</dd>
      {idleExpireTime && (
        <>
          <dt>Ends unless written to</dt>
          <dd>
            <Time at={idleExpireTime} />
          </dd>
        </>
      )}
      {Object.entries(metadata).map(([key, value]) => [
        <dt key={`${key} name`}>
          <PlainText text={key} max={80} />
        </dt>,
        <dd key={`${key} value`}>
          <PlainText text={value} max={400} />
        </dd>,
      ])}
    </dl>
  );
}

function Actions({ session, changed }: { readonly session: Session; readonly changed: () => void }) {
  const [open, setOpen] = useState<'pause' | 'resume'>();
  const done = () => {
    setOpen(undefined);
    changed();
  };
  const { name, version, state } = session;
  return (
    <>
      {state === SessionState.SESSION_STATE_ACTIVE && (
        <button type="button" onClick={() => setOpen('pause')}>
          <Icon name="pause" />
          Pause
        </button>
      )}
      {state === SessionState.SESSION_STATE_PAUSED && (
        <button type="button" onClick={() => setOpen('resume')}>
          <Icon name="play" />
          Resume
        </button>
      )}
      {open === 'pause' && (
        <FormDialog
          title="Pause the session"
          does="Pause"
          send={() => pauseSession({ session: name, ifVersion: version })}
          close={() => setOpen(undefined)}
          done={done}
        >
          <p class="quiet">A checkpoint is made, and working memory refuses writes until the session is resumed.</p>
        </FormDialog>
      )}
      {open === 'resume' && (
        <FormDialog
          title="Resume the session"
          does="Resume"
          send={() => resumeSession({ session: name, ifVersion: version })}
          close={() => setOpen(undefined)}
          done={done}
        >
          <p class="quiet">Working memory is as it is now, and takes writes again.</p>
        </FormDialog>
      )}
    </>
  );
}

/** Reads the session again when something in it changes. */
function useSessionChanges(session: string, again: () => void): WatchState {
  const [state, setState] = useState<WatchState>({ kind: 'connecting' });
  const bearer = useStore(credentials);
  useEffect(() => {
    const stop = new AbortController();
    let revision: bigint | undefined;
    void follow(
      {
        open: (signal) => watchSession({ session, ...(revision !== undefined && { afterRevision: revision }) }, signal),
        onMessage({ revision: reached, message }) {
          revision = reached;
          if (message?.$case === 'events') again();
        },
        onState: setState,
      },
      stop.signal,
    );
    return () => stop.abort();
  }, [session, bearer, again]);
  return state;
}
