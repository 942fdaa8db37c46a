// http2, http2_*: HTTP/2 for clients, and $http2. The protocol itself is in connection/http2.ts, which is loaded if a server uses it.
import { checked, custom, flag, HS, HSL, HTTP, ineffective, num, type Spec, size } from '../../config/directive.ts';
import type { HttpMain, Server, VirtualHosts } from '../model/types.ts';
import { poolSize } from './core.ts';
import { defineModule, type HttpFrame } from './module.ts';

/** A directive that newer versions of nginx have removed: reported at startup, otherwise ignored. */
const obsolete = (contexts: number, instead = ''): Spec<undefined> =>
  custom<undefined>(
    contexts,
    1,
    undefined,
    (f: HttpFrame) => {
      f.scope.warn(`the "${f.node.name}" directive is obsolete, ${instead ? `use the "${instead}" directive instead` : 'ignored'}`);
    },
    { repeats: true },
  );

export const http2Module = defineModule(
  'http2',
  {
    http2: flag(HS, false),
    http2_max_concurrent_streams: num(HS, 128),
    http2_body_preread_size: size(HS, '64k'),
    http2_chunk_size: ineffective(checked(size(HSL, '8k'), (bytes) => (bytes === 0 ? 'value cannot be zero' : null))),
    http2_recv_buffer_size: ineffective(checked(size(HTTP, '256k'), (bytes) => (bytes < 32 ? 'value is too small' : null))),
    http2_idle_timeout: obsolete(HS, 'keepalive_timeout'),
    http2_max_field_size: obsolete(HS, 'large_client_header_buffers'),
    http2_max_header_size: obsolete(HS, 'large_client_header_buffers'),
    http2_max_requests: obsolete(HS, 'keepalive_requests'),
    http2_recv_timeout: obsolete(HS, 'client_header_timeout'),
    http2_pool_size: ineffective(poolSize('4k')),
    http2_streams_index_size: ineffective(checked(num(HS, 32), (n) => (n & (n - 1) ? 'must be a power of two' : null))),
    http2_push: obsolete(HSL),
    http2_push_preload: obsolete(HSL),
    http2_max_concurrent_pushes: obsolete(HS),
  },
  { variables: [{ name: 'http2', get: (r) => r.conn.http2?.name ?? '' }] },
);

/** Whether any server of the configuration uses HTTP/2. */
export const usesHttp2 = (http: HttpMain): boolean =>
  http.servers.some((server) => http2Module.conf(server.root).http2 || server.listens.some((l) => l.http2));

/** Whether this address speaks HTTP/2, for the server that TLS chose or (plain, with prior knowledge) the default server. */
export const speaksHttp2 = (hosts: VirtualHosts, server: Server = hosts.defaultServer): boolean =>
  hosts.options.http2 || http2Module.conf(server.root).http2;
