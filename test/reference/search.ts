// Slow twin of assembly/search: evaluates a plan tree document by document, with Lucene's float32 steps spelled out.

type Terms = ReadonlyMap<string, readonly number[]>;
interface Doc {
  readonly terms: Terms;
  readonly norm: number;
  readonly integers: readonly number[];
  readonly doubles: readonly number[];
}
interface Scorer {
  readonly weight: number;
  readonly normInverse: Float32Array;
}
interface Text {
  readonly text: string;
}
type Node = any;

const f = Math.fround;

export function bm25(scorer: Scorer | null, freq: number, norm: number): number {
  if (!scorer) return 0;
  const weight = f(scorer.weight);
  return f(weight - f(weight / f(1 + f(f(freq) * scorer.normInverse[norm]))));
}

const freqIn = (doc: Doc, term: Text): number => doc.terms.get(term.text)?.length ?? 0;
const any = (values: readonly number[], test: (value: number) => boolean): number | null => (values.some(test) ? 0 : null);

/** Score of the document, or null if it does not match. */
export function evaluate(node: Node, doc: Doc, docId: number): number | null {
  switch (node.op) {
    case 'matchAll':
      return 1;
    case 'matchNone':
      return null;
    case 'term':
      return freqIn(doc, node.term) ? bm25(node.scorer, freqIn(doc, node.term), doc.norm) : null;
    case 'synonym': {
      let freq = 0;
      for (const term of node.terms) freq += freqIn(doc, term);
      return freq ? bm25(node.scorer, freq, doc.norm) : null;
    }
    case 'anyTerm':
      return node.texts.some((term: Text) => freqIn(doc, term)) ? 0 : null;
    case 'phrase': {
      const freq = phraseFreq(node, doc.terms);
      return freq > 0 ? bm25(node.scorer, freq, doc.norm) : null;
    }
    case 'bool':
      return bool(node, doc, docId);
    case 'disMax': {
      const scores = node.clauses.map((clause: Node) => evaluate(clause, doc, docId)).filter((score: number | null) => score !== null);
      if (!scores.length) return null;
      let best = 0;
      let others = 0;
      for (const score of scores) {
        if (score >= best) {
          others += best;
          best = score;
        } else others += score;
      }
      return f(best + others * f(node.tieBreaker));
    }
    case 'constantScore':
      return evaluate(node.child, doc, docId) === null ? null : f(node.score);
    case 'boost': {
      const score = evaluate(node.child, doc, docId);
      return score === null ? null : f(score * f(node.factor));
    }
    case 'rangeI64':
      return any(doc.integers, (value) => value >= Number(node.min) && value <= Number(node.max));
    case 'rangeF64':
      return any(doc.doubles, (value) => value >= node.min && value <= node.max);
    case 'inI64':
      return any(doc.integers, (value) => node.values.includes(BigInt(value)));
    case 'inF64':
      return any(doc.doubles, (value) => node.values.includes(value));
    case 'existsColumn':
      return (node.column.kind === 'f64' ? doc.doubles : doc.integers).length ? 0 : null;
    case 'existsNorm':
      return doc.norm ? 0 : null;
    case 'docs': {
      const i = node.docs.indexOf(docId);
      return i < 0 ? null : node.scores ? node.scores[i] : 0;
    }
    default:
      throw new Error(`no twin for ${node.op}`);
  }
}

function bool({ must, filter, should, mustNot, minimumShouldMatch }: Node, doc: Doc, docId: number): number | null {
  const matches = (clause: Node): boolean => evaluate(clause, doc, docId) !== null;
  let required = 0;
  for (const clause of must) {
    const score = evaluate(clause, doc, docId);
    if (score === null) return null;
    required += score;
  }
  if (!filter.every(matches) || mustNot.some(matches)) return null;
  let optional = 0;
  let matched = 0;
  for (const clause of should) {
    const score = evaluate(clause, doc, docId);
    if (score === null) continue;
    matched++;
    optional += score;
  }
  const least = must.length + filter.length === 0 && should.length ? Math.max(1, minimumShouldMatch) : minimumShouldMatch;
  return matched < least ? null : f(f(required) + f(optional));
}

function phraseFreq(node: Node, terms: Terms): number {
  for (const place of node.positions) if (!place.terms.some((term: Text) => terms.has(term.text))) return 0;
  const places: Array<{ offset: number; key: string; positions: number[] }> = node.positions.map(
    (place: { position: number; terms: Text[] }) => ({
      offset: place.position,
      key: place.terms.map((term) => term.text).join(),
      positions: place.terms.flatMap((term) => [...(terms.get(term.text) ?? [])]).sort((a, b) => a - b),
    }),
  );
  if (node.slop === 0) {
    const [first, ...rest] = places;
    return first.positions.filter((at) => rest.every((place) => place.positions.includes(at - first.offset + place.offset))).length;
  }
  return sloppyFreq(places, node.slop);
}

/** The algorithm of Lucene's SloppyPhraseMatcher for phrases without several terms at a position. */
function sloppyFreq(places: Array<{ offset: number; key: string; positions: number[] }>, slop: number): number {
  const walkers = places.map((place, order) => ({ ...place, order, at: -1, position: 0 }));
  type Walker = (typeof walkers)[number];
  let end = Number.NEGATIVE_INFINITY;
  const step = (w: Walker): boolean => {
    if (w.at + 1 >= w.positions.length) return false;
    w.position = w.positions[++w.at] - w.offset;
    return true;
  };
  const advance = (w: Walker): boolean => {
    if (!step(w)) return false;
    end = Math.max(end, w.position);
    return true;
  };
  const before = (a: Walker, b: Walker): number => a.position - b.position || a.offset - b.offset || a.order - b.order;
  const collision = (w: Walker): Walker | undefined =>
    walkers.find((other) => other !== w && other.key === w.key && other.position + other.offset === w.position + w.offset);
  for (const w of walkers) step(w);
  for (const key of new Set(walkers.map((w) => w.key))) {
    const group = walkers.filter((w) => w.key === key).sort((a, b) => a.offset - b.offset);
    for (const [i, w] of group.entries()) for (let times = 0; times < i; times++) if (!step(w)) return 0;
  }
  end = Math.max(...walkers.map((w) => w.position));
  const queue = new Set(walkers);
  const pop = (): Walker => {
    const least = [...queue].sort(before)[0];
    queue.delete(least);
    return least;
  };
  const top = (): number => [...queue].sort(before)[0].position;
  let freq = 0;
  let w = pop();
  let length = end - w.position;
  let next = top();
  walk: while (advance(w)) {
    for (let moved = w, other = collision(moved); other; other = collision(moved)) {
      if (before(other, moved) < 0) moved = other;
      if (!advance(moved)) break walk;
    }
    if (w.position > next) {
      queue.add(w);
      if (length <= slop) freq = f(freq + f(1 / f(1 + length)));
      w = pop();
      next = top();
      length = end - w.position;
    } else {
      length = Math.min(length, end - w.position);
    }
  }
  return length <= slop ? f(freq + f(1 / f(1 + length))) : freq;
}
