/** FNV-1a of 32 bits over UTF-16 code units, http://www.isthe.com/chongo/tech/comp/fnv/. */
const FNV_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The one of `count` search threads that has the indexes of a namespace, from 0. */
export function ownerOf(namespace: string, count: number): number {
  let hash = FNV_BASIS;
  for (let at = 0; at < namespace.length; at++) hash = Math.imul(hash ^ namespace.charCodeAt(at), FNV_PRIME);
  return (hash >>> 0) % count;
}
