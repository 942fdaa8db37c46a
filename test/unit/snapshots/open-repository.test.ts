// Which locations and settings repositories may have.
import { expect, test } from 'vitest';
import { openRepository } from '../../../src/snapshots/open-repository.ts';

const LIMITS = { paths: ['/backup', '/mnt/b'], urls: ['https://*.example/backup/*', 'http://127.0.0.1:*'] };

function reasonOf(type: string, settings: object): string | null {
  try {
    openRepository({ name: 'r', type, settings: { ...settings } }, LIMITS);
    return null;
  } catch (error) {
    const { reason, causedBy } = error as { reason: string; causedBy: { reason: string } | null };
    return causedBy?.reason ?? reason;
  }
}

test.each([
  ['fs', { location: 'a' }],
  ['fs', { location: '/backup' }],
  ['fs', { location: '/mnt/b/x/../y' }],
  ['fs', { location: '..a' }],
  ['url', { url: 'file:///backup/a' }],
  ['url', { url: 'https://host.example/backup/a' }],
  ['url', { url: 'http://127.0.0.1:9200/x' }],
])('%s %j is allowed', (type, settings) => {
  expect(reasonOf(type, settings)).toBeNull();
});

test.each([
  ['fs', {}, /missing location/],
  ['fs', { location: '..' }, /doesn't match any of the locations/],
  ['fs', { location: '/backup2' }, /doesn't match any of the locations/],
  ['fs', { location: '/backup/../etc' }, /doesn't match any of the locations/],
  ['fs', { location: 'a', readonly: 'maybe' }, /only \[true\] or \[false\] are allowed/],
  ['fs', { location: 'a', chunk_size: '1q' }, /failed to parse setting \[chunk_size\]/],
  ['fs', { location: 'a', max_snapshot_bytes_per_sec: 'fast' }, /failed to parse setting \[max_snapshot_bytes_per_sec\]/],
  ['url', {}, /missing url/],
  ['url', { url: 'file:///etc' }, /doesn't match any of the locations/],
  ['url', { url: 'ftp://host.example/backup/' }, /unsupported url protocol/],
  ['url', { url: 'https://host.example/other/' }, /allowed_urls/],
  ['url', { url: 'http://host.example/backup/' }, /allowed_urls/],
  ['url', { url: 'https://evil.test/x.example/backup/' }, /allowed_urls/],
  ['url', { url: 'https://user:secret@host.example/backup/' }, /must not contain credentials/],
  ['other', {}, /repository type \[other\] does not exist/],
])('%s %j is refused', (type, settings, reason) => {
  expect(reasonOf(type, settings)).toMatch(reason);
});
