import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** All of the load generator's own, now: while it measures, a full collection would take the cores from the server. */
export const collectGarbage = runInNewContext('gc') as () => void;
