// `listen` of mail: addresses of TCP, each with one server.
import type { ListenRules } from '../http/config/listen.ts';
import type { BlockFrame } from '../http/config/module.ts';
import type { ListenOptions } from '../http/model/connection-start.ts';

const PARAMETERS = new Set(['bind', 'backlog', 'rcvbuf', 'sndbuf', 'ipv6only', 'multipath', 'ssl', 'so_keepalive', 'proxy_protocol']);

/** Error for a second server at an address, or a second `listen` in one. */
export function duplicateText(options: ListenOptions): string {
  return `duplicate "${addressText(options)}" address and port pair`;
}

export const MAIL_LISTEN: ListenRules = {
  defaultPort: null,
  readOption(f: BlockFrame, _options: ListenOptions, word: string): boolean {
    if (!PARAMETERS.has(word.replace(/=.*/s, ''))) f.fail(`invalid parameter "${word}"`);
    return false;
  },
  duplicate: duplicateText,
};

/** The address as log lines and messages show it. */
export const addressText = ({ host, port, path }: Pick<ListenOptions, 'host' | 'port' | 'path'>): string =>
  path ? `unix:${path}` : host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
