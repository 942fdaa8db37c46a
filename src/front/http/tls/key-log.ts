// ssl_key_log and similar: secrets of TLS connections in the format of SSLKEYLOGFILE, for traffic analysis.
import { appendFileSync, closeSync, openSync } from 'node:fs';
import { custom, type Spec } from '../../config/directive.ts';
import { fsPath } from '../../fs-path.ts';
import { systemError } from '../../system-error.ts';
import type { HttpFrame } from '../config/module.ts';

/** The directive: creates the file at the start, so that an unwritable path stops it. */
export const keyLog = (contexts: number): Spec<string | null> =>
  custom<string | null>(contexts, 1, null, (f: HttpFrame) => {
    const file = f.scope.path(f.args[0]);
    try {
      closeSync(openSync(fsPath(file), 'a', 0o600));
    } catch (error) {
      f.fail(`open() "${file}" failed (${systemError(error)})`);
    }
    return file;
  });

/** Appends the secrets of a connection. */
export function logKeys(socket: NodeJS.EventEmitter, file: string): void {
  socket.on('keylog', (line: Buffer) => {
    try {
      appendFileSync(fsPath(file), line);
    } catch {
      // a failed write must not break the connection
    }
  });
}
