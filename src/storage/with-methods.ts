/** An object with some methods of its own in place of those of `inner`, on which all others run. */
export function withMethods<T extends object>(inner: T, own: Partial<T>): T {
  return new Proxy(inner, {
    get(target, name) {
      if (name in own) return Reflect.get(own, name) as unknown;
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === 'function' ? (value as (...read: unknown[]) => unknown).bind(target) : value;
    },
  });
}
