import { expect, test } from 'vitest';
import { nextVersion, type VersionDemand } from '../../../src/indexing/versions.ts';

const where = { index: 'i', uuid: 'u', shard: 0 };
const demand = (changes: Partial<VersionDemand> = {}): VersionDemand => ({
  kind: 'index',
  id: 'a',
  ifSeqNo: null,
  ifPrimaryTerm: null,
  version: null,
  versionType: 'internal',
  ...changes,
});
const current = (changes: Partial<{ seqNo: number; version: number; deleted: boolean }> = {}) => ({
  seqNo: 7,
  version: 3,
  primaryTerm: 1,
  deleted: false,
  ...changes,
});

test('internal versions count up, also over a remembered deletion', () => {
  expect(nextVersion(demand(), null, where)).toBe(1);
  expect(nextVersion(demand(), current(), where)).toBe(4);
  expect(nextVersion(demand({ kind: 'create' }), current({ deleted: true }), where)).toBe(4);
});

test('create refuses an existing document', () => {
  expect(() => nextVersion(demand({ kind: 'create' }), current(), where)).toThrow(
    '[a]: version conflict, document already exists (current version [3])',
  );
});

test('if_seq_no and if_primary_term must both match', () => {
  expect(nextVersion(demand({ ifSeqNo: 7, ifPrimaryTerm: 1 }), current(), where)).toBe(4);
  expect(() => nextVersion(demand({ ifSeqNo: 6, ifPrimaryTerm: 1 }), current(), where)).toThrow(
    'required seqNo [6], primary term [1]. current document has seqNo [7] and primary term [1]',
  );
  expect(() => nextVersion(demand({ ifSeqNo: 7, ifPrimaryTerm: 2 }), current(), where)).toThrow('version conflict');
  expect(() => nextVersion(demand({ ifSeqNo: 7, ifPrimaryTerm: 1 }), null, where)).toThrow('but no document was found');
});

test('external versions must grow, external_gte may be equal', () => {
  expect(nextVersion(demand({ version: 9, versionType: 'external' }), current(), where)).toBe(9);
  expect(() => nextVersion(demand({ version: 3, versionType: 'external' }), current(), where)).toThrow(
    'is higher or equal to the one provided [3]',
  );
  expect(nextVersion(demand({ version: 3, versionType: 'external_gte' }), current(), where)).toBe(3);
  expect(() => nextVersion(demand({ version: 2, versionType: 'external_gte' }), current(), where)).toThrow(
    'is higher than the one provided [2]',
  );
});
