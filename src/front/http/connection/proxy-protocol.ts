// PROXY protocol header, versions 1 (text) and 2 (binary), which precedes everything else on a connection.
import type { Socket } from 'node:net';
import type { ProxyInfo } from '../model/connection-start.ts';
import { Arrival } from './client-connections.ts';

const SIGNATURE = Buffer.from([13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]);
const MAX_V1 = 107;
const MAX_HEADER = 4096;
const TIMEOUT_MS = 60_000;

/**
 * Calls back with the content of the header, and puts the bytes after it back.
 * @param done  null: `UNKNOWN` or local; 'invalid': no header, also if the connection ends before it is complete
 * @param broken  gets an error for the log if something else arrived, but not if the connection ended
 */
export function readProxyHeader(
  socket: Socket,
  done: (proxy: ProxyInfo | null | 'invalid') => void,
  broken: (message: string) => void,
  timeoutMs = TIMEOUT_MS,
): void {
  let held = Buffer.alloc(0);
  const arrival = new Arrival(socket);
  arrival.follow(socket);
  socket.setTimeout(timeoutMs, () => socket.destroy());
  const onData = (data: Buffer) => {
    held = Buffer.concat([held, data]);
    const parsed = parseProxyHeader(held);
    if (parsed === 'more' && held.length < MAX_HEADER) return;
    if (parsed === 'more' || parsed === 'invalid') {
      broken(`broken header: "${/^[^\r\n]*/.exec(held.toString('latin1', 0, MAX_V1))?.[0]}"`);
      finish('invalid', 0);
    } else finish(parsed.proxy, parsed.used);
  };
  const finish = (proxy: ProxyInfo | null | 'invalid', used: number) => {
    socket.off('data', onData);
    socket.off('end', onEnd);
    socket.setTimeout(0);
    socket.pause();
    if (proxy !== 'invalid' && used < held.length) socket.unshift(held.subarray(used));
    done(proxy);
    arrival.over();
    socket.resume();
  };
  const onEnd = () => finish('invalid', 0);
  socket.on('data', onData);
  socket.on('end', onEnd);
}

export function parseProxyHeader(data: Buffer): { proxy: ProxyInfo | null; used: number } | 'more' | 'invalid' {
  const common = Math.min(data.length, SIGNATURE.length);
  if (SIGNATURE.subarray(0, common).equals(data.subarray(0, common))) return data.length < 16 ? 'more' : parseV2(data);
  const lf = data.indexOf(10);
  if (lf < 0) return data.length <= MAX_V1 && mayBecomeV1(data.subarray(0, 16).latin1Slice()) ? 'more' : 'invalid';
  const line = data.latin1Slice(0, lf);
  if (line.startsWith('PROXY UNKNOWN')) return { proxy: null, used: lf + 1 };
  const m = /^PROXY TCP[46] ([0-9A-Fa-f.:]+) ([0-9A-Fa-f.:]+) (\d{1,5}) (\d{1,5})\r$/.exec(line);
  if (!m || Number(m[3]) > 65535 || Number(m[4]) > 65535) return 'invalid';
  return { proxy: { addr: m[1], serverAddr: m[2], port: Number(m[3]), serverPort: Number(m[4]), tlvs: new Map() }, used: lf + 1 };
}

const V1_STARTS = ['PROXY TCP4 ', 'PROXY TCP6 ', 'PROXY UNKNOWN'];
/** True if `text` is the beginning of a header, or starts with one. */
const mayBecomeV1 = (text: string): boolean => V1_STARTS.some((start) => start.startsWith(text) || text.startsWith(start));

const TLV_NAMES: Record<number, string> = { 1: 'alpn', 2: 'authority', 5: 'unique_id', 48: 'netns', 32: 'ssl' };
const SSL_NAMES: Record<number, string> = { 33: 'ssl_version', 34: 'ssl_cn', 35: 'ssl_cipher', 36: 'ssl_sig_alg', 37: 'ssl_key_alg' };

function parseV2(data: Buffer): { proxy: ProxyInfo | null; used: number } | 'more' | 'invalid' {
  const length = data.readUInt16BE(14);
  const used = 16 + length;
  if (data[12] >> 4 !== 2) return 'invalid';
  if (used > MAX_HEADER) return 'invalid';
  if (data.length < used) return 'more';
  const family = data[13] >> 4;
  if ((data[12] & 15) === 0 || (family !== 1 && family !== 2)) return { proxy: null, used };
  const size = family === 1 ? 4 : 16;
  if (length < size * 2 + 4) return 'invalid';
  const address = (at: number) =>
    size === 4
      ? [...data.subarray(at, at + 4)].join('.')
      : new URL(`http://[${Array.from({ length: 8 }, (_, n) => data.readUInt16BE(at + n * 2).toString(16)).join(':')}]/`).hostname.slice(
          1,
          -1,
        );
  const tlvs = new Map<string, string>();
  readTlvs(data.subarray(16 + size * 2 + 4, used), TLV_NAMES, tlvs);
  return {
    proxy: {
      addr: address(16),
      serverAddr: address(16 + size),
      port: data.readUInt16BE(16 + size * 2),
      serverPort: data.readUInt16BE(18 + size * 2),
      tlvs,
    },
    used,
  };
}

function readTlvs(data: Buffer, names: Record<number, string>, out: Map<string, string>): void {
  for (let pos = 0; pos + 3 <= data.length; ) {
    const type = data[pos];
    const length = data.readUInt16BE(pos + 1);
    const value = data.subarray(pos + 3, pos + 3 + length);
    out.set(`0x${type.toString(16).padStart(2, '0')}`, value.latin1Slice());
    if (names === TLV_NAMES && type === 0x20 && value.length >= 5) {
      out.set('ssl_verify', String(value.readUInt32BE(1)));
      readTlvs(value.subarray(5), SSL_NAMES, out);
    } else if (names[type]) out.set(names[type], value.latin1Slice());
    pos += 3 + length;
  }
}
