// Locations and settings that repositories may have.
import { expect, test } from 'vitest';
import { openRepository } from '../../../src/snapshots/open-repository.ts';

const LIMITS = {
  paths: ['/backup', '/mnt/b'],
  urls: ['https://*.example/backup/*', 'http://127.0.0.1:*'],
  s3Clients: { 'default.endpoint': 'http://127.0.0.1:9000', 'other.access_key': 'only' },
};

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
  ['s3', { bucket: 'b' }],
  ['s3', { bucket: 'b', base_path: '/a/b/', endpoint: 's3.example:9000', protocol: 'http', path_style_access: 'true', compress: 'true' }],
  ['s3', { bucket: 'b', buffer_size: '5mb', chunk_size: '5mb', server_side_encryption: 'true', storage_class: 'standard_ia' }],
  ['s3', { bucket: 'b', canned_acl: 'bucket-owner-full-control', max_retries: '0', read_timeout: '1m' }],
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
  ['s3', {}, /No bucket defined for s3 repository/],
  ['s3', { bucket: 'b', client: 'none' }, /Unknown s3 client name \[none\]\. Existing client configs: default,other/],
  ['s3', { bucket: 'b', client: 'other' }, /Missing secret key for s3 client/],
  ['s3', { bucket: 'b', secret_key: 'k' }, /Setting \[secret_key\] must not be part of a repository/],
  ['s3', { bucket: 'b', buffer_size: '1mb' }, /failed to parse value \[1mb\] for setting \[buffer_size\], must be >= \[5mb\]/],
  ['s3', { bucket: 'b', buffer_size: '10mb', chunk_size: '5mb' }, /chunk_size \(5mb\) can't be lower than buffer_size \(10mb\)/],
  ['s3', { bucket: 'b', storage_class: 'glacier' }, /Glacier storage class is not supported/],
  ['s3', { bucket: 'b', storage_class: 'x' }, /`x` is not a valid S3 Storage Class/],
  ['s3', { bucket: 'b', canned_acl: 'x' }, /cannedACL is not valid: \[x\]/],
  ['s3', { bucket: 'b', server_side_encryption: 'yes' }, /only \[true\] or \[false\] are allowed/],
  ['s3', { bucket: 'b', endpoint: 'ftp://host' }, /\[endpoint\] must be a host/],
  ['s3', { bucket: 'b', endpoint: 'http://user:secret@host' }, /\[endpoint\] must be a host/],
  ['s3', { bucket: 'b', max_retries: '-1' }, /failed to parse value \[-1\] for setting \[max_retries\]/],
  ['other', {}, /repository type \[other\] does not exist/],
])('%s %j is refused', (type, settings, reason) => {
  expect(reasonOf(type, settings)).toMatch(reason);
});
