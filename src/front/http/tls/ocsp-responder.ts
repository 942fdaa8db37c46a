// Issuers of certificates, and their OCSP responders.
import { X509Certificate } from 'node:crypto';

export interface Responder {
  host: string;
  port: number;
  /** without a trailing slash */
  path: string;
  /** from the configuration: the system may resolve its name */
  configured: boolean;
}

/** Parses `http://HOST[:PORT][/PATH]`. @returns null if it is not such a URL */
export function parseResponder(url: string, configured: boolean): Responder | null {
  const m = /^http:\/\/(\[[0-9A-Fa-f:.]+\]|[^/:?#]+)(?::(\d{1,5}))?(\/[^?#]*)?$/i.exec(url);
  if (!m) return null;
  const port = Number(m[2] ?? 80);
  if (port < 1 || port > 65535) return null;
  return { host: m[1].replace(/^\[|\]$/g, ''), port, path: (m[3] ?? '').replace(/\/$/, ''), configured };
}

/** The responder named by a certificate's authority information access. */
export function responderOf(certificate: X509Certificate): Responder | null {
  const m = /^OCSP - URI:(.*)$/m.exec(certificate.infoAccess ?? '');
  return m ? parseResponder(m[1].replace(/^"|"$/g, ''), false) : null;
}

/** Certificates of a PEM file, in order. */
export function certificatesOf(pem: Buffer): X509Certificate[] {
  const blocks =
    pem.latin1Slice().match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block.replace(/(BEGIN|END) (TRUSTED|X509) /g, '$1 ')));
}

/** The certificate among `candidates` that issued `certificate`; a self-signed one is its own issuer. */
export function issuerOf(certificate: X509Certificate, candidates: readonly X509Certificate[]): X509Certificate | null {
  return candidates.find((c) => certificate.checkIssued(c) && certificate.verify(c.publicKey)) ?? null;
}
