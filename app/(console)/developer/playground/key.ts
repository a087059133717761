// The key that tokens are bound to (RFC 9449), in IndexedDB, so that it is still there after the sign-in page. Its
// private half cannot be read out, not even by this page.
import { calculateJwkThumbprint, exportJWK } from 'jose';

export type BrowserKey = { pair: CryptoKeyPair; thumbprint: string };

const [DATABASE, STORE, NAME] = ['gatehouse-playground', 'keys', 'key'];

/** The key of this browser; the first time one is made. */
export async function browserKey(): Promise<BrowserKey> {
  const database = await opened();
  const made = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']);
  const pair = await keptOr(database, made);
  database.close();
  return { pair, thumbprint: await calculateJwkThumbprint(await exportJWK(pair.publicKey)) };
}

function opened(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return settled(request);
}

/** In one transaction, so that two pages that begin at once have the same key. */
async function keptOr(database: IDBDatabase, made: CryptoKeyPair): Promise<CryptoKeyPair> {
  const keys = database.transaction(STORE, 'readwrite').objectStore(STORE);
  const kept = await settled<CryptoKeyPair | undefined>(keys.get(NAME));
  if (kept) return kept;
  await settled(keys.add(made, NAME));
  return made;
}

function settled<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
