// Certificate chains that an ACME server issued.
import { X509Certificate } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** @throws Error `pem` contains no certificate, or a malformed one */
export function certificatesIn(pem: string): X509Certificate[] {
  const found = (pem.match(CERTIFICATE) ?? []).map((text) => new X509Certificate(text));
  if (found.length === 0) throw new Error('no certificate');
  return found;
}

/** Whether a certificate of the chain was issued by an authority of that common name. */
export const issuedBy = (pem: string, commonName: string): boolean =>
  certificatesIn(pem).some(({ issuer }) => issuer.split('\n').includes(`CN=${commonName}`));

/** When a certificate is due for renewal: after two thirds of its lifetime. */
export function renewalMs(pem: string): number {
  const [{ validFrom, validTo }] = certificatesIn(pem);
  const from = Date.parse(validFrom);
  return from + ((Date.parse(validTo) - from) * 2) / 3;
}
