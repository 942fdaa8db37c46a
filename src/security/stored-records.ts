// Users, roles and API keys as a snapshot contains them.
import { isObject, type JsonObject } from '../common/json/json-value.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import type { SecurityChange } from './records.ts';

/** What of a record decides whether it can be used: names and types of members. */
const MEMBERS: Readonly<Record<SecurityChange['kind'], Readonly<Record<string, (value: unknown) => boolean>>>> = {
  user: { name: isText, passwordHash: isText, roles: isTexts, metadata: isObject, enabled: (value) => typeof value === 'boolean' },
  role: { cluster: isTexts, indices: Array.isArray, runAs: isTexts, metadata: isObject },
  apiKey: { id: isText, name: isText, secretHash: isText, owner: isText, roleDescriptors: isObject, limitedBy: isObject },
};

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

export function writeRecords(records: readonly SecurityChange[]): JsonObject {
  return { records: records as unknown[] } as JsonObject;
}

/** @throws ApiError illegal_argument_exception: something else than what `writeRecords` returned */
export function readRecords(state: JsonObject): SecurityChange[] {
  if (!Array.isArray(state.records)) throw illegalArgumentError('the feature state [security] has no list of records');
  return state.records.map((record: unknown) => {
    if (!isRecord(record)) throw illegalArgumentError('the feature state [security] has a record that is neither user, role nor API key');
    return record;
  });
}

function isRecord(record: unknown): record is SecurityChange {
  if (!isObject(record) || typeof record.kind !== 'string' || !Object.hasOwn(MEMBERS, record.kind)) return false;
  const { kind, name, value } = record;
  const members = MEMBERS[kind as SecurityChange['kind']];
  return typeof name === 'string' && isObject(value) && Object.entries(members).every(([member, isValid]) => isValid(value[member]));
}
