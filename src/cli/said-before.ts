import { createHash, hash } from 'node:crypto';
import { Content, type ImportedMemory, type Mneme, NotFoundError } from '../../clients/typescript/src/index.ts';
import { Occurrences } from './occurrences.ts';

/** What memories say: text and content, by whom and in which scope. Takes 40 to 100 bytes of memory for each. */
export class SaidBefore {
  private readonly sayings = new Occurrences();
  private readonly ids = new Occurrences();

  /** Takes in all that the namespace holds. */
  async learn(mneme: Mneme): Promise<void> {
    try {
      for await (const memory of mneme.list({ onDamaged: () => {} })) {
        this.ids.next(hash('sha256', memory.id, 'buffer'));
        this.sayings.next(digestOf(memory));
        // A text that was not given was made from the content.
        if (memory.content) this.sayings.next(digestOf({ ...memory, text: '' }));
      }
    } catch (error) {
      // Nothing is stored in it yet.
      if (!(error instanceof NotFoundError)) throw error;
    }
  }

  /** Whether another memory said the same before. One that is only a vector says nothing. */
  isRepeated(id: string, memory: ImportedMemory): boolean {
    if (!memory.text && memory.content === undefined) return false;
    const isRepeated = this.sayings.next(digestOf(memory)) > 1;
    return isRepeated && !this.ids.has(hash('sha256', id, 'buffer'));
  }
}

function digestOf({ text = '', content, scope = {}, source = {} }: ImportedMemory): Buffer {
  const { project = '', agentType = '', agent = '', session = '' } = scope;
  const body = content === undefined || content instanceof Content ? content : Content.json(content);
  const named = [text, project, agentType, agent, session, source.speaker ?? '', body?.mediaType ?? ''];
  return createHash('sha256')
    .update(JSON.stringify(named))
    .update(body?.data ?? '')
    .digest();
}
