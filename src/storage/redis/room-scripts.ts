import { type ScriptKind, scriptFrom } from './script.ts';

const script = (name: string, kind: ScriptKind) =>
  scriptFrom(name, kind, new URL(`scripts/${name}.lua`, import.meta.url));

/** Scripts that work on one room; what they take and give is said in their first lines. */
export const roomScripts = {
  load: script('load', 'read'),
  commit: script('commit', 'write'),
  /** The same for writes that only free memory. */
  erase: script('commit', 'erase'),
  changes: script('changes', 'read'),
  page: script('page', 'read'),
  entries: script('entries', 'read'),
  sizes: script('sizes', 'read'),
  createSubscription: script('create-subscription', 'write'),
  deleteSubscription: script('delete-subscription', 'erase'),
  moveCursors: script('move-cursors', 'erase'),
  claimWork: script('claim-work', 'write'),
  releaseWork: script('release-work', 'erase'),
};
