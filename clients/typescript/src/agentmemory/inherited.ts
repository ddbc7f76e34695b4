/** The value of the nearest prototype of an object that has one. */
export function inherited<Value>(values: WeakMap<object, Value>, from: object): Value | undefined {
  for (let at = Reflect.getPrototypeOf(from); at !== null; at = Reflect.getPrototypeOf(at)) {
    const found = values.get(at);
    if (found !== undefined) return found;
  }
  return undefined;
}
