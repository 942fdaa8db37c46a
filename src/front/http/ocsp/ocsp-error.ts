// A file of its own: messages.ts, which throws it, loads a large library and is imported only where OCSP is configured.

/** A responder could not be asked, or its response is malformed or not to be trusted. */
export class OcspError extends Error {}
