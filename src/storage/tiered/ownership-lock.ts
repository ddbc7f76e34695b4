interface Door {
  /** Work in progress that relies on stable ownership. */
  inHand: number;
  /** Settles when ownership has changed. */
  changing: Promise<void> | undefined;
  whenIdle: (() => void) | undefined;
}

/**
 * Prevents memories from passing to the hot store between the moment when a write finds that the cold one owns them and
 * the moment when it takes effect there. Only this process writes to the cold store.
 */
export class OwnershipLock {
  private readonly doors = new Map<string, Door>();

  /**
   * Any number may run concurrently. Must not be nested: the inner one would wait for a change that waits for the outer
   * one.
   */
  async keep<T>(namespace: string, work: () => Promise<T>): Promise<T> {
    for (let before = this.changing(namespace); before; before = this.changing(namespace)) await before;
    const door = this.doorOf(namespace);
    door.inHand++;
    try {
      return await work();
    } finally {
      door.inHand--;
      if (door.inHand === 0) door.whenIdle?.();
      this.forget(namespace, door);
    }
  }

  /** Runs exclusively. Must wait for nothing but the two stores and the copies. */
  async change<T>(namespace: string, work: () => Promise<T>): Promise<T> {
    for (let before = this.changing(namespace); before; before = this.changing(namespace)) await before;
    const door = this.doorOf(namespace);
    const { promise, resolve } = Promise.withResolvers<void>();
    door.changing = promise;
    try {
      if (door.inHand > 0) {
        await new Promise<void>((whenIdle) => {
          door.whenIdle = whenIdle;
        });
      }
      return await work();
    } finally {
      door.changing = undefined;
      door.whenIdle = undefined;
      resolve();
      this.forget(namespace, door);
    }
  }

  private changing(namespace: string): Promise<void> | undefined {
    return this.doors.get(namespace)?.changing;
  }

  private doorOf(namespace: string): Door {
    let door = this.doors.get(namespace);
    if (!door) {
      door = { inHand: 0, changing: undefined, whenIdle: undefined };
      this.doors.set(namespace, door);
    }
    return door;
  }

  private forget(namespace: string, door: Door): void {
    if (door.inHand === 0 && !door.changing && this.doors.get(namespace) === door) this.doors.delete(namespace);
  }
}
