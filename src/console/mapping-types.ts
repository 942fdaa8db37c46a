// Mappings as the service shows them. Kept in a file without imports, so that tests that use them need no browser types.

/** Fields by name. */
export interface MappingProperties {
  readonly [name: string]: MappingField;
}

export interface MappingField {
  readonly type?: string;
  readonly properties?: MappingProperties;
  readonly fields?: MappingProperties;
  readonly [param: string]: unknown;
}
