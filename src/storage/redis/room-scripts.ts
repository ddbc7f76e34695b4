import { type ScriptKind, scriptFrom } from './script.ts';

const fileOf = (name: string) => new URL(`scripts/${name}.lua`, import.meta.url);
const script = (name: string, kind: ScriptKind) => scriptFrom(name, kind, fileOf(name));
/** One that gives rows of memories. */
const rowScript = (name: string) => scriptFrom(name, 'read', fileOf('rows'), fileOf(name));

/** Scripts that work on one room; what they take and give is said in their first lines. */
export const roomScripts = {
  load: rowScript('load'),
  commit: script('commit', 'write'),
  /** The same for writes that only free memory. */
  erase: script('commit', 'erase'),
  changes: script('changes', 'read'),
  page: rowScript('page'),
  entries: rowScript('entries'),
  sizes: script('sizes', 'read'),
  createSubscription: script('create-subscription', 'write'),
  deleteSubscription: script('delete-subscription', 'erase'),
  moveCursors: script('move-cursors', 'erase'),
  claimWork: script('claim-work', 'write'),
  releaseWork: script('release-work', 'erase'),
};
