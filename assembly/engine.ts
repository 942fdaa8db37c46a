// Export list of the engine build. Each export is named after its folder and a verb.
export { E_TRUNCATED, E_CORRUPT, E_NO_SPACE, E_LIMIT } from './mem/status';
