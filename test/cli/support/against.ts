import { serve } from '../../client/support/clean-up.ts';
import type { Services } from '../../client/support/start-service.ts';
import { runMneme } from './run-mneme.ts';

/** Runs commands against a server that has these methods. */
export async function against(services: Services) {
  const { service } = await serve(services);
  return (args: readonly string[], stdin?: string | Uint8Array) =>
    runMneme(args, { env: { MNEME_SERVER: service.address }, stdin });
}
