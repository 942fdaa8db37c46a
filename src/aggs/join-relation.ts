// Relations of join fields as the aggregations children and parent follow them.
import type { MappingSnapshot } from '../mapping/core/mapping-snapshot.ts';
import type { SegmentReader } from '../plan/segment-reader.ts';

/** The relation in one index. */
export interface Relation {
  /** The column with the names of the documents' types. */
  readonly names: string;
  /** The column with the parents' ids, in parents and children alike. */
  readonly ids: string;
  readonly from: string;
  readonly to: string;
}

/** From the parents of a child type to the children, or back; null if the mapping has no such type. */
export function relationOf(child: string, typeName: string, mapping: MappingSnapshot): Relation | null {
  for (const name of mapping.matchFields('*')) {
    const field = mapping.field(name);
    if (field?.typeName !== 'join') continue;
    const relations = field.params['relations'] as Readonly<Record<string, readonly string[]>>;
    const [parent] = Object.entries(relations).find(([, children]) => children.includes(child)) ?? [];
    if (parent === undefined) return null;
    const [from, to] = typeName === 'children' ? [parent, child] : [child, parent];
    return { names: field.spec.name, ids: `${field.spec.name}#${parent}`, from, to };
  }
  return null;
}

/** Ordinal of a document type in a segment; -1 if no document has it. */
function ordinalOf(segment: SegmentReader, { names }: Relation, type: string): number {
  return segment.column(names) ? (segment.lookupTerm(names, Buffer.from(type))?.ord ?? -1) : -1;
}

/** Calls `visit` for the documents of a type, with the id of their parent. */
export function eachOfType(
  relation: Relation,
  segment: SegmentReader,
  type: string,
  docs: Uint32Array,
  visit: (doc: number, id: string) => void,
): void {
  const wanted = ordinalOf(segment, relation, type);
  if (wanted < 0 || !segment.column(relation.ids)) return;
  const texts: string[] = [];
  for (const doc of docs) {
    if (Number(segment.values(relation.names, doc)[0] ?? -1) !== wanted) continue;
    const [id] = segment.values(relation.ids, doc);
    if (id === undefined) continue;
    const ord = Number(id);
    texts[ord] ??= Buffer.from(segment.termOf(relation.ids, ord)).toString('latin1');
    visit(doc, texts[ord]);
  }
}
