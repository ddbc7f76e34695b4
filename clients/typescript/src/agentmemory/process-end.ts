import type { Engine } from './engine.ts';
import type { MemoryQueue } from './memory-queue.ts';

/** An API with memories of hooks. */
interface Closable {
  readonly isClosed: boolean;
  readonly engine: Engine;
  readonly queue: MemoryQueue;
  close(): Promise<unknown>;
}

/** APIs whose memories of hooks are to be stored when the process ends. */
const open = new Set<Closable>();
let isListening = false;

/** Stores what waits when the event loop is empty. `process.exit` ends without: what waits then is logged. */
export function closeAtExit(api: Closable): void {
  open.add(api);
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
function pending(): Closable[] {
  return openApis().filter(({ queue }) => queue.pending > 0);
}

/** The APIs of the process that are not closed. */
export function openApis(): Closable[] {
  for (const api of open) if (api.isClosed) open.delete(api);
  return [...open];
}
