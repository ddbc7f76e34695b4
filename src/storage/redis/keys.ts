/** Characters that would end a hash tag early, or make two lists of parts equal. */
const RESERVED = /[%{}:]/g;

/**
 * `<prefix>:{part:part}`, the common prefix of the keys of one keyspace. A cluster places keys by the text in braces,
 * so all keys of a keyspace are on one node and a script can change them together. The other parts of a key follow
 * after `:`.
 */
export function keyspacePrefix(prefix: string, first: string, ...parts: readonly string[]): string {
  return `${prefix}:{${[first, ...parts].map(escaped).join(':')}}`;
}

/** Part of a key, escaped so that it is unambiguous. */
export function escaped(part: string): string {
  return part.replace(RESERVED, (character) => `%${character.charCodeAt(0).toString(16)}`);
}

/** Special characters in a pattern of SCAN. */
const SPECIAL = /[\\*?[\]^]/g;

/** The pattern of SCAN that only this text matches. */
export function patternOf(text: string): string {
  return text.replace(SPECIAL, '\\$&');
}

/** The cluster slot of a key: CRC16 (XMODEM) of its hash tag, or of the whole key without one. */
export function slotOf(key: string): number {
  const opening = key.indexOf('{');
  const closing = opening < 0 ? -1 : key.indexOf('}', opening + 1);
  const hashed = closing > opening + 1 ? key.slice(opening + 1, closing) : key;
  let crc = 0;
  for (const byte of Buffer.from(hashed)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc % 16_384;
}
