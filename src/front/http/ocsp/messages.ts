// OCSP requests and responses (RFC 6960), and the checks that a response must pass before it is trusted. pkijs reads and writes the messages,
// node:crypto hashes and verifies signatures. Import this file with `await import()`: pkijs takes 100 ms and more to load.
//   request:  CertID { SHA-1, hash of the issuer's name, hash of its key, serial }
//   response: status, then { responder, time, single responses }, signature, certificates of the signer
import { createHash, verify, X509Certificate } from 'node:crypto';
import { type AsnType, fromBER, type Integer, Null, OctetString } from 'asn1js';
import {
  AlgorithmIdentifier,
  BasicOCSPResponse,
  CertID,
  Certificate,
  OCSPRequest,
  OCSPResponse,
  RelativeDistinguishedNames,
  Request,
  type SingleResponse,
  TBSRequest,
} from 'pkijs';
import { OcspError } from './ocsp-error.ts';

export interface OcspAnswer {
  status: 'good' | 'revoked' | 'unknown';
  /** Infinity if the responder specifies no end */
  validUntilMs: number;
}

const SHA1_OID = '1.3.14.3.2.26';
const HASHES: Readonly<Record<string, string>> = { [SHA1_OID]: 'sha1', '2.16.840.1.101.3.4.2.1': 'sha256' };
/** Hashes of signature algorithms; null if the key determines it. */
const SIGNATURES: Readonly<Record<string, string | null>> = {
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
const BASIC_RESPONSE = '1.3.6.1.5.5.7.48.1.1';
const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9';
const RESPONSE_STATUS = ['successful', 'malformedRequest', 'internalError', '4', 'tryLater', 'sigRequired', 'unauthorized'];
/** Tags of CertStatus. */
const GOOD = 0;
const REVOKED = 1;
/** Clocks of responder and server may differ by this much. */
const SKEW_MS = 300_000;
/** Maximum number of a response's certificates that are tried as the signer's. */
const MAX_SENT_CERTIFICATES = 8;

/** Reads one element that fills `data`. @throws Error */
function readWhole(data: Uint8Array): AsnType {
  // Limits of asn1js: depth 100, 10,000 elements. askResponder limits the size.
  const { offset, result } = fromBER(data);
  if (offset !== data.byteLength) throw new Error(result.error || 'bytes after the end of an element');
  return result;
}

interface CertificateParts {
  readonly serialNumber: Integer;
  /** DER of the name */
  readonly subject: Uint8Array;
  /** bits of the public key */
  readonly publicKey: Uint8Array;
}

const knownParts = new WeakMap<X509Certificate, CertificateParts>();

function partsOf(certificate: X509Certificate): CertificateParts {
  let parts = knownParts.get(certificate);
  if (!parts) {
    const { serialNumber, subject, subjectPublicKeyInfo } = new Certificate({ schema: readWhole(certificate.raw) });
    parts = {
      serialNumber,
      subject: new Uint8Array(subject.valueBeforeDecode),
      publicKey: subjectPublicKeyInfo.subjectPublicKey.valueBlock.valueHexView,
    };
    knownParts.set(certificate, parts);
  }
  return parts;
}

const digest = (hash: string, data: Uint8Array): Buffer => createHash(hash).update(data).digest();
const isEqual = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** DER of the CertID by which a responder identifies a certificate. */
export function certificateId(certificate: X509Certificate, issuer: X509Certificate): Buffer {
  const { subject, publicKey } = partsOf(issuer);
  const id = new CertID({
    hashAlgorithm: new AlgorithmIdentifier({ algorithmId: SHA1_OID, algorithmParams: new Null() }),
    issuerNameHash: new OctetString({ valueHex: digest('sha1', subject) }),
    issuerKeyHash: new OctetString({ valueHex: digest('sha1', publicKey) }),
    serialNumber: partsOf(certificate).serialNumber,
  });
  return Buffer.from(id.toSchema().toBER());
}

/** A request for one certificate. */
export function ocspRequest(id: Buffer): Buffer {
  const request = new Request({ reqCert: new CertID({ schema: readWhole(id) }) });
  return Buffer.from(new OCSPRequest({ tbsRequest: new TBSRequest({ requestList: [request] }) }).toSchema(true).toBER());
}

interface TrustOptions {
  /** further certificates that may have signed */
  chain: X509Certificate[];
  /** false: a valid signature by any known certificate is enough */
  verifySigner: boolean;
}

/**
 * Reads a response about `certificate` and checks that it is signed, meant for this certificate, and currently valid.
 * With `verifySigner` the signer must be the issuer, or have a certificate for OCSP signing made by the issuer (RFC 6960 4.2.2.2).
 * @throws OcspError
 */
export function readOcspResponse(data: Buffer, certificate: X509Certificate, issuer: X509Certificate, trust: TrustOptions): OcspAnswer {
  try {
    const basic = readBasicResponse(data);
    const sent = (basic.certs ?? []).slice(0, MAX_SENT_CERTIFICATES).map((sent) => {
      if (!(sent instanceof Certificate)) throw new Error('a certificate of an unknown kind');
      return new X509Certificate(Buffer.from(sent.toSchema().toBER()));
    });
    checkSignature(basic, [issuer, ...trust.chain, ...sent], trust.verifySigner ? issuer : null);
    return singleResponse(basic.tbsResponseData.responses, certificate, issuer);
  } catch (error) {
    if (error instanceof OcspError) throw error;
    throw new OcspError(`malformed OCSP response: ${(error as Error).message}`);
  }
}

function readBasicResponse(data: Buffer): BasicOCSPResponse {
  const { responseStatus, responseBytes } = new OCSPResponse({ schema: readWhole(data) });
  const code = responseStatus.valueBlock.valueDec;
  if (code !== 0) throw new OcspError(`OCSP response not successful (${code}: ${RESPONSE_STATUS[code] ?? 'unknown'})`);
  if (responseBytes?.responseType !== BASIC_RESPONSE) throw new Error('not a basic response');
  return new BasicOCSPResponse({ schema: readWhole(responseBytes.response.valueBlock.valueHexView) });
}

/** @param mustComeFrom  the issuer that must have signed or delegated; null accepts any signer */
function checkSignature(response: BasicOCSPResponse, candidates: readonly X509Certificate[], mustComeFrom: X509Certificate | null): void {
  const { tbsResponseData, signatureAlgorithm, signature } = response;
  const signer = candidates.find((candidate) => isResponder(candidate, tbsResponseData.responderID));
  if (!signer) throw new OcspError('OCSP_basic_verify() failed: signer certificate not found');
  const oid = signatureAlgorithm.algorithmId;
  const hash = SIGNATURES[oid];
  if (hash === null) throw new OcspError(`OCSP_basic_verify() failed: unknown signature algorithm ${oid}`);
  if (!verify(hash, tbsResponseData.tbsView, signer.publicKey, signature.valueBlock.valueHexView))
    throw new OcspError('OCSP_basic_verify() failed: signature failure');
  if (mustComeFrom && !mayAnswer(signer, mustComeFrom))
    throw new OcspError('OCSP_basic_verify() failed: signer is neither the issuer nor delegated by it');
}

function isResponder(candidate: X509Certificate, responder: unknown): boolean {
  const { subject, publicKey } = partsOf(candidate);
  if (responder instanceof RelativeDistinguishedNames) return isEqual(new Uint8Array(responder.valueBeforeDecode), subject);
  if (responder instanceof OctetString) return isEqual(responder.valueBlock.valueHexView, digest('sha1', publicKey));
  throw new Error('a responder of an unknown kind');
}

function mayAnswer(signer: X509Certificate, issuer: X509Certificate): boolean {
  const own = partsOf(issuer);
  const theirs = partsOf(signer);
  if (isEqual(own.publicKey, theirs.publicKey) && isEqual(own.subject, theirs.subject)) return true;
  const now = Date.now();
  return (
    (signer.keyUsage ?? []).includes(OCSP_SIGNING) &&
    signer.checkIssued(issuer) &&
    signer.verify(issuer.publicKey) &&
    Date.parse(signer.validFrom) <= now + SKEW_MS &&
    Date.parse(signer.validTo) >= now - SKEW_MS
  );
}

function singleResponse(responses: readonly SingleResponse[], certificate: X509Certificate, issuer: X509Certificate): OcspAnswer {
  const response = responses.find(({ certID }) => isAbout(certID, certificate, issuer));
  if (!response) throw new OcspError('certificate status not found in the OCSP response');
  const now = Date.now();
  const validUntilMs = response.nextUpdate ? timeOf(response.nextUpdate) : Infinity;
  if (timeOf(response.thisUpdate) > now + SKEW_MS) throw new OcspError('OCSP_check_validity() failed: status not yet valid');
  if (validUntilMs < now - SKEW_MS) throw new OcspError('OCSP_check_validity() failed: status expired');
  return { status: statusOf(response), validUntilMs };
}

/** Milliseconds since 1970. @throws Error: no comparison with an invalid date would fail */
function timeOf(date: Date): number {
  const ms = date.getTime();
  if (Number.isNaN(ms)) throw new Error('invalid time');
  return ms;
}

function statusOf({ certStatus }: SingleResponse): OcspAnswer['status'] {
  const { tagNumber } = (certStatus as AsnType).idBlock;
  return tagNumber === GOOD ? 'good' : tagNumber === REVOKED ? 'revoked' : 'unknown';
}

function isAbout(id: CertID, certificate: X509Certificate, issuer: X509Certificate): boolean {
  const hash = HASHES[id.hashAlgorithm.algorithmId];
  if (hash === undefined) return false;
  const { subject, publicKey } = partsOf(issuer);
  return (
    isEqual(id.issuerNameHash.valueBlock.valueHexView, digest(hash, subject)) &&
    isEqual(id.issuerKeyHash.valueBlock.valueHexView, digest(hash, publicKey)) &&
    isEqual(id.serialNumber.valueBlock.valueHexView, partsOf(certificate).serialNumber.valueBlock.valueHexView)
  );
}
