// Certificates for tests, made by openssl: an authority, and what it signs.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export class Certificates {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'gannet-certificates-'));
  readonly #authority: string;

  constructor(authority = 'authority') {
    this.#authority = authority;
    this.#openssl(
      'req',
      '-x509',
      ...NEW_KEY,
      '-keyout',
      `${authority}.key`,
      '-out',
      `${authority}.pem`,
      '-subj',
      `/CN=${authority}`,
      '-days',
      '2',
    );
  }

  /** Makes `NAME.pem` and `NAME.key` for localhost. */
  issue(name: string): void {
    const { folder } = this;
    writeFileSync(path.join(folder, 'extensions'), 'subjectAltName=DNS:localhost,IP:127.0.0.1');
    this.#openssl('req', ...NEW_KEY, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    const signer = ['-CA', `${this.#authority}.pem`, '-CAkey', `${this.#authority}.key`, '-CAcreateserial'];
    this.#openssl('x509', '-req', '-in', `${name}.csr`, ...signer, '-out', `${name}.pem`, '-days', '2', '-extfile', 'extensions');
  }

  /** Makes `TO.key`, the key `FROM.key` encrypted. */
  encrypt(from: string, to: string, passphrase: string): void {
    this.#openssl('ec', '-in', `${from}.key`, '-aes256', '-passout', `pass:${passphrase}`, '-out', `${to}.key`);
  }

  path(file: string): string {
    return path.join(this.folder, file);
  }

  read(file: string): Buffer {
    return readFileSync(this.path(file));
  }

  #openssl(...args: string[]): void {
    execFileSync('openssl', args, { cwd: this.folder, stdio: 'pipe' });
  }
}
