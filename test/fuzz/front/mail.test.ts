/** Mutated dialogs of mail clients, authentication servers and back ends: no crash, no endless loop, memory bounded, however the bytes are split. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Loc } from '../../../src/front/http/model/types.ts';
import { headEnd, parseAuthResponse } from '../../../src/front/mail/auth/response.ts';
import { InputBuffer } from '../../../src/front/mail/commands/input-buffer.ts';
import { converse, FakeSession, mailServer } from '../../support/mail-dialogs.ts';
import { forSeeds, type Rng } from '../../support/rng.ts';

const BUFFER = 256;
const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');
const PLAIN = base64('\0user\0secret');

const SEEDS: Record<'imap' | 'pop3' | 'smtp', string[]> = {
  imap: [
    'a LOGIN user secret\r\n',
    'a LOGIN "us\\"er" {6}\r\nsecret\r\n',
    'a LOGIN {4+}\r\nuser {6+}\r\nsecret\r\nb NOOP\r\n',
    'a LOGIN {0}\r\n {2}\r\nxx\r\n',
    `a AUTHENTICATE PLAIN\r\n${PLAIN}\r\nb CAPABILITY\r\n`,
    `a AUTHENTICATE LOGIN\r\n${base64('user')}\r\n${base64('secret')}\r\n`,
    `a AUTHENTICATE CRAM-MD5\r\n${base64(`user ${'0'.repeat(32)}`)}\r\n`,
    'a CAPABILITY\nb NOOP\nc STARTTLS\n',
    'a BAD {10+}\r\nb NOOP\r\n\r\n',
    'a LOGOUT\r\n',
  ],
  pop3: [
    'USER user name\r\nPASS a b c\r\n',
    'CAPA\r\nAUTH\r\nNOOP\r\nQUIT\r\n',
    `AUTH PLAIN\r\n${PLAIN}\r\nAUTH PLAIN ${PLAIN}\r\n`,
    `AUTH LOGIN ${base64('user')}\r\n${base64('secret')}\r\n`,
    'APOP user 0123456789abcdef0123456789abcdef\r\nSTLS\r\n',
  ],
  smtp: [
    'EHLO me\r\nMAIL FROM:<a@b> SIZE=1\r\nRCPT TO:<c@d>\r\nRSET\r\n',
    `HELO me\r\nAUTH LOGIN\r\n${base64('user')}\r\n${base64('secret')}\r\n`,
    `AUTH EXTERNAL\r\n${base64('user')}\r\nVRFY x\r\nSTARTTLS\r\n`,
    'NOOP\r\nQUIT\r\n',
    `EHLO${' x'.repeat(12)}\r\n`,
  ],
};

const TOKENS = [
  '\r',
  '\n',
  '\r\n',
  ' ',
  '"',
  '\\',
  '{',
  '}',
  '+',
  '{3}\r\n',
  '{9999999999}\r\n',
  '{100+}\r\n',
  '=',
  '\0',
  '\xff',
  '*',
  'a'.repeat(300),
];

function mutate(text: string, rng: Rng): Buffer {
  let out = text;
  for (let n = rng.int(0, 6); n > 0; n--) {
    const at = rng.int(0, out.length);
    const kind = rng.int(0, 3);
    if (kind === 0) out = out.slice(0, at) + String.fromCharCode(rng.int(0, 255)) + out.slice(at + 1);
    else if (kind === 1) out = out.slice(0, at) + out.slice(at + rng.int(1, 8));
    else if (kind === 2) out = out.slice(0, at) + rng.pick(TOKENS) + out.slice(at);
    else out = out + out.slice(at);
  }
  return Buffer.from(out, 'latin1');
}

function cut(data: Buffer, rng: Rng, most: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < data.length; ) {
    const end = Math.min(data.length, at + rng.int(1, most));
    pieces.push(data.subarray(at, end));
    at = end;
  }
  return pieces;
}

let servers: Record<'imap' | 'pop3' | 'smtp', Loc>;
beforeAll(async () => {
  servers = {
    imap: await mailServer(`protocol imap; imap_client_buffer ${BUFFER}; imap_auth plain cram-md5 external;`),
    pop3: await mailServer('protocol pop3; pop3_auth plain apop cram-md5 external;'),
    smtp: await mailServer(`protocol smtp; smtp_client_buffer ${BUFFER}; smtp_auth plain login cram-md5 external none;`),
  };
});

describe('dialogs of clients', () => {
  test.each(['imap', 'pop3', 'smtp'] as const)('%s: replies do not depend on how the bytes are split', (protocol) => {
    forSeeds(2000, (rng) => {
      const data = Buffer.concat(Array.from({ length: rng.int(1, 3) }, () => mutate(rng.pick(SEEDS[protocol]), rng)));
      const talk = (most: number) => converse(new FakeSession(servers[protocol], protocol), cut(data, rng, most));
      const bytewise = talk(1);
      const piecewise = talk(40);
      expect(bytewise.heldBytes).toBeLessThan(protocol === 'pop3' ? 4096 : BUFFER);
      expect({ ...piecewise, heldBytes: 0 }).toEqual({ ...bytewise, heldBytes: 0 });
      for (const reply of bytewise.replies) expect(reply).toMatch(/\r\n$/);
      for (const { user, secret } of bytewise.logins) expect(user.length + secret.length).toBeLessThan(4200);
    });
  });

  test('unmutated logins are read', () => {
    const login = (protocol: keyof typeof SEEDS, n: number) =>
      converse(new FakeSession(servers[protocol], protocol), [Buffer.from(SEEDS[protocol][n])]).logins;
    for (const n of [0, 2, 5]) expect(login('imap', n)).toEqual([{ method: 'plain', user: 'user', secret: 'secret' }]);
    expect(login('imap', 1)).toEqual([{ method: 'plain', user: 'us"er', secret: 'secret' }]);
    expect(login('imap', 6)).toEqual([{ method: 'cram-md5', user: 'user', secret: '0'.repeat(32) }]);
    expect(login('pop3', 0)).toEqual([{ method: 'plain', user: 'user name', secret: 'a b c' }]);
    expect(login('pop3', 2)).toHaveLength(2);
    expect(login('smtp', 0)).toEqual([{ method: 'none', user: '', secret: '' }]);
    expect(login('smtp', 2)).toEqual([{ method: 'external', user: 'user', secret: '' }]);
  });
});

test('the input buffer contains the bytes that were appended and not consumed', () => {
  forSeeds(60, (rng) => {
    const buffer = new InputBuffer();
    let expected = Buffer.alloc(0);
    for (let n = 0; n < 50; n++) {
      const piece = Buffer.from(rng.bytes(rng.skewed(900)).map((byte) => (byte < 8 ? 10 : byte)));
      buffer.append(piece);
      expected = Buffer.concat([expected, piece]);
      if (rng.bool(0.3)) {
        const count = rng.int(0, expected.length);
        buffer.consume(count);
        expected = expected.subarray(count);
      }
      for (let taken = buffer.takeLine(Infinity); typeof taken === 'object'; taken = buffer.takeLine(Infinity)) {
        const end = expected.indexOf(10);
        expect(taken.line).toBe(expected.latin1Slice(0, end).replace(/\r$/, ''));
        expected = expected.subarray(end + 1);
      }
      expect(expected.includes(10)).toBe(false);
      expect(buffer.length).toBe(expected.length);
      expect(buffer.bytes().equals(expected)).toBe(true);
    }
  });
});

describe('peers', () => {
  const RESPONSE = 'HTTP/1.0 200 OK\r\nAuth-Status: OK\r\nAuth-Server: 127.0.0.1\r\nAuth-Port: 143\r\nAuth-Wait: 3\r\nX: y\r\n\r\nbody';

  test('any response of the authentication server is accepted or refused', () => {
    expect(parseAuthResponse(RESPONSE)).toMatchObject({ status: 'OK', server: '127.0.0.1', port: '143', waitSeconds: 3 });
    forSeeds(3000, (rng) => {
      const data = mutate(RESPONSE, rng);
      const end = headEnd(data);
      expect(end).toBeLessThanOrEqual(data.length);
      const answer = parseAuthResponse(data.latin1Slice(0, Math.max(0, end)));
      if (answer)
        for (const value of [answer.status, answer.server, answer.user, answer.errorCode]) expect(value ?? '').not.toMatch(/[\r\n]/);
    });
  });

  const REPLIES = [
    '+OK ready\r\n',
    '* OK ready\r\na OK done\r\n',
    '* CAPABILITY x\r\n* OK y\r\na OK z\r\n',
    '250-a\r\n250-b\r\n250 c\r\n',
    '+ go\r\n',
  ];

  test.each(['imap', 'pop3', 'smtp'] as const)('any replies of a back end are accepted or refused: %s', (protocol) => {
    const session = new FakeSession(servers[protocol], protocol);
    const { findReply, steps } = session.protocol.start(session).loginScript('plain', 'secret');
    forSeeds(3000, (rng) => {
      const data = mutate(rng.pick(REPLIES), rng);
      const found = findReply(data, rng.bool());
      if (!found) return;
      expect(data.latin1Slice(found.end - 2, found.end)).toBe('\r\n');
      expect(found.start).toBeLessThan(found.end);
      for (const { accepts } of steps) accepts(data.latin1Slice(found.start, found.end));
    });
  });
});
