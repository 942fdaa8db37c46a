// Mappings as the service shows them. In a file without imports, so that tests of other files need no types of browsers.

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
