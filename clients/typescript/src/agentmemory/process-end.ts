import type { AgentMemoryAPI } from './agent-memory-api.ts';

/** APIs whose memories of hooks are to be stored when the process ends. */
const open = new Set<WeakRef<AgentMemoryAPI>>();
let isListening = false;

/** Stores what waits when the event loop is empty. `process.exit` ends without: what waits then is logged. */
export function closeAtExit(api: AgentMemoryAPI): void {
  open.add(new WeakRef(api));
  if (isListening) return;
  isListening = true;
  process.once('beforeExit', () => {
    // A rejection would be a defect: closing reports failures.
    for (const each of pending()) void each.close();
  });
  process.once('exit', () => {
    for (const { queue, engine } of pending())
      engine.log.write('WARNING', `${queue.pending} memories of hooks were not stored: the process ended`);
  });
}

/** APIs that have memories to store. */
function pending(): AgentMemoryAPI[] {
  return openApis().filter(({ queue }) => queue.pending > 0);
}

/** The APIs of the process that are not closed. */
export function openApis(): AgentMemoryAPI[] {
  for (const reference of open) if (reference.deref()?.isClosed ?? true) open.delete(reference);
  return [...open].flatMap((reference) => reference.deref() ?? []);
}
