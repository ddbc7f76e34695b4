import { hash } from 'node:crypto';

/** An id that is always the same for the same text, in the form of a UUID of version 8 (RFC 9562). */
export function derivedId(text: string): string {
  const bytes = hash('sha256', text, 'buffer').subarray(0, 16);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Id that the copy of a memory has with another agent: forking again leads to the same copies. */
export function branchId(id: string, agent: string): string {
  return derivedId(`branch\n${agent}\n${id}`);
}
