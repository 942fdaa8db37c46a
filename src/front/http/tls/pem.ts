// Certificates and keys: files, inline `data:`, passwords, and OpenSSL's names of verification results.
import { createPrivateKey } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { systemError } from '../../system-error.ts';
import type { HttpFrame } from '../config/module.ts';

/** Files named by the configuration, as first read: the master passes them to its workers, so that a pipe is read once. */
export const configFiles = new Map<string, Buffer>();
/** identity and modification second of the file that was read, by path */
const identities = new Map<string, string>();

/** A file of the configuration. @throws NodeJS.ErrnoException */
export function readConfigFile(file: string): Buffer {
  let data = configFiles.get(file);
  if (!data) {
    const identity = identityOf(file);
    configFiles.set(file, (data = readFileSync(file)));
    if (identity) identities.set(file, identity);
    else identities.delete(file);
  }
  return data;
}

function identityOf(file: string): string | null {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() ? `${stat.dev}:${stat.ino}:${Math.floor(stat.mtimeMs / 1000)}` : null;
}

/** Called before a configuration is read. @param inherit unchanged files are not read again (`ssl_object_cache_inheritable`) */
export function forgetConfigFiles(inherit: boolean): void {
  for (const file of configFiles.keys()) {
    const identity = inherit ? (identities.get(file) ?? null) : null;
    if (identity === null || identity !== identityOf(file)) configFiles.delete(file);
  }
}

/** @param atRunTime the name contained variables: the file is read now */
export function readPem(source: string, atRunTime = false): Buffer {
  if (source.startsWith('data:')) return Buffer.from(source.slice(5), 'latin1');
  const file = source.startsWith('store:file:') ? source.slice(11) : source;
  try {
    return atRunTime ? readFileSync(file) : readConfigFile(file);
  } catch (error) {
    throw fopenError(file, error);
  }
}

/** The error of OpenSSL for a file that cannot be opened. */
function fopenError(file: string, error: unknown): Error {
  const [number, text] = systemError(error).split(': ');
  const code = (0x80000000 + Number(number)).toString(16).toUpperCase();
  const reason =
    (error as NodeJS.ErrnoException).code === 'ENOENT' ? '10000080:BIO routines::no such file' : '10080002:BIO routines::system lib';
  return new Error(`BIO_new_file() failed (SSL: error:${code}:system library::${text}:calling fopen(${file}, r) error:${reason})`);
}

/** A certificate and its chain. @throws Error */
export function readCertificates(source: string, atRunTime: boolean): Buffer {
  const pem = readPem(source, atRunTime);
  if (/-----BEGIN (TRUSTED |X509 )?CERTIFICATE-----/.test(pem.latin1Slice())) return pem;
  throw new Error('PEM_read_bio_X509_AUX() failed (SSL: error:0480006C:PEM routines::no start line:Expecting: TRUSTED CERTIFICATE)');
}

/** The revocation lists of a PEM file, separately, since Node reads only the first of each string. */
export function readCrls(file: string): string[] {
  const text = readConfigFile(file).latin1Slice();
  return text.match(/-----BEGIN X509 CRL-----[^-]*-----END X509 CRL-----/g) ?? [text];
}

/** A private key, decrypted by the first password that fits. @throws Error */
export function readKey(source: string, passwords: readonly string[] | null, atRunTime = false): string | Buffer {
  if (source.startsWith('engine:') || (source.startsWith('store:') && !source.startsWith('store:file:')))
    throw new Error(`"${source}": keys of engines and stores are not supported`);
  const pem = readPem(source, atRunTime);
  if (!/ENCRYPTED/.test(pem.subarray(0, 2000).latin1Slice())) return pem;
  let failure: unknown = new Error(`no password for key "${source}"`);
  for (const passphrase of passwords ?? []) {
    try {
      return createPrivateKey({ key: pem, passphrase }).export({ type: 'pkcs8', format: 'pem' });
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** Lines of a password file, which may be a pipe and is therefore read once, with the configuration. */
export function passwordsOf(f: HttpFrame): string[] {
  const file = f.scope.path(f.args[0], 'conf');
  try {
    return readConfigFile(file)
      .latin1Slice()
      .split('\n')
      .map((line) => line.replace(/\r$/, ''))
      .filter((line) => line !== '');
  } catch (error) {
    return f.fail(`open() "${file}" failed (${systemError(error)})`);
  }
}

const VERIFY: Record<string, [number, string]> = {
  UNABLE_TO_GET_ISSUER_CERT: [2, 'unable to get issuer certificate'],
  UNABLE_TO_GET_CRL: [3, 'unable to get certificate CRL'],
  CERT_SIGNATURE_FAILURE: [7, 'certificate signature failure'],
  CERT_NOT_YET_VALID: [9, 'certificate is not yet valid'],
  CERT_HAS_EXPIRED: [10, 'certificate has expired'],
  CRL_HAS_EXPIRED: [12, 'CRL has expired'],
  DEPTH_ZERO_SELF_SIGNED_CERT: [18, 'self-signed certificate'],
  SELF_SIGNED_CERT_IN_CHAIN: [19, 'self-signed certificate in certificate chain'],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [20, 'unable to get local issuer certificate'],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [21, 'unable to verify the first certificate'],
  CERT_CHAIN_TOO_LONG: [22, 'certificate chain too long'],
  CERT_REVOKED: [23, 'certificate revoked'],
  INVALID_CA: [24, 'invalid CA certificate'],
  INVALID_PURPOSE: [26, 'unsuitable certificate purpose'],
  CERT_UNTRUSTED: [27, 'certificate not trusted'],
  CERT_REJECTED: [28, 'certificate rejected'],
};

/** `(20:unable to get local issuer certificate)` */
export function verifyText(code: string): string {
  const known = VERIFY[code];
  return known ? `(${known[0]}:${known[1]})` : `(1:${code})`;
}
export const verifyReason = (code: string): string => VERIFY[code]?.[1] ?? code;
