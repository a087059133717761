// Types for the used parts of an untyped library.
declare module 'oidc-token-hash' {
  /** Throws if `hash` is not the hash of `token` (OpenID Connect Core §3.1.3.6). */
  export function validate(
    names: { claim: string; source: string },
    hash: string,
    token: string,
    alg: string,
  ): void;
}
