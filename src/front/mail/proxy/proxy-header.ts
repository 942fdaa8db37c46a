// The PROXY protocol header, which gives a back end the client's address.
import { present } from '../../../common/present.ts';
import { addressBytes } from '../../http/modules/variables/map.ts';
import type { MailSession } from '../model.ts';

const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const VERSION_2 = 0x20;
const LOCAL = 0;
const PROXIED = 1;
const TCP4 = 0x11;
const TCP6 = 0x21;
/** precedes an IPv4 address that is written as IPv6 */
const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255];

type Ends = Pick<MailSession, 'remoteAddr' | 'remotePort' | 'localAddr' | 'localPort'>;

/** @param version  `on` is the first */
export function proxyHeader(s: Ends, version: 'on' | 'v2'): Buffer {
  const isLocal = s.remoteAddr.startsWith('unix:') || s.localAddr.startsWith('unix:');
  return version === 'v2' ? binaryHeader(s, isLocal) : Buffer.from(textHeader(s, isLocal), 'latin1');
}

function textHeader({ remoteAddr, remotePort, localAddr, localPort }: Ends, isLocal: boolean): string {
  if (isLocal) return 'PROXY UNKNOWN\r\n';
  return `PROXY ${remoteAddr.includes(':') ? 'TCP6' : 'TCP4'} ${remoteAddr} ${localAddr} ${remotePort} ${localPort}\r\n`;
}

/** If one address is IPv6, the other is converted to IPv6. */
function binaryHeader({ remoteAddr, remotePort, localAddr, localPort }: Ends, isLocal: boolean): Buffer {
  if (isLocal) return Buffer.concat([SIGNATURE, Buffer.from([VERSION_2 | LOCAL, 0, 0, 0])]);
  const ends = [remoteAddr, localAddr].map((address) => present(addressBytes(address)));
  const isV4 = ends.every((bytes) => bytes.length === 4);
  const addresses = Buffer.from(ends.flatMap((bytes) => (isV4 || bytes.length === 16 ? bytes : [...MAPPED, ...bytes])));
  const ports = Buffer.alloc(4);
  ports.writeUInt16BE(remotePort, 0);
  ports.writeUInt16BE(localPort, 2);
  const head = Buffer.from([VERSION_2 | PROXIED, isV4 ? TCP4 : TCP6, 0, addresses.length + ports.length]);
  return Buffer.concat([SIGNATURE, head, addresses, ports]);
}
