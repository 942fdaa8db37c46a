// geoip_country, geoip_city, geoip_org: variables about the client's address from legacy GeoIP databases.

import { readFileSync } from 'node:fs';
import { present } from '../../../../common/present.ts';
import { type ConfOf, custom, flag, HTTP } from '../../../config/directive.ts';
import { type BlockFrame, defineSharedModule } from '../../config/module.ts';
import { type City, type Country, GeoDatabase, type Kind, regionName } from '../../geoip/database.ts';
import type { BlockMain, HttpModule, Request, VariableDef } from '../../model/types.ts';
import { addressBytes, clientBehind, parseCidr } from './map.ts';

interface Source {
  database: GeoDatabase;
  /** Strings are converted from latin1 to UTF-8. */
  utf8: boolean;
}
type Cidr = NonNullable<ReturnType<typeof parseCidr>>;

const source = (kind: Kind) =>
  custom<Source | null>(HTTP, [1, 2], null, (f: BlockFrame) => {
    const file = f.scope.path(f.args[0], 'conf');
    let data: Buffer;
    try {
      data = readFileSync(file);
    } catch {
      return f.fail(`GeoIP_open("${f.args[0]}") failed`);
    }
    if (f.args[1] !== undefined && f.args[1] !== 'utf8') f.fail(`invalid parameter "${f.args[1]}"`);
    try {
      return { database: new GeoDatabase(data, kind, file), utf8: f.args[1] === 'utf8' };
    } catch (error) {
      return f.fail(String(error));
    }
  });

const table = {
  geoip_country: source('country'),
  geoip_city: source('city'),
  geoip_org: source('org'),
  geoip_proxy: custom<Cidr[] | null>(
    HTTP,
    1,
    null,
    (f: BlockFrame, previous = []) => [...previous, parseCidr(f.args[0]) ?? f.fail(`invalid network "${f.args[0]}"`)],
    { repeats: true },
  ),
  geoip_proxy_recursive: flag(HTTP, false),
};

const confOf = (main: BlockMain): ConfOf<typeof table> => geoipModule.conf(main.loc);

/** Bytes of the client's address; IPv4-mapped addresses count as IPv4. */
function addressOf(r: Request): readonly number[] | null {
  const { geoip_proxy, geoip_proxy_recursive } = confOf(r.block);
  return addressBytes(clientBehind(r, r.conn.remoteAddr, geoip_proxy ?? [], geoip_proxy_recursive));
}

const country = (name: string, read: (country: Country) => string): VariableDef => ({
  name,
  get(r) {
    const address = addressOf(r);
    const found = address && confOf(r.block).geoip_country?.database.country(address);
    return found ? read(found) : null;
  },
});

const city = (name: string, read: (city: City) => string | null): VariableDef => ({
  name,
  get(r) {
    const address = addressOf(r);
    const from = confOf(r.block).geoip_city;
    const found = address && from?.database.city(address);
    return (found && encoded(read(found), present(from))) ?? null;
  },
});

const encoded = (text: string | null, { utf8 }: Source): string | null =>
  text !== null && utf8 ? Buffer.from(text, 'utf8').latin1Slice() : text;

export const geoipModule: HttpModule<typeof table, BlockMain> = defineSharedModule('geoip', table, {
  variables: [
    country('geoip_country_code', (c) => c.code),
    country('geoip_country_code3', (c) => c.code3),
    country('geoip_country_name', (c) => c.name),
    city('geoip_city_continent_code', (c) => c.country?.continent ?? null),
    city('geoip_city_country_code', (c) => c.country?.code ?? null),
    city('geoip_city_country_code3', (c) => c.country?.code3 ?? null),
    city('geoip_city_country_name', (c) => c.country?.name ?? null),
    city('geoip_region', (c) => c.region),
    city('geoip_region_name', (c) => (c.country && c.region ? regionName(c.country.code, c.region) : null)),
    city('geoip_city', (c) => c.city),
    city('geoip_postal_code', (c) => c.postalCode),
    city('geoip_latitude', (c) => c.latitude.toFixed(4)),
    city('geoip_longitude', (c) => c.longitude.toFixed(4)),
    city('geoip_dma_code', (c) => String(c.dmaCode)),
    city('geoip_area_code', (c) => String(c.areaCode)),
    {
      name: 'geoip_org',
      get(r) {
        const address = addressOf(r);
        const from = confOf(r.block).geoip_org;
        return (from && address && encoded(from.database.org(address), from)) ?? null;
      },
    },
  ],
});
