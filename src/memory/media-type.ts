/** Type and subtype in lower case, without parameters. */
export function essenceOf(mediaType: string): string {
  return (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

export function isJson(mediaType: string): boolean {
  return essenceOf(mediaType) === 'application/json';
}

export function isText(mediaType: string): boolean {
  return essenceOf(mediaType).startsWith('text/');
}
