/** At most so many bytes of UTF-8: no character is cut in two, and lone surrogates are replaced. */
export function cut(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  let end = Math.min(limit, bytes.length);
  while (end > 0 && end < bytes.length && isContinuation(bytes[end])) end -= 1;
  return bytes.toString('utf8', 0, end);
}

function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}
