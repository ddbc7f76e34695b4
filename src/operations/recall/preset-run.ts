import type { Call } from '../../memory/call.ts';
import type { RecallDeps } from './recall.ts';
import type { RecallRequest } from './recall-request.ts';

/** What one run of a preset works with. */
export interface PresetRun {
  readonly deps: RecallDeps;
  /** As it came, save that nothing is counted before the run has ended. */
  readonly request: RecallRequest;
  readonly call: Call;
}
