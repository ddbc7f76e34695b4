/** Whether a host without a port, or an address, is that of this machine for itself. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.toLowerCase().replace(/^\[|\]$/g, '');
  if (bare === 'localhost' || bare.endsWith('.localhost') || bare === '::1') return true;
  return /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(bare);
}
