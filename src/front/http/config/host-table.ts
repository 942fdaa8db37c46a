// Finds the server for a host name among those that share an address and port.
import type { Regex } from '../../config/regex.ts';
import type { ListenOptions } from '../model/connection-start.ts';
import type { Server, Session, VirtualHosts } from '../model/types.ts';

/** Servers that share an address and port, found by host name. */
export class HostTable implements VirtualHosts {
  defaultServer!: Server;
  readonly servers: Server[] = [];
  readonly #exact = new Map<string, Server>();
  /** `*.example.com` as `.example.com`, longest first */
  readonly #heads: { suffix: string; server: Server }[] = [];
  readonly #tails: { prefix: string; server: Server }[] = [];
  readonly #regexes: { regex: Regex; server: Server }[] = [];

  constructor(readonly options: ListenOptions) {}

  /** @returns the names that were already taken, about which nginx warns */
  addNames(server: Server): string[] {
    const conflicts: string[] = [];
    for (const { text, regex } of server.names) {
      if (regex) {
        this.#regexes.push({ regex, server });
        continue;
      }
      if (text.startsWith('*.')) {
        if (this.#heads.some((h) => h.suffix === text.slice(1))) conflicts.push(text);
        else this.#heads.push({ suffix: text.slice(1), server });
      } else if (text.startsWith('.')) {
        if (this.#exact.has(text.slice(1))) conflicts.push(text);
        else {
          this.#exact.set(text.slice(1), server);
          this.#heads.push({ suffix: text, server });
        }
      } else if (text.endsWith('.*')) {
        if (this.#tails.some((t) => t.prefix === text.slice(0, -1))) conflicts.push(text);
        else this.#tails.push({ prefix: text.slice(0, -1), server });
      } else if (this.#exact.has(text)) conflicts.push(text);
      else this.#exact.set(text, server);
    }
    this.#heads.sort((a, b) => b.suffix.length - a.suffix.length);
    this.#tails.sort((a, b) => b.prefix.length - a.prefix.length);
    return conflicts;
  }

  find(host: string, r?: Pick<Session, 'setNamed'>): Server | null {
    const exact = this.#exact.get(host);
    if (exact) return exact;
    for (const { suffix, server } of this.#heads) if (host.endsWith(suffix) && host.length > suffix.length) return server;
    for (const { prefix, server } of this.#tails) if (host.startsWith(prefix)) return server;
    for (const { regex, server } of this.#regexes) {
      const captures = regex.exec(host);
      if (!captures) continue;
      r?.setNamed(regex, captures);
      return server;
    }
    return null;
  }
}
