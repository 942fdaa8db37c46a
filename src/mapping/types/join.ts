// join: parents and children in one index. `name` holds the name of the relation, `name#parent` the id of the parent (for a parent, its own id).

import { setOwn } from '../../common/json/own-property.ts';
import { present } from '../../common/present.ts';
import { javaText } from '../../common/text/java-text.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import type { DocumentContext, FieldDefinition, Mapper, MapperType } from '../core/mapper.ts';
import { META_PARAM, NO_EFFECT_PARAMS, ORDINALS_PARAMS } from '../core/params.ts';
import { scratchUtf8 } from '../values/utf8.ts';
import { NO_SPEC } from './base-field-type.ts';
import { KeywordFieldType } from './keyword.ts';

type Relations = Readonly<Record<string, readonly string[]>>;

/** `{ question: 'answer', answer: ['vote'] }`, normalised to lists. @throws ApiError */
function parseRelations(value: unknown): Relations {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw illegalArgumentError('Relations must be an object');
  const relations: Record<string, readonly string[]> = {};
  for (const [parent, children] of Object.entries(value))
    setOwn(relations, parent, (Array.isArray(children) ? children : [children]).map(javaText));
  return relations;
}

class JoinMapper implements Mapper {
  readonly takesArrays = false;
  readonly refusal = 'value';
  readonly nullValue = undefined;
  readonly ignoreMalformed = false;
  readonly #parentOf = new Map<string, string>();

  constructor(
    readonly fieldType: KeywordFieldType,
    readonly field: number,
    readonly relations: Relations,
    /** Field number of `name#parent`, by parent. */
    readonly parentFields: ReadonlyMap<string, number>,
  ) {
    for (const [parent, children] of Object.entries(relations)) for (const child of children) this.#parentOf.set(child, parent);
  }

  index(context: DocumentContext, value: unknown): void {
    let name: string | null = null;
    let parentId: string | null = null;
    if (typeof value === 'string') name = value;
    else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        if (key === 'name') name = javaText(item);
        else if (key === 'parent') parentId = javaText(item);
        else throw illegalArgumentError(`unknown field name [${key}] in join field [${this.fieldType.name}]`);
      }
    } else throw illegalArgumentError(`[${this.fieldType.name}] expected START_OBJECT or VALUE_STRING but was: VALUE_NUMBER`);
    if (name === null) throw illegalArgumentError(`null join name in field [${this.fieldType.name}]`);
    const parent = this.#parentOf.get(name);
    const isParent = this.parentFields.has(name);
    if (parent === undefined && !isParent) throw illegalArgumentError(`unknown join name [${name}] for field [${this.fieldType.name}]`);
    if (parent !== undefined) {
      if (parentId === null) throw illegalArgumentError(`[parent] is missing for join field [${this.fieldType.name}]`);
      if (context.routing === null) throw illegalArgumentError(`[routing] is missing for join field [${this.fieldType.name}]`);
      context.sink.keyword(present(this.parentFields.get(parent)), scratchUtf8(parentId));
    }
    if (isParent) context.sink.keyword(present(this.parentFields.get(name)), scratchUtf8(context.id));
    context.sink.keyword(this.field, scratchUtf8(name));
  }
}

export const JOIN_TYPES: Readonly<Record<string, MapperType>> = {
  join: {
    params: {
      meta: META_PARAM,
      ...NO_EFFECT_PARAMS,
      ...ORDINALS_PARAMS,
      relations: { parse: parseRelations, fallback: {}, updatable: true },
    },
    create(definition: FieldDefinition) {
      const relations = definition.get<Relations>('relations');
      const all = Object.values(relations).flat();
      const twice = all.find((name, i) => all.indexOf(name) !== i);
      if (twice !== undefined) throw illegalArgumentError(`[${twice}] cannot have multiple parents`);
      if (definition.nestedPath !== null)
        throw mapperParsingError(`join field [${definition.path}] cannot be added inside an object or in a multi-field`);
      const spec = { ...NO_SPEC, name: definition.path, postings: 'docs', column: 'ordinals' } as const;
      const fieldType = new KeywordFieldType(definition, null, { spec, family: 'keyword', isSearchable: true, isAggregatable: true });
      const field = definition.field(spec);
      const parentFields = new Map<string, number>();
      for (const parent of Object.keys(relations)) {
        const path = `${definition.path}#${parent}`;
        const idSpec = { ...spec, name: path };
        parentFields.set(parent, definition.field(idSpec));
        definition.addSubField(
          `#${parent}`,
          new KeywordFieldType({ ...definition, path }, null, {
            spec: idSpec,
            family: 'keyword',
            isSearchable: true,
            isAggregatable: true,
            typeName: 'parent',
          }),
        );
      }
      return new JoinMapper(fieldType, field, relations, parentFields);
    },
  },
};
