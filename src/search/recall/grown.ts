/** `to` with the values of a smaller array of the same kind at its beginning. */
export function grown<A extends { set(from: A): void }>(from: A, to: A): A {
  to.set(from);
  return to;
}
