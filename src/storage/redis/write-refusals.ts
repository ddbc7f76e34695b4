import { MnemeError } from '../../memory/errors.ts';
import type { ScriptKind } from './script.ts';

/** Faults of a node that answers, but changes nothing. */
const FAULTS: ReadonlySet<string | undefined> = new Set(['read_only', 'persistence_failed', 'credentials']);

/** What each node refused when it was last asked to store something: a node that answers may still take nothing. */
export class WriteRefusals {
  private readonly byNode = new Map<string, MnemeError>();
  private readonly onChange: ((node: string, refusal?: MnemeError) => void) | undefined;

  /** `onChange` is told when a node begins to refuse, with its error, and when it stores again. */
  constructor(onChange?: (node: string, refusal?: MnemeError) => void) {
    this.onChange = onChange;
  }

  /** Of one of the nodes that refuse. */
  get first(): MnemeError | undefined {
    return this.byNode.values().next().value;
  }

  /** Notes how a script that writes fares. One that only frees memory says nothing of those that store. */
  async noted<R>(node: string, kind: ScriptKind, write: Promise<R>): Promise<R> {
    try {
      const reply = await write;
      if (kind === 'write' && this.byNode.delete(node)) this.onChange?.(node);
      return reply;
    } catch (error) {
      if (isRefusal(error)) {
        const isNew = !this.byNode.has(node);
        this.byNode.set(node, error);
        if (isNew) this.onChange?.(node, error);
      }
      throw error;
    }
  }
}

function isRefusal(error: unknown): error is MnemeError {
  if (!(error instanceof MnemeError)) return false;
  return error.reason === 'STORAGE_FULL' || FAULTS.has(error.metadata['fault']);
}
