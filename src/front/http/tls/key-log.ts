// ssl_key_log and its kin: secrets of TLS connections in the form of SSLKEYLOGFILE, for those who look at the traffic.
import { appendFileSync, closeSync, openSync } from 'node:fs';
import { custom, type Spec } from '../../config/directive.ts';
import { fsPath } from '../../fs-path.ts';
import { systemError } from '../../system-error.ts';
import type { HttpFrame } from '../config/module.ts';

/** The directive: the file is made at the start, so that a path that cannot be written stops it. */
export const keyLog = (contexts: number): Spec<string | undefined> =>
  custom<string | undefined>(contexts, 1, undefined, (f: HttpFrame) => {
    const file = f.scope.path(f.args[0]);
    try {
      closeSync(openSync(fsPath(file), 'a', 0o600));
    } catch (error) {
      f.fail(`open() "${file}" failed (${systemError(error)})`);
    }
    return file;
  });

/** Appends what a connection gives of its secrets. */
export function logKeys(socket: NodeJS.EventEmitter, file: string): void {
  socket.on('keylog', (line: Buffer) => {
    try {
      appendFileSync(fsPath(file), line);
    } catch {
      // a log that cannot be written must not end the connection
    }
  });
}
