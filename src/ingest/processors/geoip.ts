// The geoip processor: place, network and provider of an address, from a database that the operator provides.

import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { parseIp } from '../../mapping/values/ip-address.ts';
import type { IngestDocument } from '../ingest-document.ts';
import type { ProcessorConfig } from '../processor-config.ts';
import { type GeoDatabase, geoDatabase } from './geoip-databases.ts';
import type { ProcessorFactory } from './processor.ts';

const MAX_ADDRESSES = 10_000;

/** @throws ApiError parse_exception: the database does not have a property */
function checkedProperties(config: ProcessorConfig, given: readonly string[] | null, database: GeoDatabase): readonly string[] {
  const { properties, defaults } = database.kind;
  for (const name of given ?? []) {
    if (Object.hasOwn(properties, name)) continue;
    const valid = Object.keys(properties).map((property) => property.toUpperCase());
    throw config.error('properties', `illegal property value [${name}]. valid values are [${valid.join(', ')}]`);
  }
  return given ?? defaults;
}

function factsOf(database: GeoDatabase, text: unknown, properties: readonly string[], field: string): MutableJsonObject | null {
  if (typeof text !== 'string') throw illegalArgumentError(`array in field [${field}] should only contain strings`);
  const record = database.lookUp(parseIp(text));
  if (record === null) return null;
  const facts: MutableJsonObject = {};
  for (const name of properties) {
    const value = database.kind.properties[name](record);
    if (value !== undefined && value !== null) setOwn(facts, name, value);
  }
  return facts;
}

export const geoipProcessor: ProcessorFactory = (config, _inner, folders) => {
  const field = config.text('field');
  const target = config.text('target_field', 'geoip');
  const file = config.text('database_file', 'GeoLite2-City.mmdb');
  if (!/^[\w.-]+\.mmdb$/.test(file)) throw config.error('database_file', `must be the name of a .mmdb file, got [${file}]`);
  const given = config.optionalList('properties')?.map((name) => String(name).toLowerCase()) ?? null;
  const ignoreMissing = config.boolean('ignore_missing');
  const firstOnly = config.boolean('first_only', true);
  // Nothing is downloaded: databases come from the configuration directory.
  config.boolean('download_database_on_pipeline_creation', true);
  const folder = folders('ingest-geoip');
  const present = geoDatabase(folder, file);
  let checked = present === null ? null : { database: present, properties: checkedProperties(config, given, present) };
  const current = (): typeof checked => {
    const database = geoDatabase(folder, file);
    if (database === null) return null;
    if (checked?.database !== database) checked = { database, properties: checkedProperties(config, given, database) };
    return checked;
  };
  const valueAt = (document: IngestDocument): unknown => {
    if (ignoreMissing && !document.has(field)) return null;
    const value = document.get(field);
    if (value === null && !ignoreMissing) throw illegalArgumentError(`field [${field}] is null, cannot extract geoip information.`);
    return value;
  };
  return (document) => {
    const value = valueAt(document);
    const found = current();
    if (found === null) document.append('tags', `_geoip_database_unavailable_${file}`, false);
    if (value === null || found === null) return;
    const { database, properties } = found;
    if (typeof value === 'string') {
      const facts = factsOf(database, value, properties, field);
      if (facts !== null && Object.keys(facts).length > 0) document.set(target, facts);
      return;
    }
    if (!Array.isArray(value)) throw illegalArgumentError(`field [${field}] should contain only string or array of strings`);
    if (value.length > MAX_ADDRESSES) throw illegalArgumentError(`field [${field}] has more than ${MAX_ADDRESSES} addresses`);
    if (firstOnly) {
      for (const item of value) {
        const facts = factsOf(database, item, properties, field);
        if (facts === null || Object.keys(facts).length === 0) continue;
        document.set(target, facts);
        return;
      }
      return;
    }
    const all = value.map((item) => factsOf(database, item, properties, field));
    if (all.some((facts) => facts !== null)) document.set(target, all);
  };
};
