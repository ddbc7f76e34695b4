/** An object with some methods of its own, in place of those of `inner` or besides; all others run on `inner`. */
export function withMethods<T extends object, O extends object = object>(inner: T, own: O & Partial<T>): T & O {
  return new Proxy(inner, {
    get(target, name) {
      if (name in own) return Reflect.get(own, name) as unknown;
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === 'function' ? (value as (...read: unknown[]) => unknown).bind(target) : value;
    },
  }) as T & O;
}
