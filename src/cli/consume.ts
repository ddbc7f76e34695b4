import { type ClientFlags, withClient } from './client-flags.ts';
import { eventBlock, eventJson } from './describe-change.ts';
import { layoutOf } from './memory-block.ts';
import { print, printJson } from './output.ts';
import { toldBreaks } from './told-breaks.ts';

export interface ConsumeFlags extends ClientFlags {
  readonly consumer: string;
  readonly from?: number;
  readonly skipLost?: boolean;
  readonly count?: number;
}

/** A change that was printed is done: one that could not be is delivered again. */
export async function consume(id: string, flags: ConsumeFlags): Promise<void> {
  const query = {
    ...(flags.from === undefined ? {} : { startRevision: flags.from }),
    onCompacted: flags.skipLost ? 'skip' : 'fail',
  } as const;
  await withClient(flags, async (mneme) => {
    const layout = layoutOf({});
    let count = 0;
    const deliveries = mneme.subscriptions.consume(id, flags.consumer, query, toldBreaks());
    for await (const { acknowledge, ...change } of deliveries) {
      await (flags.json ? printJson(eventJson(change)) : print(eventBlock(change, layout)));
      acknowledge();
      if (++count === flags.count) return;
    }
  });
}
