// Codes: vectors of floats in a byte per element, relative to the mean of all (centroid), each with a scale of its own. They take a quarter of the
// memory traffic of floats; the best that a search finds are compared again by their floats.
import { dotF32 } from './measures';
import { VectorGraph, codeOf } from './graph';
import { Metric } from './space';

const CODE_MAX: f32 = 127;
/** Most vectors whose mean is the centroid. */
const SAMPLE: u32 = 8192;

/** The divisor of a vector before it is encoded: its length for cosines. */
function lengthOf(graph: VectorGraph, value: usize): f32 {
  return graph.metric == Metric.F32_COSINE ? load<f32>(value + graph.stride - 4) : 1;
}

/** Computes the centroid of the values. */
export function codesCentroid(ptr: usize, values: usize): void {
  const graph = changetype<VectorGraph>(ptr), centroid = ptr + graph.centroidOff, dims = graph.dims;
  memory.fill(centroid, 0, (<usize>dims) << 2);
  const step = graph.count > SAMPLE ? graph.count / SAMPLE : 1;
  let count: u32 = 0;
  for (let node: u32 = 0; node < graph.count; node += step) {
    const value = values + <usize>node * graph.stride, by: f32 = 1 / lengthOf(graph, value);
    for (let i: usize = 0; i < <usize>dims << 2; i += 4) store<f32>(centroid + i, load<f32>(centroid + i) + load<f32>(value + i) * by);
    count++;
  }
  for (let i: usize = 0; i < <usize>dims << 2; i += 4) store<f32>(centroid + i, load<f32>(centroid + i) / <f32>count);
  const isL2 = graph.metric == Metric.F32_L2;
  graph.constant = isL2 ? 0 : dotF32(centroid, centroid, dims);
  graph.factor = isL2 ? 2 : 1;
}

/** Term of a vector x relative to the centroid c: -|x|^2 for distances, else c * x. `largest`: receives the greatest |element|. */
function relate(graph: VectorGraph, vector: usize, by: f32, out: usize): f32 {
  const centroid = changetype<usize>(graph) + graph.centroidOff, isL2 = graph.metric == Metric.F32_L2;
  let term: f32 = 0, largest: f32 = 0;
  for (let i: usize = 0; i < <usize>graph.dims << 2; i += 4) {
    const c = load<f32>(centroid + i), x = load<f32>(vector + i) * by - c;
    term += isL2 ? -x * x : c * x;
    largest = max(largest, abs(x));
  }
  store<f32>(out, largest);
  return term;
}

/** Encodes the nodes [from, to). `scratch`: 16 bytes. */
export function codesEncode(ptr: usize, values: usize, from: u32, to: u32, scratch: usize): void {
  const graph = changetype<VectorGraph>(ptr), centroid = ptr + graph.centroidOff, dims = graph.dims;
  for (let node = from; node < to; node++) {
    const value = values + <usize>node * graph.stride, code = codeOf(graph, node), by: f32 = 1 / lengthOf(graph, value);
    const term = relate(graph, value, by, scratch);
    const scale = load<f32>(scratch) / CODE_MAX, inverse: f32 = scale > 0 ? 1 / scale : 0;
    memory.fill(code, 0, graph.codeStride);
    for (let i: usize = 0; i < <usize>dims; i++) {
      const x = load<f32>(value + (i << 2)) * by - load<f32>(centroid + (i << 2));
      store<i8>(code + i, <i8>nearest<f32>(x * inverse));
    }
    store<f32>(code + graph.codeDims, scale);
    store<f32>(code + graph.codeDims + 4, term);
  }
}

/** A query in codes: i16, as precise as sums of products in 32 bits allow. `out`: i16[codeDims]; stores constant and scale at `terms`. */
export function codesEncodeQuery(ptr: usize, query: usize, magnitude: f32, out: usize, terms: usize): void {
  const graph = changetype<VectorGraph>(ptr), centroid = ptr + graph.centroidOff;
  const by: f32 = graph.metric == Metric.F32_COSINE ? 1 / magnitude : 1;
  const term = relate(graph, query, by, terms);
  const most = min<f32>(32767, 2147483647 / (128 * <f32>graph.codeDims) - 1);
  const scale = load<f32>(terms) / most, inverse: f32 = scale > 0 ? 1 / scale : 0;
  memory.fill(out, 0, (<usize>graph.codeDims) << 1);
  for (let i: usize = 0; i < <usize>graph.dims; i++) {
    const x = load<f32>(query + (i << 2)) * by - load<f32>(centroid + (i << 2));
    store<i16>(out + (i << 1), <i16>nearest<f32>(x * inverse));
  }
  store<f32>(terms, graph.constant + term);
  store<f32>(terms, graph.factor * scale, 4);
}
