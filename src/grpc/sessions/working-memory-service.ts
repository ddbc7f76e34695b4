import type { WorkingMemoryDeps } from '../../operations/sessions/working-memory/working-memory-deps.ts';
import type { Route } from '../edge/handler.ts';
import { checkpointMethods, checkpointReadMethods } from './checkpoint-methods.ts';
import { scratchpadMethods, taskMethods } from './task-and-scratchpad-methods.ts';
import { watchSessionMethod } from './watch-session-method.ts';
import { type WorkingPageLimits, workingListMethods } from './working-list-methods.ts';
import { workingValueMethods } from './working-value-methods.ts';

/** `proto/mneme/v1/working_memory_service.proto`. */
export function workingMemoryService(deps: WorkingMemoryDeps, limits: WorkingPageLimits): Route[] {
  return [
    ...workingValueMethods(deps),
    ...workingListMethods(deps, limits),
    ...taskMethods(deps),
    ...scratchpadMethods(deps, limits),
    ...checkpointMethods(deps),
    ...checkpointReadMethods(deps, limits),
    watchSessionMethod(deps),
  ];
}
