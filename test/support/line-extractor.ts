import { MnemeError } from '../../src/memory/errors.ts';
import type { Capacity, Extracted, ExtractionBatch, Extractor } from '../../src/server/extraction/extractor.ts';

/** Reads `subject attribute value` out of texts of three words. Its inputs are recorded for tests. */
export class LineExtractor implements Extractor {
  readonly name = 'rules';
  readonly batches: ExtractionBatch[] = [];
  /** Texts that it cannot extract from. */
  readonly poisoned = new Set<string>();
  /** While it is true no attempt succeeds. */
  isDown = false;
  /** Awaited by every extraction. */
  gate: Promise<void> = Promise.resolve();

  capacity(): Capacity {
    return 'server';
  }

  async extract(batch: ExtractionBatch): Promise<Extracted> {
    this.batches.push(batch);
    await this.gate;
    if (this.isDown) throw new MnemeError('EXTRACTOR_UNAVAILABLE', 'the extractor is down');
    const bad = batch.messages.find(({ text }) => this.poisoned.has(text));
    if (bad) throw new MnemeError('EXTRACTION_INVALID', `cannot read message ${bad.sequence}`);
    const claims = batch.messages.flatMap(({ text, sequence }) => {
      const [subject = '', attribute = '', value = '', ...more] = text.split(' ');
      if (value === '' || more.length > 0) return [];
      return [{ subject, attribute, value, text, confidence: 1, sources: [sequence] }];
    });
    return { claims, notes: [] };
  }

  /** Sequence numbers of all batches of a conversation, in order. */
  seen(conversation = 'c'): number[] {
    const own = this.batches.filter((batch) => batch.conversation === conversation);
    return own.flatMap(({ messages }) => messages.map(({ sequence }) => sequence));
  }
}
