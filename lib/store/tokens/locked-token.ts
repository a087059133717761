// A living token before its key is proved. A reader that acts on the token has to open it, so no reader can forget
// `cnf` (RFC 9449 §7).

/** The token's issuer and API. */
type Place = { apiId: string; authMethodId: string; issuerHost: string | null };

/** `jkt`: the thumbprint of the key that the token is bound to, base64url; null: a bearer token. */
type Lockable = Place & { jkt: string | null };

export class LockedToken<Token extends Lockable> {
  readonly #token: Token;
  readonly jkt: string | null;

  constructor(token: Token) {
    this.#token = token;
    this.jkt = token.jkt;
  }

  get place(): Place {
    const { apiId, authMethodId, issuerHost } = this.#token;
    return { apiId, authMethodId, issuerHost };
  }

  /** The token, for a checked proof of its key. A bearer token needs no proof. Null: no proof, or one of another key. */
  open(proof: { readonly jkt: Uint8Array } | null): Token | null {
    const proved = proof && Buffer.from(proof.jkt).toString('base64url');
    return this.jkt === null || this.jkt === proved ? this.#token : null;
  }

  /**
   * The token without a proof: for introspection, whose caller checks the proof itself (RFC 9449 §6.2), and for the
   * token's audience.
   */
  inspect(): Token {
    return this.#token;
  }
}
