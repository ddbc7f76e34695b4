/** Names of this machine, to which no proxy leads. */
const LOCAL =
  /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){1,3}|0\.0\.0\.0|::|::1|(?:0{1,4}:){7}0{0,3}1|::ffff:127(?:\.\d{1,3}){3})\.?$/i;

/** The variables that gRPC reads, in its order. */
const VARIABLES = ['grpc_proxy', 'https_proxy', 'http_proxy'] as const;

/** Whether a target of gRPC is on this machine, in any form of an address. */
export function isLoopback(target: string): boolean {
  const path = target.replace(/^(?:dns|ipv4|ipv6):(?:\/\/[^/]*\/)?/i, '');
  if (/^(?:unix|unix-abstract|vsock):/i.test(path)) return true;
  return path.split(',').every((each) => LOCAL.test(hostOf(each)));
}

/** Host of `host:port`, without the brackets of IPv6. */
export function hostOf(address: string): string {
  const [, bracketed] = /^\[([^\]]*)\]/.exec(address) ?? [];
  if (bracketed !== undefined) return bracketed;
  const isBareIpv6 = address.split(':').length > 2;
  return isBareIpv6 ? address : (address.split(':')[0] ?? '');
}

/** The variable that makes gRPC use a proxy for an address, with its value without a password. */
export function proxyVariable(address: string): string | undefined {
  if (isLoopback(address)) return undefined;
  // biome-ignore lint/style/noProcessEnv: gRPC reads these variables itself, and a failure has to name them.
  const environment = process.env;
  const excluded = (environment['no_grpc_proxy'] || environment['no_proxy'] || '').split(',');
  if (excluded.some((suffix) => suffix !== '' && hostOf(address).endsWith(suffix))) return undefined;
  const name = VARIABLES.find((each) => environment[each]);
  return name && `${name}=${(environment[name] ?? '').replace(/\/\/[^@/]*@/, '//')}`;
}
