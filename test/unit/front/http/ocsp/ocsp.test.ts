/** OCSP messages against OpenSSL's own: requests it understands, responses it signs, and responses that must be rejected. */
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { certificateId, ocspRequest, readOcspResponse } from '../../../../../src/front/http/ocsp/messages.ts';
import { OcspError } from '../../../../../src/front/http/ocsp/ocsp-error.ts';
import { certificatesOf, issuerOf, parseResponder, responderOf } from '../../../../../src/front/http/tls/ocsp-responder.ts';
import { forSeeds } from '../../../../support/rng.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'gannet-ocsp-'));
const openssl = (...args: string[]): Buffer => execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
const certificate = (name: string): X509Certificate => new X509Certificate(readFileSync(path.join(folder, `${name}.crt`)));

/** A response about `name`, signed by the certificate `signer`. */
function respond(name: string, signer: string, ...more: string[]): Buffer {
  openssl('ocsp', '-issuer', 'ca.crt', '-cert', `${name}.crt`, '-reqout', 'req.der');
  openssl(
    ...['ocsp', '-index', 'index', '-CA', 'ca.crt', '-rsigner', `${signer}.crt`, '-rkey', `${signer}.key`],
    ...['-reqin', 'req.der', '-respout', 'resp.der', '-ndays', '1', ...more],
  );
  return readFileSync(path.join(folder, 'resp.der'));
}

beforeAll(() => {
  writeFileSync(
    path.join(folder, 'conf'),
    `[req]\ndistinguished_name=dn\nx509_extensions=ca\n[dn]\n[ca]\nbasicConstraints=critical,CA:TRUE
[leaf]\nauthorityInfoAccess=OCSP;URI:http://ocsp.example.com:8080/path/\n[signer]\nextendedKeyUsage=OCSPSigning\n[plain]\nbasicConstraints=CA:FALSE\n`,
  );
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-config', 'conf'];
  for (const root of ['ca', 'other'])
    openssl('req', '-x509', ...key, '-subj', `/CN=${root}`, '-keyout', `${root}.key`, '-out', `${root}.crt`);
  for (const [name, section, serial] of [
    ['good', 'leaf', '0xF001'],
    ['bad', 'leaf', '0x7002'],
    ['delegate', 'signer', '0x7003'],
    ['stranger', 'plain', '0x7004'],
  ]) {
    openssl('req', '-new', ...key, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
    openssl(
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.crt', '-CAkey', 'ca.key', '-set_serial', serial],
      ...['-days', '2', '-extfile', 'conf', '-extensions', section, '-out', `${name}.crt`],
    );
  }
  writeFileSync(
    path.join(folder, 'index'),
    'V\t351231235959Z\t\tF001\tunknown\t/CN=good\nR\t351231235959Z\t240101000000Z\t7002\tunknown\t/CN=bad\n',
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('OCSP', () => {
  test('a request equals that of OpenSSL', () => {
    openssl('ocsp', '-issuer', 'ca.crt', '-cert', 'good.crt', '-no_nonce', '-reqout', 'req.der');
    const own = ocspRequest(certificateId(certificate('good'), certificate('ca')));
    expect(own.toString('hex')).toBe(readFileSync(path.join(folder, 'req.der')).toString('hex'));
  });

  test.each(['ca', 'delegate'])('responses signed by %s are accepted', (signer) => {
    const trust = { chain: [], verifySigner: true };
    const good = readOcspResponse(respond('good', signer), certificate('good'), certificate('ca'), trust);
    expect(good.status).toBe('good');
    expect(good.validUntilMs).toBeGreaterThan(Date.now());
    expect(readOcspResponse(respond('bad', signer), certificate('bad'), certificate('ca'), trust).status).toBe('revoked');
    expect(readOcspResponse(respond('delegate', signer), certificate('delegate'), certificate('ca'), trust).status).toBe('unknown');
  });

  test.each(['stranger', 'other'])('responses signed by %s are accepted only where the signer is not verified', (signer) => {
    const data = respond('good', signer);
    const read = (verifySigner: boolean) => readOcspResponse(data, certificate('good'), certificate('ca'), { chain: [], verifySigner });
    expect(() => read(true)).toThrow(/neither the issuer/);
    expect(read(false).status).toBe('good');
  });

  test('refuses a response about another certificate, an expired one, and one without its signer', () => {
    const trust = { chain: [], verifySigner: true };
    expect(() => readOcspResponse(respond('bad', 'ca'), certificate('good'), certificate('ca'), trust)).toThrow(/not found in the OCSP/);
    const short = respond('good', 'ca');
    const { now } = Date;
    try {
      Date.now = () => now() + 2 * 86_400_000;
      expect(() => readOcspResponse(short, certificate('good'), certificate('ca'), trust)).toThrow(/expired/);
    } finally {
      Date.now = now;
    }
    expect(() => readOcspResponse(respond('good', 'delegate', '-resp_no_certs'), certificate('good'), certificate('ca'), trust)).toThrow(
      /signer certificate not found/,
    );
  });

  test('every damaged byte is detected, with an OcspError only', () => {
    const data = respond('good', 'ca');
    const subject = certificate('good');
    const issuer = certificate('ca');
    const read = (bytes: Buffer) => readOcspResponse(bytes, subject, issuer, { chain: [], verifySigner: true });
    const intact = read(data);
    /** The signature does not cover certificates that are sent along: they may change, the result may not. */
    const readDamaged = (damaged: Buffer): void => {
      try {
        expect(read(damaged)).toEqual(intact);
      } catch (error) {
        if (!(error instanceof OcspError)) throw error;
      }
    };
    for (let at = 0; at < data.length; at++) {
      const damaged = Buffer.from(data);
      damaged[at] ^= 0x55;
      readDamaged(damaged);
      expect(() => read(data.subarray(0, at))).toThrow(OcspError);
    }
    forSeeds(100, (rng) => {
      const damaged = Buffer.from(data);
      for (let n = rng.int(2, 8); n > 0; n--) damaged[rng.int(0, data.length - 1)] = rng.int(0, 255);
      readDamaged(damaged);
      const random = Buffer.from(rng.bytes(rng.int(1, 60)));
      expect(() => read(random)).toThrow(OcspError);
    });
  });

  test('bytes after the end, deep nesting and endless lengths are malformed', () => {
    const data = respond('good', 'ca');
    const nested = Buffer.from('3080'.repeat(20_000), 'hex');
    for (const bytes of [Buffer.concat([data, Buffer.alloc(1)]), nested, Buffer.from('30840fffffff', 'hex'), Buffer.alloc(0)])
      expect(() => readOcspResponse(bytes, certificate('good'), certificate('ca'), { chain: [], verifySigner: true })).toThrow(
        /^malformed OCSP/,
      );
  });

  test('finds issuers and responders', () => {
    const all = certificatesOf(Buffer.concat(['other', 'ca'].map((n) => readFileSync(path.join(folder, `${n}.crt`)))));
    expect(issuerOf(certificate('good'), all)?.subject).toBe('CN=ca');
    expect(issuerOf(certificate('other'), [certificate('ca')])).toBeNull();
    expect(responderOf(certificate('good'))).toEqual({ host: 'ocsp.example.com', port: 8080, path: '/path', configured: false });
    expect(responderOf(certificate('ca'))).toBeNull();
    expect(parseResponder('http://[::1]', true)).toEqual({ host: '::1', port: 80, path: '', configured: true });
    for (const url of ['https://x/', 'http://', 'http://x:0/', 'http://x:99999', 'x']) expect(parseResponder(url, true)).toBeNull();
  });
});
