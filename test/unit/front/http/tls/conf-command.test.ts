/** ssl_conf_command: what has a counterpart in Node is applied in order, everything else is refused when read. */
import type { SecureContextOptions } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { HS } from '../../../../../src/front/config/directive.ts';
import { typeMatches, typesSet } from '../../../../../src/front/http/config/mime-types.ts';
import { applyConfCommands, confCommand, versionRange } from '../../../../../src/front/http/tls/conf-command.ts';

const read = (...args: string[]): string[][] | null =>
  confCommand(HS).parse({
    args,
    scope: { path: (name: string) => `/etc/${name}` },
    fail: (message: string): never => {
      throw new Error(message);
    },
  } as never);

describe('ssl_conf_command', () => {
  test('later commands override directives', () => {
    const options: SecureContextOptions = { ciphers: 'TLS_AES_128_GCM_SHA256:AES256-SHA', honorCipherOrder: true };
    applyConfCommands(options, [
      ['Ciphersuites', 'TLS_AES_256_GCM_SHA384'],
      ['Options', '-ServerPreference,-SessionTicket'],
      ['MinProtocol', 'TLSv1.3'],
      ['Groups', 'X25519'],
      ['SignatureAlgorithms', 'ECDSA+SHA256'],
    ]);
    expect(options).toMatchObject({
      ciphers: 'TLS_AES_256_GCM_SHA384:AES256-SHA',
      honorCipherOrder: false,
      minVersion: 'TLSv1.3',
      ecdhCurve: 'X25519',
      sigalgs: 'ECDSA+SHA256',
    });
    expect(options.secureOptions).not.toBe(0);
    applyConfCommands(options, [['Options', 'SessionTicket']]);
    expect(options.secureOptions).toBe(0);
  });

  test.each([
    ['RecordPadding', '32'],
    ['Options', 'KTLS'],
    ['MinProtocol', 'SSLv3'],
    ['constructor', 'x'],
  ])('%s %s is refused', (name, value) => {
    expect(() => read(name, value)).toThrow(`SSL_CONF_cmd("${name}", "${value}") is not supported`);
  });

  test('files are found relative to the configuration', () => {
    expect(read('Certificate', 'a.pem')).toEqual([['Certificate', '/etc/a.pem']]);
    expect(read('Options', '+ServerPreference')).toEqual([['Options', '+ServerPreference']]);
  });

  test('protocol lists become a range of versions that Node supports', () => {
    expect(versionRange(['TLSv1.3', 'SSLv3', 'TLSv1.1'])).toEqual({ minVersion: 'TLSv1.1', maxVersion: 'TLSv1.3' });
    expect(versionRange(['SSLv2'])).toEqual({});
  });
});

test('a filter for all types accepts a response without a type, others do not', () => {
  expect(typeMatches(typesSet(['*'], ['text/html']), '')).toBe(true);
  expect(typeMatches(typesSet(['text/plain'], ['text/html']), '')).toBe(false);
  expect(typeMatches(typesSet(['Text/Plain'], ['text/html']), 'text/plain')).toBe(true);
  // as in nginx: a type with parameters is a different type (a back end's charset is taken off before)
  expect(typeMatches(typesSet(['Text/Plain'], ['text/html']), 'text/plain; a=b')).toBe(false);
});
