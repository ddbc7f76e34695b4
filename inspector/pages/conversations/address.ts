/** Address of the conversations of a namespace, or of one of them. */
export function conversationAddress(namespace: string, id = ''): string {
  const query = id === '' ? '' : `?c=${encodeURIComponent(id)}`;
  return `/n/${encodeURIComponent(namespace)}/conversations${query}`;
}
