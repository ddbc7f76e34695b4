import type { BaseStore } from '@langchain/langgraph-checkpoint';

/** A case of one group, with the store that is made for it. */
export interface Case {
  readonly name: string;
  readonly needs?: 'ranksTexts' | 'comparesLabels';
  run(store: BaseStore): Promise<void>;
}
