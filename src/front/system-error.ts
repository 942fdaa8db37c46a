// Messages of failed system calls and of OpenSSL as nginx logs them: number and text of strerror(3), or code and reason of the SSL error.
import { constants } from 'node:os';

const TEXTS: Record<string, string> = {
  EPERM: 'Operation not permitted',
  ENOENT: 'No such file or directory',
  EIO: 'Input/output error',
  ENXIO: 'No such device or address',
  EAGAIN: 'Resource temporarily unavailable',
  EACCES: 'Permission denied',
  EBUSY: 'Device or resource busy',
  EEXIST: 'File exists',
  EXDEV: 'Invalid cross-device link',
  ENOTDIR: 'Not a directory',
  EISDIR: 'Is a directory',
  EINVAL: 'Invalid argument',
  ENFILE: 'Too many open files in system',
  EMFILE: 'Too many open files',
  EFBIG: 'File too large',
  ENOSPC: 'No space left on device',
  EROFS: 'Read-only file system',
  EPIPE: 'Broken pipe',
  ENAMETOOLONG: 'File name too long',
  ENOTEMPTY: 'Directory not empty',
  ELOOP: 'Too many levels of symbolic links',
  EAFNOSUPPORT: 'Address family not supported by protocol',
  EADDRINUSE: 'Address already in use',
  EADDRNOTAVAIL: 'Cannot assign requested address',
  ENETUNREACH: 'Network is unreachable',
  ECONNABORTED: 'Software caused connection abort',
  ECONNRESET: 'Connection reset by peer',
  ENOBUFS: 'No buffer space available',
  ETIMEDOUT: 'Connection timed out',
  ECONNREFUSED: 'Connection refused',
  EHOSTUNREACH: 'No route to host',
};
const numbers = constants.errno as Record<string, number>;
const names = new Map(Object.entries(numbers).map(([name, number]) => [number, name]));

/** `2: No such file or directory`. @param error  an error of node:fs or node:net, a code (`ENOENT`) or a number (2, -2) */
export function systemError(error: unknown): string {
  const failed = error as NodeJS.ErrnoException | undefined;
  const code =
    typeof error === 'number' ? (names.get(Math.abs(error)) ?? String(error)) : typeof error === 'string' ? error : (failed?.code ?? '');
  const number = numbers[code];
  if (number === undefined) return code || (failed?.message ?? 'unknown error');
  return `${number}: ${TEXTS[code] ?? code}`;
}

/** `SSL: error:0A000102:SSL routines::unsupported protocol`. Node's message has the thread, the place in the source and a line break as well. */
export function sslError(error: Error): string {
  const m = /error:([0-9A-F]+):([^:]*):[^:]*:([^:\n]*)/.exec(error.message);
  return m ? `SSL: error:${m[1]}:${m[2]}::${m[3]}` : error.message.trim();
}
