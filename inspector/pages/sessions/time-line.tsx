import {
  type LifecycleEvent,
  LifecyclePhase,
  LifecycleTransition,
} from '../../../gen/ts/mneme/v1/lifecycle_service.ts';
import type { Session } from '../../../gen/ts/mneme/v1/session.ts';
import { dateOf } from '../../api/times.ts';
import { durationText, timeText } from '../../ui/format.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { Time } from '../../ui/time.tsx';

const TRANSITIONS: Readonly<Record<number, string>> = {
  [LifecycleTransition.LIFECYCLE_TRANSITION_SPAWN]: 'created',
  [LifecycleTransition.LIFECYCLE_TRANSITION_PAUSE]: 'paused',
  [LifecycleTransition.LIFECYCLE_TRANSITION_RESUME]: 'resumed',
  [LifecycleTransition.LIFECYCLE_TRANSITION_TERMINATE]: 'ended',
  [LifecycleTransition.LIFECYCLE_TRANSITION_DELETE]: 'deleted',
};

const ACTIVE_AFTER = new Set(['created', 'resumed']);

interface Moment {
  readonly text: string;
  readonly atMs: number;
}

/** The life of a session: a bar with its active and paused times to scale, and its transitions below. */
export function TimeLine({
  session,
  events,
}: {
  readonly session: Session;
  readonly events: readonly LifecycleEvent[];
}) {
  const shown = events.filter(({ phase }) => phase !== LifecyclePhase.LIFECYCLE_PHASE_BEFORE);
  const moments = shown.flatMap(({ phase, transition, time }): Moment[] =>
    phase === LifecyclePhase.LIFECYCLE_PHASE_AFTER && time
      ? [{ text: TRANSITIONS[transition] ?? 'changed', atMs: dateOf(time).getTime() }]
      : [],
  );
  if (shown.length === 0) return <p class="quiet">The events of this session are not kept any more.</p>;
  return (
    <div class="stack">
      <h3>Life</h3>
      <LifeBar moments={moments} endMs={session.expireTime ? undefined : Date.now()} />
      <ol class="life">
        {shown.map(({ id, phase, transition, time, refusal, checkpointId, duration }) => (
          <li key={id} class="row">
            {time && <Time at={time} />}
            <span class={phase === LifecyclePhase.LIFECYCLE_PHASE_REFUSED ? 'badge warn' : 'badge'}>
              {phase === LifecyclePhase.LIFECYCLE_PHASE_REFUSED && 'refused: '}
              {TRANSITIONS[transition] ?? 'changed'}
            </span>
            {checkpointId !== '' && (
              <span class="quiet small">
                checkpoint <PlainText text={checkpointId} max={40} />
              </span>
            )}
            {duration && <span class="quiet small">{Math.round(duration.nanos / 1e6)} ms</span>}
            {refusal !== '' && <PlainText text={refusal} max={200} />}
          </li>
        ))}
      </ol>
    </div>
  );
}

const WIDTH = 1000;

function LifeBar({ moments, endMs }: { readonly moments: readonly Moment[]; readonly endMs: number | undefined }) {
  const [first] = moments;
  const last = moments.at(-1);
  if (!first || !last) return null;
  const untilMs = Math.max(endMs ?? last.atMs, first.atMs + 1);
  const x = (ms: number) => (WIDTH * (ms - first.atMs)) / (untilMs - first.atMs);
  const spans = moments.flatMap(({ text, atMs }, at) => {
    const toMs = moments[at + 1]?.atMs ?? untilMs;
    return text === 'ended' || text === 'deleted' ? [] : [{ isActive: ACTIVE_AFTER.has(text), atMs, toMs }];
  });
  return (
    <svg
      class="life-bar"
      viewBox={`0 0 ${WIDTH} 12`}
      preserveAspectRatio="none"
      role="img"
      aria-label={spans
        .map(({ isActive, atMs, toMs }) => `${isActive ? 'active' : 'paused'} ${durationText((toMs - atMs) / 1000)}`)
        .join(', ')}
    >
      {spans.map(({ isActive, atMs, toMs }) => (
        <rect
          key={atMs}
          class={isActive ? 'active' : 'paused'}
          x={x(atMs)}
          y="0"
          width={Math.max(1, x(toMs) - x(atMs))}
          height="12"
        >
          <title>
            {isActive ? 'active' : 'paused'} from {timeText({ seconds: BigInt(Math.floor(atMs / 1000)), nanos: 0 })}
          </title>
        </rect>
      ))}
    </svg>
  );
}
