// `listen` of stream: addresses of TCP and UDP.

import type { ListenRules } from '../http/config/listen.ts';
import type { BlockFrame } from '../http/config/module.ts';
import type { ListenOptions } from '../http/model/connection-start.ts';

/** Parameters that only connections have. */
const TCP_ONLY = ['ssl', 'backlog', 'fastopen', 'so_keepalive', 'proxy_protocol', 'deferred'];

export const STREAM_LISTEN: ListenRules = {
  defaultPort: null,
  readOption(f: BlockFrame, options: ListenOptions, word: string): boolean {
    const name = word.replace(/=.*/s, '');
    if (name === 'http2' || name === 'quic') f.fail(`invalid parameter "${word}"`);
    if (f.args.includes('udp') && TCP_ONLY.includes(name)) f.fail(`"${name}" parameter is incompatible with "udp"`);
    if (word !== 'udp') return false;
    if (options.path) f.fail('datagrams over unix domain sockets are not supported by this server');
    options.udp = true;
    return true;
  },
};
