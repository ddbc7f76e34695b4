import type { Mneme, RecallQuery, RecallResult } from '../../clients/typescript/src/index.ts';
import { hitBlock, layoutOf } from './memory-block.ts';
import { hitJson } from './memory-json.ts';
import { print, printJson } from './output.ts';
import { paint, printable } from './terminal.ts';

interface Shown {
  readonly json?: boolean;
  readonly explain?: boolean;
  readonly full?: boolean;
  /** Prints the answer that comes at the end. */
  readonly answer: (answer: RecallResult) => Promise<void>;
}

/** Prints the hits of each tier as they come, and then the answer. */
export async function printStreamed(mneme: Mneme, query: RecallQuery, shown: Shown): Promise<void> {
  for await (const event of mneme.recallStream(query)) {
    if (event.kind === 'merged') {
      // Else its lines would read as hits of the tier above them.
      if (!shown.json) await print(paint('bold', `answer: ${event.answer.hits.length}`));
      await shown.answer(event.answer);
    } else if (event.kind === 'failure') await printFailure(event, shown);
    else if (shown.json) {
      await printJson({ tier: event.tier, hits: event.hits.map((hit) => hitJson(hit, shown.explain ?? false)) });
    } else {
      await print(paint('dim', `${event.tier}: ${event.hits.length}`));
      for (const [index, hit] of event.hits.entries()) await print(hitBlock(hit, index + 1, layoutOf(shown)));
    }
  }
}

async function printFailure({ tier, error }: { tier: string; error: Error }, { json }: Shown): Promise<void> {
  if (json) await printJson({ tier, failure: error.message });
  else process.stderr.write(`${printable(`${tier}: ${error.message}`)}\n`);
}
