// $tcpinfo_snd_cwnd: what Linux shows of a TCP connection outside the process, because Node has no getsockopt(TCP_INFO).
import { readFileSync } from 'node:fs';
import type { Connection } from '../../model/types.ts';
import { addressBytes } from './map.ts';

const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255];
/** Column of the congestion window; those of the two ends are the second and third. */
const SND_CWND = 15;

/** An end as the files write it: words of the address in the order of the processor, which is little-endian wherever Node runs. */
function endText(bytes: readonly number[], port: number): string {
  let address = '';
  for (let n = 0; n < bytes.length; n += 4) address += Buffer.from(bytes.slice(n, n + 4).reverse()).toString('hex');
  return `${address}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}

/**
 * Congestion window of a connection in segments, null where it is not shown: unix sockets, closed connections, systems without /proc/net,
 * and addresses that were taken from a request.
 * Reads a line for each connection of the machine.
 */
export function congestionWindow(conn: Connection): number | null {
  const local = addressBytes(conn.localAddr);
  const remote = addressBytes(conn.remoteAddr);
  if (!local || !remote) return null;
  const ends = (prefix: readonly number[]): string =>
    ` ${endText([...prefix, ...local], conn.localPort)} ${endText([...prefix, ...remote], conn.remotePort)} `;
  if (remote.length === 16) return windowIn('/proc/net/tcp6', ends([]));
  // A listener of both families has IPv4 clients in the file of IPv6.
  return windowIn('/proc/net/tcp', ends([])) ?? windowIn('/proc/net/tcp6', ends(MAPPED));
}

function windowIn(file: string, ends: string): number | null {
  let text: string;
  try {
    text = readFileSync(file, 'latin1');
  } catch {
    return null;
  }
  const at = text.indexOf(ends);
  if (at < 0) return null;
  const line = text.slice(text.lastIndexOf('\n', at) + 1, text.indexOf('\n', at)).trim();
  const window = Number(line.split(/\s+/)[SND_CWND]);
  return Number.isInteger(window) ? window : null;
}
