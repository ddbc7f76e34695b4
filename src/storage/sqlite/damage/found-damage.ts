import { isDamage, isStorageDamage } from '../../../memory/errors.ts';

/** Names the data folder where a part of the server reports damage. */
export const DAMAGED_PART = 'data folder';

const REPAIR = '"mneme verify" lists what is lost; stop the server and run "mneme repair"';

/** Damage that was met since the folder was opened, for operators. */
export class FoundDamage {
  /** Calls that met a damaged page. */
  pageCount = 0;
  private hasMemories = false;

  /** To be called with every error of the store; returns it. */
  noted(error: unknown): unknown {
    if (isStorageDamage(error)) this.pageCount++;
    else if (isDamage(error)) this.hasMemories = true;
    return error;
  }

  /** To be called with every page of a list; returns it. */
  notedIn<P extends { readonly damagedIds?: readonly string[] }>(page: P): P {
    this.hasMemories ||= page.damagedIds !== undefined;
    return page;
  }

  /** As text for people. */
  get texts(): readonly string[] {
    if (this.pageCount > 0) return [`${DAMAGED_PART}: pages of mneme.db are damaged; ${REPAIR}`];
    return this.hasMemories ? [`${DAMAGED_PART}: stored memories are damaged; ${REPAIR}`] : [];
  }
}
