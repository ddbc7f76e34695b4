import { RecallLane, type RecallResponse } from '../../../gen/ts/mneme/v1/recall_service.ts';
import { recall } from '../../api/recall-calls.ts';
import { goWith } from '../../app/router.ts';
import { countOf, countText } from '../../ui/format.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { useAsked } from '../../ui/use-asked.ts';
import { Hit } from './hit.tsx';
import { requestOf, type Settings } from './settings.ts';

interface AnswerProps {
  /** `A` or `B` of two answers. */
  readonly side: string;
  readonly namespace: string;
  readonly question: string;
  readonly settings: Settings;
}

/** What a recall finds, best first, and what it says of itself. */
export function Answer({ side, namespace, question, settings }: AnswerProps) {
  const asked = useAsked(
    (signal) => recall(requestOf(namespace, question, settings), signal),
    [namespace, question, JSON.stringify(settings)],
  );
  if (asked.failure) return <Failure failure={asked.failure} again={asked.again} />;
  if (!asked.value) return <Loading>Searching …</Loading>;
  const { hits } = asked.value;
  return (
    <section aria-label={side === '' ? 'Hits' : `Hits ${side}`} class="stack">
      <Summary answer={asked.value} />
      {hits.length === 0 && <Nothing answer={asked.value} />}
      <ol class="hits">
        {hits.map((hit, at) => (
          <Hit key={hit.memory?.name} hit={hit} rank={at + 1} namespace={namespace} side={side} />
        ))}
      </ol>
    </section>
  );
}

const LANES: Readonly<Record<number, string>> = {
  [RecallLane.RECALL_LANE_KEYWORD]: 'words',
  [RecallLane.RECALL_LANE_VECTOR]: 'meaning',
  [RecallLane.RECALL_LANE_FILTER]: 'filter',
  [RecallLane.RECALL_LANE_TIME]: 'time',
  [RecallLane.RECALL_LANE_PLACE]: 'place',
};

function Summary({ answer }: { readonly answer: RecallResponse }) {
  const { hits, lanes, candidateCount, degraded, damaged } = answer;
  const searched = lanes.map((lane) => LANES[lane] ?? 'unknown').join(', ');
  return (
    <div class="row" role="status">
      <span>
        {countOf(hits.length, 'hit', 'hits')} of {countOf(Number(candidateCount), 'candidate', 'candidates')}
      </span>
      {searched !== '' && <span class="badge">by {searched}</span>}
      {degraded.map(({ part, reason }) => (
        <span key={part} class="badge warn" title={reason}>
          <PlainText text={part} /> works in part only
        </span>
      ))}
      {damaged.length > 0 && <span class="badge bad">{countText(damaged.length)} damaged</span>}
    </div>
  );
}

function Nothing({ answer: { lowRelevanceCount } }: { readonly answer: RecallResponse }) {
  if (lowRelevanceCount === 0) return <Empty>Nothing was found.</Empty>;
  return (
    <Empty>
      Nothing relevant was found: {countOf(lowRelevanceCount, 'memory is', 'memories are')} below the least relevance.{' '}
      <button type="button" class="link" onClick={() => goWith({ minRelevance: '0' })}>
        Show all
      </button>
    </Empty>
  );
}
