import type { Fact, FactState } from '../../../gen/ts/mneme/v1/knowledge_service.ts';
import { listFactHistory } from '../../api/fact-calls.ts';
import { idOf, namespaceName } from '../../api/names.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { Failure, Loading } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { useAsked } from '../../ui/use-asked.ts';
import { memoryAddress } from '../memories/address.ts';

/** All values of the attribute by the time from which they hold, and what was known of each from when on. */
export function FactHistoryList({ namespace, fact }: { readonly namespace: string; readonly fact: Fact }) {
  const { subject, attribute, scope, name, version } = fact;
  const asked = useAsked(
    (signal) =>
      listFactHistory({ parent: namespaceName(namespace), subject, attribute, ...(scope && { scope }) }, signal),
    [name, String(version)],
  );
  if (asked.failure) return <Failure failure={asked.failure} again={asked.again} />;
  if (!asked.value) return <Loading>Reading the history …</Loading>;
  const { facts, forgottenCount } = asked.value;
  return (
    <div class="stack">
      <ol class="revisions">
        {facts.map((each) => (
          <li key={each.fact?.name} class="stack">
            <div class="row">
              <a href={memoryAddress(namespace, idOf(each.fact?.name ?? ''))}>
                <PlainText text={each.fact?.value ?? ''} max={200} />
              </a>
              {each.withdrawn && <span class="badge warn">taken back</span>}
            </div>
            {each.states.map((state, at) => (
              <Known key={`${at}`} state={state} />
            ))}
          </li>
        ))}
      </ol>
      {forgottenCount > 0 && <p class="quiet">{forgottenCount} forgotten</p>}
    </div>
  );
}

function Known({ state: { recordTime, validFrom, validUntil } }: { readonly state: FactState }) {
  return (
    <p class="small quiet">
      {recordTime && (
        <>
          known since <Time at={recordTime} />:{' '}
        </>
      )}
      holds from {validFrom ? <Time at={validFrom} /> : 'an unknown time'}
      {validUntil && (
        <>
          {' '}
          until <Time at={validUntil} />
        </>
      )}
    </p>
  );
}
