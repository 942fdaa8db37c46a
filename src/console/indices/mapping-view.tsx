// The mapping of an index as a tree, with the number of documents that have each field.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { countText, numberText } from '../format.ts';
import type { MappingProperties } from '../mapping-types.ts';
import { call, pathPart } from '../service.ts';
import { countableFields, type FieldNode, fieldCount, fieldTree } from './index-model.ts';

interface MappingViewProps {
  readonly name: string;
  readonly documents: number;
  readonly properties: MappingProperties;
}

export function MappingView({ name, documents, properties }: MappingViewProps): JSX.Element {
  const nodes = fieldTree(properties);
  const counts = useCounts(name, nodes);
  return (
    <>
      <p class="muted small">{countText(fieldCount(nodes), 'field')}; the figures are documents that have the field</p>
      <FieldTree nodes={nodes} counts={counts} documents={documents} />
    </>
  );
}

type Counts = Readonly<Record<string, number>>;

/** Documents with each field; empty until they are counted, or if they cannot be. */
function useCounts(name: string, nodes: readonly FieldNode[]): Counts {
  const [counts, setCounts] = useState<Counts>({});
  const fields = countableFields(nodes);
  useEffect(() => {
    setCounts({});
    if (fields.length === 0) return;
    const controller = new AbortController();
    const filters = Object.fromEntries(fields.map((field) => [field, { exists: { field } }]));
    call<{ aggregations?: { fields: { buckets: Record<string, { doc_count: number }> } } }>(
      'POST',
      `/${pathPart(name)}/_search`,
      { size: 0, aggs: { fields: { filters: { filters } } } },
      { signal: controller.signal },
    ).then(
      ({ aggregations }) =>
        setCounts(
          Object.fromEntries(Object.entries(aggregations?.fields.buckets ?? {}).map(([field, { doc_count: count }]) => [field, count])),
        ),
      () => undefined,
    );
    return () => controller.abort();
  }, [name, fields.join('\n')]);
  return counts;
}

interface FieldTreeProps {
  readonly nodes: readonly FieldNode[];
  readonly counts: Counts;
  readonly documents: number;
}

function FieldTree({ nodes, counts, documents }: FieldTreeProps): JSX.Element {
  return (
    <ul class="field-tree">
      {nodes.map(({ name, path, type, params, isMultiField, children }) => (
        <li key={name}>
          <span class="tree-row">
            <b>{isMultiField ? `.${name}` : name}</b> <span class="badge">{type}</span>{' '}
            {Object.hasOwn(counts, path) && (
              <span class="muted small" title={`${numberText(counts[path])} of ${countText(documents, 'document')}`}>
                {numberText(counts[path])}
              </span>
            )}{' '}
            <span class="muted small mono">{params}</span>
          </span>
          {children.length > 0 && <FieldTree nodes={children} counts={counts} documents={documents} />}
        </li>
      ))}
    </ul>
  );
}
