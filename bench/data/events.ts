// events.ndjson: three million flights of the npm package vega-datasets (Parquet), each with the city, state and location of its airports.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { roundDegrees } from './cities.ts';
import type { CorpusContext } from './corpus.ts';
import { LineWriter } from './output.ts';

interface Flight {
  readonly date: Date;
  readonly origin: string;
  readonly destination: string;
  readonly distance: number | bigint;
  readonly delay: number | bigint;
}

interface Airport {
  readonly city: string;
  readonly state: string;
  readonly location: { readonly lat: number; readonly lon: number };
}

/** The part of hyparquet that is used. */
interface Hyparquet {
  asyncBufferFromFile(file: string): Promise<unknown>;
  parquetMetadataAsync(file: unknown): Promise<{ readonly row_groups: readonly { readonly num_rows: bigint }[] }>;
  parquetReadObjects(options: {
    file: unknown;
    metadata: unknown;
    compressors: unknown;
    rowStart: number;
    rowEnd: number;
  }): Promise<Flight[]>;
}

/** Minutes from which a flight counts as delayed. */
const DELAYED_MINUTES = 15;

export async function makeEvents({ npm, limit, output }: CorpusContext): Promise<void> {
  npm.fetch();
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } = await npm.import<Hyparquet>('hyparquet', 'src/node.js');
  const { compressors } = await npm.import<{ compressors: unknown }>('hyparquet-compressors', 'src/index.js');
  const data = path.join(npm.folder('vega-datasets'), 'data');
  const airports = readAirports(path.join(data, 'airports.csv'));
  const file = await asyncBufferFromFile(path.join(data, 'flights-3m.parquet'));
  const metadata = await parquetMetadataAsync(file);
  const out = new LineWriter(output('events.ndjson'));
  let rowStart = 0;
  for (const { num_rows: rows } of metadata.row_groups) {
    const rowEnd = Math.min(rowStart + Number(rows), limit);
    if (rowStart >= rowEnd) break;
    const flights = await parquetReadObjects({ file, metadata, compressors, rowStart, rowEnd });
    for (const flight of flights) out.write(toEvent(flight, airports));
    rowStart = rowEnd;
  }
  out.close();
}

function toEvent({ date, origin, destination, distance, delay }: Flight, airports: ReadonlyMap<string, Airport>): object {
  const from = airports.get(origin);
  const to = airports.get(destination);
  const minutes = Number(delay);
  return {
    '@timestamp': date.toISOString().replace('.000Z', 'Z'),
    origin,
    destination,
    route: `${origin}-${destination}`,
    distance: Number(distance),
    delay: minutes,
    delayed: minutes >= DELAYED_MINUTES,
    ...(from ? { origin_city: from.city, origin_state: from.state, origin_location: from.location } : {}),
    ...(to ? { destination_state: to.state } : {}),
  };
}

/** Airports by IATA code; columns are iata, name, city, state, country, latitude, longitude. */
function readAirports(file: string): Map<string, Airport> {
  const [, ...rows] = readFileSync(file, 'utf8').trim().split(/\r?\n/);
  return new Map(
    rows.map((row) => {
      const [iata, , city, state, , latitude, longitude] = csvCells(row);
      return [iata, { city, state, location: { lat: roundDegrees(Number(latitude)), lon: roundDegrees(Number(longitude)) } }];
    }),
  );
}

/** Cells of a CSV row; quotes are never escaped in this file. */
function csvCells(row: string): string[] {
  return Array.from(row.matchAll(/(?:^|,)(?:"([^"]*)"|([^,]*))/g), ([, quoted, plain]) => quoted ?? plain);
}
