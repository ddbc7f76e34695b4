import { type ChannelCredentials, type ChannelOptions, credentials } from '@grpc/grpc-js';
import { badInput } from './bad-input.ts';
import { shown } from './option-faults.ts';
import type { ConnectOptions, TlsOptions } from './options.ts';
import { isLoopback } from './proxy.ts';
import { CALLS_CONFIG, STREAMS_CONFIG } from './service-config.ts';

export const VERSION = '0.1.0';
const DEFAULT_PORT = 50051;
const MIB = 1024 * 1024;

/** Adds the port of Mneme to an address without a port: gRPC itself would use 443. Refuses URLs, which gRPC would try to resolve. */
export function targetOf(address: string): string {
  if (typeof address !== 'string')
    throw badInput('address', `must be a text such as 127.0.0.1:50051, got ${shown(address)}`);
  const [scheme] = /^(?:http|grpc)s?:\/\//i.exec(address) ?? [];
  if (scheme !== undefined) throw badInput('address', `expected host:port without ${scheme}, got ${address}`);
  const isBareHost = /^[^:/]+$/.test(address) || /^\[[^\]]+\]$/.test(address);
  return isBareHost ? `${address}:${DEFAULT_PORT}` : address;
}

export function credentialsOf(tls: boolean | TlsOptions | undefined): ChannelCredentials {
  if (tls === undefined || tls === false) return credentials.createInsecure();
  if (tls === true) return credentials.createSsl();
  return credentials.createSsl(pem(tls.ca), pem(tls.key), pem(tls.cert));
}

/** Options of a connection for unary calls, or of one for streams. */
export function channelOptionsOf(
  address: string,
  { tls, retry = true }: ConnectOptions,
  isForStreams = false,
): ChannelOptions {
  return {
    'grpc.service_config': isForStreams ? STREAMS_CONFIG : CALLS_CONFIG,
    // The configuration is set above; a DNS lookup for another one would only take time.
    'grpc.service_config_disable_resolution': 1,
    'grpc.enable_retries': retry ? 1 : 0,
    // Streams have connections of their own, so that their data does not delay short calls.
    ...(isForStreams && { 'grpc.use_local_subchannel_pool': 1 }),
    // The size of the largest request that a server accepts, so that every request can be retried.
    'grpc.per_rpc_retry_buffer_size': 4 * MIB,
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 10_000,
    'grpc.keepalive_permit_without_calls': 0,
    'grpc.initial_reconnect_backoff_ms': 200,
    'grpc.max_reconnect_backoff_ms': 10_000,
    'grpc.max_receive_message_length': 16 * MIB,
    'grpc-node.flow_control_window': 4 * MIB,
    'grpc.enable_channelz': 0,
    // A proxy does not lead back to this machine.
    ...(isLoopback(address) && { 'grpc.enable_http_proxy': 0 }),
    'grpc.primary_user_agent': `mneme-typescript/${VERSION}`,
    ...(typeof tls === 'object' &&
      tls.serverName !== undefined && {
        'grpc.ssl_target_name_override': tls.serverName,
        'grpc.default_authority': tls.serverName,
      }),
  };
}

function pem(value: string | Buffer | undefined): Buffer | null {
  return value === undefined ? null : Buffer.from(value);
}
