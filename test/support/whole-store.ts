import type { Records } from '../../src/storage/records.ts';
import type { View } from '../../src/storage/view.ts';

/** Records with a view of their memories. */
export type WholeStore = Records & View;

/** Both as one object; where they have a method of the same name, it is that of the records. */
export function wholeStore<R extends object, V extends object>(records: R, view: V): R & V {
  return new Proxy(records, {
    get: (_, name) => {
      const owner = name in records ? records : view;
      const value = Reflect.get(owner, name, owner) as unknown;
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(owner) : value;
    },
  }) as R & V;
}
