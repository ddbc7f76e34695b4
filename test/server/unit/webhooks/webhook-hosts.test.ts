import { describe, expect, it } from '@jest/globals';
import { configFrom } from '../../../../src/server/config/config.ts';
import { WebhookHosts } from '../../../../src/server/webhooks/webhook-hosts.ts';

const accepts = (hosts: string, url: string) => new WebhookHosts(hosts).refusalOf(new URL(url)) === undefined;

const PRIVATE = [
  ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '100.100.100.200', '127.0.0.1', '127.255.0.1', '168.63.129.16'],
  ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.192', '192.168.1.1', '198.18.0.1', '224.0.0.1'],
  ...['255.255.255.255', '::', '::1', '::ffff:127.0.0.1', '::ffff:a9fe:a9fe', '64:ff9b::7f00:1', 'fc00::1'],
  ...['fd00:ec2::254', 'fe80::1', 'fec0::1', 'ff02::1', '2001::1', '2001:db8::1', '2002:7f00:1::'],
];
const PUBLIC = ['1.1.1.1', '172.32.0.1', '192.0.1.1', '223.255.255.255', '2606:4700:4700::1111', '::ffff:1.1.1.1'];

describe('hosts of webhooks', () => {
  it('without a setting › public addresses alone, however they are written', () => {
    const hosts = new WebhookHosts('*');
    expect(PRIVATE.filter((address) => hosts.allows(address))).toEqual([]);
    expect(PUBLIC.filter((address) => !hosts.allows(address))).toEqual([]);
    const written = [
      'http://0x7f.1/',
      'http://2130706433/',
      'http://[::1]:80/',
      'http://[::ffff:7f00:1]/',
      'http://127.1/',
    ];
    expect(written.filter((url) => accepts('*', url))).toEqual([]);
    expect(
      ['https://example.com/x', 'http://1.1.1.1/', 'http://localhost/'].filter((url) => !accepts('*', url)),
    ).toEqual([]);
  });

  it('names, domains and ranges › only these; a range allows private addresses', () => {
    const hosts = 'Hooks.example.com, *.example.org,10.0.0.0/8,::1';
    const accepted = ['http://hooks.example.com/', 'http://HOOKS.example.com./', 'http://a.b.example.org/'];
    const refused = ['http://example.com/', 'http://example.org/', 'http://badexample.org/', 'http://1.1.1.1/'];
    expect(accepted.filter((url) => !accepts(hosts, url))).toEqual([]);
    expect(refused.filter((url) => accepts(hosts, url))).toEqual([]);
    expect(['http://10.9.8.7/', 'http://[::1]/'].filter((url) => !accepts(hosts, url))).toEqual([]);
    expect(accepts(hosts, 'http://127.0.0.1/')).toBe(false);
    const made = new WebhookHosts(hosts);
    expect([made.allows('10.1.1.1'), made.allows('192.168.0.1'), made.allows('1.1.1.1')]).toEqual([true, false, true]);
  });

  it('none › no webhook', () => {
    expect(['https://example.com/', 'http://1.1.1.1/'].filter((url) => accepts('none', url))).toEqual([]);
  });

  it('the setting › refuses what is none of these', () => {
    const wrong = ['', 'a b', 'http://x', '10.0.0.0/33', '::1/129', '10.0.0.0/', '10.0.0.0/8/8', '-a', 'a,,b', '*.'];
    const isRefused = (webhookHosts: string) => {
      try {
        configFrom({ flags: { webhookHosts }, env: {} });
        return false;
      } catch {
        return true;
      }
    };
    expect(wrong.filter((hosts) => !isRefused(hosts))).toEqual([]);
    expect(['*', 'none', 'a', '*.a.b,10.0.0.0/8,::1/128', 'A.b'].filter(isRefused)).toEqual([]);
  });
});
