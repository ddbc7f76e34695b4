import { useEffect, useState } from 'preact/hooks';

/** A value that several parts of the page show. */
export class Store<T> {
  private held: T;
  private readonly readers = new Set<() => void>();

  constructor(value: T) {
    this.held = value;
  }

  get value(): T {
    return this.held;
  }

  set(value: T): void {
    this.held = value;
    for (const read of [...this.readers]) read();
  }

  subscribe(read: () => void): () => void {
    this.readers.add(read);
    return () => this.readers.delete(read);
  }
}

/** The value of a store; the component is drawn again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [, draw] = useState({});
  useEffect(() => {
    draw({});
    return store.subscribe(() => draw({}));
  }, [store]);
  return store.value;
}
