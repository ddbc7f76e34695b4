/** Sets by key, of which none is kept that is empty. */
export function added<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const values = map.get(key) ?? new Set();
  if (values.size === 0) map.set(key, values);
  values.add(value);
}

export function removed<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const values = map.get(key);
  values?.delete(value);
  if (values?.size === 0) map.delete(key);
}
