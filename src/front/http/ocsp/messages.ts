/**
 * OCSP requests and responses (RFC 6960), and what is asked of a response before it is believed.
 *   request:  CertID { SHA-1, hash of the issuer's name, hash of its key, serial }
 *   response: status, then { who answers, when, single responses }, signature, certificates of the signer
 */
import { createHash, verify, X509Certificate } from 'node:crypto';
import {
  algorithmOid,
  type Der,
  DerError,
  expectTag,
  INTEGER,
  OCTET_STRING,
  readElements,
  readOne,
  SEQUENCE,
  timeOf,
  writeAlgorithm,
  writeDer,
} from './der.ts';

export class OcspError extends Error {}

export interface OcspAnswer {
  status: 'good' | 'revoked' | 'unknown';
  /** Infinity where the responder names no end */
  validUntilMs: number;
}

const SHA1_OID = '1.3.14.3.2.26';
const HASHES: Record<string, string> = { [SHA1_OID]: 'sha1', '2.16.840.1.101.3.4.2.1': 'sha256' };
/** null: the key says it all */
const SIGNATURES: Record<string, string | null> = {
  '1.2.840.113549.1.1.5': 'sha1',
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.2.840.10045.4.1': 'sha1',
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
  '1.3.101.112': null,
  '1.3.101.113': null,
};
const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9';
const RESPONSE_STATUS = ['successful', 'malformedRequest', 'internalError', '4', 'tryLater', 'sigRequired', 'unauthorized'];
/** clocks of responder and server may differ by this much */
const SKEW_MS = 300_000;

interface CertificateParts {
  /** content of the INTEGER */
  serial: Buffer;
  subject: Buffer;
  /** bits of the public key */
  publicKey: Buffer;
}

function partsOf(certificate: X509Certificate): CertificateParts {
  const tbs = readElements(expectTag(readElements(readOne(certificate.raw, SEQUENCE).content)[0], SEQUENCE).content);
  if (tbs[0]?.tag === 0xa0) tbs.shift();
  // serial, signature, issuer, validity, subject, subjectPublicKeyInfo
  const key = expectTag(readElements(expectTag(tbs[5], SEQUENCE).content)[1], 0x03);
  return { serial: expectTag(tbs[0], INTEGER).content, subject: expectTag(tbs[4], SEQUENCE).bytes, publicKey: key.content.subarray(1) };
}

const digest = (hash: string, data: Buffer): Buffer => createHash(hash).update(data).digest();

/** What names a certificate to a responder. */
export function certificateId(certificate: X509Certificate, issuer: X509Certificate): Buffer {
  const from = partsOf(issuer);
  return writeDer(
    SEQUENCE,
    writeAlgorithm(SHA1_OID),
    writeDer(OCTET_STRING, digest('sha1', from.subject)),
    writeDer(OCTET_STRING, digest('sha1', from.publicKey)),
    writeDer(INTEGER, partsOf(certificate).serial),
  );
}

/** A request for one certificate. */
export function ocspRequest(id: Buffer): Buffer {
  return writeDer(SEQUENCE, writeDer(SEQUENCE, writeDer(SEQUENCE, writeDer(SEQUENCE, id))));
}

interface TrustOptions {
  /** further certificates that may have signed */
  chain: X509Certificate[];
  /** false: a good signature of anyone whose certificate is at hand is enough */
  verifySigner: boolean;
}

/**
 * Reads a response about `certificate` and checks that it is signed, meant for this certificate and in its time.
 * With `verifySigner` the signer must be the issuer, or carry a certificate for OCSP signing made by the issuer (RFC 6960 4.2.2.2).
 * @throws OcspError
 */
export function readOcspResponse(data: Buffer, certificate: X509Certificate, issuer: X509Certificate, trust: TrustOptions): OcspAnswer {
  try {
    const [status, wrapped] = readElements(readOne(data, SEQUENCE).content);
    const code = expectTag(status, 0x0a).content[0];
    if (code !== 0) throw new OcspError(`OCSP response not successful (${code}: ${RESPONSE_STATUS[code] ?? 'unknown'})`);
    const [, basic] = readElements(readOne(expectTag(wrapped, 0xa0).content, SEQUENCE).content);
    const [tbs, algorithm, signature, certificates] = readElements(readOne(expectTag(basic, OCTET_STRING).content, SEQUENCE).content);
    const fields = readElements(expectTag(tbs, SEQUENCE).content);
    if (fields[0]?.tag === 0xa0) fields.shift();
    const [responder, , responses] = fields;
    const sent = certificates === undefined ? [] : readElements(readOne(expectTag(certificates, 0xa0).content, SEQUENCE).content);
    const candidates = [issuer, ...trust.chain, ...sent.slice(0, 8).map((c) => new X509Certificate(c.bytes))];
    checkSignature(tbs, algorithm, expectTag(signature, 0x03), responder, candidates, trust.verifySigner ? issuer : undefined);
    return singleResponse(expectTag(responses, SEQUENCE), certificate, issuer);
  } catch (error) {
    if (error instanceof OcspError) throw error;
    if (error instanceof DerError) throw new OcspError(`malformed OCSP response: ${error.message}`);
    throw new OcspError(`bad OCSP response: ${(error as Error).message}`);
  }
}

function checkSignature(
  tbs: Der,
  algorithm: Der,
  signature: Der,
  responder: Der | undefined,
  candidates: X509Certificate[],
  mustComeFrom: X509Certificate | undefined,
): void {
  const signer = candidates.find((candidate) => isResponder(candidate, responder));
  if (!signer) throw new OcspError('OCSP_basic_verify() failed: signer certificate not found');
  const oid = algorithmOid(algorithm);
  const hash = SIGNATURES[oid];
  if (hash === undefined) throw new OcspError(`OCSP_basic_verify() failed: unknown signature algorithm ${oid}`);
  if (!verify(hash, tbs.bytes, signer.publicKey, signature.content.subarray(1)))
    throw new OcspError('OCSP_basic_verify() failed: signature failure');
  if (mustComeFrom && !mayAnswer(signer, mustComeFrom))
    throw new OcspError('OCSP_basic_verify() failed: signer is neither the issuer nor one it named');
}

function isResponder(candidate: X509Certificate, responder: Der | undefined): boolean {
  const parts = partsOf(candidate);
  if (responder?.tag === 0xa1) return parts.subject.equals(responder.content);
  return expectTag(readElements(expectTag(responder, 0xa2).content)[0], OCTET_STRING).content.equals(digest('sha1', parts.publicKey));
}

function mayAnswer(signer: X509Certificate, issuer: X509Certificate): boolean {
  const own = partsOf(issuer);
  const theirs = partsOf(signer);
  if (own.publicKey.equals(theirs.publicKey) && own.subject.equals(theirs.subject)) return true;
  const now = Date.now();
  return (
    (signer.keyUsage ?? []).includes(OCSP_SIGNING) &&
    signer.checkIssued(issuer) &&
    signer.verify(issuer.publicKey) &&
    Date.parse(signer.validFrom) <= now + SKEW_MS &&
    Date.parse(signer.validTo) >= now - SKEW_MS
  );
}

function singleResponse(responses: Der, certificate: X509Certificate, issuer: X509Certificate): OcspAnswer {
  for (const response of readElements(responses.content)) {
    const [id, status, thisUpdate, next] = readElements(expectTag(response, SEQUENCE).content);
    if (!isAbout(id, certificate, issuer)) continue;
    const validUntilMs = next?.tag === 0xa0 ? timeOf(readElements(next.content)[0]) : Infinity;
    const now = Date.now();
    if (timeOf(thisUpdate) > now + SKEW_MS) throw new OcspError('OCSP_check_validity() failed: status not yet valid');
    if (validUntilMs < now - SKEW_MS) throw new OcspError('OCSP_check_validity() failed: status expired');
    return { status: status.tag === 0x80 ? 'good' : status.tag === 0xa1 ? 'revoked' : 'unknown', validUntilMs };
  }
  throw new OcspError('certificate status not found in the OCSP response');
}

function isAbout(id: Der, certificate: X509Certificate, issuer: X509Certificate): boolean {
  const [algorithm, name, key, serial] = readElements(expectTag(id, SEQUENCE).content);
  const hash = HASHES[algorithmOid(algorithm)];
  if (!hash) return false;
  const from = partsOf(issuer);
  return (
    expectTag(name, OCTET_STRING).content.equals(digest(hash, from.subject)) &&
    expectTag(key, OCTET_STRING).content.equals(digest(hash, from.publicKey)) &&
    expectTag(serial, INTEGER).content.equals(partsOf(certificate).serial)
  );
}
