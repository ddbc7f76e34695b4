import { isNamespaceMissing } from '../../../memory/errors.ts';
import type { View } from '../../../storage/view.ts';

/** Memories, and bytes of texts and contents. */
export interface Size {
  readonly memories: number;
  readonly bytes: number;
}

interface Reserved extends Size {
  readonly done: Promise<unknown>;
}

/** The error for a write that finds no room; `undefined` where it finds it. */
type Check = (whole: Size) => Promise<(() => Error) | undefined>;

/**
 * Room for writes in namespaces. Writes at the same time count each other in the order in which they came, so that none
 * goes beyond a limit together with others, and none is refused for one that fails.
 */
export class Room {
  private readonly view: Pick<View, 'size'>;
  /** Writes that are being made, by namespace, in their order. */
  private readonly reserved = new Map<string, Set<Reserved>>();

  constructor(view: Pick<View, 'size'>) {
    this.view = view;
  }

  /** Runs a write that adds `size` where `check` passes with everything that the namespace then has. */
  async write<A>(namespace: string, size: Size, check: Check, write: () => Promise<A>) {
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const mine: Reserved = { ...size, done };
    const all = this.reserved.get(namespace) ?? new Set();
    this.reserved.set(namespace, all.add(mine));
    try {
      await this.checked(namespace, mine, check);
      return await write();
    } finally {
      all.delete(mine);
      if (all.size === 0) this.reserved.delete(namespace);
      resolve();
    }
  }

  private async checked(namespace: string, mine: Reserved, check: Check): Promise<void> {
    for (;;) {
      const ahead = this.ahead(namespace, mine);
      // Read last: a write that ends meanwhile is counted twice at worst, and then looked at again.
      const held = await this.held(namespace);
      const refusal = await check([...ahead, mine].reduce(sum, held));
      if (!refusal) return;
      // An error that is made counts as a refusal: a write ahead may still fail, and its room is free then.
      if (ahead.length === 0) throw refusal();
      await Promise.all(ahead.map((each) => each.done));
    }
  }

  private ahead(namespace: string, mine: Reserved): Reserved[] {
    const all = [...(this.reserved.get(namespace) ?? [])];
    return all.slice(0, all.indexOf(mine));
  }

  private async held(namespace: string): Promise<Size> {
    try {
      const { count, contentBytes } = await this.view.size(namespace);
      return { memories: count, bytes: contentBytes };
    } catch (error) {
      if (isNamespaceMissing(error)) return NOTHING;
      throw error;
    }
  }
}

const NOTHING: Size = { memories: 0, bytes: 0 };

function sum(one: Size, other: Size): Size {
  return { memories: one.memories + other.memories, bytes: one.bytes + other.bytes };
}
