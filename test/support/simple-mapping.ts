// A small mapping for tests of the writer: fields by a prefix of their names (`t_` text, `k_` keyword, `n_` long); unknown ones cause
// dynamic updates, `bad` is refused, `nested` objects become nested documents.
import type { JsonObject } from '../../src/common/json/json-value.ts';
import { DEFAULT_DIALECT } from '../../src/compat/dialect.ts';
import { mapperParsingError } from '../../src/errors/catalog.ts';
import type { DocumentSink, FieldSpec } from '../../src/mapping/core/document-sink.ts';
import type { MappingSnapshot, ParseOutcome } from '../../src/mapping/core/mapping-snapshot.ts';

const spec = (name: string): FieldSpec => ({
  name,
  postings: name.startsWith('t_') ? 'positions' : name.startsWith('k_') ? 'docs' : 'none',
  norms: name.startsWith('t_'),
  analyzer: name.startsWith('t_') ? 'standard' : null,
  positionIncrementGap: 100,
  column: name.startsWith('n_') ? 'i64' : name.startsWith('k_') ? 'ordinals' : 'none',
});

export class SimpleMapping implements Pick<MappingSnapshot, 'version' | 'fields' | 'parseDocument' | 'dialect' | 'source'> {
  readonly dialect = DEFAULT_DIALECT;
  readonly source = { enabled: true, includes: [], excludes: [] };
  readonly version: number;
  readonly fields: readonly FieldSpec[];

  constructor(names: readonly string[], version = 1) {
    this.fields = names.map(spec);
    this.version = version;
  }

  with(names: readonly string[]): SimpleMapping {
    const known = this.fields.map(({ name }) => name);
    return new SimpleMapping([...known, ...names.filter((name) => !known.includes(name))], this.version + 1);
  }

  asMapping(): MappingSnapshot {
    return this as unknown as MappingSnapshot;
  }

  syntheticSource(): null {
    return null;
  }

  parseDocument(_id: string, source: JsonObject, sink: DocumentSink): ParseOutcome {
    const missing = this.#namesOf(source).filter((name) => !this.fields.some((field) => field.name === name));
    if (missing.length > 0)
      return { kind: 'needsMapping', update: { mappings: { properties: Object.fromEntries(missing.map((name) => [name, {}])) } } };
    sink.begin(null);
    this.#write(source, sink);
    sink.end();
    return { kind: 'parsed' };
  }

  #namesOf(source: JsonObject): string[] {
    return Object.entries(source).flatMap(([name, value]) =>
      name === 'nested' ? (value as JsonObject[]).flatMap((item) => this.#namesOf(item)) : [name],
    );
  }

  #write(source: JsonObject, sink: DocumentSink): void {
    for (const [name, value] of Object.entries(source)) {
      if (name === 'nested') {
        for (const item of value as JsonObject[]) {
          sink.begin('nested');
          this.#write(item, sink);
          sink.end();
        }
        continue;
      }
      const number = this.fields.findIndex((field) => field.name === name);
      if (name.startsWith('t_')) sink.text(number, String(value));
      else if (name.startsWith('k_')) sink.keyword(number, Buffer.from(String(value)));
      else if (typeof value === 'number') sink.i64(number, value);
      else throw mapperParsingError(`failed to parse field [${name}]`);
    }
  }
}
