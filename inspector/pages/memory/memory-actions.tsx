import { useState } from 'preact/hooks';
import { type Memory, Tier } from '../../../gen/ts/mneme/v1/memory.ts';
import { demoteMemories, promoteMemories, updateMemory } from '../../api/calls.ts';
import { asFailure, type CallFailure } from '../../api/failure.ts';
import { idOf, namespaceName } from '../../api/names.ts';
import { go } from '../../app/router.ts';
import { tierText } from '../../ui/enums.ts';
import { Failure } from '../../ui/states.tsx';
import { listAddress } from '../memories/address.ts';
import { ForgetDialog } from '../memories/forget-dialog.tsx';
import { quoted } from '../memories/memory-row.tsx';
import { restoring } from './changes.ts';
import { EditDialog } from './edit-dialog.tsx';
import { ExpireDialog } from './expire-dialog.tsx';
import { SupersedeDialog } from './supersede-dialog.tsx';
import { TakeBackDialog } from './take-back-dialog.tsx';

interface ActionsProps {
  readonly namespace: string;
  readonly memory: Memory;
  readonly changed: () => void;
}

type Open = 'edit' | 'supersede' | 'take-back' | 'expire' | 'delete';

/** What may be done with a memory. An update can be undone while the page is open, and by its revisions afterwards. */
export function MemoryActions({ namespace, memory, changed }: ActionsProps) {
  const [open, setOpen] = useState<Open>();
  const [former, setFormer] = useState<Memory>();
  const [failure, setFailure] = useState<CallFailure>();
  const close = () => setOpen(undefined);
  const saved = () => {
    setFormer(memory);
    setFailure(undefined);
    close();
    changed();
  };
  const run = async (call: Promise<unknown>) => {
    try {
      await call;
      setFailure(undefined);
      setFormer(undefined);
      changed();
    } catch (error) {
      setFailure(asFailure(error));
    }
  };
  const parts = { namespace, memory, close, saved };
  return (
    <>
      <button type="button" onClick={() => setOpen('edit')}>
        Edit
      </button>
      <SupersedeButton memory={memory} open={setOpen} />
      <TierChoice memory={memory} move={(call) => void run(call)} namespace={namespace} />
      <button type="button" onClick={() => setOpen('expire')}>
        Expire
      </button>
      <button type="button" class="danger" onClick={() => setOpen('delete')}>
        Delete
      </button>
      {former && (
        <div class="notice slim" role="status">
          <span>Saved.</span>
          <button type="button" onClick={() => void run(updateMemory(restoring(memory, former)))}>
            Undo
          </button>
        </div>
      )}
      {failure && <Failure failure={failure} />}
      {open === 'edit' && <EditDialog {...parts} />}
      {open === 'expire' && <ExpireDialog {...parts} />}
      {open === 'supersede' && <SupersedeDialog {...parts} />}
      {open === 'take-back' && <TakeBackDialog {...parts} />}
      {open === 'delete' && (
        <ForgetDialog
          namespace={namespace}
          filter={`id = ${quoted(idOf(memory.name))}`}
          close={close}
          done={() => go(listAddress(namespace, ''))}
        />
      )}
    </>
  );
}

/** A superseded memory is not superseded again; timelines of facts have an undo of their own. */
function SupersedeButton({ memory, open }: { readonly memory: Memory; readonly open: (what: Open) => void }) {
  if (memory.type === 'fact') return null;
  const isSuperseded = memory.supersededBy !== '';
  return (
    <button type="button" onClick={() => open(isSuperseded ? 'take-back' : 'supersede')}>
      {isSuperseded ? 'Take back' : 'Supersede'}
    </button>
  );
}

interface TierProps {
  readonly namespace: string;
  readonly memory: Memory;
  readonly move: (call: Promise<unknown>) => void;
}

function TierChoice({ namespace, memory, move }: TierProps) {
  const to = (toTier: Tier) => {
    const request = { parent: namespaceName(namespace), names: [memory.name], toTier };
    // A higher number is a lower tier.
    move(toTier > memory.tier ? demoteMemories(request) : promoteMemories(request));
  };
  return (
    <label>
      <span class="unseen">Tier</span>
      <select
        value={memory.tier}
        title="Moves the memory to another tier; nothing of it is lost"
        onChange={({ currentTarget }) => to(Number(currentTarget.value) as Tier)}
      >
        {[Tier.TIER_SHORT_TERM, Tier.TIER_INTERMEDIATE, Tier.TIER_LONG_TERM].map((tier) => (
          <option key={tier} value={tier}>
            {tierText(tier)}
          </option>
        ))}
      </select>
    </label>
  );
}
