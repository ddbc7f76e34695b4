import { useState } from 'preact/hooks';
import { type ContextOmission, ContextOmissionReason } from '../../../gen/ts/mneme/v1/context_service.ts';
import { idOf, namespaceName } from '../../api/names.ts';
import { buildContext } from '../../api/recall-calls.ts';
import { Code } from '../../ui/code.tsx';
import { countOf } from '../../ui/format.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { useAsked } from '../../ui/use-asked.ts';
import { memoryAddress } from '../memories/address.ts';
import type { Settings } from './settings.ts';

const BUDGET = 1500;

interface ContextPanelProps {
  readonly namespace: string;
  readonly question: string;
  readonly settings: Settings;
}

/** The context of the question exactly as a model would get it, with its tokens. */
export function ContextPanel(props: ContextPanelProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="panel">
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <h2>What a model would see</h2>
        </summary>
        {isOpen && <Context {...props} />}
      </details>
    </section>
  );
}

function Context({ namespace, question, settings: { minRelevance } }: ContextPanelProps) {
  const [budget, setBudget] = useState(BUDGET);
  const draft = {
    parent: namespaceName(namespace),
    query: question,
    budget: { $case: 'tokenBudget', value: budget } as const,
    ...(minRelevance !== '' && { minRelevance: Number(minRelevance) }),
  };
  const asked = useAsked((signal) => buildContext(draft, signal), [namespace, question, minRelevance, budget]);
  return (
    <div class="stack">
      <label class="narrow-field">
        Tokens at most
        <input
          type="number"
          min={1}
          max={100_000}
          value={budget}
          onChange={({ currentTarget }) => setBudget(Math.max(1, Number(currentTarget.value)))}
        />
      </label>
      {asked.failure && <Failure failure={asked.failure} again={asked.again} />}
      {!asked.value && !asked.failure && <Loading>Building the context …</Loading>}
      {asked.value && (
        <>
          <p role="status">
            {countOf(asked.value.tokens, 'token', 'tokens')} of {asked.value.budget} (
            <code>{asked.value.tokenizer}</code>), {countOf(asked.value.entries.length, 'entry', 'entries')},{' '}
            {asked.value.omittedTotal} left out
          </p>
          {asked.value.text === '' ? <Empty>Nothing goes in.</Empty> : <Code label="Context" text={asked.value.text} />}
          <ul class="related">
            {asked.value.entries.map(({ name, part, tokens, reason }) => (
              <li key={`${name} ${part}`}>
                <Named namespace={namespace} name={name} part={part} />: {countOf(tokens, 'token', 'tokens')},{' '}
                <PlainText text={reason} />
              </li>
            ))}
          </ul>
          <Omissions namespace={namespace} omitted={asked.value.omitted} />
        </>
      )}
    </div>
  );
}

interface NamedProps {
  readonly namespace: string;
  readonly name: string;
  readonly part: string;
}

function Named({ namespace, name, part }: NamedProps) {
  if (!name.includes('/memories/')) return <PlainText text={`${idOf(name)} ${part}`} />;
  return (
    <a href={memoryAddress(namespace, idOf(name))}>
      <PlainText text={idOf(name)} max={40} />
    </a>
  );
}

const OMISSIONS: Readonly<Record<number, string>> = {
  [ContextOmissionReason.CONTEXT_OMISSION_REASON_BUDGET]: 'does not fit into the budget',
  [ContextOmissionReason.CONTEXT_OMISSION_REASON_KIND_LIMIT]: 'its kind has reached its limit',
  [ContextOmissionReason.CONTEXT_OMISSION_REASON_DUPLICATE]: 'says what another entry says',
  [ContextOmissionReason.CONTEXT_OMISSION_REASON_IN_CONVERSATION]: 'is part of the conversation',
  [ContextOmissionReason.CONTEXT_OMISSION_REASON_SECRET]: 'its key names a secret',
  [ContextOmissionReason.CONTEXT_OMISSION_REASON_NO_TEXT]: 'has no text',
  [ContextOmissionReason.CONTEXT_OMISSION_REASON_LOW_RELEVANCE]: 'is not relevant enough',
};

function Omissions({
  namespace,
  omitted,
}: {
  readonly namespace: string;
  readonly omitted: readonly ContextOmission[];
}) {
  if (omitted.length === 0) return null;
  return (
    <details>
      <summary>Left out</summary>
      <ul class="related">
        {omitted.map(({ name, part, reason }) => (
          <li key={`${name} ${part}`}>
            <Named namespace={namespace} name={name} part={part} />: {OMISSIONS[reason] ?? 'another reason'}
          </li>
        ))}
      </ul>
    </details>
  );
}
