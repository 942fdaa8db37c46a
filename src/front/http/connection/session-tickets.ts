// Keys of TLS session tickets. The first encrypts new tickets, all decrypt. As in nginx, a used ticket is replaced by a new one:
// in TLS 1.3 a client uses each ticket once, so otherwise every second connection would need a full handshake.
import { randomBytes } from 'node:crypto';
import type { SecureContext } from 'node:tls';
import { sharedValue } from '../../zone/memory.ts';
import type { BlockMain } from '../model/types.ts';
import { readConfigFile } from '../tls/pem.ts';
import type { sslModule } from '../tls/ssl.ts';

type Conf = ReturnType<typeof sslModule.conf>;

/** Parts of 16 bytes. */
export interface TicketKey {
  name: Buffer;
  hmac: Buffer;
  aes: Buffer;
}

/** A generated key: survives a reload, so that earlier tickets still work, and is shared by all event loops. */
class OwnKey {
  constructor(readonly bytes: Buffer) {}
  exportState(): unknown {
    return this.bytes;
  }
}

const KEY_BYTES = 48;
const LONG_KEY_BYTES = 80;
const part = (bytes: Buffer, at: number): Buffer => bytes.subarray(at, at + 16);

/**
 * Reads a key file of nginx: name, AES key and HMAC key of 16 bytes each; or a name of 16 bytes, HMAC and AES keys of 32, of which Node
 * uses the first 16 each.
 */
function keyOfFile(file: string): TicketKey {
  let bytes: Buffer;
  try {
    bytes = readConfigFile(file);
  } catch (error) {
    throw `cannot load session ticket key "${file}": ${(error as Error).message}`;
  }
  if (bytes.length !== KEY_BYTES && bytes.length !== LONG_KEY_BYTES) throw `"${file}" must be 48 or 80 bytes`;
  const long = bytes.length === LONG_KEY_BYTES;
  return { name: part(bytes, 0), hmac: part(bytes, long ? 16 : 32), aes: part(bytes, long ? 48 : 16) };
}

const servers = new WeakMap<BlockMain, number>();
function nextServer(http: BlockMain): number {
  const n = (servers.get(http) ?? 0) + 1;
  servers.set(http, n);
  return n;
}

/** Keys of a server: from its files, else a generated one, shared within its session cache. @throws string */
export function ticketKeysOf(http: BlockMain, conf: Conf): TicketKey[] {
  if (conf.ssl_session_ticket_key) return conf.ssl_session_ticket_key.map(keyOfFile);
  const zone = conf.ssl_session_cache.zone || 'none';
  const key = `tls-tickets:${zone === 'none' ? `server-${nextServer(http)}` : zone}`;
  let own = http.registry.get(key) as OwnKey | undefined;
  if (!own) {
    const before = http.inherited.get(key) as Uint8Array | undefined;
    own = new OwnKey(sharedValue(key, () => (before ? Buffer.from(before) : randomBytes(KEY_BYTES))));
    http.registry.set(key, own);
  }
  return [{ name: part(own.bytes, 0), hmac: part(own.bytes, 16), aes: part(own.bytes, 32) }];
}

/** Called by Node for each ticket that is written or read. */
interface TicketContext {
  enableTicketKeyCallback?(): void;
  onticketkeycallback: (name: Buffer, iv: Buffer, isNew: boolean) => unknown[];
  setTicketKeys(keys: Buffer): void;
}
const UNKNOWN = 0;
const GOOD = 1;
const RENEW = 2;

/** Makes a context use these keys. Without this hook in Node, only the first is used, and tickets are not renewed. */
export function useTicketKeys(secure: SecureContext, keys: readonly TicketKey[]): void {
  const context = secure.context as TicketContext;
  const [first] = keys;
  if (typeof context.enableTicketKeyCallback !== 'function') {
    context.setTicketKeys(Buffer.concat([first.name, first.hmac, first.aes]));
    return;
  }
  context.onticketkeycallback = (name, _iv, isNew) => {
    if (isNew) return [GOOD, first.hmac, first.aes, first.name, randomBytes(16)];
    const key = keys.find((each) => each.name.equals(name));
    return key ? [RENEW, key.hmac, key.aes] : [UNKNOWN, first.hmac, first.aes];
  };
  context.enableTicketKeyCallback();
}
