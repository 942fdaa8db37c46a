// Spatial relations of two shapes on the plane of degrees, for geo_shape. The edges of a polygon, including those of holes, belong to it.
import { pushAll } from '../../common/large-lists.ts';
import type { Position, Shape } from '../../mapping/values/geo-shape-value.ts';

type Ring = readonly Position[];

/** A shape decomposed into points, lines and polygons; a polygon is its outer ring followed by its holes. */
export interface Geometry {
  readonly points: readonly Position[];
  readonly lines: readonly Ring[];
  readonly polygons: ReadonlyArray<readonly Ring[]>;
}

export type ShapeRelation = 'intersects' | 'disjoint' | 'within' | 'contains';

export function geometryOf(shapes: readonly Shape[]): Geometry {
  const points: Position[] = [];
  const lines: Ring[] = [];
  const polygons: (readonly Ring[])[] = [];
  const box = (left: number, bottom: number, right: number, top: number) => {
    if (left === right && bottom === top) points.push([left, bottom]);
    else if (left === right || bottom === top)
      lines.push([
        [left, bottom],
        [right, top],
      ]);
    else
      polygons.push([
        [
          [left, bottom],
          [right, bottom],
          [right, top],
          [left, top],
          [left, bottom],
        ],
      ]);
  };
  const add = (shape: Shape): void => {
    switch (shape.type) {
      case 'point':
        points.push(shape.at);
        return;
      case 'multipoint':
        pushAll(points, shape.points);
        return;
      case 'linestring':
        lines.push(shape.line);
        return;
      case 'multilinestring':
        pushAll(lines, shape.lines);
        return;
      case 'polygon':
        polygons.push(shape.rings);
        return;
      case 'multipolygon':
        pushAll(polygons, shape.polygons);
        return;
      case 'envelope': {
        const { left, right, top, bottom } = shape;
        if (left <= right) box(left, bottom, right, top);
        else {
          // Crosses the dateline.
          box(left, bottom, 180, top);
          box(-180, bottom, right, top);
        }
        return;
      }
      case 'geometrycollection':
        shape.shapes.forEach(add);
    }
  };
  shapes.forEach(add);
  return { points, lines, polygons };
}

/** Whether `shape`, of a document, has the relation to `query`. */
export function relates(shape: Geometry, query: Geometry, relation: ShapeRelation): boolean {
  switch (relation) {
    case 'intersects':
      return intersects(shape, query);
    case 'disjoint':
      return !intersects(shape, query);
    case 'within':
      return within(shape, query);
    case 'contains':
      return within(query, shape);
  }
}

function intersects(a: Geometry, b: Geometry): boolean {
  if (!boxesMeet(boundsOf(a), boundsOf(b))) return false;
  const touches = (x: Geometry, y: Geometry): boolean =>
    x.points.some(
      (point) =>
        y.points.some((other) => same(point, other)) ||
        y.lines.some((line) => onLine(point, line)) ||
        y.polygons.some((rings) => covers(rings, point)),
    ) || x.lines.some((line) => y.polygons.some((rings) => rings.some((ring) => linesMeet(line, ring)) || covers(rings, line[0])));
  if (touches(a, b) || touches(b, a)) return true;
  if (a.lines.some((line) => b.lines.some((other) => linesMeet(line, other)))) return true;
  return a.polygons.some((rings) =>
    b.polygons.some(
      (others) =>
        rings.some((ring) => others.some((other) => linesMeet(ring, other))) || covers(rings, others[0][0]) || covers(others, rings[0][0]),
    ),
  );
}

/** Every part of `inner` is within one part of `outer`: points in points and polygons, lines and polygons in polygons. */
function within(inner: Geometry, outer: Geometry): boolean {
  const isEmpty = inner.points.length + inner.lines.length + inner.polygons.length === 0;
  return (
    !isEmpty &&
    inner.points.every(
      (point) => outer.points.some((other) => same(point, other)) || outer.polygons.some((rings) => covers(rings, point)),
    ) &&
    inner.lines.every((line) => outer.polygons.some((rings) => holdsLine(rings, line))) &&
    inner.polygons.every((polygon) => outer.polygons.some((rings) => holdsPolygon(rings, polygon)))
  );
}

function holdsPolygon(rings: readonly Ring[], polygon: readonly Ring[]): boolean {
  if (!polygon.every((ring) => holdsLine(rings, ring))) return false;
  // A hole of the outer polygon must not overlap the inner polygon, except in one of its holes. No edge of the inner polygon enters the hole,
  // so one point of the hole decides.
  return rings.slice(1).every((hole) => {
    const point = pointInside(hole);
    return point === null || !covers(polygon, point);
  });
}

/** A point inside a ring, at a height between its two lowest corners; null if the ring is flat. */
function pointInside(ring: Ring): Position | null {
  const [low, next] = [...new Set(ring.map(([, y]) => y))].sort((a, b) => a - b);
  if (next === undefined) return null;
  const y = (low + next) / 2;
  const crossings: number[] = [];
  for (let i = 1; i < ring.length; i++) {
    const [[ax, ay], [bx, by]] = [ring[i - 1], ring[i]];
    if (ay > y !== by > y) crossings.push(ax + ((bx - ax) * (y - ay)) / (by - ay));
  }
  const [left, right] = crossings.sort((a, b) => a - b);
  return [(left + right) / 2, y];
}

/** No segment leaves the polygon: both ends, and the middle of each piece between intersections, are in it. */
function holdsLine(rings: readonly Ring[], line: Ring): boolean {
  for (let i = 1; i < line.length; i++) {
    const [a, b] = [line[i - 1], line[i]];
    if (!covers(rings, a) || !covers(rings, b)) return false;
    const cuts = [0, 1];
    for (const ring of rings) for (let j = 1; j < ring.length; j++) cuts.push(...cutsOf(a, b, ring[j - 1], ring[j]));
    cuts.sort((x, y) => x - y);
    for (let k = 1; k < cuts.length; k++) {
      const at = (cuts[k - 1] + cuts[k]) / 2;
      if (cuts[k] > cuts[k - 1] && !covers(rings, [a[0] + (b[0] - a[0]) * at, a[1] + (b[1] - a[1]) * at])) return false;
    }
  }
  return true;
}

/** The positions on a-b where segment c-d intersects it, as fractions of its length. */
function cutsOf(a: Position, b: Position, c: Position, d: Position): number[] {
  const [rx, ry] = [b[0] - a[0], b[1] - a[1]];
  const [sx, sy] = [d[0] - c[0], d[1] - c[1]];
  const cross = rx * sy - ry * sx;
  const partOf = (p: Position) => (rx * rx + ry * ry === 0 ? 0 : ((p[0] - a[0]) * rx + (p[1] - a[1]) * ry) / (rx * rx + ry * ry));
  if (cross === 0) return [c, d].filter((p) => onSegment(p, a, b)).map(partOf);
  const t = ((c[0] - a[0]) * sy - (c[1] - a[1]) * sx) / cross;
  const u = ((c[0] - a[0]) * ry - (c[1] - a[1]) * rx) / cross;
  return t >= 0 && t <= 1 && u >= 0 && u <= 1 ? [t] : [];
}

function same(a: Position, b: Position): boolean {
  return a[0] === b[0] && a[1] === b[1];
}

/** Whether the point is inside the polygon or on one of its edges. */
function covers(rings: readonly Ring[], point: Position): boolean {
  if (rings.some((ring) => onLine(point, ring))) return true;
  return isInside(rings[0], point) && !rings.slice(1).some((hole) => isInside(hole, point));
}

/** Even-odd rule. */
function isInside(ring: Ring, [x, y]: Position): boolean {
  let inside = false;
  for (let i = 1; i < ring.length; i++) {
    const [ax, ay] = ring[i - 1];
    const [bx, by] = ring[i];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

function onLine(point: Position, line: Ring): boolean {
  for (let i = 1; i < line.length; i++) if (onSegment(point, line[i - 1], line[i])) return true;
  return false;
}

function side(a: Position, b: Position, p: Position): number {
  return Math.sign((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]));
}

function onSegment(p: Position, a: Position, b: Position): boolean {
  if (p[0] < Math.min(a[0], b[0]) || p[0] > Math.max(a[0], b[0]) || p[1] < Math.min(a[1], b[1]) || p[1] > Math.max(a[1], b[1]))
    return false;
  return side(a, b, p) === 0;
}

function linesMeet(one: Ring, other: Ring): boolean {
  for (let i = 1; i < one.length; i++)
    for (let j = 1; j < other.length; j++) if (segmentsMeet(one[i - 1], one[i], other[j - 1], other[j])) return true;
  return false;
}

function segmentsMeet(a: Position, b: Position, c: Position, d: Position): boolean {
  if (side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0) return true;
  return onSegment(c, a, b) || onSegment(d, a, b) || onSegment(a, c, d) || onSegment(b, c, d);
}

type Box = readonly [left: number, bottom: number, right: number, top: number];

const boxes = new WeakMap<Geometry, Box>();

function boundsOf(geometry: Geometry): Box {
  let box = boxes.get(geometry);
  if (!box) boxes.set(geometry, (box = measure(geometry)));
  return box;
}

function measure({ points, lines, polygons }: Geometry): Box {
  let [left, bottom, right, top] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const list of [points, ...lines, ...polygons.map((rings) => rings[0])]) {
    for (const [x, y] of list) {
      left = Math.min(left, x);
      right = Math.max(right, x);
      bottom = Math.min(bottom, y);
      top = Math.max(top, y);
    }
  }
  return [left, bottom, right, top];
}

function boxesMeet(a: Box, b: Box): boolean {
  return a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3];
}
