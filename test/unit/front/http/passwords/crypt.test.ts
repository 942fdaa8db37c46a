// Password hashes against libxcrypt's: the inputs of the SHA-crypt specification, and lengths around the sizes of digests.
import { describe, expect, test } from 'vitest';
import { matchesCrypt } from '../../../../../src/front/http/passwords/crypt.ts';
import { describeScheme, isSignExtended, isSlowScheme, matchesFastScheme } from '../../../../../src/front/http/passwords/schemes.ts';
import { shaCrypt } from '../../../../../src/front/http/passwords/sha-crypt.ts';

const utf8 = (password: string): Buffer => Buffer.from(password, 'utf8');
const latin1 = (password: string): Buffer => Buffer.from(password, 'latin1');

const VECTORS: readonly (readonly [Buffer, string])[] = [
  [utf8('Hello world!'), '$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5'],
  [utf8('Hello world!'), '$5$rounds=10000$saltstringsaltst$3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA'],
  [utf8('This is just a test'), '$5$rounds=5000$toolongsaltstrin$Un/5jzAHMgOGZ5.mWJpuVolil07guHPvOW8mGRcvxa5'],
  [
    utf8('a very much longer text to encrypt.  This one even stretches over morethan one line.'),
    '$5$rounds=1400$anotherlongsalts$Rx.j8H.h8HjEDGomFU8bDkXm3XIUnzyxf12oP84Bnq1',
  ],
  [utf8('we have a short salt string but not a short password'), '$5$rounds=77777$short$JiO1O3ZpDAxGJeaDIuqCoEFysAe1mZNJRs3pw0KQRd/'],
  [utf8('a short string'), '$5$rounds=123456$asaltof16chars..$gP3VQ/6X7UUEW3HkBn2w1/Ptq2jxPyzV/cZKmF/wJvD'],
  [utf8('Hello world!'), '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1'],
  [
    utf8('Hello world!'),
    '$6$rounds=10000$saltstringsaltst$OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v.',
  ],
  [
    utf8('This is just a test'),
    '$6$rounds=5000$toolongsaltstrin$lQ8jolhgVRVhY4b5pZKaysCLi0QBxGoNeKQzQ3glMhwllF7oGDZxUhx1yxdYcz/e1JSbq3y6JMxxl8audkUEm0',
  ],
  [
    utf8('a very much longer text to encrypt.  This one even stretches over morethan one line.'),
    '$6$rounds=1400$anotherlongsalts$POfYwTEok97VWcjxIiSOjiykti.o/pQs.wPvMxQ6Fm7I6IoYN3CmLs66x9t0oSwbtEW7o7UmJEiDwGqd8p4ur1',
  ],
  [
    utf8('we have a short salt string but not a short password'),
    '$6$rounds=77777$short$WuQyW2YR.hBNpjjRhpYD/ifIw05xdfeEyQoMxIXbkvr0gge1a1x3yRULJ5CCaUeOxFmtlcGZelFl5CxtgfiAc0',
  ],
  [
    utf8('a short string'),
    '$6$rounds=123456$asaltof16chars..$BtCwjqMJGx5hrJhZywWvt0RLE8uZ4oPwcelCjmw2kSYu.Ec6ycULevoBK25fs2xXgMNrCzIMVcgEJAstJeonj1',
  ],
  [utf8('pässwörd €'), '$5$rounds=1000$s$MhMkzsFA4aHHH50PXbSb9SVPRQSScWM8jLSloRJ24S4'],
  [latin1('pässwörd'), '$5$rounds=1000$s$RS6mXLP7p5qZVNhLlwAMj1JurPkpBYj0nVrmHD53714'],
  [utf8('pässwörd €'), '$6$rounds=1000$s$7cX3o5UDprh9wDnif6EqthtCC0.D9qh28y4gkOTIBZX7fwK5TwyYVKOwrse.erK9qnhmQOEaxvT/CnJufozgv1'],
  [latin1('pässwörd'), '$6$rounds=1000$s$aBWebvByiEPnjLC5H2wu.jhoyjcK8mmZGsJZ5mbcYApnzeuyIr/nBSsz5RBafX0vyFulRU.XcwSHeLlVgIKpR.'],
  [utf8('pässwörd €'), '$1$saltsalt$BCnFYBlTD5LGL8V6/LtMc0'],
  [latin1('pässwörd'), '$1$saltsalt$500pTmqaooDIE3iUGNJ9V1'],
  [utf8('pässwörd €'), 'abzp3RXJm5gNA'],
  [latin1('pässwörd'), 'abUHWcN08ZKKc'],
  [utf8('pässwörd €'), '$2y$04$abcdefghijklmnopqrstuuKnHl.x1yQ06jW2xtQY6ynPSc7M2jr9G'],
  [latin1('pässwörd'), '$2y$04$abcdefghijklmnopqrstuuTru6m8o24QpaQBdEztYCWOCkQjrN8za'],
  [utf8('secret'), '$2a$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW'],
  [utf8('secret'), '$2x$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW'],
  [utf8('secret'), '$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW'],
  [utf8('secret'), '$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a'],
  [utf8('y'.repeat(80)), '$2b$04$abcdefghijklmnopqrstuuwurWIdVVT4m5pTArtqnFNM69nySdHj.'],
  [utf8(''), '$1$saltsalt$5Jhcit4zN9UlGiA0txPkO0'],
  [utf8(''), '$apr1$Zxm1cNkw$s4NUPl0Rj6UXKsOdQ5MDc1'],
  [utf8(''), 'arbHbqoy9Dalg'],
  [utf8('secret'), '$1$saltsalt$9xy1btjgzLYfb7hivXtC//'],
  [utf8('secret'), '$apr1$Zxm1cNkw$AygJyWHRU9OPHyUHcAfaB/'],
  [utf8('secret'), 'arxbmSLDgaJk.'],
  [utf8('a password of more than sixteen bytes, in fact of fifty'), '$1$saltsalt$zTwSEP7qHrDOHkhstIXQM0'],
  [utf8('a password of more than sixteen bytes, in fact of fifty'), '$apr1$Zxm1cNkw$izBee7Kn2VFjJEWWHeezz1'],
  [utf8('a password of more than sixteen bytes, in fact of fifty'), 'arNCigkNjUeRo'],
];

/** Hashes of this many times `x`. */
const BY_LENGTH: readonly (readonly [number, string])[] = [
  [0, '$5$rounds=1000$abc$sP9FmVrTEqPcRDE7OxGDY0efugGF1dtCtqYcUsX9wmD'],
  [0, '$6$rounds=1000$abc$noBronbzNMcAtG61/dMHzc1H.fuLjHArF9.wCx8LbkVDMMEuChQCPee28tiPcXHL/CMNpCqo6OPTyoEpoCMsY/'],
  [1, '$5$rounds=1000$abc$UxKib5kobt2BZp/yfOEWbjik.BPMiS9MzbXyO6zXMC0'],
  [1, '$6$rounds=1000$abc$zaWpAwySRl8PX4W2aEMJwxpN82bCKtDZP0RBdOD6W7BQlilBqAsWnAZuS10iUyJZneS8Ob1gxs1BZkqJi1nTi.'],
  [31, '$5$rounds=1000$abc$R4HH0AieIz6M3Fo3F2dqsKq9E.gE0zV2FvqaBJuHjd2'],
  [31, '$6$rounds=1000$abc$Bb8978I/LCmO01ZlK55olhNRapYhD9NJB1gsRZCJydZXX3GxL0dfAqehVHLsbTbZwckfgTq05Pv/lKq6J75YW0'],
  [32, '$5$rounds=1000$abc$J8NFJMBN6YUuC3j2ZzWzYNfT7U/4CEBzuXyty5I1fX7'],
  [32, '$6$rounds=1000$abc$o686Nco/XEXUeZzJIFYJoQv2ubvKY3.2QJ790qgHnTB50tflg9a.SqDk/rOnUCQD0fJXDh9KkH75r3EXe/C7N0'],
  [33, '$5$rounds=1000$abc$LS9mlnC.ffn.dP60W.GtwcxbHqVidwghNFYNwsYW1pA'],
  [33, '$6$rounds=1000$abc$53H9RZhFjRLJQHEB0H8oGja0sIcy9gSw84kazaA5fybNwMR/4aVhmSYCHSzGEVPqS2dlQw7k2t.u26KBKdzG0.'],
  [63, '$5$rounds=1000$abc$OJfULHmJ/FxI9mDJUoMcUXLPz.svpI9ECrwduRUguy5'],
  [63, '$6$rounds=1000$abc$kgoWwyeVNYL0kPvXGOBnw8MAIgGtX8PjYoZOXCf9WIYikhWwzKs1kRn8DUddoVwNA3dl.gDdHFaIQTpX31UsQ0'],
  [64, '$5$rounds=1000$abc$UFplfyGUyBqDgBoOwp5i.iMJmcKstAOxF62PR.SbBx3'],
  [64, '$6$rounds=1000$abc$tsMOjyUebLTBZ0azEoE7TmcPWZoRupzR5CpJZc8NYyUQDLloJFeND/Ln2FCkHnUiF4Gm97hBraI8neeq/ezVQ0'],
  [65, '$5$rounds=1000$abc$4eQhYYG.R4qB4wrXrc88fSlRUbrbBTgNxcFii2gqsP0'],
  [65, '$6$rounds=1000$abc$PBjQEvrVg/aoR5nlecBYssiF68TRCRj82nBlXtM.aie.TjgoymcqbH0acLGJ8y3gMtpYRlhz0H4vxf6UTzMcR/'],
  [128, '$5$rounds=1000$abc$VK8YQNdxvjuYUY1Bm2bhDXlrg9uS5OLFItlqomQm/O3'],
  [128, '$6$rounds=1000$abc$PsQeEWfPoGTDOlW8.CWWrZcCj6IJf1.tpQB5B6e9L2/FkcSuv2UXJmO2yoDrOX.vW6oGAiF.F.TkDnNfTe5iZ.'],
  [300, '$5$rounds=1000$abc$jOs9oqkih16JQ9DvGQ6F2yBSkYmCUGNNCdW6FmtyDU0'],
  [300, '$6$rounds=1000$abc$5ejynR5HS9F7PP2DhZDDZ2gaP8BiHFAOQbTEwDmTM7Si9a0ECjFMOMC9Nc0qqm6ZafZUJT.XbERS23ocz7cjq1'],
];

describe('crypt(3) hashes', () => {
  test.each(VECTORS)('verifies vector %#', (password, stored) => {
    expect(isSlowScheme(stored)).toBe(true);
    // bcryptjs accepts strings only.
    const isHashable = !stored.startsWith('$2') || !password.includes(0xe4);
    expect(matchesCrypt(password, stored)).toBe(isHashable);
    expect(matchesCrypt(Buffer.concat([Buffer.from('!'), password]), stored)).toBe(false);
  });

  test.each(BY_LENGTH)('equals libxcrypt for a password of %d bytes, %#', (length, stored) => {
    expect(matchesCrypt(Buffer.alloc(length, 'x'), stored)).toBe(true);
    expect(matchesCrypt(Buffer.alloc(length + 1, 'x'), stored)).toBe(false);
  });

  test('bytes after a NUL are not ignored', () => {
    for (const [password, stored] of VECTORS) expect(matchesCrypt(Buffer.concat([password, Buffer.from('\0')]), stored)).toBe(false);
  });

  test('too few rounds are raised to 1000', () => {
    expect(shaCrypt(utf8('the minimum number is still observed'), '$5$rounds=10$roundstoolow')).toBe(
      '$5$rounds=1000$roundstoolow$yfvwcWrQ8l/K0DAWyuPMDNHpIVlTQebY9l/gL972bIC',
    );
  });

  test('hashes of schemes without a library are not accepted, and named', () => {
    const schemes = [
      '$y$j9T$abcdefgh$UGYCVcUwcoG0k8SZZ.Uz3i0RYQNy1YmYj4I4poBPer2',
      '$7$C6..../....salt$hash',
      '_J9..rasm6f5ycSbUcd6',
      '$9$x',
    ];
    expect(schemes.map(isSlowScheme)).toEqual([false, false, false, false]);
    expect(schemes.map(describeScheme)).toEqual(['yescrypt ($y$)', 'scrypt ($7$)', 'extended DES (_)', 'no known scheme']);
    expect(isSignExtended(utf8('pässwörd'), '$2x$04$abcdefghijklmnopqrstuu')).toBe(true);
    expect(isSignExtended(utf8('pässwörd'), '$2y$04$abcdefghijklmnopqrstuu')).toBe(false);
    expect(isSignExtended(utf8('password'), '$2x$04$abcdefghijklmnopqrstuu')).toBe(false);
  });

  test('malformed hashes match nothing', () => {
    const malformed = [
      '$5$',
      '$6$',
      '$6$$',
      '$6$rounds=$x$y',
      '$6$rounds=-1$x$y',
      '$1$',
      '$apr1$',
      '$apr1$$',
      '$2b$',
      '$2b$04$',
      '$2y$99$',
    ];
    malformed.push(
      '$2b$04$!!cdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW',
      '$2b$xx$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW',
    );
    for (const stored of malformed) {
      expect(isSlowScheme(stored), stored).toBe(true);
      for (const password of ['', 'secret', stored]) expect(matchesCrypt(utf8(password), stored), stored).toBe(false);
    }
    // Hashes that lost characters at their end.
    for (const [password, stored] of VECTORS.filter(([, hash]) => !/rounds=\d{5}/.test(hash))) {
      const cut = stored.slice(0, -1);
      if (isSlowScheme(cut)) expect(matchesCrypt(password, cut), cut).toBe(false);
    }
  });
});

describe('schemes', () => {
  test('PLAIN, SHA and SSHA are checked at once', () => {
    for (const [stored, ok] of [
      ['{PLAIN}secret', true],
      ['{PLAIN}Secret', false],
      ['{PLAIN}', false],
      ['{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=', true],
      ['{SHA}5en6G6MezRroT3XKqkdPOmY/BfA=', false],
      ['{SHA}', false],
      ['{SSHA}', false],
      ['{SSHA}x', false],
    ] as const)
      expect(matchesFastScheme(utf8('secret'), stored), stored).toBe(ok);
    expect(matchesFastScheme(utf8('secret'), '{SSHA}NMXmTxZKehqaKPiVEzBl92vLehxzYWw=')).toBe(true);
    expect(matchesFastScheme(utf8('Secret'), '{SSHA}NMXmTxZKehqaKPiVEzBl92vLehxzYWw=')).toBe(false);
  });

  test('unknown schemes are neither fast nor slow', () => {
    for (const stored of ['', 'secret', '$y$j9T$x$y', '_J9..rasmBYk8r9AiWNc', '{CRYPT}x', '$7$x']) {
      expect(isSlowScheme(stored), stored).toBe(false);
      expect(matchesFastScheme(utf8('secret'), stored), stored).toBe(null);
    }
  });
});
