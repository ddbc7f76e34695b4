/**
 * Headers of a setting: `name=value`, separated by commas; values are percent-encoded, as those of
 * `OTEL_EXPORTER_OTLP_HEADERS`. `undefined` where the text is malformed.
 */
export function headersIn(listed: string): Readonly<Record<string, string>> | undefined {
  const headers: Record<string, string> = {};
  for (const pair of listed.split(',').filter((text) => text.trim() !== '')) {
    const [, name, encoded = ''] = /^\s*([\w-]+)=(.*?)\s*$/.exec(pair) ?? [];
    const value = decoded(encoded);
    if (name === undefined || value === undefined || !SENDABLE.test(value)) return undefined;
    headers[name] = value;
  }
  return headers;
}

const SENDABLE = /^[\x20-\x7e]*$/;

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
