// Arithmetic that score functions and the functions of score scripts share: decay curves, distances.
import { javaDouble } from '../../common/text/java-text.ts';

/** Decay by distance: 1 at distance 0, `decayed` at distance `scale`. */
export function curveOf(shape: 'gauss' | 'exp' | 'linear', scale: number, decayed: number): (distance: number) => number {
  if (shape === 'gauss') {
    const width = (0.5 * scale ** 2) / Math.log(decayed);
    return (distance) => Math.exp((0.5 * distance ** 2) / width);
  }
  if (shape === 'exp') {
    const rate = Math.log(decayed) / scale;
    return (distance) => Math.exp(rate * distance);
  }
  const reach = scale / (1 - decayed);
  return (distance) => Math.max(0, (reach - distance) / reach);
}

/** A decay as explanations show it. @param distances  text of the distances */
export function curveText(shape: 'gauss' | 'exp' | 'linear', scale: number, decayed: number, distances: string): string {
  if (shape === 'gauss') return `exp(-0.5*pow(${distances},2.0)/${javaDouble((-0.5 * scale ** 2) / Math.log(decayed))})`;
  if (shape === 'exp') return `exp(- ${distances} * ${javaDouble(-Math.log(decayed) / scale)})`;
  const reach = javaDouble(scale / (1 - decayed));
  return `max(0.0, ((${reach} - ${distances})/${reach})`;
}

const EARTH_METERS = 6_371_008.7714;

/** Distance along the great circle, in metres. */
export function distanceMeters(a: { lat: number; lon: number }, b: { lat: number; lon: number }): number {
  const rad = Math.PI / 180;
  const [y1, y2] = [a.lat * rad, b.lat * rad];
  const h = Math.sin((y2 - y1) / 2) ** 2 + Math.cos(y1) * Math.cos(y2) * Math.sin(((b.lon - a.lon) * rad) / 2) ** 2;
  return 2 * EARTH_METERS * Math.asin(Math.min(1, Math.sqrt(h)));
}
