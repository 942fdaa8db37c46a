// The parts of one field of a paged segment. Each is loaded when its address is first asked for; of large fields only the ranges of terms that hold a
// record.
import type { TermPairs } from '../plan/segment.ts';
import { SectionKind } from '../wasm/generated/buffer.ts';
import { TermsHeader } from '../wasm/generated/terms.ts';
import type { Kernels } from '../wasm/kernels.ts';
import { getU32 } from '../wasm/records.ts';
import { type PostingsRanges, rangeOf } from './postings-ranges.ts';
import type { FieldInfo, FieldPlace } from './segment-image.ts';

/** Upper bound of the kinds of sections. */
const KINDS = 16;

/** Returns the address of a part of the image (its number in the segment's rows of the section table); loads the part if it is absent. */
export type Resolve = (part: number) => number;

/** What is known of a field without loading anything. */
export interface FieldSections {
  readonly info: FieldInfo;
  /** Parts by kind of section. */
  readonly sections: Map<number, number>;
  /** Ranges of a large field: those of the postings are parts from `first` on, then those of the positions. */
  ranges: (PostingsRanges & { readonly first: number }) | null;
}

export class PagedField implements FieldPlace {
  readonly name: string;
  readonly flags: number;
  readonly columnKind: FieldInfo['columnKind'];
  readonly #kernels: Kernels;
  readonly #sections: FieldSections['sections'];
  readonly #ranges: FieldSections['ranges'];
  readonly #resolve: Resolve;
  /** Addresses by kind of section, 0 if not known; null if they change. */
  readonly #known: Uint32Array | null;

  /** @param isSettled  addresses never change */
  constructor(kernels: Kernels, { info, sections, ranges }: FieldSections, resolve: Resolve, isSettled: boolean) {
    this.#known = isSettled ? new Uint32Array(KINDS) : null;
    this.name = info.name;
    this.flags = info.flags;
    this.columnKind = info.columnKind;
    this.#kernels = kernels;
    this.#sections = sections;
    this.#ranges = ranges;
    this.#resolve = resolve;
  }

  get terms(): number {
    return this.#at(SectionKind.TERMS);
  }

  get recordBase(): number {
    const { terms } = this;
    return (terms + getU32(this.#kernels, terms, TermsHeader.postingsBase)) >>> 0;
  }

  get norms(): number {
    return this.#at(SectionKind.NORMS);
  }

  get column(): number {
    return this.#at(SectionKind.COLUMN);
  }

  get binary(): number {
    return this.#at(SectionKind.BINARY);
  }

  get graph(): number {
    return this.#at(SectionKind.VECTORS);
  }

  get hasNorms(): boolean {
    return this.#sections.has(SectionKind.NORMS);
  }

  get hasGraph(): boolean {
    return this.#sections.has(SectionKind.VECTORS);
  }

  recordAt(place: number): number {
    const ranges = this.#ranges;
    if (ranges === null) return this.#at(SectionKind.POSTINGS) + place;
    return this.#baseOf(ranges, rangeOf(ranges.offsets, place)) + place;
  }

  positionsAt(place: number): number {
    const ranges = this.#ranges;
    if (ranges === null) return this.#at(SectionKind.POSITIONS);
    if (ranges.positions.length === 0) return 0;
    const range = rangeOf(ranges.offsets, place);
    return (this.#resolve(ranges.first + ranges.offsets.length + range) - ranges.positions[range].off) >>> 0;
  }

  relocate(pairs: TermPairs): void {
    const ranges = this.#ranges;
    let [start, end, base] = [0, 0, 0];
    for (let i = 0; i < pairs.length; i += 2) {
      const place = pairs[i];
      if (place < start || place >= end) {
        if (ranges === null) {
          base = this.#at(SectionKind.POSTINGS);
          end = Number.POSITIVE_INFINITY;
        } else {
          const range = rangeOf(ranges.offsets, place);
          const { off, bytes } = ranges.postings[range];
          [start, end, base] = [off, off + bytes, this.#baseOf(ranges, range)];
        }
      }
      pairs[i] = place + base;
    }
  }

  pieces(from: number, to: number): Uint32Array {
    const { recordBase } = this;
    const ranges = this.#ranges;
    if (ranges === null) return Uint32Array.of(to, this.#at(SectionKind.POSTINGS) - recordBase);
    const pieces: number[] = [];
    for (let range = rangeOf(ranges.firstOrds, from), end = from; end < to; range++) {
      end = range + 1 < ranges.firstOrds.length ? Math.min(to, ranges.firstOrds[range + 1]) : to;
      pieces.push(end, this.#baseOf(ranges, range) - recordBase);
    }
    return Uint32Array.from(pieces);
  }

  /** The address that the postings section would have if all of it were around a range, which may be negative. */
  #baseOf(ranges: NonNullable<FieldSections['ranges']>, range: number): number {
    return this.#resolve(ranges.first + range) - ranges.offsets[range];
  }

  #at(kind: number): number {
    const known = this.#known;
    if (known !== null && known[kind] !== 0) return known[kind];
    const section = this.#sections.get(kind);
    if (section === undefined) return 0;
    const address = this.#resolve(section);
    if (known !== null) known[kind] = address;
    return address;
  }
}
