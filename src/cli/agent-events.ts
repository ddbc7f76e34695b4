import type { LifecycleEvent } from '../../clients/typescript/src/index.ts';
import type { ScopeFlags } from './agent-flags.ts';
import { scopeOf } from './agent-session.ts';
import { withClient } from './client-flags.ts';
import { print, printJson } from './output.ts';
import { paint, printable } from './terminal.ts';

interface EventFlags extends ScopeFlags {
  readonly fromOldest?: boolean;
  readonly consumer?: string;
  readonly limit?: number;
}

/** Prints events as they come; with a consumer each is acknowledged once it is printed. */
export async function showEvents(flags: EventFlags): Promise<void> {
  const { fromOldest = false, consumer, limit = Number.POSITIVE_INFINITY } = flags;
  await withClient(flags, async (mneme) => {
    const events = mneme.lifecycle.watchEvents({
      ...(fromOldest ? { start: 'oldest' as const } : {}),
      ...(consumer === undefined ? {} : { consumer }),
      scope: scopeOf(flags),
    });
    let count = 0;
    for await (const event of events) {
      await (flags.json ? printJson(event) : print(eventLine(event)));
      if (consumer !== undefined) await mneme.lifecycle.acknowledgeEvents(consumer, event);
      if (++count >= limit) return;
    }
  });
}

function eventLine({ time, transition, phase, session, refusal }: LifecycleEvent): string {
  const what = phase === 'refused' ? `${transition} refused: ${printable(refusal ?? '')}` : transition;
  return [paint('cyan', time.toISOString()), printable(session.id), paint('yellow', what)].join('  ');
}
