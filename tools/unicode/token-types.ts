// Ids of token types, in the order of src/analysis/tokens/token-types.ts; the generator writes them into automata as accept values.
export { TOKEN_TYPES, TYPE } from '../../src/analysis/tokens/token-types.ts';
