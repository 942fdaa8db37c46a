// Messages of failed system calls and of OpenSSL as nginx logs them: number and text of strerror(3), or code and reason of the SSL error.
import { constants } from 'node:os';

const TEXTS: Record<string, string> = {
  EPERM: 'Operation not permitted',
  ENOENT: 'No such file or directory',
  ESRCH: 'No such process',
  EINTR: 'Interrupted system call',
  EIO: 'Input/output error',
  ENXIO: 'No such device or address',
  E2BIG: 'Argument list too long',
  ENOEXEC: 'Exec format error',
  EBADF: 'Bad file descriptor',
  ECHILD: 'No child processes',
  EAGAIN: 'Resource temporarily unavailable',
  ENOMEM: 'Cannot allocate memory',
  EACCES: 'Permission denied',
  EFAULT: 'Bad address',
  EBUSY: 'Device or resource busy',
  EEXIST: 'File exists',
  EXDEV: 'Invalid cross-device link',
  ENODEV: 'No such device',
  ENOTDIR: 'Not a directory',
  EISDIR: 'Is a directory',
  EINVAL: 'Invalid argument',
  ENFILE: 'Too many open files in system',
  EMFILE: 'Too many open files',
  ENOTTY: 'Inappropriate ioctl for device',
  ETXTBSY: 'Text file busy',
  EFBIG: 'File too large',
  ENOSPC: 'No space left on device',
  ESPIPE: 'Illegal seek',
  EROFS: 'Read-only file system',
  EMLINK: 'Too many links',
  EPIPE: 'Broken pipe',
  EDOM: 'Numerical argument out of domain',
  ERANGE: 'Numerical result out of range',
  ENAMETOOLONG: 'File name too long',
  ENOLCK: 'No locks available',
  ENOSYS: 'Function not implemented',
  ENOTEMPTY: 'Directory not empty',
  ELOOP: 'Too many levels of symbolic links',
  ENOMSG: 'No message of desired type',
  EIDRM: 'Identifier removed',
  ENOSTR: 'Device not a stream',
  ENODATA: 'No data available',
  ETIME: 'Timer expired',
  ENOSR: 'Out of streams resources',
  ENOLINK: 'Link has been severed',
  EPROTO: 'Protocol error',
  EMULTIHOP: 'Multihop attempted',
  EBADMSG: 'Bad message',
  EOVERFLOW: 'Value too large for defined data type',
  EILSEQ: 'Invalid or incomplete multibyte or wide character',
  ENOTSOCK: 'Socket operation on non-socket',
  EDESTADDRREQ: 'Destination address required',
  EMSGSIZE: 'Message too long',
  EPROTOTYPE: 'Protocol wrong type for socket',
  ENOPROTOOPT: 'Protocol not available',
  EPROTONOSUPPORT: 'Protocol not supported',
  ENOTSUP: 'Operation not supported',
  EAFNOSUPPORT: 'Address family not supported by protocol',
  EADDRINUSE: 'Address already in use',
  EADDRNOTAVAIL: 'Cannot assign requested address',
  ENETDOWN: 'Network is down',
  ENETUNREACH: 'Network is unreachable',
  ENETRESET: 'Network dropped connection on reset',
  ECONNABORTED: 'Software caused connection abort',
  ECONNRESET: 'Connection reset by peer',
  ENOBUFS: 'No buffer space available',
  EISCONN: 'Transport endpoint is already connected',
  ENOTCONN: 'Transport endpoint is not connected',
  ETIMEDOUT: 'Connection timed out',
  ECONNREFUSED: 'Connection refused',
  EHOSTUNREACH: 'No route to host',
  EALREADY: 'Operation already in progress',
  EINPROGRESS: 'Operation now in progress',
  ESTALE: 'Stale file handle',
  EDQUOT: 'Disk quota exceeded',
  ECANCELED: 'Operation canceled',
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
