// Several certificates of one server: OpenSSL keeps one for each type of key, and a later one of the same type takes its place.
import { createPrivateKey, X509Certificate } from 'node:crypto';

/** A certificate with its chain (PEM) and its private key, decrypted. */
export interface KeyPair {
  cert: Buffer;
  key: string | Buffer;
}

/**
 * The pairs that OpenSSL would keep, each at the place of the last of its type. A single pair is returned unread: OpenSSL reports what is
 * wrong with it.
 * @throws Error a certificate or key is malformed, or a key belongs to another certificate
 */
export function lastOfEachType(pairs: readonly KeyPair[]): KeyPair[] {
  if (pairs.length < 2) return [...pairs];
  const kept = new Map<string, KeyPair>();
  for (const pair of pairs) {
    const leaf = new X509Certificate(pair.cert);
    if (!leaf.checkPrivateKey(createPrivateKey(pair.key))) throw new Error('SSL_CTX_use_PrivateKey() failed (key values mismatch)');
    const type = String(leaf.publicKey.asymmetricKeyType);
    kept.delete(type);
    kept.set(type, pair);
  }
  return [...kept.values()];
}
