// What the `sub` of a person looks like: their id, or a pairwise subject (OpenID Connect Core §8.1).

export const PERSON_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** HMAC-SHA-256 in base64url. */
export const PAIRWISE_SUB = /^[\w-]{43}$/;

/**
 * Could an API take this client id, the `sub` of a machine's tokens, for a person's `sub` (RFC 9700 §4.15.1)? In any
 * case of letters.
 */
export const isSubjectForm = (clientId: string): boolean =>
  PERSON_ID.test(clientId.toLowerCase()) || PAIRWISE_SUB.test(clientId);
