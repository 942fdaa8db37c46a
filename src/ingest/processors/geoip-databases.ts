// Databases of addresses in MaxMind's format (MMDB), which the operator puts into `ingest-geoip` of the configuration directory, and the
// properties that each type of database has.
import { createRequire } from 'node:module';
import { BoundedMap } from '../../common/bounded-map.ts';
import type { ConfigFolder } from '../../common/config-folder.ts';
import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { formatIp, parseIp } from '../../mapping/values/ip-address.ts';

type Library = typeof import('mmdb-lib');
type Reader = InstanceType<Library['Reader']>;

/** The record of an address in a database. */
export interface AddressRecord {
  readonly ip: string;
  readonly data: JsonObject;
  readonly prefixLength: number;
}

export interface GeoDatabase {
  readonly kind: DatabaseKind;
  /** null if the database has nothing about the address. */
  lookUp(address: Uint8Array): AddressRecord | null;
}

/** Reads a property; undefined if the record lacks it. */
type Property = (record: AddressRecord) => unknown;

export interface DatabaseKind {
  readonly properties: Readonly<Record<string, Property>>;
  readonly defaults: readonly string[];
}

const at =
  (...path: (string | number)[]): Property =>
  ({ data }) =>
    path.reduce<unknown>((value, key) => (typeof value === 'object' && value !== null ? (value as JsonObject)[key] : undefined), data);
const flag = (name: string): Property => {
  const read = at('traits', name);
  return (record) => read(record) ?? at(name)(record) ?? false;
};
const trait = (name: string): Property => {
  const read = at('traits', name);
  return (record) => read(record) ?? at(name)(record);
};

const regionCode: Property = (record) => {
  const [country, region] = [at('country', 'iso_code')(record), at('subdivisions', 0, 'iso_code')(record)];
  return typeof country === 'string' && typeof region === 'string' ? `${country}-${region}` : undefined;
};
const location: Property = (record) => {
  const [lat, lon] = [at('location', 'latitude')(record), at('location', 'longitude')(record)];
  return typeof lat === 'number' && typeof lon === 'number' ? { lat, lon } : undefined;
};

/** The network of the record: `1.128.0.0/11`. */
const network: Property = ({ ip, prefixLength }) => {
  const v4 = !ip.includes(':');
  const bytes = parseIp(ip).slice();
  const from = (v4 ? 96 : 0) + prefixLength;
  for (let bit = from; bit < 128; bit++) bytes[bit >> 3] &= ~(0x80 >> (bit & 7));
  return `${formatIp(bytes)}/${prefixLength}`;
};

const COUNTRY: Readonly<Record<string, Property>> = {
  ip: ({ ip }) => ip,
  country_iso_code: at('country', 'iso_code'),
  country_name: at('country', 'names', 'en'),
  continent_code: at('continent', 'code'),
  continent_name: at('continent', 'names', 'en'),
};
const CITY: Readonly<Record<string, Property>> = {
  ...COUNTRY,
  region_iso_code: regionCode,
  region_name: at('subdivisions', 0, 'names', 'en'),
  city_name: at('city', 'names', 'en'),
  timezone: at('location', 'time_zone'),
  location,
};
const ASN: Readonly<Record<string, Property>> = {
  ip: ({ ip }) => ip,
  asn: trait('autonomous_system_number'),
  organization_name: trait('autonomous_system_organization'),
  network,
};
const ISP: Readonly<Record<string, Property>> = {
  ...ASN,
  isp: trait('isp'),
  isp_organization_name: trait('organization'),
  mobile_country_code: trait('mobile_country_code'),
  mobile_network_code: trait('mobile_network_code'),
};
const ANONYMOUS: Readonly<Record<string, Property>> = {
  ip: ({ ip }) => ip,
  hosting_provider: flag('is_hosting_provider'),
  tor_exit_node: flag('is_tor_exit_node'),
  anonymous_vpn: flag('is_anonymous_vpn'),
  anonymous: flag('is_anonymous'),
  public_proxy: flag('is_public_proxy'),
  residential_proxy: flag('is_residential_proxy'),
};
const DOMAIN: Readonly<Record<string, Property>> = { ip: ({ ip }) => ip, domain: trait('domain') };
const CONNECTION: Readonly<Record<string, Property>> = { ip: ({ ip }) => ip, connection_type: trait('connection_type') };
const PLACES = ['continent_name', 'country_name', 'country_iso_code'];
const CITIES = [...PLACES, 'region_iso_code', 'region_name', 'city_name', 'location'];

/** By the end of a database's type. */
const KINDS: Readonly<Record<string, DatabaseKind>> = {
  City: { properties: CITY, defaults: CITIES },
  Country: { properties: COUNTRY, defaults: PLACES },
  ASN: { properties: ASN, defaults: ['ip', 'asn', 'organization_name', 'network'] },
  'Anonymous-IP': { properties: ANONYMOUS, defaults: Object.keys(ANONYMOUS).slice(1) },
  'Connection-Type': { properties: CONNECTION, defaults: ['connection_type'] },
  Domain: { properties: DOMAIN, defaults: ['domain'] },
  Enterprise: { properties: { ...CITY, ...ISP, ...ANONYMOUS, ...DOMAIN, ...CONNECTION }, defaults: CITIES },
  ISP: { properties: ISP, defaults: Object.keys(ISP) },
};

/** Databases that a thread keeps in memory. */
const MAX_OPEN = 8;

interface Opened {
  readonly stamp: string;
  readonly database: GeoDatabase;
}
const opened = new BoundedMap<string, Opened>(MAX_OPEN);

/**
 * A database of the folder, kept in memory by each thread that uses it and read again when the file changes. null if it does not exist.
 * @throws ApiError illegal_argument_exception: it is not a database, or of a type without properties
 */
export function geoDatabase(folder: ConfigFolder, file: string): GeoDatabase | null {
  const stamp = folder.stamp(file);
  if (stamp === null) return null;
  const known = opened.get(file);
  if (known?.stamp === stamp) return known.database;
  const bytes = folder.read(file);
  if (bytes === null) return null;
  const database = openDatabase(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), file);
  opened.set(file, { stamp, database });
  return database;
}

function openDatabase(bytes: Buffer, file: string): GeoDatabase {
  const { Reader } = createRequire(import.meta.url)('mmdb-lib') as Library;
  let reader: Reader;
  try {
    reader = new Reader(bytes);
  } catch (error) {
    throw illegalArgumentError(`[${file}] is not a database in the format MMDB: ${(error as Error).message}`);
  }
  const type = String(reader.metadata.databaseType);
  const name = Object.keys(KINDS).find((end) => type.endsWith(end));
  if (name === undefined) throw illegalArgumentError(`Unsupported database type [${type}] for file [${file}]`);
  return {
    kind: KINDS[name],
    lookUp(address) {
      const ip = formatIp(address);
      const [data, prefixLength] = reader.getWithPrefixLength(ip);
      return isObject(data) ? { ip, data, prefixLength } : null;
    },
  };
}
