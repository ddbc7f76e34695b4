import { useState } from 'preact/hooks';
import { type Fact, TrustLevel } from '../../../gen/ts/mneme/v1/knowledge_service.ts';
import { forgetFacts, undoSupersession } from '../../api/fact-calls.ts';
import { asFailure, type CallFailure } from '../../api/failure.ts';
import { idOf, namespaceName } from '../../api/names.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { PlainText } from '../../ui/plain-text.tsx';
import { Failure } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { memoryAddress } from '../memories/address.ts';
import { FactHistoryList } from './fact-history.tsx';

const SOURCES_SHOWN = 8;

interface FactRowProps {
  readonly namespace: string;
  readonly fact: Fact;
  readonly changed: () => void;
}

/** One fact: value, when it holds, how sure it is, where it comes from, and what may be done with it. */
export function FactRow({ namespace, fact, changed }: FactRowProps) {
  const { name, attribute, value, confidence, trust, validFrom, validUntil, supersededBy, reinforcementCount } = fact;
  const [hasHistory, setHistory] = useState(false);
  const isPast = supersededBy !== '' || validUntil !== undefined;
  return (
    <li class={isPast ? 'fact past' : 'fact'}>
      <span class="quiet small mono">{attribute}</span>
      <a class="fact-value prose" href={memoryAddress(namespace, idOf(name))}>
        <PlainText text={value} max={400} />
      </a>
      <div class="row small">
        {validFrom && (
          <span>
            from <Time at={validFrom} />
          </span>
        )}
        {validUntil && (
          <span>
            until <Time at={validUntil} />
          </span>
        )}
        {confidence !== undefined && <span class="badge">confidence {confidence.toFixed(2)}</span>}
        <span class="badge">{TRUSTS[trust] ?? 'unknown source'}</span>
        {reinforcementCount > 0 && <span class="badge">repeated {reinforcementCount} times</span>}
        {supersededBy !== '' && (
          <a class="badge warn" href={memoryAddress(namespace, idOf(supersededBy))}>
            superseded
          </a>
        )}
      </div>
      <Sources namespace={namespace} sources={fact.sources} />
      <div class="row small">
        <button type="button" aria-expanded={hasHistory} onClick={() => setHistory(!hasHistory)}>
          History
        </button>
        {isPast && <Undo fact={fact} changed={changed} />}
        <Forget namespace={namespace} fact={fact} changed={changed} />
      </div>
      {hasHistory && <FactHistoryList namespace={namespace} fact={fact} />}
    </li>
  );
}

const TRUSTS: Readonly<Record<number, string>> = {
  [TrustLevel.TRUST_LEVEL_UNTRUSTED]: 'unknown source',
  [TrustLevel.TRUST_LEVEL_TOOL]: 'from a tool',
  [TrustLevel.TRUST_LEVEL_ASSISTANT]: 'from the assistant',
  [TrustLevel.TRUST_LEVEL_USER]: 'from the user',
  [TrustLevel.TRUST_LEVEL_EXPLICIT]: 'asserted',
};

function Sources({ namespace, sources }: { readonly namespace: string; readonly sources: readonly string[] }) {
  if (sources.length === 0) return null;
  return (
    <div class="row small">
      <span class="quiet">said in</span>
      {sources.slice(0, SOURCES_SHOWN).map((source) =>
        source.startsWith(`${namespaceName(namespace)}/memories/`) ? (
          <a key={source} href={memoryAddress(namespace, idOf(source))}>
            {idOf(source).slice(0, 8)}
          </a>
        ) : (
          <PlainText key={source} text={source} max={60} />
        ),
      )}
      {sources.length > SOURCES_SHOWN && <span class="quiet">and {sources.length - SOURCES_SHOWN} more</span>}
    </div>
  );
}

/** Takes back that the fact was superseded or ended. */
function Undo({ fact: { name, value }, changed }: { readonly fact: Fact; readonly changed: () => void }) {
  const [failure, setFailure] = useState<CallFailure>();
  const undo = () => {
    setFailure(undefined);
    undoSupersession({ name }).then(changed, (error: unknown) => setFailure(asFailure(error)));
  };
  return (
    <>
      <button type="button" onClick={undo} aria-label={`Undo the end of ${value}`}>
        Undo
      </button>
      {failure && <Failure failure={failure} />}
    </>
  );
}

function Forget({ namespace, fact: { name, value }, changed }: FactRowProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)} aria-label={`Forget ${value}`}>
        Forget
      </button>
      {isOpen && (
        <FormDialog
          title="Forget the fact"
          does="Forget"
          send={() => forgetFacts({ parent: namespaceName(namespace), names: [name] })}
          close={close}
          done={() => {
            close();
            changed();
          }}
        >
          <p class="prose">
            <PlainText text={value} max={400} />
          </p>
          <p>The fact and its revisions are erased. This cannot be undone.</p>
        </FormDialog>
      )}
    </>
  );
}
