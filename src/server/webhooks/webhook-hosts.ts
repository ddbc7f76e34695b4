import { BlockList, isIP } from 'node:net';

type Family = 'ipv4' | 'ipv6';

/** Ranges that are not of public hosts, from the registries of IANA, and an address of metadata of Azure. */
const NOT_PUBLIC_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];
/** Global addresses that lead to addresses of IPv4, or are of no host. */
const NOT_PUBLIC_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];
const GLOBAL_V6 = ['2000::/3'];
/** Addresses of IPv4 written as IPv6. */
const MAPPED = ['::ffff:0:0/96'];

const notPublic = rangesOf([...NOT_PUBLIC_V4, ...NOT_PUBLIC_V6]);
const publicV6 = rangesOf([...GLOBAL_V6, ...MAPPED]);

/** Hosts to which webhooks may be sent. */
export class WebhookHosts {
  private readonly names: readonly string[];
  private readonly ranges: BlockList;

  /** `text`: the value of the setting `webhookHosts`, which `areHosts` accepts. */
  constructor(text: string) {
    const entries = text === 'none' ? [] : entriesOf(text);
    this.names = entries.filter((entry) => !isRange(entry));
    this.ranges = rangesOf(entries.filter(isRange));
  }

  /** The reason why a URL is refused, after the words of its field; `undefined` where it is accepted. */
  refusalOf({ hostname }: URL): string | undefined {
    const address = addressIn(hostname);
    if (this.names.length === 0 && this.ranges.rules.length === 0)
      return 'must be absent: this server allows no webhooks';
    if (address === undefined) {
      const isNamed = this.names.some((name) => matches(name, hostname));
      return isNamed ? undefined : 'must have a host that --webhook-hosts of the server names';
    }
    if (!this.allows(address)) return 'must have a public address, or one that --webhook-hosts of the server names';
    const isNamed = this.names.includes('*') || this.ranges.check(address, familyOf(address));
    return isNamed ? undefined : 'must have a host that --webhook-hosts of the server names';
  }

  /** Whether a connection to the address may be made. */
  allows(address: string): boolean {
    return isPublic(address) || this.ranges.check(address, familyOf(address));
  }
}

/** Whether a text is `none`, or names, addresses and ranges of addresses, separated by commas. */
export function areHosts(text: string): boolean {
  return text === 'none' || entriesOf(text).every((entry) => isRange(entry) || NAME.test(entry));
}

const NAME = /^(?:\*|(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9])?)$/;
const PREFIX = /^\d{1,3}$/;

function entriesOf(text: string): string[] {
  return text.split(',').map((entry) => entry.trim().toLowerCase());
}

function isRange(entry: string): boolean {
  const [address = '', prefix, ...rest] = entry.split('/');
  const bits = isIP(address) === 6 ? 128 : 32;
  if (isIP(address) === 0 || rest.length > 0) return false;
  return prefix === undefined || (PREFIX.test(prefix) && Number(prefix) <= bits);
}

function rangesOf(entries: readonly string[]): BlockList {
  const ranges = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    if (prefix === undefined) ranges.addAddress(address, familyOf(address));
    else ranges.addSubnet(address, Number(prefix), familyOf(address));
  }
  return ranges;
}

function familyOf(address: string): Family {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

function isPublic(address: string): boolean {
  const family = familyOf(address);
  if (isIP(address) === 0 || notPublic.check(address, family)) return false;
  return family === 'ipv4' || publicV6.check(address, family);
}

/** The address that the host of a URL is; `undefined` for a name. */
function addressIn(hostname: string): string | undefined {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 ? undefined : address;
}

function matches(entry: string, hostname: string): boolean {
  if (entry === '*') return true;
  const name = hostname.toLowerCase().replace(/\.$/, '');
  return entry.startsWith('*.') ? name.endsWith(entry.slice(1)) : name === entry;
}
