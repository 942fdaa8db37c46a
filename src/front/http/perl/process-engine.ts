// Perl as a system program, connected by two FIFOs: frames with a length of four bytes before them. Reading and writing block, so that a
// handler's query is answered while the thread waits in the same call.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EngineHost, EngineOptions, Frame, PerlEngine } from './engine.ts';
import { NGINX_PACKAGE } from './nginx-package.ts';

const MAX_FRAME_BYTES = 1 << 30;

/** Reads frames from descriptor 3 and writes them to 4 until the event loop is gone. */
const SERVE = `
package nginx;
use strict;
use warnings;
open my $in, '<&=', 3 or die $!;
open my $out, '>&=', 4 or die $!;
binmode $in;
binmode $out;
sub receive {
  my ($length, $frame) = ('', '');
  while (length $length < 4) { sysread($in, $length, 4 - length $length, length $length) or CORE::exit(0) }
  my $wanted = unpack 'N', $length;
  while (length $frame < $wanted) { sysread($in, $frame, $wanted - length $frame, length $frame) or CORE::exit(0) }
  return $frame;
}
sub send_frame {
  my $bytes = pack('N', length $_[0]) . $_[0];
  my $at = 0;
  while ($at < length $bytes) { my $n = syswrite $out, $bytes, length($bytes) - $at, $at; CORE::exit(0) unless $n; $at += $n }
}
sub exchange { send_frame($_[0]); return receive() }
while (1) { send_frame(dispatch(receive())) }
`;

/** A pipe that has a name while it is opened, because only such pipes block. */
function makePipe(folder: string, name: string): { reader: number; writer: number } {
  const fifo = path.join(folder, name);
  const { status, error, stderr } = spawnSync('mkfifo', ['-m', '600', fifo]);
  if (status !== 0) throw new Error(`mkfifo failed: ${error?.message ?? stderr.toString()}`);
  const both = openSync(fifo, constants.O_RDWR);
  const ends = { reader: openSync(fifo, 'r'), writer: openSync(fifo, 'w') };
  closeSync(both);
  return ends;
}

function readFully(fd: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; ) {
    const count = readSync(fd, bytes, at, length - at, null);
    if (count === 0) throw new Error('the perl process ended');
    at += count;
  }
  return bytes;
}

function receive(fd: number): Frame {
  const length = readFully(fd, 4).readUInt32BE();
  if (length > MAX_FRAME_BYTES) throw new Error('the perl process sent a malformed frame');
  return readFully(fd, length).latin1Slice();
}

function send(fd: number, frame: Frame): void {
  const bytes = Buffer.alloc(4 + frame.length);
  bytes.writeUInt32BE(frame.length);
  bytes.latin1Write(frame, 4);
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}

/** @throws Error the program does not start */
export async function startProcess(options: EngineOptions, host: EngineHost): Promise<PerlEngine> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gannet-perl-'));
  try {
    const toPerl = makePipe(folder, 'in');
    const fromPerl = makePipe(folder, 'out');
    const kilobytes = Math.floor(options.memoryBytes / 1024);
    const script = `ulimit -v ${kilobytes}; exec "$@"`;
    const child = spawn('/bin/sh', ['-c', script, 'sh', options.engine, '-e', `${NGINX_PACKAGE}\n${SERVE}`], {
      env: { ...options.env },
      stdio: ['ignore', 'ignore', 'ignore', toPerl.reader, fromPerl.writer],
    });
    child.on('error', () => {});
    child.unref();
    closeSync(toPerl.reader);
    closeSync(fromPerl.writer);
    return {
      pid: child.pid ?? null,
      async dispatch(frame: Frame): Promise<Frame> {
        send(toPerl.writer, frame);
        // A further call may precede the answer to a query; its result is then exchanged for the answer.
        for (let nested = 0; ; ) {
          const received = receive(fromPerl.reader);
          if (!isKind(received, 'ask')) {
            if (nested === 0) return received;
            nested--;
          }
          const next = host.exchange(received);
          if (isKind(next, 'call')) nested++;
          send(toPerl.writer, next);
        }
      },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The first item of a frame is its kind. */
const isKind = (frame: Frame, kind: string): boolean => frame.startsWith(String.fromCharCode(0, 0, 0, kind.length) + kind);
