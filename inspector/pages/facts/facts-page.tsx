import { useMemo, useState } from 'preact/hooks';
import type { Fact } from '../../../gen/ts/mneme/v1/knowledge_service.ts';
import { listFacts } from '../../api/fact-calls.ts';
import { namespaceName } from '../../api/names.ts';
import { isTimeText, timestampOf } from '../../api/times.ts';
import type { Parameters } from '../../app/navigation.ts';
import { goWith, usePlace } from '../../app/router.ts';
import { Page } from '../../ui/page.tsx';
import { PlainText } from '../../ui/plain-text.tsx';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { useAsked } from '../../ui/use-asked.ts';
import { FactRow } from './fact-row.tsx';
import { knownTimesOf } from './known-times.ts';
import { TimeControl } from './time-control.tsx';

const PAGE_SIZE = 200;
const PAGE_SIZE_MAX = 1000;

/** What is known of each subject: at any time, and as it was known at any time. */
export function FactsPage({ parameters }: { readonly parameters: Parameters }) {
  const { namespace = '' } = parameters;
  const { query } = usePlace();
  return (
    <Page title="Facts">
      <Controls namespace={namespace} query={query} />
      <Facts key={namespace} namespace={namespace} query={query} />
    </Page>
  );
}

interface PartProps {
  readonly namespace: string;
  readonly query: URLSearchParams;
}

function Controls({ namespace, query }: PartProps) {
  const times = useKnownTimes(namespace, query);
  const value = (name: string) => query.get(name) ?? '';
  const text = (name: string, label: string, placeholder: string) => (
    <label>
      {label}
      <input
        placeholder={placeholder}
        value={value(name)}
        onChange={({ currentTarget }) => goWith({ [name]: currentTarget.value.trim() })}
      />
    </label>
  );
  const time = (name: string, label: string, known: readonly number[]) => (
    <TimeControl label={label} value={value(name)} times={known} set={(chosen) => goWith({ [name]: chosen })} />
  );
  return (
    <fieldset class="recall-settings">
      <legend>Which facts</legend>
      {text('subject', 'Subject', 'such as user')}
      {text('attribute', 'Attribute', 'such as home_city')}
      {time('at', 'That held at', times.held)}
      {time('known', 'As it was known at', times.recorded)}
      <label class="check">
        <input
          type="checkbox"
          checked={query.get('past') === 'yes'}
          onChange={({ currentTarget }) => goWith({ past: currentTarget.checked ? 'yes' : '' })}
        />
        Also those that do not hold then
      </label>
    </fieldset>
  );
}

/** Of the facts of the subject and attribute, whether they hold or not. */
function useKnownTimes(namespace: string, query: URLSearchParams) {
  const [subject, attribute] = [query.get('subject') ?? '', query.get('attribute') ?? ''];
  const draft = { parent: namespaceName(namespace), subject, attribute, includeSuperseded: true };
  const asked = useAsked(
    (signal) => listFacts({ ...draft, pageSize: PAGE_SIZE_MAX }, signal),
    [namespace, subject, attribute],
  );
  return useMemo(() => knownTimesOf(asked.value?.facts ?? []), [asked.value]);
}

function Facts({ namespace, query }: PartProps) {
  const [pageSize, setPageSize] = useState(PAGE_SIZE);
  const timeIn = (name: string) => {
    const text = query.get(name) ?? '';
    return isTimeText(text) ? timestampOf(new Date(text)) : undefined;
  };
  const [at, known] = [timeIn('at'), timeIn('known')];
  const draft = {
    parent: namespaceName(namespace),
    subject: query.get('subject') ?? '',
    attribute: query.get('attribute') ?? '',
    includeSuperseded: query.get('past') === 'yes',
    pageSize,
    ...(at && { asOf: at }),
    ...(known && { asOfRecorded: known }),
  };
  const asked = useAsked((signal) => listFacts(draft, signal), [namespace, query.toString(), pageSize]);
  if (asked.failure) return <Failure failure={asked.failure} again={asked.again} />;
  if (!asked.value) return <Loading>Reading facts …</Loading>;
  const { facts, nextPageToken } = asked.value;
  if (facts.length === 0) {
    return query.toString() === '' ? (
      <Empty>
        No fact is known here. Facts are asserted by callers, and extracted from the messages of conversations.
      </Empty>
    ) : (
      <Empty>No fact is as asked for.</Empty>
    );
  }
  return (
    <>
      <div class="panels subjects">
        {bySubject(facts).map(([subject, ofSubject]) => (
          <section key={subject} class="panel">
            <h2>
              <PlainText text={subject} max={200} />
            </h2>
            <ul>
              {ofSubject.map((fact) => (
                <FactRow key={fact.name} namespace={namespace} fact={fact} changed={asked.again} />
              ))}
            </ul>
          </section>
        ))}
      </div>
      {nextPageToken !== '' &&
        (pageSize < PAGE_SIZE_MAX ? (
          <button type="button" onClick={() => setPageSize(PAGE_SIZE_MAX)}>
            Show more
          </button>
        ) : (
          <p class="quiet">There are more: name a subject or an attribute.</p>
        ))}
    </>
  );
}

/** Facts by subject, in the order of the first fact of each. */
function bySubject(facts: readonly Fact[]): readonly (readonly [string, readonly Fact[]])[] {
  const groups = new Map<string, Fact[]>();
  for (const fact of facts) {
    const group = groups.get(fact.subject);
    if (group) group.push(fact);
    else groups.set(fact.subject, [fact]);
  }
  return [...groups];
}
