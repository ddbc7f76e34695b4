import { useState } from 'preact/hooks';
import { forgetMemories } from '../../api/calls.ts';
import { asFailure, type CallFailure } from '../../api/failure.ts';
import { idOf, namespaceName } from '../../api/names.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { tierText } from '../../ui/enums.ts';
import { countOf } from '../../ui/format.ts';
import { Failure, Loading } from '../../ui/states.tsx';
import { useAsked } from '../../ui/use-asked.ts';

interface ForgetProps {
  readonly namespace: string;
  readonly filter: string;
  readonly close: () => void;
  readonly done: () => void;
}

const NAMES_SHOWN = 10;

/** Shows what a deletion erases before it does. */
export function ForgetDialog({ namespace, filter, close, done }: ForgetProps) {
  const request = { parent: namespaceName(namespace), filterText: filter };
  const preview = useAsked((signal) => forgetMemories({ ...request, dryRun: true }, signal), [namespace, filter]);
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState<CallFailure>();
  const run = async () => {
    setRunning(true);
    try {
      await forgetMemories(request);
      done();
    } catch (error) {
      setFailure(asFailure(error));
      setRunning(false);
    }
  };
  const { value } = preview;
  return (
    <Dialog title="Delete memories" close={close}>
      <div class="stack">
        {!value && !preview.failure && <Loading>Counting what would be deleted …</Loading>}
        {preview.failure && <Failure failure={preview.failure} again={preview.again} />}
        {value && (
          <>
            <p>
              {countOf(value.forgottenCount, 'memory', 'memories')} with all revisions will be erased
              {value.tiers.length > 0 &&
                `: ${value.tiers.map(({ tier, count }) => `${count} ${tierText(tier)}`).join(', ')}`}
              . This cannot be undone.
            </p>
            <ul class="choices mono small">
              {value.names.slice(0, NAMES_SHOWN).map((name) => (
                <li key={name}>{idOf(name)}</li>
              ))}
            </ul>
            {value.forgottenCount > NAMES_SHOWN && <p class="quiet">and {value.forgottenCount - NAMES_SHOWN} more</p>}
          </>
        )}
        {failure && <Failure failure={failure} />}
        <div class="row">
          <button type="button" class="danger" disabled={!value || isRunning} onClick={() => void run()}>
            {value ? `Erase ${countOf(value.forgottenCount, 'memory', 'memories')}` : 'Erase'}
          </button>
          <button type="button" onClick={close}>
            Keep
          </button>
        </div>
      </div>
    </Dialog>
  );
}
