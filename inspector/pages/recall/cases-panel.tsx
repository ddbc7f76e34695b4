import { useState } from 'preact/hooks';
import { asFailure, type CallFailure } from '../../api/failure.ts';
import { usePlace } from '../../app/router.ts';
import { useStore } from '../../app/store.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { Empty, Failure } from '../../ui/states.tsx';
import { type Case, cases, type Outcome, questionOf, removeCase, runCase, saveCase } from './cases.ts';

/** Questions that are asked again after a change; this browser keeps them. */
export function CasesPanel({ namespace, question }: { readonly namespace: string; readonly question: string }) {
  const { query } = usePlace();
  const kept = useStore(cases).filter((each) => each.namespace === namespace);
  const [outcomes, setOutcomes] = useState<ReadonlyMap<Case, Outcome>>(new Map());
  const [failure, setFailure] = useState<CallFailure>();
  const carryOut = (work: () => Promise<void>) => {
    setFailure(undefined);
    work().catch((error: unknown) => setFailure(asFailure(error)));
  };
  const runAll = async () => {
    const found = new Map<Case, Outcome>();
    for (const each of kept) found.set(each, await runCase(each));
    setOutcomes(found);
  };
  return (
    <section class="panel">
      <h2>Cases</h2>
      <div class="row">
        {question !== '' && (
          <button type="button" onClick={() => carryOut(() => saveCase(namespace, query.toString()))}>
            Save this question as a case
          </button>
        )}
        {kept.length > 0 && (
          <button type="button" onClick={() => carryOut(runAll)}>
            Run all cases
          </button>
        )}
      </div>
      {failure && <Failure failure={failure} />}
      {kept.length === 0 && (
        <Empty>
          A case is a question with its first hit. Run all of them after a change; they stay in this browser.
        </Empty>
      )}
      <ul class="cases">
        {kept.map((each) => (
          <li key={each.query} class="row">
            <a href={`/n/${encodeURIComponent(namespace)}/recall?${each.query}`}>
              <PlainText text={questionOf(each)} max={120} />
            </a>
            <Verdict expected={each.expected} outcome={outcomes.get(each)} />
            <span class="spring" />
            <button type="button" aria-label={`Remove the case ${questionOf(each)}`} onClick={() => removeCase(each)}>
              Remove
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Verdict({ expected, outcome }: { readonly expected: string; readonly outcome: Outcome | undefined }) {
  if (!outcome) return null;
  if (outcome.first === expected) return <span class="badge good">as before</span>;
  if (expected === '') return <span class="badge warn">something is found now</span>;
  if (outcome.rank === 0) return <span class="badge bad">not found any more</span>;
  return <span class="badge warn">now hit {outcome.rank}</span>;
}
